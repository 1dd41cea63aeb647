"""Terminal output: results on standard output, progress bars on standard error."""

import itertools
import signal
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from datetime import datetime
from pathlib import Path
from types import FrameType

from rich import box
from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.segment import Segment
from rich.status import Status
from rich.table import Table

from memopolis.commands.failures import one_line_warnings
from memopolis.commands.shown_text import harmless
from memopolis.sim.compilation import FIRST_RUN, Kernels, shown_by
from memopolis.sim.errors import ParameterError
from memopolis.sim.progress import RunProgress, StepProgress
from memopolis.sim.recording.stopping import StopRun, handle_signals
from memopolis.sim.run_size import RunSize

_COMPILING = TaskID(0)
WIDTH = 120  # minimum line width of results without a terminal, in characters


class _HarmlessConsole(Console):
    """A console that prints no control characters from the texts of a run."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Render without the control characters in texts."""
        for segment in super().render(renderable, options):
            if segment.control or segment.text.isprintable():
                yield segment
            else:
                yield Segment(harmless(segment.text), segment.style)


def stdout_console(*, width: int = 0) -> Console:
    """Return a console on standard output; a file or pipe is at least `width` characters wide."""
    console = _HarmlessConsole(highlight=False)
    if not console.is_terminal:
        console.width = max(console.width, width)
    return console


def stderr_console() -> Console:
    """Return a console on standard error, for progress and notes."""
    return _HarmlessConsole(stderr=True, highlight=False)


def print_line(text: str) -> None:
    """Print a result on one line, without wrapping or markup."""
    stdout_console().print(text, soft_wrap=True, markup=False)


def print_note(text: str) -> None:
    """Print a note on standard error on one line, without wrapping or markup."""
    stderr_console().print(text, soft_wrap=True, markup=False)


def waiting(text: str) -> Status:
    """Return a context manager that shows a text with a spinner on standard error."""
    return stderr_console().status(f"{text} ...", spinner="line")


def table(title: str, *columns: str, numbers: Sequence[str] = ()) -> Table:
    """Create an empty table."""
    made = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    for column in columns:
        if column in numbers:
            made.add_column(column, justify="right", no_wrap=True)
        else:
            made.add_column(column, overflow="fold")
    return made


def print_table(
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    numbers: Sequence[str] = (),
    width: int = WIDTH,
) -> None:
    """Print a table of plain text."""
    made = table(escape(title), *map(escape, columns), numbers=[*map(escape, numbers)])
    for row in rows:
        made.add_row(*map(escape, row))
    stdout_console(width=width).print(made)


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Format a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(c.replace('|', '\\|') for c in line)} |" for line in lines)


def short(value: float) -> str:
    """Format a number with three significant digits and thousands separators."""
    if value != value:  # noqa: PLR0124 - not a number
        return "-"
    if abs(value) >= 1000 or value == round(value):
        return f"{value:,.0f}"
    return f"{value:.3g}"


def announce(size: RunSize) -> None:
    """Print the estimated time and memory of a large run; print nothing for a small one."""
    if size.is_large:
        print_note(f"{size.agents:,} agents: {size}, estimated")


@contextmanager
def interrupts() -> Iterator[Callable[[], None]]:
    """Stop immediately on ctrl-C and SIGTERM, without losing a signal.

    Yields a function that raises `StopRun` if a signal arrived earlier: Python ignores exceptions
    raised while an object is being finalized.
    """
    received: list[int] = []

    def check() -> None:
        if received:
            raise StopRun.by(received[0])

    def handle(number: int, _: FrameType | None) -> None:
        received.append(number)
        check()

    with handle_signals(handle):
        yield check


