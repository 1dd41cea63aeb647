"""`memopolis resume`: go on with a run."""

from pathlib import Path

from memopolis.commands.running import tell_results, watch
from memopolis.commands.terminal import asides, results
from memopolis.sim.errors import SettingsError
from memopolis.sim.running.manifest import read_content
from memopolis.sim.running.resuming import resume


def resume_run(
    folder: Path, *, days: str | None = None, scenario: str | None = None, report: bool = True
) -> None:
    """Go on with a run to its end, or for more days.

    Raises:
        MemopolisError: If that is not possible.
        KeyboardInterrupt: If the user stopped it.
    """
    length = None if days is None else _days(days)
    had_succeeded = read_content(folder).get("status") == "succeeded"
    console = asides()
    moved = watch(
        folder,
        console,
        lambda listen: resume(folder, days=length, scenario=scenario, progress=listen),
    )
    if had_succeeded and not moved:
        steps = read_content(folder).get("ticks", 0)
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
