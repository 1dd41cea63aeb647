"""`memopolis resume`: go on with a run."""

from pathlib import Path

from memopolis.commands.running import size_check, tell_results, watch
from memopolis.commands.terminal import asides, results
from memopolis.sim.errors import SettingsError
from memopolis.sim.running.manifest import read_content
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
    """Go on with a run to its end, or for more days.

    Args:
        folder: Of the run.
        allowed: What it may name.
        days: Length of the whole run; None for the length it was to have.
        report: Whether a report is wanted.
        force: Whether a society that may not fit into memory is built.

    Raises:
        MemopolisError: If that is not possible.
        KeyboardInterrupt: If the user stopped it.
    """
    length = None if days is None else _days(days)
    had_succeeded = read_content(folder)["status"] == "succeeded"
    console = asides()
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
        results().print(
            f"Nothing to do: the run in {folder} succeeded with {steps:,} steps; --days goes on "
            f"for more",
            soft_wrap=True,
            markup=False,
        )
        return
    tell_results(folder, console, report=report)


def _days(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise SettingsError(f"--days was given {text!r}; allowed: a number above 0") from None
