"""`memopolis run`: build a society, run it and print the results."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from memopolis.commands.running import print_run_results, watch
from memopolis.commands.terminal import announce, building, free_folder, stderr_console
from memopolis.sim.errors import RunFolderError, SettingsError
from memopolis.sim.run_folder.folder import check_unused
from memopolis.sim.run_size import check_size
from memopolis.sim.scenario_names import find_scenario
from memopolis.sim.settings import Settings, load_settings_toml, merge, parse_sets
from memopolis.sim.society import Society

_DIGITS = 100
"""Maximum digits of a seed on the command line."""


@dataclass(frozen=True)
class RunOptions:
    """Options of `memopolis run` and `memopolis dashboard` on the command line.

    Attributes:
        scenario: Name of the scenario.
        sets: Settings as "key=value".
        seed: Random seed; None to choose one at random.
        settings: A TOML file of settings.
        out: Folder of the run; None to choose one.
        report: Whether to write a report.
        force: Whether to run even if more memory may be needed than is available.
    """

    scenario: str
    sets: tuple[str, ...] = ()
    seed: str | None = None
    settings: Path | None = None
    out: Path | None = None
    report: bool = True
    force: bool = False


def run_scenario(options: RunOptions) -> None:
    """Check the options, run the scenario, print the results and write the report.

    Raises:
        MemopolisError: If the options are wrong or the run fails.
        KeyboardInterrupt: If the user stopped it; the run's manifest records it.
    """
    scenario = find_scenario(options.scenario)
    settings = settings_of(scenario, options)
    seed = seed_of(options.seed)
    check_folder(options.out)
    console = stderr_console()
    announce(console, check_size(scenario, settings, force=options.force))
    # The report needs the tables only, so the society is released first.
    folder = _record(scenario, settings, seed, options.out, console)
    print_run_results(folder, console, report=options.report)


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


def estimate_scenario(options: RunOptions) -> None:
    """Print the model calls that a run would make, by block, and their cost.

    Raises:
        MemopolisError: If the options are wrong.
    """
    from memopolis.commands.estimate import print_estimate

    scenario = find_scenario(options.scenario)
    settings = settings_of(scenario, options)
    announce(stderr_console(), check_size(scenario, settings, force=options.force))
    print_estimate(scenario, settings, seed_of(options.seed))


def settings_of(scenario: type[Society[Any]], options: RunOptions) -> Settings:
    """Return a scenario's settings, changed by the file and then by the command line.

    Raises:
        SettingsError: If a setting is unknown or not allowed.
        DataFileError: If the file cannot be read.
    """
    from_file = load_settings_toml(options.settings) if options.settings is not None else {}
    return scenario.settings_class().with_changes(merge(from_file, parse_sets(options.sets)))


def seed_of(text: str | None) -> int | None:
    """Parse a random seed.

    Raises:
        SettingsError: If it is not a whole number of 0 or more.
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
    """Check an output folder before the society is built, which may take minutes.

    Raises:
        RunFolderError: If it is not empty or cannot be created.
    """
    if folder is None:
        return
    check_unused(folder)
    above = next((p for p in (folder, *folder.absolute().parents) if p.exists()), folder)
    if not above.is_dir() or not os.access(above, os.W_OK):
        raise RunFolderError(f"{folder} cannot be written: no permission to write in {above}")
