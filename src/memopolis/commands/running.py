"""What `run`, `resume` and `fork` share: a bar, stopping, the summary and the report."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape

from memopolis.commands.terminal import announce, results, stops, table, ticking, warnings_told
from memopolis.sim.errors import MemopolisError
from memopolis.sim.run_size import SizeCheck, check_size
from memopolis.sim.running.manifest import read_content
from memopolis.sim.running.stopping import INTERRUPTED

if TYPE_CHECKING:
    from collections.abc import Callable

    from memopolis.sim.society import Progress


class Stopped(KeyboardInterrupt):
    """A run was stopped, and its folder says so.

    Args:
        message: What to do next.
        code: What the process exits with.
    """

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


def size_check(console: Console, *, force: bool) -> SizeCheck:
    """Return what announces a large run before it is built, and refuses one that does not fit.

    Args:
        console: Where it is announced.
        force: Whether none is refused.
    """
    return lambda scenario, settings: announce(console, check_size(scenario, settings, force=force))


def watch(folder: Path, console: Console, run: "Callable[[Progress], object]") -> bool:
    """Run a society with a bar; ctrl-C stops it after its step.

    Args:
        folder: Where it is recorded.
        console: Where progress is shown.
        run: Runs it, telling of its progress.

    Returns:
        Whether any step was made.

    Raises:
        Stopped: If the user or SIGTERM stopped it.
    """
    told: list[datetime] = []

    def listen(done: int, total: int, date: datetime) -> None:
        if not told:  # not before the folder could be made
            console.print(_headline(folder), soft_wrap=True, markup=False)
        told[:] = [date]
        show(done, total, date)
        check()

    try:
        with ticking(console) as show, warnings_told(console), stops(console) as check:
            run(listen)
    except KeyboardInterrupt as stop:
        when = f" at {told[0]:%d %b %Y %H:%M}" if told else ""
        code = getattr(stop, "code", INTERRUPTED)
        raise Stopped(f"interrupted{when}; {_next(folder)}", code) from None
    return bool(told)


def tell_results(folder: Path, console: Console, *, report: bool) -> None:
    """Print what came of a run, and write its report if one is wanted."""
    page = _report(folder, console) if report else None
    _summarise(folder)
    results().print(f"Run     {folder}", soft_wrap=True, markup=False)
    if page is not None:
        results().print(f"Report  {page}", soft_wrap=True, markup=False)


def _headline(folder: Path) -> str:
    told = read_content(folder)
    start = datetime.fromisoformat(told["start"])
    end = start + timedelta(hours=told["tick_hours"]) * told["until"]
    fork, resumed = told["fork"], told["resumed"]
    since = f", resumed at step {resumed[-1]['step']:,}" if resumed else ""
    parted = f", fork of {fork['of']} at step {fork['step']:,}" if fork else ""
    return (
        f"{told['title']}: {told['settings']['agents']:,} agents, {start:%d %b %Y} to "
        f"{end:%d %b %Y}, {told['until']:,} steps, seed {told['seed']}{parted}{since}"
    )


def _next(folder: Path) -> str:
    """How to go on with a run that was stopped."""
    try:
        told = read_content(folder)
    except MemopolisError:
        return "nothing was recorded"
    if told["fork"] and not (folder / "checkpoints").is_dir():
        return f"the fork had not parted yet: remove {folder} and make it again"
    return f"`memopolis resume {folder}` goes on"


def _summarise(folder: Path) -> None:
    from memopolis.analysis import load_run
    from memopolis.analysis.report.summary import summary

    shown = table("")
    shown.show_header = False
    shown.add_column(no_wrap=True)
    shown.add_column(overflow="fold")
    for label, value in summary(load_run(folder)):
        shown.add_row(escape(label), escape(value))
    results().print(shown)


def _report(folder: Path, console: Console) -> Path | None:
    from memopolis.commands.report import write

    try:
        with console.status("Writing the report ...", spinner="line"):
            return write(folder)
    except MemopolisError as error:
        # The run is whole; that no figure could be drawn of it must not hide it.
        console.print(f"memopolis: no report: {error}", soft_wrap=True, markup=False)
        return None
