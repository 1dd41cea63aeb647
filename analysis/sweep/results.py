"""Read the results of a sweep from its folder, as tidy tables, and compare points and levels."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from memopolis.analysis.compare.intervals import interval, paired_difference, welch_difference
from memopolis.analysis.run.opening import read_manifest
from memopolis.sim import outcomes
from memopolis.sim.errors import MemopolisError, RunFolderError, UnknownNameError
from memopolis.sim.files import refuse_outer_links, write_whole, writing_to
from memopolis.sim.outcomes import read_outcomes
from memopolis.sim.recording.schema import SWEEP_POINTS, SWEEP_RUNS, TableSchema
from memopolis.sim.run_folder.integrity import check_files
from memopolis.sim.run_folder.manifest import read_content
from memopolis.sim.sweep.design import Design, DesignedRun
from memopolis.sim.sweep.rows import FAILURES, ROWS, STATUSES, RunRow, read_row, run_names
from memopolis.sim.sweep.saved_design import SavedDesign, read_design

EFFECTS = ("factor", "first", "level", "outcome", "difference", "low", "high", "replications")
"""Columns of the table of main effects."""
_TAKEN = {*SWEEP_RUNS.columns} - {"FACTOR", "OUTCOME"}


def load_sweep(folder: str | Path, *, confidence: float = 0.95) -> "SweepResults":
    """Read a sweep, finished or not.

    Runs of other designs in the same folder are not included. Raises RunFolderError if there is no
    sweep, or its design is broken. `confidence` of the intervals is in (0, 1).
    """
    return SweepResults(Path(folder), read_design(folder), confidence=confidence)


class SweepResults:
    """Results of a sweep. Tables are DataFrames, read when they are first used.

    Attributes:
        folder: Folder of the sweep.
        kept: The saved design: points, planned runs and outcomes.
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
    def design(self) -> Design:
        """The design; its scenario is imported when this is first used."""
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

        Columns: run, point, replication, seed, one per factor, status, error, traceback (its
        file, "" for none), tries, seconds, step_seconds, one per outcome (NaN where the run did
        not succeed), folder.
        """
        rows = [self._row(run, read_row(self.folder, run.name)) for run in self.kept.runs]
        return pd.DataFrame(rows, columns=self._columns(SWEEP_RUNS))

    @cached_property
    def points(self) -> pd.DataFrame:
        """A row per point and outcome, over the runs that succeeded.

        Columns: point, one per factor, outcome, mean, low, high (Student's t over replications,
        NaN for fewer than two), sd, runs (number of runs that have the outcome).
        """
        rows = []
        by_point = dict(list(self.runs.groupby("point", sort=True)))
        for number, point in enumerate(self.kept.points):
            for outcome in self.outcomes:
                values = by_point[number][self.column_of(outcome)]
                *ends, runs = interval(values, confidence=self.confidence)
                rows.append((number, *point.values(), outcome, *ends, values.std(), runs))
        return pd.DataFrame(rows, columns=self._columns(SWEEP_POINTS))

    def differences(self, reference: int = 0) -> pd.DataFrame:
        """Compute the difference of every other point from a reference point, by its number.

        With paired seeds, runs of the same replication are compared, so that shared random draws
        cancel; with independent seeds, means are compared (Welch's t). Returns a row per point and
        outcome: point, one column per factor, outcome, difference, low, high, runs (number of
        pairs, or of runs of both points). Raises UnknownNameError if there is no such point.
        """
        if not 0 <= reference < len(self.kept.points):
            raise UnknownNameError(
                f"there is no point {reference}; points are numbered 0 to "
                f"{len(self.kept.points) - 1}"
            )
        differences = compare_points(
            self.runs,
            {outcome: self.column_of(outcome) for outcome in self.outcomes},
            reference=reference,
            paired=self.design.seeds == "paired",
            confidence=self.confidence,
        )
        factors = pd.DataFrame(self.kept.points).set_axis(self._factor_columns, axis=1)
        return factors.reset_index(names="point").merge(differences, on="point")

    def effects(self) -> pd.DataFrame:
        """Compute main effects: difference from the first level, other factors held equal.

        Returns a row per factor, level and outcome: factor, first, level, outcome, difference, low,
        high (Student's t over replications), replications. No rows unless the sampling is a grid or
        points: other samplings change all factors at once.
        """
        if self.design.sampling not in {"grid", "points"}:
            return pd.DataFrame(columns=list(EFFECTS))
        return main_effects(
            self.runs,
            factors=dict(zip(self.factors, self._factor_columns, strict=True)),
            outcomes={outcome: self.column_of(outcome) for outcome in self.outcomes},
            confidence=self.confidence,
        )

    @property
    def others(self) -> int:
        """Number of runs in the folder that belong to another design or version of the code."""
        return len(set(run_names(self.folder)) - {run.name for run in self.kept.runs})

    def table(self, name: str, columns: Sequence[str] = ()) -> pd.DataFrame:
        """Read a table of all runs that succeeded, after the columns run, point and replication.

        `columns` are those to read besides the key; all if empty. Raises UnknownNameError if no run
        has such a table, or the table no such column, or RunFolderError if it cannot be read, or a
        run's folder was removed.
        """
        from memopolis.analysis.run.reader import TableReader

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
                read[run.name] = TableReader(folder).read(name, columns)
            parts.append(_add_run(read[run.name], run))
        if not parts:
            raise UnknownNameError(
                f"no run of {self.folder} that succeeded has a table {name!r}; record.tables sets "
                "what runs record"
            )
        joined = pa.concat_tables(parts, promote_options="permissive")
        frame: pd.DataFrame = joined.unify_dictionaries().to_pandas()
        return frame

    def folder_of(self, run: str) -> Path:
        """Return the folder of a run that succeeded, by its name.

        Raises RunFolderError if it was removed, or a file is missing or has changed its size, so
        that results never lack recorded rows.
        """
        folder = self.folder / "runs" / run
        if not (folder / "tables").is_dir():
            raise RunFolderError(
                f"run {run} succeeded, but its tables were removed from {folder}; to repeat the "
                f"run, remove {self.folder / ROWS / run}.json and sweep again"
            )
        check_files(folder, read_content(folder))
        refuse_outer_links(folder)
        return folder

    def save(self) -> Path:
        """Write `runs` as runs.csv into the folder, and return its path."""
        file = self.folder / "runs.csv"
        with writing_to(file):
            write_whole(file, self.runs.to_csv(index=False))
        return file

    def values_of(self, outcome: str) -> pd.Series:
        """Return an outcome of every run, in the notation of `read_outcomes`.

        The design need not contain it. Returns values in the order of `runs`; NaN where a run did
        not succeed or has no value. Raises UnknownNameError if the runs did not record its measure,
        or RunFolderError if the folder of a run was removed or cannot be read.
        """
        if outcome in self.outcomes:
            return self.runs[self.column_of(outcome)].astype(float).rename(outcome)
        folders = self.runs.loc[self.runs["status"] == "succeeded", "run"].map(self.folder_of)
        values = pd.Series(math.nan, index=self.runs.index, name=outcome)
        if len(folders):
            declared = read_manifest(folders.iloc[0])["measures"]
            (one,) = read_outcomes([outcome], declared, title=self.kept.title)
            values.update(folders.map(one.measured))
        return values

    def column_of(self, outcome: str) -> str:
        """Return the column of `runs` that contains an outcome."""
        is_taken = outcome in _TAKEN or outcome in self._factor_columns
        return f"outcome.{outcome}" if is_taken else outcome

    @property
    def _factor_columns(self) -> list[str]:
        """Return the columns of the factors, renamed if another column has the name."""
        taken = _TAKEN | {*SWEEP_POINTS.columns}
        return [f"factor.{name}" if name in taken else name for name in self.factors]

    def _columns(self, schema: TableSchema) -> list[str]:
        several = {"FACTOR": self._factor_columns, "OUTCOME": [*map(self.column_of, self.outcomes)]}
        return [column for name in schema.columns for column in several.get(name, [name])]

    def _row(self, run: DesignedRun, row: RunRow) -> tuple[object, ...]:
        failure = self.folder / FAILURES / f"{run.name}.txt"
        failed = row.status == "failed" and failure.is_file()
        by_name = self._outcomes_of(run, row) if row.status == "succeeded" else {}
        return (
            *(run.name, run.point, run.replication, run.seed),
            *self.kept.points[run.point].values(),
            *(row.status, row.error, str(failure) if failed else "", row.tries),
            *(row.seconds, row.step_seconds),
            *(by_name.get(outcome, math.nan) for outcome in self.outcomes),
            str(self.folder / "runs" / run.name),
        )

    def _outcomes_of(self, run: DesignedRun, row: RunRow) -> Mapping[str, float]:
        """Return the outcomes of a run; those that its row lacks are read from its tables."""
        missing = [outcome for outcome in self.kept.outcomes if outcome.name not in row.outcomes]
        if not missing:
            return row.outcomes
        try:
            return {**row.outcomes, **outcomes.read(self.folder_of(run.name), missing)}
        except MemopolisError:  # its folder was removed, is elsewhere or damaged
            return row.outcomes


def _add_run(table: pa.Table, run: DesignedRun) -> pa.Table:
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


def compare_points(
    runs: pd.DataFrame,
    outcomes: Mapping[str, str],
    *,
    reference: int,
    paired: bool,
    confidence: float,
) -> pd.DataFrame:
    """Compute the difference of every other point from a reference point.

    `runs` is `SweepResults.runs`, `outcomes` the column of each outcome by its name. Seeds are
    paired if a replication has the same seed at every point. Returns the columns point, outcome,
    difference, low, high, runs; NaN where there are too few runs.
    """
    rows = []
    for outcome, column in outcomes.items():
        values = runs.pivot_table(
            index="replication", columns="point", values=column, dropna=False
        ).reindex(columns=sorted(runs["point"].unique()))
        base = values[reference].to_numpy(np.float64)
        compare = paired_difference if paired else welch_difference
        for point in values.columns[values.columns != reference]:
            one = compare(values[point].to_numpy(np.float64), base, confidence=confidence)
            rows.append((point, outcome, *one))
    frame = pd.DataFrame(rows, columns=["point", "outcome", "difference", "low", "high", "runs"])
    return frame.sort_values("point", kind="stable").reset_index(drop=True)


def main_effects(
    runs: pd.DataFrame,
    *,
    factors: Mapping[str, str],
    outcomes: Mapping[str, str],
    confidence: float,
) -> pd.DataFrame:
    """Compute the difference of every level of a factor from its first level.

    Runs of one replication are paired where all other factors have the same level, and their
    differences are averaged to one number per replication. So the other factors cancel, and with
    paired seeds also the shared random draws. Intervals are over replications. `factors` and
    `outcomes` are columns of `runs`, see `SweepResults`, by name. Returns a row per factor, level
    and outcome, with the columns `EFFECTS`; low and high are NaN for fewer than two replications.
    Levels without such a pair of runs are omitted.
    """
    # Levels may be lists or None, which an index cannot contain: they are compared as text.
    texts = runs.assign(**{column: runs[column].map(str) for column in factors.values()})
    rows = []
    for factor, column in factors.items():
        others = [other for other in factors.values() if other != column]
        first, *levels = texts[column].unique()
        tables = {
            outcome: texts.pivot_table(
                index=["replication", *others], columns=column, values=values
            ).reindex(columns=[first, *levels])
            for outcome, values in outcomes.items()
        }
        for level in levels:
            for outcome, cells in tables.items():
                difference = (cells[level] - cells[first]).dropna().groupby("replication").mean()
                if len(difference):
                    one = interval(difference, confidence=confidence)
                    rows.append((factor, first, level, outcome, *one))
    return pd.DataFrame(rows, columns=list(EFFECTS))
