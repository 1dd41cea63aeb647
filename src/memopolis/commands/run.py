"""`memopolis run`: build a society, run it and print the results, or estimate its model calls."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.markup import escape

from memopolis.commands.options.runs import RunOptions
from memopolis.commands.options.shared import SocietyOptions
from memopolis.commands.running import print_run_results, watch
from memopolis.commands.terminal import (
    announce,
    building,
    free_folder,
    print_line,
    stderr_console,
    stdout_console,
    table,
    ticking,
)
from memopolis.sim.errors import RunFolderError, SettingsError
from memopolis.sim.mind.estimate import estimate
from memopolis.sim.run_folder.folder import check_unused
from memopolis.sim.run_size import check_size
from memopolis.sim.scenario_names import find_scenario
from memopolis.sim.settings import Settings, load_settings_toml, merge, parse_sets
from memopolis.sim.society import Society

_DIGITS = 100  # maximum digits of a seed on the command line
_COSTS = ("calls", "tokens in", "tokens out, at most", "cost, at most")


def run(options: RunOptions) -> None:
    """Run a scenario, print the results and write the report; or only estimate model calls."""
    if options.estimate:
        _estimate(options)
        return
    scenario = find_scenario(options.scenario)
    settings, seed = settings_and_seed(scenario, options)
    check_folder(options.out)
    # The report needs the tables only, so the society is released first.
    folder = _record(scenario, settings, seed, options.out)
    print_run_results(folder, report=options.report)


def _record(
    scenario: type[Society[Any]], settings: Settings, seed: int | None, out: Path | None
) -> Path:
    with building(stderr_console(), settings.agents):
        society = scenario(settings, rng=seed)
    folder = new_folder(society) if out is None else out
    watch(folder, lambda listen: society.run(folder, progress=listen))
    return folder


def _estimate(options: RunOptions) -> None:
    """Run a scenario with the rule mind, unrecorded, and print the model calls it would need."""
    scenario = find_scenario(options.scenario)
    settings, seed = settings_and_seed(scenario, options)
    with ticking(stderr_console()) as show:
        estimated = estimate(scenario, settings, seed, progress=show)
    total, model = estimated.total, escape(estimated.model or "a model")
    title = f"Calls of {model}: {settings.agents:,} agents, {settings.days:g} days"
    shown = table(title, "block", *_COSTS, numbers=_COSTS)
    for cost in (*estimated.costs, total):
        if cost is total:
            shown.add_section()
        dollars = "unknown" if cost.dollars is None else f"{cost.dollars:,.2f} USD"
        counts = (f"{count:,}" for count in (cost.calls, cost.tokens_in, cost.tokens_out))
        shown.add_row(escape(cost.block), *counts, dollars)
    out = stdout_console()
    out.print(shown)
    out.print(
        "Counted in a run with the rule mind, with answers of maximum length. Requests to repair "
        "an invalid answer are not included."
    )
    if total.dollars is None:
        out.print("For the cost, set llm.price_in and llm.price_out in USD per million tokens.")
    tokens, llm = total.tokens_in + total.tokens_out, settings.llm
    for budget, needed, unit in (
        (llm.budget_tokens, tokens, "tokens"),
        (llm.budget_calls, total.calls, "calls"),
    ):
        if budget is not None and needed > budget:
            print_line(f"The budget of {budget:,} {unit} is smaller than the {needed:,} needed.")


def settings_and_seed(
    scenario: type[Society[Any]], options: SocietyOptions
) -> tuple[Settings, int | None]:
    """Return the settings and the seed of a run, and announce a large run."""
    settings, seed = settings_of(scenario, options), seed_of(options.seed)
    announce(check_size(scenario, settings, force=options.force))
    return settings, seed


def settings_of(scenario: type[Society[Any]], options: SocietyOptions) -> Settings:
    """Return a scenario's settings, changed by the file and then by the command line."""
    return settings_with(scenario, options.settings, options.changes)


def settings_with(
    scenario: type[Society[Any]],
    file: Path | None,
    sets: Sequence[str],
    first: Mapping[str, object] | None = None,
) -> Settings:
    """Return a scenario's settings with changes; later changes replace earlier ones.

    These are `first`, by name, then a TOML file, then texts "key=value".
    """
    from_file = load_settings_toml(file) if file is not None else {}
    changes = merge(merge(first or {}, from_file), parse_sets(sets))
    return scenario.settings_class().with_changes(changes)


def seed_of(text: str | None, *, name: str = "--seed") -> int | None:
    """Parse a random seed."""
    if text is None:
        return None
    if not (text.isascii() and text.isdecimal()) or len(text) > _DIGITS:
        shown = text if len(text) <= _DIGITS else f"{text[:10]}... ({len(text):,} characters)"
        raise SettingsError(
            f"{name} was given {shown!r}; allowed: a whole number of 0 or more, of at most "
            f"{_DIGITS} digits"
        )
    return int(text)


def new_folder(society: Society[Any], base: Path | None = None) -> Path:
    """Return an unused folder for a run: `base`, or its scenario and seed, with a number."""
    named = Path("runs", f"{type(society).__name__.lower()}-{society.seed}")
    return free_folder(named if base is None else base)


def check_folder(folder: Path | None) -> None:
    """Check an output folder before the society is built, which may take minutes."""
    if folder is None:
        return
    check_unused(folder)
    above = next((p for p in (folder, *folder.absolute().parents) if p.exists()), folder)
    if not above.is_dir() or not os.access(above, os.W_OK):
        raise RunFolderError(f"{folder} cannot be written: no permission to write in {above}")
