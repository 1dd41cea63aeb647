"""`memopolis compare`: arms of a scenario over the same seeds, and how they differ."""

import itertools
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.markup import escape

from memopolis.commands.run import seed_of
from memopolis.commands.terminal import asides, counting_runs, results, table
from memopolis.sim.arms import read_arms
from memopolis.sim.errors import ParameterError
from memopolis.sim.scenario_names import find_scenario
from memopolis.sim.settings import Settings, load_settings_toml, merge, parse_sets
from memopolis.sim.society import Society

if TYPE_CHECKING:
    from memopolis.analysis.arms import Comparison

RECORDED = {"record": {"tables": ("measures", "agents", "ledger")}}
"""What runs of a comparison record where nothing is said: memories and decisions of many runs
would fill the disk."""

_NUMBERS = ("mean", "difference")


@dataclass(frozen=True)
class Wanted:
    """What was typed.

    Attributes:
        scenario: Name of the scenario.
        arms: Arms, apart by commas.
        replications: Runs of each arm.
        sets: Settings of all arms as "key=value".
        settings: A TOML file of settings.
        seed: The first seed, None for 1.
        outcomes: What arms are compared by, apart by commas; None for the scenario's own.
        out: Folder of the runs.
        workers: Processes; None for as many as cores.
        confidence: Of the intervals.
    """

    scenario: str
    arms: str
    replications: int = 10
    sets: tuple[str, ...] = ()
    settings: Path | None = None
    seed: str | None = None
    outcomes: str | None = None
    out: Path | None = None
    workers: int | None = None
    confidence: float = 0.95


def compare_scenario(wanted: Wanted) -> None:
    """Run the arms, print how they differ, and write tables and report.

    Raises:
        MemopolisError: If anything that was asked for is not possible.
    """
    from memopolis.analysis.arms import compare
    from memopolis.analysis.arms_report import write_comparison

    if wanted.replications < 2:
        raise ParameterError(
            f"--replications is {wanted.replications}; an interval over seeds needs at least 2, "
            "better 10"
        )
    scenario = find_scenario(wanted.scenario)
    arms = read_arms(scenario, wanted.arms.split(","))
    settings = _settings(scenario, wanted)
    first = seed_of(wanted.seed or "1") or 0
    seeds = range(first, first + wanted.replications)
    with counting_runs(wanted.scenario) as progress:
        comparison = compare(
            scenario,
            settings,
            arms=arms,
            seeds=seeds,
            folder=wanted.out if wanted.out is not None else _free_folder(scenario.__name__),
            outcomes=[name for name in (wanted.outcomes or "").split(",") if name.strip()],
            confidence=wanted.confidence,
            workers=wanted.workers,
            progress=progress,
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
    return scenario.settings_class().with_changes(merge(RECORDED, given))


def _free_folder(name: str) -> Path:
    numbers = itertools.count(1)
    base = f"compare-{name.lower()}"
    return next(path for n in numbers if not (path := Path("runs", f"{base}-{n}")).exists())


def _print(comparison: "Comparison") -> None:
    from memopolis.analysis.arms_report import HEAD, rows_of

    title = (
        f"{len(comparison.seeds)} seeds, {comparison.confidence:.0%} intervals, "
        f"differences to {comparison.arms[0]}"
    )
    console = results()
    if not console.is_terminal:
        console.width = max(console.width, 120)
    shown = table(escape(title), *HEAD, numbers=_NUMBERS)
    for row in rows_of(comparison):
        shown.add_row(*map(escape, row))
    console.print(shown)
