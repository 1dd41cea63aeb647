"""`memopolis fork`: a run that parts from another at a step."""

from pathlib import Path

from memopolis.commands.run import check_folder
from memopolis.commands.running import tell_results, watch
from memopolis.commands.terminal import asides, free_folder, results
from memopolis.sim.running.forking import fork
from memopolis.sim.running.manifest import read_content
from memopolis.sim.settings import parse_sets


def fork_run(
    folder: Path,
    out: Path | None,
    *,
    at: str,
    sets: tuple[str, ...] = (),
    scenario: str | None = None,
    report: bool = True,
) -> None:
    """Branch a run, and say what came of the fork.

    Raises:
        MemopolisError: If that is not possible.
        KeyboardInterrupt: If the user stopped it.
    """
    check_folder(out)
    chosen = free_folder(folder.with_name(f"{folder.name}-fork")) if out is None else out
    step = int(at) if at.isdecimal() else at
    changes = parse_sets(sets)
    console = asides()
    watch(
        chosen,
        console,
        lambda listen: fork(
            folder, chosen, at=step, changes=changes, scenario=scenario, progress=listen
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
