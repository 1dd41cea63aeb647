"""`memopolis fork`: a run that parts from another at a step."""

from pathlib import Path

from memopolis.commands.run import check_folder
from memopolis.commands.running import size_check, tell_results, watch
from memopolis.commands.terminal import asides, free_folder, results
from memopolis.sim.running.forking import fork
from memopolis.sim.running.manifest import read_content
from memopolis.sim.running.trust import Trust

_DIGITS = 18
"""Most digits of a step; more of them are no date either, and are refused as such."""


def fork_run(
    folder: Path,
    out: Path | None,
    allowed: Trust,
    *,
    at: str,
    report: bool = True,
    force: bool = False,
) -> None:
    """Branch a run, and say what came of the fork.

    Args:
        folder: Of the run.
        out: Folder of the fork; None to choose one.
        allowed: What the run may name, with the settings of the fork.
        at: Steps after which it parts, or a date.
        report: Whether a report is wanted.
        force: Whether a society that may not fit into memory is built.

    Raises:
        MemopolisError: If that is not possible.
        KeyboardInterrupt: If the user stopped it.
    """
    check_folder(out)
    chosen = free_folder(folder.with_name(f"{folder.name}-fork")) if out is None else out
    step = int(at) if at.isdecimal() and len(at) <= _DIGITS else at
    console = asides()
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
            f"memopolis: with these settings {', '.join(kept)} would have been otherwise from the "
            f"start; the fork keeps what they were at step {at}",
            soft_wrap=True,
            markup=False,
        )
    tell_results(chosen, console, report=report)
    results().print(f"Compare memopolis compare {folder} {chosen}", soft_wrap=True, markup=False)
