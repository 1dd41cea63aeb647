"""What is shown in a terminal: results on standard output, progress on standard error."""

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
from memopolis.sim.run_size import RunSize
from memopolis.sim.running.stopping import StopRun, signals_heard

if TYPE_CHECKING:
    from memopolis.sim.society import Progress as Listener

WIDTH = 120
"""Letters of a line of results where there is no terminal, at least."""


class _HarmlessConsole(Console):
    """A console on which no text of a run can move the cursor, or do anything but be read."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Render as ever, without the control characters that a text may hold."""
        for segment in super().render(renderable, options):
            if segment.control or segment.text.isprintable():
                yield segment
            else:
                yield Segment(harmless(segment.text), segment.style)


def results(*, width: int = 0) -> Console:
    """Where results go; lines of a file or a pipe are at least `width` letters long."""
    console = _HarmlessConsole(highlight=False)
    if not console.is_terminal:
        console.width = max(console.width, width)
    return console


def asides() -> Console:
    """Where progress goes; it leaves results alone when they are piped."""
    return _HarmlessConsole(stderr=True, highlight=False)


def table(title: str, *columns: str, numbers: tuple[str, ...] = ()) -> Table:
    """An empty table.

    Args:
        title: Stands above it.
        columns: Heads of the columns.
        numbers: Heads of those that are aligned to the right.
    """
    made = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    for column in columns:
        if column in numbers:
            made.add_column(column, justify="right", no_wrap=True)
        else:
            made.add_column(column, overflow="fold")
    return made


def short(value: float) -> str:
    """A number as a reader wants it: three digits, thousands apart."""
    if value != value:  # noqa: PLR0124 - not a number
        return "-"
    if abs(value) >= 1000 or value == round(value):
        return f"{value:,.0f}"
    return f"{value:.3g}"


@contextmanager
def ticking(console: Console) -> "Iterator[Listener]":
    """Show a bar of simulated time; where there is no terminal, nothing.

    Yields:
        What a society tells of its progress.
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
    """Print what a large run is going to take; nothing for a small one."""
    if size.is_large:
        console.print(f"{size.agents:,} agents: {size}, estimated", soft_wrap=True, markup=False)


@contextmanager
def building(console: Console, agents: int) -> Iterator[None]:
    """Show that a society is being built, and for how long; where there is no terminal, nothing."""
    columns = (SpinnerColumn("line"), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as on:
        on.add_task(f"Building a society of {agents:,} agents", total=None)
        yield


@contextmanager
def interrupts() -> Iterator[Callable[[], None]]:
    """Stop at once by ctrl-C and by SIGTERM, and let none get lost.

    Yields:
        What raises `StopRun` if a signal was heard before: Python ignores one that comes while
        an object is being removed.
    """
    heard: list[int] = []

    def check() -> None:
        if heard:
            raise StopRun.by(heard[0])

    def hear(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - as signal has it
        heard.append(number)
        check()

    with signals_heard(hear):
        yield check


@contextmanager
def stops(console: Console) -> Iterator[Callable[[], None]]:
    """Let ctrl-C and SIGTERM stop a run between two steps; a second one stops it at once.

    Args:
        console: Where it is said that a signal was heard.

    Yields:
        What raises `StopRun` between two steps if a signal was heard before.
    """
    heard: list[int] = []

    def hear(number: int, frame: FrameType | None) -> None:
        heard.append(number)
        if len(heard) > 1:
            signal.default_int_handler(number, frame)
        console.print("stopping after this step; ctrl-C again stops at once")

    def check() -> None:
        if len(heard) > 1:
            raise KeyboardInterrupt
        if heard:
            raise StopRun.by(heard[0])

    with signals_heard(hear):
        yield check


@contextmanager
def warnings_told(console: Console) -> Iterator[None]:
    """Show warnings of the engine as one line each, above the bar."""

    def tell(message: Warning | str, category: type[Warning], *where: object) -> None:
        if issubclass(category, RuntimeWarning):
            console.print(f"memopolis: {message}", soft_wrap=True, markup=False)
        else:
            before(message, category, *where)  # type: ignore[arg-type]

    with warnings.catch_warnings():
        before = warnings.showwarning
        warnings.simplefilter("always", RuntimeWarning)
        warnings.showwarning = tell  # type: ignore[assignment]
        yield


@contextmanager
def counting_runs(title: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar over many runs with the time left; where there is no terminal, nothing.

    Args:
        title: Stands before the bar.

    Yields:
        What is told how many runs are done, and of how many.
    """
    with runs_bar(asides()) as bar:
        task = bar.add_task(escape(title), total=None, failed="")
        yield lambda done, total: bar.update(task, completed=done, total=total)


def runs_bar(console: Console) -> Progress:
    """A bar over many runs; a task of it has a field `failed`, which is told behind the runs."""
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
    """The first of base-1, base-2 and so on that does not exist yet."""
    numbers = itertools.count(1)
    return next(p for n in numbers if not (p := base.with_name(f"{base.name}-{n}")).exists())
