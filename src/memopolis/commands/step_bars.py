"""Progress bars on standard error: compilation, building and steps of one society."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import datetime

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from memopolis.sim.compilation import FIRST_RUN, Kernels, shown_by
from memopolis.sim.progress import StepProgress

_COMPILING = TaskID(0)


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
