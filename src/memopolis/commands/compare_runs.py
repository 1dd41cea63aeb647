"""`memopolis compare RUN_A RUN_B`: where and when two runs diverge."""

from pathlib import Path

from rich.markup import escape

from memopolis.commands.terminal import WIDTH, asides, free_folder, results, table
from memopolis.sim.errors import RunFolderError

_NUMBERS = (
    "diverges at step",
    "rows that differ",
    "of A",
    "of B",
    "A",
    "B",
    "difference",
    "largest",
)


def compare_runs(a: str, b: str, out: Path | None) -> None:
    """Print where two runs diverge, and write the page and the figure.

    Args:
        a: Folder of a run.
        b: Folder of another run.
        out: Folder of the page; a free one in `runs` if left out.

    Raises:
        RunFolderError: If either is no run that has ended, or the page cannot be written.
        ParameterError: If the runs are not on one clock.
    """
    from memopolis.analysis.compare.divergence import find_divergence
    from memopolis.analysis.compare.divergence_page import (
        DESCRIBED,
        ENDS,
        HEAD,
        PICTURE,
        ends_of,
        first_differences,
        rows_of,
        settings_of,
        verdict,
        write_divergence,
    )

    folders = [_run_folder(name) for name in (a, b)]
    base = Path("runs", f"compare-{folders[0].resolve().name}-{folders[1].resolve().name}")
    with asides().status("Laying the runs side by side ...", spinner="line"):
        divergence = find_divergence(*folders)
        page = write_divergence(divergence, out if out is not None else free_folder(base))
    console = results(width=WIDTH)
    for name, run in zip("AB", divergence.runs, strict=True):
        told = f"{name}  {run.folder}  ({run.title}, seed {run.seed}, {run.status})"
        console.print(told, soft_wrap=True, markup=False)
    console.print(f"\n{verdict(divergence)}\n", style="bold", markup=False)
    _print("Settings that differ", ("setting", "in A", "in B"), settings_of(divergence))
    _print("Tables", HEAD, rows_of(divergence))
    heading, said = first_differences(divergence)
    _print(heading, DESCRIBED, said, numbers=())
    _print("Measures at the end, and where they differ most", ENDS, ends_of(divergence))
    console.print(f"Page    {page}", soft_wrap=True, markup=False)
    console.print(f"Figure  {page.with_name(PICTURE)}", soft_wrap=True, markup=False)


def _print(
    title: str,
    head: tuple[str, ...],
    rows: list[tuple[str, ...]] | list[tuple[str, str, str]],
    numbers: tuple[str, ...] = _NUMBERS,
) -> None:
    if not rows:
        return
    shown = table(escape(title), *head, numbers=numbers)
    for row in rows:
        shown.add_row(*map(escape, row))
    results(width=WIDTH).print(shown)


def _run_folder(name: str) -> Path:
    folder = Path(name)
    if not folder.is_dir():
        raise RunFolderError(
            f"{name} is not the folder of a run; two runs are compared by their folders, arms of "
            "one scenario by --arms A,B"
        )
    return folder
