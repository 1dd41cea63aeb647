"""`memopolis run`: build a society, run it, say what came of it."""

import itertools
import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape

from memopolis.commands.terminal import asides, interrupts, results, table, ticking
from memopolis.sim.errors import MemopolisError, RunFolderError, SettingsError
from memopolis.sim.scenario_names import find_scenario
from memopolis.sim.settings import Settings, load_settings_toml, merge, parse_sets
from memopolis.sim.society import Society


@dataclass(frozen=True)
class Asked:
    """What was typed.

    Attributes:
        scenario: Name of the scenario.
        sets: Settings as "key=value".
        seed: The seed, None to draw one.
        settings: A TOML file of settings.
        out: Folder of the run.
        report: Whether a report is wanted.
    """

    scenario: str
    sets: tuple[str, ...] = ()
    seed: str | None = None
    settings: Path | None = None
    out: Path | None = None
    report: bool = True


def run_scenario(asked: Asked) -> None:
    """Run a scenario from first check to report.

    Raises:
        MemopolisError: If anything that was asked for is not possible.
        KeyboardInterrupt: If the user stopped it; the run's manifest says so.
    """
    scenario = find_scenario(asked.scenario)
    settings = settings_of(scenario, asked)
    seed = seed_of(asked.seed)
    _check_folder(asked.out)
    console = asides()
    with console.status("Building the society ...", spinner="line"):
        society = scenario(settings, rng=seed)
    folder = asked.out if asked.out is not None else free_folder(scenario, society.seed)
    _run(society, folder, console)
    del society  # its report is made from its tables, beside which it need not stand
    report = _report(folder, console) if asked.report else None
    _summarise(folder)
    results().print(f"Run     {folder}", soft_wrap=True)
    if report is not None:
        results().print(f"Report  {report}", soft_wrap=True)


def estimate_scenario(asked: Asked) -> None:
    """Print what a run would ask a model, by block, and what that costs.

    Raises:
        MemopolisError: If anything that was asked for is not possible.
    """
    from memopolis.commands.estimate import print_estimate

    scenario = find_scenario(asked.scenario)
    print_estimate(scenario, settings_of(scenario, asked), seed_of(asked.seed))


def settings_of(scenario: type[Society[Any]], asked: Asked) -> Settings:
    """Settings of a scenario, with a file's changes and then those typed in.

    Raises:
        SettingsError: If a setting is unknown or not allowed.
        DataFileError: If the file cannot be read.
    """
    from_file = load_settings_toml(asked.settings) if asked.settings is not None else {}
    return scenario.settings_class().with_changes(merge(from_file, parse_sets(asked.sets)))


def seed_of(text: str | None) -> int | None:
    """Read a seed.

    Raises:
        SettingsError: If it is no whole number of at least 0.
    """
    if text is None:
        return None
    if not text.isdecimal():
        raise SettingsError(f"--seed was given {text!r}; allowed: a whole number of 0 or more")
    return int(text)


def free_folder(scenario: type[Society[Any]], seed: int) -> Path:
    """A folder below runs/ that does not exist yet."""
    name = scenario.__name__.lower()
    numbers = itertools.count(1)
    return next(p for n in numbers if not (p := Path("runs", f"{name}-{seed}-{n}")).exists())


def _check_folder(folder: Path | None) -> None:
    """Refuse a folder before minutes of building, not after."""
    if folder is None:
        return
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise RunFolderError(
            f"{folder} exists already; name another folder with --out, or remove it"
        )
    above = next((p for p in (folder, *folder.absolute().parents) if p.exists()), folder)
    if not above.is_dir() or not os.access(above, os.W_OK):
        raise RunFolderError(f"{folder} cannot be written: no permission to write in {above}")


def _headline(society: Society[Any]) -> str:
    start, end = (society.clock.date_of(tick) for tick in (0, society.ticks))
    name, agents = type(society).__name__, society.settings.agents
    return (
        f"{name}: {agents:,} agents, {start:%d %b %Y} to {end:%d %b %Y}, "
        f"{society.ticks:,} steps, seed {society.seed}"
    )


def _run(society: Society[Any], folder: Path, console: Console) -> None:
    def listen(done: int, total: int, date: datetime) -> None:
        check()
        if done == 1:  # not before the folder could be made
            console.print(_headline(society))
        show(done, total, date)

    try:
        with ticking(console) as show, interrupts() as check:
            society.run(folder, progress=listen)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            f"interrupted at {society.clock.now:%d %b %Y %H:%M}; the manifest of {folder} says so"
        ) from None


def _summarise(folder: Path) -> None:
    from memopolis.analysis import load_run
    from memopolis.analysis.summary import summary

    shown = table("")
    shown.show_header = False
    shown.add_column(no_wrap=True)
    shown.add_column(overflow="fold")
    for label, value in summary(load_run(folder)):
        shown.add_row(escape(label), escape(value))
    results().print(shown)


def _report(folder: Path, console: Console) -> Path | None:
    from memopolis.commands.report import write

    try:
        with console.status("Writing the report ...", spinner="line"):
            return write(folder)
    except MemopolisError as error:
        # The run is whole; that no figure could be drawn of it must not hide it.
        console.print(f"memopolis: no report: {error}", soft_wrap=True, markup=False)
        return None
