"""`memopolis resume`: continue a run."""

from pathlib import Path

from memopolis.commands.running import print_run_results, size_check, watch
from memopolis.commands.terminal import stderr_console, stdout_console
from memopolis.sim.errors import SettingsError
from memopolis.sim.run_folder.manifest import read_content
from memopolis.sim.running.resuming import resume
from memopolis.sim.running.trust import Trust


def resume_run(
    folder: Path,
    allowed: Trust,
    *,
    days: str | None = None,
    report: bool = True,
    force: bool = False,
) -> None:
    """Continue a run to its end, or extend it.

    Args:
        folder: Folder of the run.
        allowed: Code, files and servers that the run may name.
        days: New total length of the run; None for its original length.
        report: Whether to write a report.
        force: Whether to run even if more memory may be needed than is available.

    Raises:
        MemopolisError: If the run cannot be resumed.
        KeyboardInterrupt: If the user stopped it.
    """
    length = None if days is None else _days(days)
    had_succeeded = read_content(folder)["status"] == "succeeded"
    console = stderr_console()
    check = size_check(console, force=force)
    moved = watch(
        folder,
        console,
        lambda listen: resume(
            folder,
            days=length,
            scenario=allowed.scenario,
            settings=allowed.settings,
            trust=allowed.everything,
            progress=listen,
            check=check,
        ),
    )
    if had_succeeded and not moved:
        steps = read_content(folder)["ticks"]
        stdout_console().print(
            f"Nothing to do: the run in {folder} is complete with {steps:,} steps; extend it with "
            f"--days",
            soft_wrap=True,
            markup=False,
        )
        return
    print_run_results(folder, console, report=report)


def _days(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise SettingsError(f"--days was given {text!r}; allowed: a number above 0") from None
