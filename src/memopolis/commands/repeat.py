"""`memopolis repeat`: reproduce a run from its manifest and compare the tables."""

from pathlib import Path

from rich.markup import escape

from memopolis.commands.run import check_folder
from memopolis.commands.running import print_run_results, size_check, watch
from memopolis.commands.terminal import WIDTH, free_folder, stderr_console, stdout_console, table
from memopolis.sim.run_folder.manifest import read_content
from memopolis.sim.running.repeating import repeat
from memopolis.sim.running.trust import Trust

_NUMBERS = ("diverges at step", "rows that differ", "of A", "of B")


def repeat_run(
    folder: Path, out: Path | None, allowed: Trust, *, report: bool = True, force: bool = False
) -> bool:
    """Reproduce a run and print whether its tables are identical to the original.

    Args:
        folder: Folder of the run.
        out: Folder of the new run; None to choose one.
        allowed: Code, files and servers that the run may name.
        report: Whether to write a report.
        force: Whether to run even if more memory may be needed than is available.

    Returns:
        Whether the tables are identical, or the original has none.

    Raises:
        MemopolisError: If the run cannot be repeated.
        KeyboardInterrupt: If the user stopped it.
    """
    check_folder(out)
    chosen = free_folder(folder.with_name(f"{folder.name}-repeat")) if out is None else out
    console = stderr_console()
    check = size_check(console, force=force)
    watch(
        chosen,
        console,
        lambda listen: repeat(
            folder,
            chosen,
            scenario=allowed.scenario,
            settings=allowed.settings,
            trust=allowed.everything,
            progress=listen,
            check=check,
        ),
    )
    print_run_results(chosen, console, report=report)
    if not (folder / "tables").is_dir():
        line = f"Tables  not compared: {folder} has none"
        stdout_console().print(line, soft_wrap=True, markup=False)
        return True
    with console.status("Comparing the runs ...", spinner="line"):
        whole = _same_tables(folder, chosen)
    if whole:
        stdout_console().print("Tables  equal", soft_wrap=True, markup=False)
        return True
    return _print_difference(folder, chosen)


def _same_tables(folder: Path, again: Path) -> bool:
    from memopolis.analysis.run.tables import table_digests

    return table_digests(folder) == table_digests(again)


def _print_difference(folder: Path, again: Path) -> bool:
    """Print which tables differ and where; true if only an interrupted step differs."""
    from memopolis.analysis.compare.divergence import find_divergence
    from memopolis.analysis.compare.divergence_page import HEAD, rows_of, verdict

    manifest, console = read_content(folder), stdout_console(width=WIDTH)
    divergence = find_divergence(folder, again)
    wrong = [t for t in divergence.tables.values() if t.only_in or t.tick is not None]
    if manifest["made"] < manifest["ticks"] and not wrong:
        line = (
            f"Tables  equal in all {manifest['made']:,} complete steps; the first run was "
            "interrupted during a step"
        )
        console.print(line, soft_wrap=True, markup=False)
        return True
    console.print(f"Tables  differ. {verdict(divergence)}", soft_wrap=True, markup=False)
    longer = [one for one in manifest["resumed"] if "days" in one]
    if longer:
        line = (
            f"The first run was extended at step {longer[-1]['step']:,}: values that depend on the "
            f"length of a run may differ"
        )
        console.print(line, soft_wrap=True, markup=False)
    shown = table(escape(f"A {folder}, B {again}"), *HEAD, numbers=_NUMBERS)
    for row in rows_of(divergence):
        shown.add_row(*map(escape, row))
    console.print(shown)
    console.print(f"Compare memopolis compare {folder} {again}", soft_wrap=True, markup=False)
    return False
