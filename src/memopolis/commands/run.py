"""`memopolis run`: build a society, run it, say what came of it."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from memopolis.commands.running import tell_results, watch
from memopolis.commands.terminal import announce, asides, building, free_folder
from memopolis.sim.errors import RunFolderError, SettingsError
from memopolis.sim.run_size import check_size
from memopolis.sim.running.folder import check_unused
from memopolis.sim.scenario_names import find_scenario
from memopolis.sim.settings import Settings, load_settings_toml, merge, parse_sets
from memopolis.sim.society import Society

_DIGITS = 100
"""Most digits of a seed that is typed."""


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
        force: Whether a run is made that is estimated to need more memory than there is.
    """

    scenario: str
    sets: tuple[str, ...] = ()
    seed: str | None = None
    settings: Path | None = None
    out: Path | None = None
    report: bool = True
    force: bool = False


def run_scenario(asked: Asked) -> None:
    """Run a scenario from first check to report.

    Raises:
        MemopolisError: If anything that was asked for is not possible.
        KeyboardInterrupt: If the user stopped it; the run's manifest says so.
    """
    scenario = find_scenario(asked.scenario)
    settings = settings_of(scenario, asked)
    seed = seed_of(asked.seed)
    check_folder(asked.out)
    console = asides()
    announce(console, check_size(scenario, settings, force=asked.force))
    # The society is gone afterwards: its report is made from its tables, without it.
    folder = _record(scenario, settings, seed, asked.out, console)
    tell_results(folder, console, report=asked.report)


def _record(
    scenario: type[Society[Any]],
    settings: Settings,
    seed: int | None,
    out: Path | None,
    console: Console,
) -> Path:
    with building(console, settings.agents):
        society = scenario(settings, rng=seed)
    base = Path("runs", f"{scenario.__name__.lower()}-{society.seed}")
    folder = free_folder(base) if out is None else out
    watch(folder, console, lambda listen: society.run(folder, progress=listen))
    return folder


def estimate_scenario(asked: Asked) -> None:
    """Print what a run would ask a model, by block, and what that costs.

    Raises:
        MemopolisError: If anything that was asked for is not possible.
    """
    from memopolis.commands.estimate import print_estimate

    scenario = find_scenario(asked.scenario)
    settings = settings_of(scenario, asked)
    announce(asides(), check_size(scenario, settings, force=asked.force))
    print_estimate(scenario, settings, seed_of(asked.seed))


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
    if not text.isdecimal() or len(text) > _DIGITS:
        shown = text if len(text) <= _DIGITS else f"{text[:10]}... ({len(text):,} characters)"
        raise SettingsError(
            f"--seed was given {shown!r}; allowed: a whole number of 0 or more, of at most "
            f"{_DIGITS} digits"
        )
    return int(text)


def check_folder(folder: Path | None) -> None:
    """Refuse a folder before minutes of building, not after.

    Raises:
        RunFolderError: If it holds something or cannot be made.
    """
    if folder is None:
        return
    check_unused(folder)
    above = next((p for p in (folder, *folder.absolute().parents) if p.exists()), folder)
    if not above.is_dir() or not os.access(above, os.W_OK):
        raise RunFolderError(f"{folder} cannot be written: no permission to write in {above}")
