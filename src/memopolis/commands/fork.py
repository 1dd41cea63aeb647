"""`memopolis fork`: a run that parts from another at a step."""

import itertools
from pathlib import Path

from memopolis.commands.run import check_folder
from memopolis.commands.running import tell_results, watch
from memopolis.commands.terminal import asides, results
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
    chosen = _free(folder) if out is None else out
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
    results().print(f"Compare memopolis compare {folder} {chosen}", soft_wrap=True)


def _free(folder: Path) -> Path:
    """A folder beside a run's that does not exist yet."""
    numbers = itertools.count(1)
    return next(
        p for n in numbers if not (p := folder.with_name(f"{folder.name}-fork-{n}")).exists()
    )
