"""`memopolis resume`, `fork` and `repeat`: continue or reproduce a recorded run."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from memopolis.analysis.compare.divergence import find_divergence
from memopolis.analysis.run.tables import table_digests
from memopolis.commands.compare import print_differences
from memopolis.commands.options.runs import (
    ForkOptions,
    FromRunOptions,
    RepeatOptions,
    ResumeOptions,
)
from memopolis.commands.run import check_folder
from memopolis.commands.running import print_run_results, watch
from memopolis.commands.terminal import (
    announce,
    free_folder,
    print_line,
    print_note,
    waiting,
)
from memopolis.sim.errors import SettingsError
from memopolis.sim.run_folder.manifest import read_content
from memopolis.sim.run_size import check_size
from memopolis.sim.running.forking import fork
from memopolis.sim.running.repeating import repeat
from memopolis.sim.running.resuming import resume
from memopolis.sim.running.trust import Trust

_DIGITS = 18  # maximum digits of a step; a longer number is parsed as a date and rejected


def resume_run(options: ResumeOptions) -> None:
    """Continue a run to its end, or extend it."""
    folder, length = options.folder, None if options.days is None else _days(options.days)
    had_succeeded = read_content(folder)["status"] == "succeeded"
    allowed = options.allowed
    has_run = _start(
        options, allowed, folder, resume, folder, days=length, settings=allowed.settings
    )
    if had_succeeded and not has_run:
        steps = read_content(folder)["ticks"]
        print_line(
            f"Nothing to do: the run in {folder} is complete with {steps:,} steps; extend it with "
            f"--days"
        )
        return
    print_run_results(folder, report=options.report)


def fork_run(options: ForkOptions) -> None:
    """Fork a run and print the results of the fork."""
    out, allowed, at = _new_folder(options, "fork"), options.allowed, options.at
    step = int(at) if at.isdecimal() and len(at) <= _DIGITS else at
    _start(options, allowed, out, fork, options.folder, out, at=step, changes=allowed.settings)
    kept = read_content(out)["fork"].get("kept")
    if kept:
        print_note(
            f"memopolis: with these settings {', '.join(kept)} would have differed from the start "
            f"of the run; the fork keeps their values of step {at}"
        )
    print_run_results(out, report=options.report)
    print_line(f"Compare memopolis compare {options.folder} {out}")


def repeat_run(options: RepeatOptions) -> bool:
    """Reproduce a run and print whether its tables are identical to the original.

    Returns whether they are, or the original has none.
    """
    folder, out, allowed = options.folder, _new_folder(options, "repeat"), options.allowed
    _start(options, allowed, out, repeat, folder, out, settings=allowed.settings)
    print_run_results(out, report=options.report)
    if not (folder / "tables").is_dir():
        print_line(f"Tables  not compared: {folder} has none")
        return True
    with waiting("Comparing the runs"):
        is_same = table_digests(folder) == table_digests(out)
    if is_same:
        print_line("Tables  equal")
        return True
    return _print_difference(folder, out)


def _start(
    options: FromRunOptions,
    allowed: Trust,
    out: Path,
    start: Callable[..., object],
    *folders: Path,
    **arguments: Any,
) -> bool:
    """Run with a progress bar; return whether any step was run."""
    return watch(
        out,
        lambda listen: start(
            *folders,
            scenario=allowed.scenario,
            trust=allowed.everything,
            progress=listen,
            check=lambda kind, chosen: announce(check_size(kind, chosen, force=options.force)),
            **arguments,
        ),
    )


def _new_folder(options: ForkOptions | RepeatOptions, suffix: str) -> Path:
    check_folder(options.out)
    if options.out is not None:
        return options.out
    return free_folder(options.folder.with_name(f"{options.folder.name}-{suffix}"))


def _days(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise SettingsError(f"--days was given {text!r}; allowed: a number above 0") from None


def _print_difference(folder: Path, again: Path) -> bool:
    """Print which tables differ and where; true if only an interrupted step differs."""
    manifest = read_content(folder)
    divergence = find_divergence(folder, again)
    is_equal = divergence.tick is None and divergence.runs[0].tables == divergence.runs[1].tables
    if manifest["made"] < manifest["ticks"] and is_equal:
        print_line(
            f"Tables  equal in all {manifest['made']:,} complete steps; the first run was "
            "interrupted during a step"
        )
        return True
    print_line(f"Tables  differ. {divergence}")
    extended = [entry for entry in manifest["resumed"] if "days" in entry]
    if extended:
        print_line(
            f"The first run was extended at step {extended[-1]['step']:,}: values that depend on "
            f"the length of a run may differ"
        )
    print_differences(f"A {folder}, B {again}", divergence)
    print_line(f"Compare memopolis compare {folder} {again}")
    return False
