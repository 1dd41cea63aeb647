"""What a sweep came to, read from its folder into tidy tables."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from memopolis.analysis.compare.intervals import interval
from memopolis.analysis.run.manifest import read_manifest
from memopolis.analysis.sweep.differing import differences_of
from memopolis.analysis.sweep.effects import COLUMNS, effects_of
from memopolis.sim import outcomes
from memopolis.sim.errors import MemopolisError, RunFolderError, UnknownNameError, reason_of
from memopolis.sim.files import refuse_outer_links, write_whole
from memopolis.sim.outcomes import read_outcomes
from memopolis.sim.run_folder.intact import check_files
from memopolis.sim.run_folder.manifest import read_content
from memopolis.sim.sweep.design_kept import DesignedRun, SavedDesign, read_design
from memopolis.sim.sweep.run_ledger import STATUSES, RunEntry, RunLedger

if TYPE_CHECKING:
    import pyarrow as pa

    from memopolis.sim.sweep.design import Design

BEFORE = ("run", "point", "replication", "seed")
"""Columns of `runs` before those of the factors."""
AFTER = ("status", "error", "traceback", "tries", "seconds", "step_seconds")
"""Columns of `runs` after those of the factors; outcomes and the folder follow."""
_OVER_RUNS = ("mean", "low", "high", "sd", "runs")


def load_sweep(folder: str | Path, *, confidence: float = 0.95) -> "SweepResults":
    """Read a sweep, finished or not.

    Args:
        folder: Of the sweep.
        confidence: Of the intervals, in (0, 1).

    Returns:
        Its results; tables are read when they are asked for. Runs of other designs that lie in
        the folder too are not shown.

    Raises:
        RunFolderError: If there is no sweep, or its design is broken.
    """
    return SweepResults(Path(folder), read_design(folder), confidence=confidence)


class SweepResults:
    """What a sweep came to. Tables are DataFrames, made once, when they are first asked for.

    Attributes:
        folder: Where it lies.
        kept: Its design as the folder keeps it: points, planned runs and outcomes.
        confidence: Of the intervals.
    """

    def __init__(self, folder: Path, kept: SavedDesign, *, confidence: float = 0.95) -> None:
        self.folder = folder
        self.kept = kept
        self.confidence = confidence

    def __repr__(self) -> str:
        counts = Counter(self.runs["status"])
        counted = ", ".join(f"{counts[status]} {status}" for status in STATUSES if counts[status])
        return (
            f"<SweepResults {self.kept.title}: {len(self.kept.points)} points x "
            f"{self.design.replications}, {counted or 'no runs'}, {self.folder}>"
        )

    @property
    def design(self) -> "Design":
        """What was asked; its scenario is looked for when it is asked for."""
        return self.kept.design

    @property
    def factors(self) -> list[str]:
        """Names of the factors."""
        return list(self.kept.points[0])

    @property
    def outcomes(self) -> list[str]:
        """Names of the outcomes."""
        return [outcome.name for outcome in self.kept.outcomes]

    @cached_property
    def runs(self) -> pd.DataFrame:
        """One row per run, including failed and pending ones.

        Columns: run, point, replication, seed, one a factor, status, error, traceback (its
        file, "" for none), tries, seconds, step_seconds, one an outcome (NaN where the run did
        not succeed), folder.
        """
        entries = RunLedger(self.folder).entries()
        pending = RunEntry()
        rows = [self._row(run, entries.get(run.name, pending)) for run in self.kept.runs]
        return pd.DataFrame(rows, columns=self._columns)

    @cached_property
    def points(self) -> pd.DataFrame:
        """A row a point and outcome, over the runs that succeeded.

        Columns: point, one a factor, outcome, mean, low, high (Student's t over replications,
        NaN for fewer than two), sd, runs (those that have the number).
        """
        rows = []
        by_point = dict(list(self.runs.groupby("point", sort=True)))
        for number, point in enumerate(self.kept.points):
            for outcome in self.outcomes:
                values = by_point[number][self.column_of(outcome)]
                one = interval(values, confidence=self.confidence)
                counted = (outcome, one.mean, one.low, one.high, values.std(), one.seeds)
                rows.append((number, *point.values(), *counted))
        return pd.DataFrame(
            rows,
            columns=[
                "point",
                *self._factor_columns,
                "outcome",
                "mean",
                "low",
                "high",
                "sd",
                "runs",
            ],
        )

    def differences(self, reference: int = 0) -> pd.DataFrame:
        """Every other point less one of them, outcome by outcome.

        With paired seeds differences are taken replication by replication, which frees them of
        the random draws that both share; with independent ones of the means (Welch's t).

        Args:
            reference: Number of the point that others are compared with.

        Returns:
            A row a point and outcome: point, one a factor, outcome, difference, low, high,
            runs (pairs, or runs of both).

        Raises:
            UnknownNameError: If there is no such point.
        """
        if not 0 <= reference < len(self.kept.points):
            raise UnknownNameError(
                f"there is no point {reference}; points are numbered 0 to "
                f"{len(self.kept.points) - 1}"
            )
        columns = {outcome: self.column_of(outcome) for outcome in self.outcomes}
        by_seed = differences_of(
            self.runs,
            columns,
            reference=reference,
            paired=self.design.seeds == "paired",
            confidence=self.confidence,
        )
        factors = pd.DataFrame(self.kept.points).set_axis(self._factor_columns, axis=1)
        return factors.reset_index(names="point").merge(by_seed, on="point")

    def effects(self) -> pd.DataFrame:
        """What each factor changes: every other level less its first, the other factors alike.

        Returns:
            A row a factor, level and outcome: factor, first, level, outcome, difference, low,
            high (Student's t over replications), replications. Without rows unless the sampling
            is a grid or points: other samplings change all factors at once.
        """
        if self.design.sampling not in {"grid", "points"}:
            return pd.DataFrame(columns=list(COLUMNS))
        return effects_of(
            self.runs,
            factors=dict(zip(self.factors, self._factor_columns, strict=True)),
            outcomes={outcome: self.column_of(outcome) for outcome in self.outcomes},
            confidence=self.confidence,
        )

    @property
    def others(self) -> int:
        """Runs that lie in the folder too and are not of this design and code."""
        return len(set(RunLedger(self.folder).names()) - {run.name for run in self.kept.runs})

    def table(self, name: str, columns: Sequence[str] = ()) -> pd.DataFrame:
        """A table of all runs that succeeded, with run, point and replication in front.

        Args:
            name: Of the table, such as "measures".
            columns: Those wanted beside the key; all if none are named.

        Raises:
            UnknownNameError: If no run has such a table, or the table no such column.
            RunFolderError: If it cannot be read, or a run's folder was removed.
        """
        import pyarrow as pa

        from memopolis.analysis.run.tables import read_table

        read: dict[str, pa.Table] = {}
        parts = []
        status = dict(zip(self.runs["run"], self.runs["status"], strict=True))
        for run in self.kept.runs:
            if status[run.name] != "succeeded":
                continue
            folder = self.folder_of(run.name)
            if not (folder / "tables" / name).is_dir():
                continue
            if run.name not in read:
                read[run.name] = read_table(folder, name, columns=columns)
            parts.append(_in_front(read[run.name], run))
        if not parts:
            raise UnknownNameError(
                f"no run of {self.folder} that succeeded has a table {name!r}; what runs record "
                "is set by record.tables"
            )
        joined = pa.concat_tables(parts, promote_options="permissive")
        frame: pd.DataFrame = joined.unify_dictionaries().to_pandas()
        return frame

    def folder_of(self, run: str) -> Path:
        """Folder of a run that succeeded.

        Args:
            run: Its name.

        Raises:
            RunFolderError: If it is not there any more, or a file of it is missing or has another
                size than was written, so that no answer rests on fewer rows than were recorded.
        """
        folder = self.folder / "runs" / run
        if not (folder / "tables").is_dir():
            raise RunFolderError(
                f"run {run} succeeded, but its tables are not in {folder} any more; to have it "
                f"repeated, remove {self.folder / 'ledger' / run}.jsonl and sweep again"
            )
        check_files(folder, read_content(folder))
        refuse_outer_links(folder)
        return folder

    def save(self) -> Path:
        """Write `runs` as runs.csv into the folder.

        Returns:
            The file.

        Raises:
            RunFolderError: If it cannot be written.
        """
        file = self.folder / "runs.csv"
        try:
            write_whole(file, self.runs.to_csv(index=False))
        except OSError as error:
            raise RunFolderError(f"{file} cannot be written: {reason_of(error)}") from None
        return file

    def values_of(self, outcome: str) -> pd.Series:
        """One outcome of every run, also one that the design does not name.

        Args:
            outcome: As `read_outcomes` reads it.

        Returns:
            Numbers in the order of `runs`; NaN where a run did not succeed or has none.

        Raises:
            UnknownNameError: If runs did not record its measure.
            RunFolderError: If a run's folder is not there or cannot be read.
        """
        if outcome in self.outcomes:
            return self.runs[self.column_of(outcome)].astype(float).rename(outcome)
        made = self.runs.loc[self.runs["status"] == "succeeded", "run"].map(self.folder_of)
        values = pd.Series(math.nan, index=self.runs.index, name=outcome)
        if len(made):
            declared = read_manifest(made.iloc[0])["measures"]
            asked = read_outcomes([outcome], declared, title=self.kept.title)
            values.update(made.map(lambda one: outcomes.read(one, asked)[asked[0].name]))
        return values

    def column_of(self, outcome: str) -> str:
        """Column of `runs` that holds an outcome."""
        taken = {*BEFORE, *AFTER, "folder", *self._factor_columns}
        return f"outcome.{outcome}" if outcome in taken else outcome

    @property
    def _factor_columns(self) -> list[str]:
        """Return the columns of the factors, renamed if another column has the name."""
        taken = {*BEFORE, *AFTER, *_OVER_RUNS, "outcome", "folder"}
        return [f"factor.{name}" if name in taken else name for name in self.factors]

    @property
    def _columns(self) -> list[str]:
        by_seed = map(self.column_of, self.outcomes)
        return [*BEFORE, *self._factor_columns, *AFTER, *by_seed, "folder"]

    def _row(self, run: DesignedRun, entry: RunEntry) -> tuple[object, ...]:
        folder = self.folder / "runs" / run.name
        failure = self.folder / "failures" / f"{run.name}.txt"
        failed = entry.status == "failed" and failure.is_file()
        by_seed = self._found(folder, entry) if entry.status == "succeeded" else {}
        return (
            *(run.name, run.point, run.replication, run.seed),
            *self.kept.points[run.point].values(),
            *(entry.status, entry.error, str(failure) if failed else "", entry.tries),
            *(entry.seconds, entry.step_seconds),
            *(by_seed.get(outcome, math.nan) for outcome in self.outcomes),
            str(folder),
        )

    def _found(self, folder: Path, entry: RunEntry) -> Mapping[str, float]:
        """Outcomes of a run; those that its ledger lacks are taken of its tables."""
        lacking = [one for one in self.kept.outcomes if one.name not in entry.outcomes]
        if not lacking:
            return entry.outcomes
        try:
            return {**entry.outcomes, **outcomes.read(self.folder_of(folder.name), lacking)}
        except MemopolisError:  # its folder was removed, is elsewhere or damaged
            return entry.outcomes


def _in_front(table: "pa.Table", run: DesignedRun) -> "pa.Table":
    import pyarrow as pa

    rows = len(table)
    run_column = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), [run.name])
    front = {
        "run": run_column,
        "point": pa.array([run.point] * rows, pa.int32()),
        "replication": pa.array([run.replication] * rows, pa.int32()),
    }
    for place, (name, column) in enumerate(front.items()):
        table = table.add_column(place, name, column)
    return table
