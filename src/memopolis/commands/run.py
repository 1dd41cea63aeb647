"""`memopolis run`: build a society, run it, say what came of it."""

import itertools
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from rich.console import Console

from memopolis.commands.terminal import asides, results, short, table, ticking
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


@dataclass
class Course:
    """How the measures went: first, least, greatest and last value of each."""

    first: dict[str, float] = field(default_factory=dict)
    low: dict[str, float] = field(default_factory=dict)
    high: dict[str, float] = field(default_factory=dict)
    when: dict[str, datetime] = field(default_factory=dict)
    last: dict[str, float] = field(default_factory=dict)

    def note(self, measured: Mapping[str, Mapping[str, float]], date: datetime) -> None:
        """Take in the measures of a step, over all agents."""
        for name, groups in measured.items():
            value = groups[""]
            self.first.setdefault(name, value)
            self.low[name] = min(value, self.low.get(name, value))
            if name not in self.high or value > self.high[name]:
                self.high[name], self.when[name] = value, date
            self.last[name] = value


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
    console.print(_headline(society))
    course = Course()
    started = time.perf_counter()
    _run(society, folder, course, console)
    seconds = time.perf_counter() - started
    _summarise(society, course, seconds)
    out = results()
    out.print(f"Run     {folder}", soft_wrap=True)
    if asked.report:
        with console.status("Writing the report ...", spinner="line"):
            report = _report(folder, console)
        if report is not None:
            out.print(f"Report  {report}", soft_wrap=True)


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
    agents = sum(len(population) for population in society.populations)
    clock = society.clock
    return (
        f"{type(society).__name__}: {agents:,} agents, {clock.start:%d %b %Y} to "
        f"{clock.date_of(society.ticks):%d %b %Y}, {society.ticks:,} steps, seed {society.seed}"
    )


def _run(society: Society[Any], folder: Path, course: Course, console: Console) -> None:
    def listen(done: int, total: int, date: datetime) -> None:
        course.note(society.measured, society.clock.now)
        show(done, total, date)

    try:
        with ticking(console) as show:
            society.run(folder, progress=listen)
    except KeyboardInterrupt:
        console.print(
            f"memopolis: interrupted at {society.clock.now:%d %b %Y %H:%M}; "
            f"{folder} is marked so and is no complete run",
            soft_wrap=True,
        )
        raise SystemExit(130) from None


def _summarise(society: Society[Any], course: Course, seconds: float) -> None:
    out = results()
    if course.last:
        unit = {measure.name: measure.unit for measure in society.measures}
        columns = ("start", "least", "most", "end")
        shown = table("", "measure", "unit", *columns, "most on", numbers=columns)
        for name in course.last:
            values = (course.first, course.low, course.high, course.last)
            numbers = [short(value[name]) for value in values]
            shown.add_row(name, unit[name], *numbers, f"{course.when[name]:%d %b %H:%M}")
        out.print(shown)
    agents = sum(len(population) for population in society.populations)
    memories = sum(int(p.memory.issued.sum()) for p in society.populations)
    speed = agents * society.ticks / seconds
    out.print(
        f"{seconds:.1f} s, {speed:,.0f} agent-steps a second; {memories:,} memories, "
        f"{len(society.texts):,} distinct texts",
        soft_wrap=True,
    )


def _report(folder: Path, console: Console) -> Path | None:
    from memopolis.commands.report import write

    try:
        return write(folder)
    except MemopolisError as error:
        # The run is whole; that no figure could be drawn of it must not hide it.
        console.print(f"memopolis: no report: {error}", soft_wrap=True)
        return None