@contextmanager
def stops(console: Console) -> Iterator[Callable[[], None]]:
    """Stop a run between two steps on ctrl-C and SIGTERM; a second signal stops it immediately.

    Yields a function to call between two steps, which raises `StopRun` if a signal arrived.
    """
    received: list[int] = []

    def handle(number: int, frame: FrameType | None) -> None:
        received.append(number)
        if len(received) > 1:
            signal.default_int_handler(number, frame)
        console.print("stopping after this step; press ctrl-C again to stop immediately")

    def check() -> None:
        if len(received) > 1:
            raise KeyboardInterrupt
        if received:
            raise StopRun.by(received[0])

    with handle_signals(handle):
        yield check


@contextmanager
def short_warnings(console: Console) -> Iterator[None]:
    """Show each warning of the engine in one line above the progress bar."""

    def show(text: str) -> None:
        console.print(text, soft_wrap=True, markup=False)

    with one_line_warnings(show):
        warnings.simplefilter("always", RuntimeWarning)
        yield


@contextmanager
def counting(title: str) -> Iterator[Callable[[int, int], None]]:
    """Yield a callback for steps of work done and in total, with a bar on a terminal."""
    console = stderr_console()
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(escape(title), total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def counting_runs(title: str) -> Iterator[RunProgress]:
    """Yield a callback for runs succeeded, failed and in total, with a bar on a terminal."""
    with runs_bar(stderr_console()) as bar:
        task = bar.add_task(escape(title), total=None, failed="")

        def update(succeeded: int, failed: int, total: int) -> None:
            bar.update(task, completed=succeeded + failed, total=total)

        yield update


def runs_bar(console: Console) -> Progress:
    """Return a progress bar over runs; the field `failed` of its task is shown after the count."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TextColumn("runs{task.fields[failed]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("left"),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


@contextmanager
def output_folder(out: Path | None, page: Path | None) -> Iterator[Path]:
    """Yield the folder of results that are to be reused, or a temporary one without it.

    Raises ParameterError if the folder of the page, which is written after the runs, is missing.
    """
    if page is not None and not page.resolve().parent.is_dir():
        raise ParameterError(f"{page.parent} is not a folder; name a file in an existing folder")
    with tempfile.TemporaryDirectory() as spare:
        yield (out if out is not None else Path(spare)).resolve()


def free_folder(base: Path) -> Path:
    """Return the first of base-1, base-2 and so on that does not exist."""
    numbers = itertools.count(1)
    return next(p for n in numbers if not (p := base.with_name(f"{base.name}-{n}")).exists())


@contextmanager
def compiling(console: Console, kernels: Kernels = FIRST_RUN) -> Iterator[Progress]:
    """Show bars on a terminal, the first while kernels are compiled; otherwise show nothing."""
    bars = Progress(
        SpinnerColumn("line"),
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        TaskProgressColumn(),
        TextColumn("{task.fields[speed]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(compact=True),
        TextColumn("{task.fields[left]}"),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    bars.add_task(kernels.notice, total=kernels.functions, visible=False, speed="", left="left")

    def show(functions: int) -> None:
        bars.update(_COMPILING, completed=functions, visible=True)

    with bars, shown_by(show) if console.is_terminal else nullcontext():
        yield bars


@contextmanager
def building(console: Console, agents: int) -> Iterator[None]:
    """Show a bar while a society is being built; without a terminal, show nothing."""
    with compiling(console) as bars:
        bars.add_task(f"Building a society of {agents:,} agents", total=None, speed="", left="")
        yield


@contextmanager
def ticking(console: Console) -> Iterator[StepProgress]:
    """Yield a callback for the steps of a society, with a progress bar on a terminal."""
    with compiling(console) as bars:
        steps = bars.add_task("First step", total=None, speed="", left="")

        def listen(done: int, total: int, date: datetime) -> None:
            speed = bars.tasks[steps].speed
            shown = f"{speed:,.0f} steps/s" if speed else ""
            when = f"{date:%d %b %Y %H:%M}"
            bars.update(steps, completed=done, total=total, description=when)
            bars.update(steps, speed=shown, left="left")
            bars.update(_COMPILING, visible=False)  # until another kernel is needed

        yield listen
