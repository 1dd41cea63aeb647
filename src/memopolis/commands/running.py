"""Progress, interruption, summary and report, shared by `run`, `resume`, `fork` and `repeat`."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from shlex import quote
from typing import Any

from rich.markup import escape

from memopolis.analysis import load_run, write_report
from memopolis.analysis.report.summary import summary
from memopolis.commands.terminal import (
    interrupts,
    print_line,
    print_note,
    short_warnings,
    stderr_console,
    stdout_console,
    stops,
    table,
    ticking,
    waiting,
)
from memopolis.sim.clock import date_after
from memopolis.sim.errors import AnswerError, MemopolisError, ServerError
from memopolis.sim.progress import RunProgress, StepProgress
from memopolis.sim.recording.stopping import INTERRUPTED
from memopolis.sim.run_folder.manifest import read_content
from memopolis.sim.scenario_names import installed_scenario


class Stopped(KeyboardInterrupt):
    """A run was stopped by the user; its manifest records it."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


def watch(folder: Path, run: Callable[[StepProgress], object], *, advice: str = "") -> bool:
    """Run a society with a progress bar; ctrl-C stops it after the current step.

    `run` calls its argument after each step. `advice` replaces how to continue a stopped run.
    Returns whether any step was run. Raises Stopped if the user or SIGTERM stopped it.
    """
    console, latest = stderr_console(), list[datetime]()

    def listen(done: int, total: int, date: datetime) -> None:
        if not latest:  # the folder exists from the first call on
            console.print(_headline(folder), soft_wrap=True, markup=False)
        latest[:] = [date]
        show(done, total, date)
        check()

    try:
        with ticking(console) as show, short_warnings(console), stops(console) as check:
            run(listen)
    except (ServerError, AnswerError) as error:
        error.args = (f"{error}; {advice or _next(folder)}",)
        raise
    except KeyboardInterrupt as stop:
        when = f" at {latest[0]:%d %b %Y %H:%M}" if latest else ""
        code = getattr(stop, "code", INTERRUPTED)
        raise Stopped(f"interrupted{when}; {advice or _next(folder)}", code) from None
    return bool(latest)


@contextmanager
def stoppable(show: RunProgress) -> Iterator[RunProgress]:
    """Yield a callback for the progress of many runs, which also checks for ctrl-C and SIGTERM.

    Raises Stopped if the user or SIGTERM stopped them; finished runs are kept.
    """
    counts = (0, 0)
    try:
        with interrupts() as check:

            def update(succeeded: int, failed: int, total: int) -> None:
                nonlocal counts
                check()
                counts = succeeded + failed, total
                show(succeeded, failed, total)

            yield update
    except KeyboardInterrupt as stop:
        done, total = counts
        raise Stopped(
            f"stopped with {done:,} of {total:,} runs done; run the same command to continue",
            getattr(stop, "code", INTERRUPTED),
        ) from None


def print_run_results(folder: Path, *, report: bool) -> None:
    """Print the results of a run, and write its report if `report` is true."""
    page = _report(folder) if report else None
    shown = table("", "", "")
    shown.show_header = False
    shown.columns[0].no_wrap = True
    for label, value in summary(load_run(folder)):
        shown.add_row(escape(label), escape(value))
    stdout_console().print(shown)
    print_line(f"Run     {folder}")
    if page is not None:
        print_line(f"Report  {page}")


def resume_hint(folder: Path, manifest: Mapping[str, Any]) -> str:
    """Describe how to continue a run, naming its scenario if it is not installed."""
    reference = manifest["reference"]
    is_installed = not reference or installed_scenario(reference) is not None
    named = "" if is_installed else f" --scenario {quote(reference)}"
    return f"continue with `memopolis resume {folder}{named}`"


def _headline(folder: Path) -> str:
    manifest = read_content(folder)
    start = datetime.fromisoformat(manifest["start"])
    end = date_after(start, manifest["tick_hours"], manifest["until"])
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
    return resume_hint(folder, manifest)


def _report(folder: Path) -> Path | None:
    try:
        with waiting("Writing the report"):
            return write_report(folder)
    except MemopolisError as error:
        # The run itself succeeded, so a failed report must not make the command fail.
        print_note(f"memopolis: no report: {error}")
        return None
    except KeyboardInterrupt as stop:
        advice = f"write its report with `memopolis report {quote(str(folder))}`"
        code = getattr(stop, "code", INTERRUPTED)
        raise Stopped(f"interrupted after the end of the run; {advice}", code) from None
