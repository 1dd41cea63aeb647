"""`memopolis sweep`: the runs of a design, made once, and what they came to."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape

from memopolis.commands.running import Stopped
from memopolis.commands.terminal import WIDTH, asides, interrupts, results, runs_bar, short, table
from memopolis.sim.errors import ReplicationError, RunFolderError
from memopolis.sim.running.stopping import INTERRUPTED
from memopolis.sim.sweep.design_file import design_from_file
from memopolis.sim.sweep.shard import Shard

if TYPE_CHECKING:
    from memopolis.analysis.sweep.results import SweepResults

_LINES = 10
"""Without a terminal, lines of progress of one sweep, about."""
_ROWS = 40
"""Most rows of the table that is printed."""
_FAILURES = 5
"""Most failures that are printed."""


@dataclass(frozen=True)
class Asked:
    """What was typed.

    Attributes:
        design: File of the design.
        out: Folder of the sweep; None for one named by the design below sweeps/.
        workers: Processes; None for as many as cores.
        executor: Name of the executor.
        retry_failed: Whether runs that failed are made again.
        shard: Which share, such as "2/8"; None for all.
        force: Whether runs are made that may need more memory than there is.
    """

    design: Path
    out: Path | None = None
    workers: int | None = None
    executor: str = "processes"
    retry_failed: bool = False
    shard: str | None = None
    force: bool = False


def sweep_design(asked: Asked) -> bool:
    """Make the runs of a design and print what they came to.

    Returns:
        Whether no run failed.

    Raises:
        MemopolisError: If anything that was asked for is not possible.
        Stopped: If the user or SIGTERM stopped it; nothing is lost.
    """
    from memopolis.analysis.sweep.sweep import sweep

    design = design_from_file(asked.design)
    share = None if asked.shard is None else Shard.read(asked.shard)
    folder = asked.out if asked.out is not None else Path("sweeps", asked.design.stem)
    teller = _Teller(asides(), folder)
    try:
        with interrupts() as check, teller.bar:

            def told(succeeded: int, failed: int, total: int) -> None:
                check()
                teller.tell(succeeded, failed, total)

            found = sweep(
                design,
                folder,
                executor=asked.executor,
                workers=asked.workers,
                retry_failed=asked.retry_failed,
                shard=share,
                progress=told,
                force=asked.force,
            )
    except KeyboardInterrupt as stop:
        raise Stopped(
            f"stopped with {teller.done} of {teller.total} runs done; nothing is lost, the same "
            f"command goes on",
            getattr(stop, "code", INTERRUPTED),
        ) from None
    except (RunFolderError, ReplicationError) as error:
        if not teller.total:
            raise
        raise type(error)(f"{error}; {teller.done} of {teller.total} runs are done") from None
    print_results(found)
    return not (found.runs["status"] == "failed").any()


def print_results(found: "SweepResults") -> None:
    """Print points, outcomes and failures, and where all of it lies; write the report."""
    from memopolis.analysis.sweep.page import write_sweep

    console = results(width=WIDTH)
    if (found.runs["status"] == "succeeded").any():
        _print_points(found, console)
        _print_effects(found, console)
        _print_without_number(found, console)
    _print_failures(found, console)
    pending = int((~found.runs["status"].isin(["succeeded", "failed"])).sum())
    if pending:
        console.print(f"Not made yet: {pending:,} of {len(found.runs):,} runs")
    if found.others:
        told = f"{found.others:,} runs of another design, other settings or other code"
        console.print(f"Not shown: {told}", soft_wrap=True)
    console.print(f"Sweep  {found.folder}", soft_wrap=True, markup=False)
    console.print(f"Table  {found.folder / 'runs.csv'}", soft_wrap=True, markup=False)
    console.print(f"Report {write_sweep(found)}", soft_wrap=True, markup=False)


def _print_points(found: "SweepResults", console: Console) -> None:
    points = found.points
    confidence = f"{found.confidence:.0%}"
    heads = ("point", *found.factors, "outcome", "mean", f"{confidence} interval", "runs")
    shown = table(escape(found.kept.title), *heads, numbers=("point", "mean", "runs"))
    first = len(found.factors) + 1
    before = None
    for row in points.head(_ROWS).itertuples(index=False):
        # A point's own columns stand in its first row only, so that points can be told apart.
        own = ("",) * first if row[0] == before else tuple(map(_told, row[:first]))
        outcome, mean, low, high, _, runs = row[first:]
        between = "-" if low != low else f"{short(low)} to {short(high)}"  # noqa: PLR0124 - NaN
        shown.add_row(*map(escape, (*own, str(outcome), short(mean), between, str(runs))))
        before = row[0]
    console.print(shown)
    if len(points) > _ROWS:
        more = f"{len(points) - _ROWS:,} more rows: load_sweep({str(found.folder)!r}).points"
        console.print(more, soft_wrap=True, markup=False)


def _print_effects(found: "SweepResults", console: Console) -> None:
    effects = found.effects()
    if effects.empty:
        return
    heads = ("factor", "level", "outcome", "difference", f"{found.confidence:.0%} interval")
    title = "What a factor changes: a level less the first, all other factors alike"
    shown = table(title, *heads, "replications", numbers=("difference", "replications"))
    before = None
    for row in effects.head(_ROWS).to_numpy().tolist():
        factor, first, level, outcome, apart, low, high, replications = row
        between = "-" if math.isnan(low) else f"{short(low)} to {short(high)}"
        own = (factor, f"{level} less {first}")
        cells = (outcome, short(apart), between, str(replications))
        shown.add_row(*map(escape, (*(("", "") if own == before else own), *cells)))
        before = own
    console.print(shown)
    if len(effects) > _ROWS:
        more = f"{len(effects) - _ROWS:,} more rows: load_sweep({str(found.folder)!r}).effects()"
        console.print(more, soft_wrap=True, markup=False)


def _print_without_number(found: "SweepResults", console: Console) -> None:
    """Name outcomes that no run has, such as those of a group that never had anyone."""
    made = found.runs["status"] == "succeeded"
    for name in found.outcomes:
        if found.values_of(name)[made].isna().all():
            line = f"{name}: no run has a number of it; is there such a group?"
            console.print(line, soft_wrap=True, markup=False)


def _print_failures(found: "SweepResults", console: Console) -> None:
    failed = found.runs[found.runs["status"] == "failed"]
    if failed.empty:
        return
    console.print(f"{len(failed):,} of {len(found.runs):,} runs failed", style="bold")
    for row in failed.head(_FAILURES).to_dict("records"):
        where = f"\n    {row['traceback']}" if row["traceback"] else ""
        line = f"  point {row['point']}, seed {row['seed']}: {row['error']}{where}"
        console.print(line, soft_wrap=True, markup=False)
    if len(failed) > _FAILURES:
        console.print(f"  and {len(failed) - _FAILURES:,} more, in {found.folder / 'failures'}")
    console.print("  --retry-failed makes them again")


def _told(value: object) -> str:
    return short(value) if isinstance(value, float) else str(value)


class _Teller:
    """Tells of runs: a bar in a terminal, else a line now and then."""

    def __init__(self, console: Console, folder: Path) -> None:
        self.done = 0
        self.total = 0
        self._console = console
        self._folder = folder
        self.bar = runs_bar(console)
        self._task = self.bar.add_task("sweep", total=None, failed="")
        self._next = 0.0

    def tell(self, succeeded: int, failed: int, total: int) -> None:
        """Say how far it is."""
        begins = not self.total
        self.done, self.total = succeeded + failed, total
        if begins:
            self._begin(succeeded, failed)
        failures = f", {failed:,} failed" if failed else ""
        self.bar.update(self._task, completed=self.done, total=total, failed=failures)
        if not self._console.is_terminal and not begins and self.done >= self._next:
            self._say(f"{self.done:,} of {total:,} runs{failures}")
            self._next = self.done + max(1, total / _LINES)

    def _begin(self, succeeded: int, failed: int) -> None:
        before = f", {succeeded:,} made already" if succeeded else ""
        again = "(--retry-failed makes them again)"
        failures = f", {failed:,} failed already {again}" if failed else ""
        left = self.total - self.done
        self._say(f"{self.total:,} runs{before}{failures}, {left:,} to make; {self._folder}")
        self._next = self.done + max(1, self.total / _LINES)
        # The time left is reckoned from what is made now.
        self.bar.reset(self._task, completed=self.done, total=self.total)

    def _say(self, line: str) -> None:
        self._console.print(line, soft_wrap=True, markup=False)
