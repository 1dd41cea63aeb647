"""`memopolis sweep`: run all runs of a design, or one shard of it, and print the results."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from memopolis.analysis.sweep.page import Rows, effect_rows, point_rows, write_sweep
from memopolis.analysis.sweep.results import SweepResults
from memopolis.analysis.sweep.sweep import sweep
from memopolis.commands.options.studies import SweepOptions
from memopolis.commands.running import stoppable
from memopolis.commands.terminal import (
    print_line,
    print_table,
    runs_bar,
    stderr_console,
)
from memopolis.sim.errors import ParameterError, ReplicationError, RunFolderError
from memopolis.sim.settings import merge, nest, parse_sets
from memopolis.sim.sweep.design_file import design_from_file

_LINES = 10  # approximate number of progress lines of a sweep without a terminal
_ROWS = 40  # maximum number of table rows that are printed
_FAILURES = 5  # maximum number of failures that are printed


def sweep_design(options: SweepOptions) -> bool:
    """Run all runs of a design, or one shard of it, and print the results.

    Settings in `sets` replace those of the design. Returns whether no run failed.
    """
    design, sets = design_from_file(options.design), options.sets or ()
    if sets and isinstance(design.settings, Mapping):
        changed = merge(nest(design.settings), parse_sets(sets))
        design = replace(design, settings=changed)
    folder = options.out or Path("sweeps", options.design.stem)
    shown = _SweepProgress(stderr_console(), folder)
    try:
        with shown.bar, stoppable(shown.update) as progress:
            swept = sweep(
                design,
                folder,
                executor=options.executor,
                workers=options.workers,
                retry_failed=options.retry_failed,
                shard=None if options.shard is None else _read_shard(options.shard),
                progress=progress,
                force=options.force,
            )
    except (RunFolderError, ReplicationError) as error:
        if not shown.total:
            raise
        raise type(error)(f"{error}; {shown.done} of {shown.total} runs are done") from None
    _print_results(swept)
    return not (swept.runs["status"] == "failed").any()


def _read_shard(text: str) -> tuple[int, int]:
    """Parse a shard, such as "2/8"."""
    number, slash, of = text.partition("/")
    if not (slash and number.strip().isdecimal() and of.strip().isdecimal()):
        raise ParameterError(f"shard is {text!r}; write it as 2/8, the second of eight")
    return int(number), int(of)


def _print_results(swept: SweepResults) -> None:
    """Write the report; print points, outcomes, failures and the paths of the files."""
    if (swept.runs["status"] == "succeeded").any():
        _print_points(swept)
        _print_effects(swept)
        _print_without_number(swept)
    _print_failures(swept)
    pending = int((~swept.runs["status"].isin(["succeeded", "failed"])).sum())
    if pending:
        print_line(f"Pending: {pending:,} of {len(swept.runs):,} runs")
    if swept.others:
        hidden = f"{swept.others:,} runs of another design, other settings or other code"
        print_line(f"Not shown: {hidden}")
    print_line(f"Sweep  {swept.folder}")
    print_line(f"Table  {swept.folder / 'runs.csv'}")
    print_line(f"Report {write_sweep(swept)}")


def _print_points(swept: SweepResults) -> None:
    rows = point_rows(swept, _ROWS)
    _print_rows(swept.kept.title, rows, repeated=len(swept.factors) + 1)
    _print_omitted(swept, len(swept.points), "points")


def _print_effects(swept: SweepResults) -> None:
    rows = effect_rows(swept, _ROWS)
    if rows[1]:
        title = "Main effects: difference from the first level, other factors held equal"
        _print_rows(title, rows, repeated=2)
        _print_omitted(swept, len(swept.effects()), "effects()")


def _print_rows(title: str, rows: Rows, *, repeated: int) -> None:
    """Print a table; the first `repeated` cells are shown once for rows that share them."""
    shown, before = [], None
    for row in rows[1]:
        shown.append(("",) * repeated + row[repeated:] if row[:repeated] == before else row)
        before = row[:repeated]
    numbers = ("point", "mean", "runs", "difference", "replications")
    print_table(title, rows[0], shown, numbers=numbers)


def _print_omitted(swept: SweepResults, rows: int, name: str) -> None:
    if rows > _ROWS:
        print_line(f"{rows - _ROWS:,} more rows: load_sweep({str(swept.folder)!r}).{name}")


def _print_without_number(swept: SweepResults) -> None:
    """Name outcomes that no run has, such as those of a group without members."""
    succeeded = swept.runs["status"] == "succeeded"
    for name in swept.outcomes:
        if swept.values_of(name)[succeeded].isna().all():
            print_line(f"{name}: no run has a value; check the name of the group")


def _print_failures(swept: SweepResults) -> None:
    failed = swept.runs[swept.runs["status"] == "failed"]
    if failed.empty:
        return
    print_line(f"{len(failed):,} of {len(swept.runs):,} runs failed")
    for row in failed.head(_FAILURES).to_dict("records"):
        where = f"\n    {row['traceback']}" if row["traceback"] else ""
        print_line(f"  point {row['point']}, seed {row['seed']}: {row['error']}{where}")
    if len(failed) > _FAILURES:
        print_line(f"  and {len(failed) - _FAILURES:,} more, in {swept.folder / 'failures'}")
    print_line("  --retry-failed runs them again")


class _SweepProgress:
    """Progress of a sweep: a bar in a terminal, occasional lines otherwise."""

    def __init__(self, console: Console, folder: Path) -> None:
        self.done = 0
        self.total = 0
        self._console = console
        self._folder = folder
        self.bar = runs_bar(console)
        self._task = self.bar.add_task("sweep", total=None, failed="")
        self._next = 0.0

    def update(self, succeeded: int, failed: int, total: int) -> None:
        """Show how many runs are done."""
        begins = not self.total
        self.done, self.total = succeeded + failed, total
        if begins:
            self._begin(succeeded, failed)
        failures = f", {failed:,} failed" if failed else ""
        self.bar.update(self._task, completed=self.done, total=total, failed=failures)
        if not self._console.is_terminal and not begins and self.done >= self._next:
            self._print(f"{self.done:,} of {total:,} runs{failures}")
            self._next = self.done + max(1, total / _LINES)

    def _begin(self, succeeded: int, failed: int) -> None:
        before = f", {succeeded:,} already done" if succeeded else ""
        again = "(--retry-failed runs them again)"
        failures = f", {failed:,} failed before {again}" if failed else ""
        left = self.total - self.done
        self._print(f"{self.total:,} runs{before}{failures}, {left:,} to do; {self._folder}")
        self._next = self.done + max(1, self.total / _LINES)
        # The remaining time is estimated from the runs of this process only.
        self.bar.reset(self._task, completed=self.done, total=self.total)

    def _print(self, line: str) -> None:
        self._console.print(line, soft_wrap=True, markup=False)
