"""`memopolis fork`: continue a copy of a run with other settings."""

from pathlib import Path

from memopolis.commands.run import check_folder
from memopolis.commands.running import print_run_results, size_check, watch
from memopolis.commands.terminal import free_folder, stderr_console, stdout_console
from memopolis.sim.run_folder.manifest import read_content
from memopolis.sim.running.forking import fork
from memopolis.sim.running.trust import Trust

_DIGITS = 18
"""Maximum digits of a step; a longer number is parsed as a date and rejected."""


def fork_run(
    folder: Path,
    out: Path | None,
    allowed: Trust,
    *,
    at: str,
    report: bool = True,
    force: bool = False,
) -> None:
    """Fork a run and print the results of the fork.

    Args:
        folder: Folder of the run.
        out: Folder of the fork; None to choose one.
        allowed: Code, files and servers that the run may name, and the settings of the fork.
        at: Step or date from which the fork diverges.
        report: Whether to write a report.
        force: Whether to run even if more memory may be needed than is available.

    Raises:
        MemopolisError: If the run cannot be forked.
        KeyboardInterrupt: If the user stopped it.
    """
    check_folder(out)
    chosen = free_folder(folder.with_name(f"{folder.name}-fork")) if out is None else out
    step = int(at) if at.isdecimal() and len(at) <= _DIGITS else at
    console = stderr_console()
    check = size_check(console, force=force)
    watch(
        chosen,
        console,
        lambda listen: fork(
            folder,
            chosen,
            at=step,
            changes=allowed.settings,
            scenario=allowed.scenario,
            trust=allowed.everything,
            progress=listen,
            check=check,
        ),
    )
    kept = read_content(chosen)["fork"].get("kept")
    if kept:
        console.print(
            f"memopolis: with these settings {', '.join(kept)} would have differed from the start "
            f"of the run; the fork keeps their values of step {at}",
            soft_wrap=True,
            markup=False,
        )
    print_run_results(chosen, console, report=report)
    stdout_console().print(
        f"Compare memopolis compare {folder} {chosen}", soft_wrap=True, markup=False
    )
