"""Terminal output: results on standard output, progress on standard error."""

import itertools
import signal
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.segment import Segment
from rich.table import Table

from memopolis.commands.shown_text import harmless
from memopolis.sim.recording.stopping import StopRun, handle_signals
from memopolis.sim.run_size import RunSize

if TYPE_CHECKING:
    from memopolis.sim.society_base import Progress as Listener

WIDTH = 120
"""Minimum line width of results without a terminal, in characters."""


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


def table(title: str, *columns: str, numbers: tuple[str, ...] = ()) -> Table:
    """Create an empty table.

    Args:
        title: Title above the table.
        columns: Column headings.
        numbers: Headings of the columns that are aligned to the right.
    """
    made = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    for column in columns:
        if column in numbers:
            made.add_column(column, justify="right", no_wrap=True)
        else:
            made.add_column(column, overflow="fold")
    return made


def short(value: float) -> str:
    """Format a number with three significant digits and thousands separators."""
    if value != value:  # noqa: PLR0124 - not a number
        return "-"
    if abs(value) >= 1000 or value == round(value):
        return f"{value:,.0f}"
    return f"{value:.3g}"


@contextmanager
def ticking(console: Console) -> "Iterator[Listener]":
    """Show a progress bar of simulated time; without a terminal, show nothing.

    Yields:
        The callback that a society calls after each step.
    """
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        TextColumn("{task.percentage:>3.0f}%"),
        TextColumn("{task.fields[speed]}"),
        TimeRemainingColumn(compact=True),
        TextColumn("left"),
    )
    hidden = not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=hidden) as bar:
        task = bar.add_task("building", total=None, speed="")

        def listen(done: int, total: int, date: datetime) -> None:
            speed = bar.tasks[0].speed
            shown = f"{speed:,.0f} steps/s" if speed else ""
            when = f"{date:%d %b %Y %H:%M}"
            bar.update(task, completed=done, total=total, speed=shown, description=when)

        yield listen


def announce(console: Console, size: RunSize) -> None:
    """Print the estimated time and memory of a large run; print nothing for a small one."""
    if size.is_large:
        console.print(f"{size.agents:,} agents: {size}, estimated", soft_wrap=True, markup=False)


@contextmanager
def building(console: Console, agents: int) -> Iterator[None]:
    """Show a spinner while a society is being built; without a terminal, show nothing."""
    columns = (SpinnerColumn("line"), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as on:
        on.add_task(f"Building a society of {agents:,} agents", total=None)
        yield


@contextmanager
def interrupts() -> Iterator[Callable[[], None]]:
    """Stop immediately on ctrl-C and SIGTERM, without losing a signal.

    Yields:
        A function that raises `StopRun` if a signal arrived earlier: Python ignores exceptions
        raised while an object is being finalized.
    """
    heard: list[int] = []

    def check() -> None:
        if heard:
            raise StopRun.by(heard[0])

    def hear(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - as signal has it
        heard.append(number)
        check()

    with handle_signals(hear):
        yield check


@contextmanager
def stops(console: Console) -> Iterator[Callable[[], None]]:
    """Stop a run between two steps on ctrl-C and SIGTERM; a second signal stops it immediately.

    Args:
        console: Where the first signal is acknowledged.

    Yields:
        A function that raises `StopRun` if a signal arrived; call it between two steps.
    """
    heard: list[int] = []

    def hear(number: int, frame: FrameType | None) -> None:
        heard.append(number)
        if len(heard) > 1:
            signal.default_int_handler(number, frame)
        console.print("stopping after this step; press ctrl-C again to stop immediately")

    def check() -> None:
        if len(heard) > 1:
            raise KeyboardInterrupt
        if heard:
            raise StopRun.by(heard[0])

    with handle_signals(hear):
        yield check


@contextmanager
def short_warnings(console: Console) -> Iterator[None]:
    """Show each warning of the engine in one line above the progress bar."""

    def show(message: Warning | str, category: type[Warning], *where: object) -> None:
        if issubclass(category, RuntimeWarning):
            console.print(f"memopolis: {message}", soft_wrap=True, markup=False)
        else:
            before(message, category, *where)  # type: ignore[arg-type]

    with warnings.catch_warnings():
        before = warnings.showwarning
        warnings.simplefilter("always", RuntimeWarning)
        warnings.showwarning = show  # type: ignore[assignment]
        yield


@contextmanager
def counting_runs(title: str) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar over many runs; without a terminal, show nothing.

    Args:
        title: Label before the bar.

    Yields:
        A callback for the number of finished runs and the total.
    """
    with runs_bar(stderr_console()) as bar:
        task = bar.add_task(escape(title), total=None, failed="")
        yield lambda done, total: bar.update(task, completed=done, total=total)


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


def free_folder(base: Path) -> Path:
    """Return the first of base-1, base-2 and so on that does not exist."""
    numbers = itertools.count(1)
    return next(p for n in numbers if not (p := base.with_name(f"{base.name}-{n}")).exists())
