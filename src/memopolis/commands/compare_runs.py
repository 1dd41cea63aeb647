"""`memopolis compare RUN_A RUN_B`: where and when two runs diverge."""

from pathlib import Path

from rich.markup import escape

from memopolis.commands.terminal import WIDTH, free_folder, stderr_console, stdout_console, table
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
        out: Folder of the page; a new folder in `runs` if None.

    Raises:
        RunFolderError: If a folder has no finished run, or the page cannot be written.
        ParameterError: If the runs differ in start date or length of a step.
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
    with stderr_console().status("Comparing the runs ...", spinner="line"):
        divergence = find_divergence(*folders)
        page = write_divergence(divergence, out if out is not None else free_folder(base))
    console = stdout_console(width=WIDTH)
    for name, run in zip("AB", divergence.runs, strict=True):
        line = f"{name}  {run.folder}  ({run.title}, seed {run.seed}, {run.status})"
        console.print(line, soft_wrap=True, markup=False)
    console.print(f"\n{verdict(divergence)}\n", style="bold", markup=False)
    _print("Settings that differ", ("setting", "in A", "in B"), settings_of(divergence))
    _print("Tables", HEAD, rows_of(divergence))
    heading, differences = first_differences(divergence)
    _print(heading, DESCRIBED, differences, numbers=())
    _print("Measures at the end and at their largest difference", ENDS, ends_of(divergence))
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
    stdout_console(width=WIDTH).print(shown)


def _run_folder(name: str) -> Path:
    folder = Path(name)
    if not folder.is_dir():
        raise RunFolderError(
            f"{name} is not a run folder; name two run folders, or one scenario with --arms A,B"
        )
    return folder
