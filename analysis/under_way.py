"""A run that is under way, read as one that has ended: its parts, and what waits for the next."""

from functools import cached_property
from typing import TYPE_CHECKING, Any

import pandas as pd

from memopolis.analysis.grown import Grown
from memopolis.analysis.live_rows import LiveRows
from memopolis.analysis.load import Run
from memopolis.analysis.parts import Parts
from memopolis.analysis.respondent import COLUMNS, TERMS, needs_words
from memopolis.analysis.tables import joined
from memopolis.sim.running.manifest import read_content

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from memopolis.sim.running.by_hand import RunByHand


class UnderWay(Run):
    """A run as it stands after the steps that are made.

    It is taken between two steps and stays as it is while the run goes on; `now` gives the
    next one. Nothing is read before it is asked for, nothing is written, and nothing that is
    asked changes the run. What agents still remember, and how well, is told as it is when it
    is asked for.

    Args:
        by_hand: The run that somebody steps.

    Attributes:
        step: How many steps were made.
    """

    def __init__(self, by_hand: "RunByHand", *, grown: Grown | None = None) -> None:
        with by_hand.lock:
            self.step = by_hand.step
            self._given = _given(by_hand)
            manifest = _manifest(by_hand)
            rows = LiveRows(by_hand, grown or Grown(Parts(by_hand.folder)))
        super().__init__(by_hand.folder, manifest, rows)
        self._by_hand = by_hand
        self._times: dict[bytes, pd.Index] = {}
        self._live = rows

    def now(self) -> "UnderWay":
        """The run as it stands now: this one while nothing has happened."""
        with self._by_hand.lock:
            if (self._by_hand.step, _given(self._by_hand)) == (self.step, self._given):
                return self
            return UnderWay(self._by_hand, grown=self._live.grown)

    @property
    def ticks(self) -> int:
        """Steps that were made."""
        return self.step

    @property
    def measured(self) -> frozenset[str]:
        """Names of the measures there are; as `Run.measured`."""
        return frozenset(self._groups)

    def groups(self, name: str) -> list[str]:
        """Groups by which a measure was recorded; as `Run.groups`."""
        self.check_measure(name)
        return self._groups[name]

    def measure(self, name: str, group: str = "") -> pd.Series:
        """One measure by time; as `Run.measure`."""
        self.check_group(name, group)
        measures = self._live.so_far["measures"]
        ticks, values = self._live.grown.series(measures, name, group, self.step)
        return pd.Series(values, index=self._times_of(ticks), name=name)

    def _times_of(self, ticks: "NDArray[np.int32]") -> pd.Index:
        """Times at which ticks begin; most measures have the same."""
        key = ticks.tobytes()
        if key not in self._times:
            self._times[key] = pd.Index(self.time_of(pd.Series(ticks)), name="time")
        return self._times[key]

    @cached_property
    def _groups(self) -> dict[str, list[str]]:
        if "measures" not in self._live.so_far:
            return {}
        return self._live.grown.measured(self._live.so_far["measures"])

    def worded(self, hashes: pd.Series) -> pd.Series:
        """Templates by their hashes; as `Run.worded`."""
        recorded = self._live.so_far.get("texts")
        # They are recorded with the first step; people may remember something before.
        texts = self._live.grown.texts(recorded) if recorded else self._live.texts()
        return pd.Series([texts.get(number) for number in hashes.tolist()], index=hashes.index)

    def agent_rows(self, agent: int) -> pd.DataFrame:
        """Status of one agent at the end of each recorded day, and right now."""
        name = f"agents_{self.member_of(agent)}"
        recorded, now = self.rows.read(name, agent=agent), self._live.status(name, agent=agent)
        if self.step - 1 in recorded["tick"].to_pylist()[-1:]:
            now = now.slice(0, 0)  # recorded in this very step
        rows = joined(name, [recorded, now])
        frame: pd.DataFrame = rows.to_pandas()
        # Before the first step, the status is that of the start.
        frame.insert(1, "time", self.time_of(frame["tick"].clip(lower=0)))
        return frame

    def first_rows(self, population: str) -> pd.DataFrame:
        """Status of everyone in the first step recorded, else right now."""
        name = f"agents_{population}"
        if name in self.tables:
            return super().first_rows(population)
        now: pd.DataFrame = self._live.status(name).to_pandas()
        return now

    def search_memory(self, agent: int, query: str, *, k: int = 20) -> pd.DataFrame:
        """Search what an agent remembers right now; as `Run.search_memory`."""
        needs_words("the query", query)
        population = self._live.society.population(self.member_of(agent))
        with self._live.lock:
            own = population.memory[population.row_of(agent)].observed
            found = own.stream.search(query, k, explain=True)
        ids = pd.Index([one.id for one in found], dtype="int64", name="id")
        frame = pd.DataFrame(
            {name: [getattr(one, name) for one in found] for name in COLUMNS}
            | {name: [one.terms[name] for one in found] for name in TERMS}
            | {"score": [one.score for one in found]},
            index=ids,
        )
        frame["time"] = self.time_of(frame["time"])
        return frame

    @cached_property
    def _ids(self) -> dict[str, frozenset[int]]:
        return self._live.ids()

    def name_of(self, agent: int) -> str:
        """Name of an agent; as `Run.name_of`."""
        return self._live.recorded_name(agent) or self._unnamed(agent)


def _given(by_hand: "RunByHand") -> tuple[object, ...]:
    """What was sent into the run, and whether it has ended: it changes without a step."""
    given = by_hand.society.given
    return (by_hand.ended, *(len(entries) for entries in given.values()))


def _manifest(by_hand: "RunByHand") -> dict[str, Any]:
    if by_hand.ended:
        return read_content(by_hand.folder)
    told = by_hand.recorder.manifest()
    return told | {"given": {name: list(entries) for name, entries in told["given"].items()}}
