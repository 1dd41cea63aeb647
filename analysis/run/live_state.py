"""Take a snapshot of what a run in progress holds in memory, between two steps."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from memopolis.sim.recording.held import held_by
from memopolis.sim.recording.rows import status_of
from memopolis.sim.recording.table import Coded, Waiting
from memopolis.sim.run_folder.manifest import read_content

if TYPE_CHECKING:
    from memopolis.sim.running.by_hand import RunByHand  # it loads Mesa


class LiveState:
    """Hold the waiting rows and the status of a run after the steps taken so far.

    Rows and status stay as they are while the run continues. Only `held` and `texts` read the
    society when they are called, under the lock of the run. `step` is the number of steps taken,
    `manifest` that of the run at this step, `extents` the number of parts and the waiting rows of
    each table, and `status` that of each population as the only batch of its table. The manifest
    continues an `earlier` one of the run.
    """

    def __init__(self, by_hand: "RunByHand", earlier: Mapping[str, Any] | None = None) -> None:
        with by_hand.lock:
            self._by_hand = by_hand
            self._society = by_hand.society
            self._inputs = _inputs(by_hand)
            self.step = by_hand.step
            self.manifest = _manifest(by_hand, earlier)
            self.extents = by_hand.recorder.so_far()
            self._populations = {p.name: (p, p.ids) for p in self._society.populations}
            self.status = {
                f"agents_{p.name}": _as_batch(status_of(p, self.step - 1))
                for p in self._society.populations
            }

    def latest(self) -> "LiveState":
        """Return the state now: this one if nothing has happened since."""
        with self._by_hand.lock:
            if (self._by_hand.step, _inputs(self._by_hand)) == (self.step, self._inputs):
                return self
            return LiveState(self._by_hand, self.manifest)

    def held(self, population: str, agent: int | None = None) -> pa.Table:
        """Return the memories that one agent, or all, hold when this is called."""
        owner = self._populations[population][0]
        with self._by_hand.lock:
            everyone = np.arange(len(owner.ids))
            rows = everyone if agent is None else np.array([owner.row_of(agent)])
            return pa.table(held_by(owner.memory, owner.ids, rows))

    def texts(self) -> dict[int, str]:
        """Return all texts of the society when this is called, by hash."""
        with self._by_hand.lock:
            texts = self._society.texts
            return dict(zip(texts.hash_of(texts.numbers).tolist(), texts.all, strict=True))

    def ids(self) -> dict[str, frozenset[int]]:
        """Return the unique_ids of all agents that ever lived, by population."""
        return {name: frozenset(ids.tolist()) for name, (_, ids) in self._populations.items()}

    def name_of(self, agent: int) -> str:
        """Return the recorded name of an agent, "" if there is none."""
        for population, ids in self._populations.values():
            declared = population.attributes.get("name")
            row = int(np.searchsorted(ids, agent))
            if declared is not None and declared.record and agent in ids[row : row + 1]:
                return str(population.at(np.array([row]))["name"][0])
        return ""


def _inputs(by_hand: "RunByHand") -> tuple[object, ...]:
    """Return what changes without a step: whether the run ended, and inputs sent into it."""
    shocks_sent = by_hand.society.interventions
    return (by_hand.ended, *(len(entries) for entries in shocks_sent.values()))


def _manifest(by_hand: "RunByHand", earlier: Mapping[str, Any] | None) -> dict[str, Any]:
    if by_hand.ended:
        return read_content(by_hand.folder)
    manifest = by_hand.recorder.manifest(earlier=earlier)
    inputs = {name: list(entries) for name, entries in manifest["interventions"].items()}
    return manifest | {"interventions": inputs}


def _as_batch(status: Mapping[str, Any]) -> Waiting:
    """Wrap a status as the only batch of a table; its arrays are copies already."""
    codes = {n: c.codes if isinstance(c, Coded) else c for n, c in status.items()}
    return Waiting((codes,), {n: c.labels for n, c in status.items() if isinstance(c, Coded)})
