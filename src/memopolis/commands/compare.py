"""`memopolis compare`: arms of a scenario over the same seeds, or two runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.markup import escape

from memopolis.commands.compare_runs import compare_runs
from memopolis.commands.run import seed_of
from memopolis.commands.terminal import WIDTH, asides, counting_runs, free_folder, results, table
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
class Wanted:
    """What was typed of arms.

    Attributes:
        arms: Arms, apart by commas; None where none were named.
        replications: Runs of each arm; None for 10.
        sets: Settings of all arms as "key=value".
        settings: A TOML file of settings.
        seed: The first seed, None for 1.
        outcomes: What arms are compared by, apart by commas; None for the scenario's own.
        workers: Processes; None for as many as cores.
        confidence: Of the intervals; None for 0.95.
        force: Whether runs are made that may need more memory than there is.
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


def compare_named(names: Sequence[str], wanted: Wanted, out: Path | None) -> None:
    """Compare arms of a scenario, or two runs.

    Args:
        names: One scenario, or the folders of two runs.
        wanted: What was typed of arms; nothing for two runs.
        out: Folder of the runs, or of the page of two runs.

    Raises:
        MemopolisError: If anything that was asked for is not possible.
    """
    if len(names) == 2 and wanted == Wanted():
        compare_runs(names[0], names[1], out)
    elif len(names) == 1 and wanted.arms is not None:
        _compare_arms(names[0], wanted.arms, wanted, out)
    elif len(names) == 1:
        raise ParameterError(
            f"{names[0]} alone cannot be compared: name arms of a scenario by --arms A,B, or a "
            "second run"
        )
    else:
        raise ParameterError(
            f"{len(names)} names were given ({', '.join(names)}): name two runs and nothing but "
            "--out, or one scenario with --arms"
        )


def _compare_arms(name: str, named: str, wanted: Wanted, out: Path | None) -> None:
    """Run the arms, print how they differ, and write tables and report."""
    from memopolis.analysis.compare.arms import compare
    from memopolis.analysis.compare.arms_report import write_comparison

    replications = 10 if wanted.replications is None else wanted.replications
    if replications < 2:
        raise ParameterError(
            f"--replications is {replications}; an interval over seeds needs at least 2, better 10"
        )
    scenario = find_scenario(name)
    arms = read_arms(scenario, named.split(","))
    settings = _settings(scenario, wanted)
    first = seed_of(wanted.seed or "1") or 0
    base = Path("runs", f"compare-{scenario.__name__.lower()}")
    with counting_runs(name) as progress:
        comparison = compare(
            scenario,
            settings,
            arms=arms,
            seeds=range(first, first + replications),
            folder=out if out is not None else free_folder(base),
            outcomes=[one for one in (wanted.outcomes or "").split(",") if one.strip()],
            confidence=0.95 if wanted.confidence is None else wanted.confidence,
            workers=wanted.workers,
            progress=progress,
            force=wanted.force,
        )
    with asides().status("Writing the report ...", spinner="line"):
        page = write_comparison(comparison)
    _print(comparison)
    results().print(f"Runs    {comparison.folder}", soft_wrap=True, markup=False)
    results().print(f"Report  {page}", soft_wrap=True, markup=False)


def _settings(scenario: type[Society[Any]], wanted: Wanted) -> Settings:
    """What all arms share: a file's settings, then those typed in."""
    from_file = load_settings_toml(wanted.settings) if wanted.settings is not None else {}
    given = merge(from_file, parse_sets(wanted.sets))
    return scenario.settings_class().with_changes(merge(RECORDED_OF_MANY, given))


def _print(comparison: "Comparison") -> None:
    from memopolis.analysis.compare.arms_report import HEAD, rows_of

    title = (
        f"{len(comparison.seeds)} seeds, {comparison.confidence:.0%} intervals, "
        f"differences to {comparison.arms[0]}"
    )
    shown = table(escape(title), *HEAD, numbers=_NUMBERS)
    for row in rows_of(comparison):
        shown.add_row(*map(escape, row))
    results(width=WIDTH).print(shown)
