"""Progress, interruption, summary and report, shared by `run`, `resume`, `fork` and `repeat`."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape

from memopolis.commands.terminal import (
    announce,
    short_warnings,
    stdout_console,
    stops,
    table,
    ticking,
)
from memopolis.sim.errors import MemopolisError
from memopolis.sim.recording.stopping import INTERRUPTED
from memopolis.sim.run_folder.manifest import read_content
from memopolis.sim.run_size import SizeCheck, check_size

if TYPE_CHECKING:
    from collections.abc import Callable

    from memopolis.sim.society_base import Progress


class Stopped(KeyboardInterrupt):
    """A run was stopped by the user; its manifest records it.

    Args:
        message: How to continue the run.
        code: Exit code of the process.
    """

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


def size_check(console: Console, *, force: bool) -> SizeCheck:
    """Return a check that announces a large run and rejects one that needs too much memory.

    Args:
        console: Where the run is announced.
        force: Whether to accept runs of any size.
    """
    return lambda scenario, settings: announce(console, check_size(scenario, settings, force=force))


def watch(folder: Path, console: Console, run: "Callable[[Progress], object]") -> bool:
    """Run a society with a progress bar; ctrl-C stops it after the current step.

    Args:
        folder: Folder of the run.
        console: Where progress is shown.
        run: Runs the society and calls its argument after each step.

    Returns:
        Whether any step was run.

    Raises:
        Stopped: If the user or SIGTERM stopped it.
    """
    latest: list[datetime] = []

    def listen(done: int, total: int, date: datetime) -> None:
        if not latest:  # the folder exists from the first call on
            console.print(_headline(folder), soft_wrap=True, markup=False)
        latest[:] = [date]
        show(done, total, date)
        check()

    try:
        with ticking(console) as show, short_warnings(console), stops(console) as check:
            run(listen)
    except KeyboardInterrupt as stop:
        when = f" at {latest[0]:%d %b %Y %H:%M}" if latest else ""
        code = getattr(stop, "code", INTERRUPTED)
        raise Stopped(f"interrupted{when}; {_next(folder)}", code) from None
    return bool(latest)


def print_run_results(folder: Path, console: Console, *, report: bool) -> None:
    """Print the results of a run, and write its report if `report` is true."""
    page = _report(folder, console) if report else None
    _summarise(folder)
    stdout_console().print(f"Run     {folder}", soft_wrap=True, markup=False)
    if page is not None:
        stdout_console().print(f"Report  {page}", soft_wrap=True, markup=False)


def _headline(folder: Path) -> str:
    manifest = read_content(folder)
    start = datetime.fromisoformat(manifest["start"])
    end = start + timedelta(hours=manifest["tick_hours"]) * manifest["until"]
    fork, resumed = manifest["fork"], manifest["resumed"]
    since = f", resumed at step {resumed[-1]['step']:,}" if resumed else ""
    origin = f", fork of {fork['of']} at step {fork['step']:,}" if fork else ""
    return (
        f"{manifest['title']}: {manifest['settings']['agents']:,} agents, {start:%d %b %Y} to "
        f"{end:%d %b %Y}, {manifest['until']:,} steps, seed {manifest['seed']}{origin}{since}"
    )


def _next(folder: Path) -> str:
    """Describe how to continue a run that was stopped."""
    try:
        manifest = read_content(folder)
    except MemopolisError:
        return "nothing was recorded"
    if manifest["fork"] and not (folder / "checkpoints").is_dir():
        return f"the fork had not started yet: remove {folder} and run the command again"
    return f"continue with `memopolis resume {folder}`"


def _summarise(folder: Path) -> None:
    from memopolis.analysis import load_run
    from memopolis.analysis.report.summary import summary

    shown = table("")
    shown.show_header = False
    shown.add_column(no_wrap=True)
    shown.add_column(overflow="fold")
    for label, value in summary(load_run(folder)):
        shown.add_row(escape(label), escape(value))
    stdout_console().print(shown)


def _report(folder: Path, console: Console) -> Path | None:
    from memopolis.commands.report import write

    try:
        with console.status("Writing the report ...", spinner="line"):
            return write(folder)
    except MemopolisError as error:
        # The run itself succeeded, so a failed report must not make the command fail.
        console.print(f"memopolis: no report: {error}", soft_wrap=True, markup=False)
        return None
