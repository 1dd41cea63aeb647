"""A moment of a run: all that was recorded until then, and nothing that came later."""

from functools import cached_property

import numpy as np
import pandas as pd

from memopolis.analysis.load import Run
from memopolis.analysis.rows import CutRows
from memopolis.sim.errors import ParameterError


def run_until(run: Run, step: int) -> Run:
    """Give a run as it stood after some steps; as `Run.until`."""
    whole = _whole(step)
    if whole is None or whole < 0:
        raise ParameterError(f"step is {step}; a run stands at a step from 0 to {run.ticks}")
    return run if whole >= run.ticks else Moment(run, whole)


def _whole(step: object) -> int | None:
    """A number of steps, which may come as 24.0; None if it is no whole number."""
    try:
        return int(step) if step == int(step) else None  # type: ignore[call-overload]
    except (TypeError, ValueError, OverflowError):
        return None


class Moment(Run):
    """A run as it stood after some steps.

    What the whole run has read once is cut, not read again, so a slider can move over it.

    Args:
        whole: The run.
        step: How many steps were made.

    Attributes:
        whole: The run.
        step: How many steps were made.
    """

    def __init__(self, whole: Run, step: int) -> None:
        super().__init__(whole.folder, whole.manifest, CutRows(whole.rows, step))
        self.whole = whole
        self.step = step

    @property
    def ticks(self) -> int:
        """Steps that were made."""
        return self.step

    @property
    def knows_held(self) -> bool:
        """Not known before the end."""
        return False

    def until(self, step: int) -> Run:
        """The run as it stood after some steps of those that were made; as `Run.until`."""
        earlier = run_until(self.whole, step)
        return self if earlier.ticks >= self.step else earlier

    @cached_property
    def tables(self) -> tuple[str, ...]:
        """Names of the tables of the whole run."""
        return self.whole.tables

    @cached_property
    def measures(self) -> pd.DataFrame:
        """Measures of the steps made; as `Run.measures`."""
        return self._cut(self.whole.measures)

    def measure(self, name: str, group: str = "") -> pd.Series:
        """One measure by time; as `Run.measure`, empty where it was not recorded yet."""
        series = self.whole.measure(name, group)
        first_later = self.time_of(pd.Series([self.step])).iloc[0]
        return series.iloc[: int(series.index.searchsorted(first_later))]

    @property
    def measured(self) -> frozenset[str]:
        """Names of the measures of the whole run."""
        return self.whole.measured

    def groups(self, name: str) -> list[str]:
        """Groups of a measure in the whole run; as `Run.groups`."""
        return self.whole.groups(name)

    @cached_property
    def texts(self) -> pd.Series:
        """Templates by hash, those that memories and decisions name by then."""
        there = [t for t in ("memories", "decisions") if self.has(t, "text")]
        named = [self.rows.read(table, ["text"])["text"].unique().to_numpy() for table in there]
        known = np.unique(np.concatenate([*named, np.zeros(0, np.int64)]))
        texts = self.whole.texts
        return texts[texts.index.isin(known)]

    def worded(self, hashes: pd.Series) -> pd.Series:
        """Templates by their hashes; as `Run.worded`."""
        return self.whole.worded(hashes)

    @cached_property
    def memories(self) -> pd.DataFrame:
        """Memories written by then; as `Run.memories`."""
        return self._cut(self.whole.memories)

    @cached_property
    def decisions(self) -> pd.DataFrame:
        """Decisions made by then; as `Run.decisions`."""
        return self._cut(self.whole.decisions)

    @cached_property
    def thoughts(self) -> pd.DataFrame:
        """Thoughts formed by then; as `Run.thoughts`."""
        return self._cut(self.whole.thoughts)

    @cached_property
    def ledger(self) -> pd.DataFrame:
        """Flows of money by then; as `Run.ledger`."""
        return self._cut(self.whole.ledger)

    @cached_property
    def model_calls(self) -> pd.DataFrame:
        """What a model was asked by then; as `Run.model_calls`."""
        return self._cut(self.whole.model_calls)

    @cached_property
    def survey(self) -> pd.DataFrame:
        """Answers to surveys by then; as `Run.survey`."""
        return self._cut(self.whole.survey)

    @cached_property
    def zones(self) -> pd.DataFrame:
        """Zones of the place; as `Run.zones`."""
        return self.whole.zones

    @cached_property
    def weather(self) -> pd.DataFrame:
        """Weather of the whole run by step and zone."""
        return self.whole.weather

    def name_of(self, agent: int) -> str:
        """Name of an agent; as `Run.name_of`."""
        return self.whole.name_of(agent)

    def place_name(self, zone: int) -> str:
        """Name of a zone; as `Run.place_name`."""
        return self.whole.place_name(zone)

    def population_of(self, agent: int) -> str:
        """Population of an agent of the whole run; as `Run.population_of`."""
        return self.whole.population_of(agent)

    def changing(self, population: str) -> frozenset[str]:
        """Attributes that change in the whole run; as `Run.changing`."""
        return self.whole.changing(population)

    def first_rows(self, population: str) -> pd.DataFrame:
        """Status of the first step recorded in the whole run; as `Run.first_rows`."""
        return self.whole.first_rows(population)

    def _nobody(self, agent: int) -> str:
        return self.whole._nobody(agent)  # noqa: SLF001 - of the same run

    def _cut(self, frame: pd.DataFrame) -> pd.DataFrame:
        return frame.iloc[: int(np.searchsorted(frame["tick"].to_numpy(), self.step))]
