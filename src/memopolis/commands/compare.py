"""`memopolis compare`: arms of a scenario over the same seeds, or two runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.markup import escape

from memopolis.commands.compare_runs import compare_runs
from memopolis.commands.run import seed_of
from memopolis.commands.terminal import (
    WIDTH,
    counting_runs,
    free_folder,
    stderr_console,
    stdout_console,
    table,
)
from memopolis.sim.arms import read_arms
from memopolis.sim.errors import ParameterError
from memopolis.sim.scenario_names import find_scenario
from memopolis.sim.settings import (
    RECORDED_OF_MANY,
    Settings,
    load_settings_toml,
    merge,
    parse_sets,
)
from memopolis.sim.society import Society

if TYPE_CHECKING:
    from memopolis.analysis.compare.arms import Comparison

_NUMBERS = ("mean", "difference", "effect")


@dataclass(frozen=True)
class CompareOptions:
    """Options of `memopolis compare` on the command line.

    Attributes:
        arms: Arms, separated by commas; None if omitted.
        replications: Runs of each arm; None for 10.
        sets: Settings of all arms as "key=value".
        settings: A TOML file of settings.
        seed: The first seed, None for 1.
        outcomes: Outcomes to compare, separated by commas; None for those of the scenario.
        workers: Number of processes; None for one per core.
        confidence: Confidence level of the intervals; None for 0.95.
        force: Whether to run even if more memory may be needed than is available.
    """

    arms: str | None = None
    replications: int | None = None
    sets: tuple[str, ...] = ()
    settings: Path | None = None
    seed: str | None = None
    outcomes: str | None = None
    workers: int | None = None
    confidence: float | None = None
    force: bool = False


def compare_named(names: Sequence[str], options: CompareOptions, out: Path | None) -> None:
    """Compare arms of a scenario, or two runs.

    Args:
        names: One scenario, or the folders of two runs.
        options: Options for arms; the defaults for two runs.
        out: Output folder of the runs, or of the page that compares two runs.

    Raises:
        MemopolisError: If the names or options are wrong, or a run fails.
    """
    if len(names) == 2 and options == CompareOptions():
        compare_runs(names[0], names[1], out)
    elif len(names) == 1 and options.arms is not None:
        _compare_arms(names[0], options.arms, options, out)
    elif len(names) == 1:
        raise ParameterError(
            f"cannot compare {names[0]} alone: name arms of a scenario with --arms A,B, or a "
            "second run"
        )
    else:
        raise ParameterError(
            f"{len(names)} names were given ({', '.join(names)}): name two runs, with no option "
            "except --out, or one scenario with --arms"
        )


def _compare_arms(name: str, named: str, options: CompareOptions, out: Path | None) -> None:
    """Run the arms, print their differences, and write tables and report."""
    from memopolis.analysis.compare.arms import compare
    from memopolis.analysis.compare.arms_report import write_comparison

    replications = 10 if options.replications is None else options.replications
    if replications < 2:
        raise ParameterError(
            f"--replications is {replications}; an interval over seeds needs at least 2, better 10"
        )
    scenario = find_scenario(name)
    arms = read_arms(scenario, named.split(","))
    settings = _settings(scenario, options)
    first = seed_of(options.seed or "1") or 0
    base = Path("runs", f"compare-{scenario.__name__.lower()}")
    with counting_runs(name) as progress:
        comparison = compare(
            scenario,
            settings,
            arms=arms,
            seeds=range(first, first + replications),
            folder=out if out is not None else free_folder(base),
            outcomes=[one for one in (options.outcomes or "").split(",") if one.strip()],
            confidence=0.95 if options.confidence is None else options.confidence,
            workers=options.workers,
            progress=progress,
            force=options.force,
        )
    with stderr_console().status("Writing the report ...", spinner="line"):
        page = write_comparison(comparison)
    _print(comparison)
    stdout_console().print(f"Runs    {comparison.folder}", soft_wrap=True, markup=False)
    stdout_console().print(f"Report  {page}", soft_wrap=True, markup=False)


def _settings(scenario: type[Society[Any]], options: CompareOptions) -> Settings:
    """Return the settings of all arms: those of a file, then those of the command line."""
    from_file = load_settings_toml(options.settings) if options.settings is not None else {}
    changes = merge(from_file, parse_sets(options.sets))
    return scenario.settings_class().with_changes(merge(RECORDED_OF_MANY, changes))


def _print(comparison: "Comparison") -> None:
    from memopolis.analysis.compare.arms_report import HEAD, rows_of

    title = (
        f"{len(comparison.seeds)} seeds, {comparison.confidence:.0%} intervals, "
        f"differences from {comparison.arms[0]}"
    )
    shown = table(escape(title), *HEAD, numbers=_NUMBERS)
    for row in rows_of(comparison):
        shown.add_row(*map(escape, row))
    stdout_console(width=WIDTH).print(shown)
