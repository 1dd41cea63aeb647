"""`memopolis repeat`: a run made anew from its manifest, and held against the first one."""

from pathlib import Path

from rich.markup import escape

from memopolis.commands.run import check_folder
from memopolis.commands.running import size_check, tell_results, watch
from memopolis.commands.terminal import WIDTH, asides, free_folder, results, table
from memopolis.sim.running.manifest import read_content
from memopolis.sim.running.repeating import repeat
from memopolis.sim.running.trust import Trust

_NUMBERS = ("diverges at step", "rows that differ", "of A", "of B")


def repeat_run(
    folder: Path, out: Path | None, allowed: Trust, *, report: bool = True, force: bool = False
) -> bool:
    """Make a run anew, and say whether its tables are those of the first.

    Args:
        folder: Of the run.
        out: Folder of the new one; None to choose one.
        allowed: What the run may name.
        report: Whether a report is wanted.
        force: Whether a society that may not fit into memory is built.

    Returns:
        Whether they are, as far as there are any.

    Raises:
        MemopolisError: If that is not possible.
        KeyboardInterrupt: If the user stopped it.
    """
    check_folder(out)
    chosen = free_folder(folder.with_name(f"{folder.name}-repeat")) if out is None else out
    console = asides()
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
    tell_results(chosen, console, report=report)
    if not (folder / "tables").is_dir():
        said = f"Tables  not compared: {folder} has none"
        results().print(said, soft_wrap=True, markup=False)
        return True
    with console.status("Laying the runs side by side ...", spinner="line"):
        whole = _same_tables(folder, chosen)
    if whole:
        results().print("Tables  equal", soft_wrap=True, markup=False)
        return True
    return _tell_difference(folder, chosen)


def _same_tables(folder: Path, again: Path) -> bool:
    from memopolis.analysis.run.tables import table_digests

    return table_digests(folder) == table_digests(again)


def _tell_difference(folder: Path, again: Path) -> bool:
    """Say which tables differ and where; true where only a step differs that was broken off."""
    from memopolis.analysis.compare.divergence import find_divergence
    from memopolis.analysis.compare.divergence_page import HEAD, rows_of, verdict

    told, console = read_content(folder), results(width=WIDTH)
    divergence = find_divergence(folder, again)
    wrong = [t for t in divergence.tables.values() if t.only_in or t.tick is not None]
    if told["made"] < told["ticks"] and not wrong:
        said = f"Tables  equal in the {told['made']:,} whole steps; the first run broke off in one"
        console.print(said, soft_wrap=True, markup=False)
        return True
    console.print(f"Tables  differ. {verdict(divergence)}", soft_wrap=True, markup=False)
    longer = [one for one in told["resumed"] if "days" in one]
    if longer:
        said = (
            f"The first run was made longer at step {longer[-1]['step']:,}: what depends on the "
            f"length of a run may differ"
        )
        console.print(said, soft_wrap=True, markup=False)
    shown = table(escape(f"A {folder}, B {again}"), *HEAD, numbers=_NUMBERS)
    for row in rows_of(divergence):
        shown.add_row(*map(escape, row))
    console.print(shown)
    console.print(f"Compare memopolis compare {folder} {again}", soft_wrap=True, markup=False)
    return False
