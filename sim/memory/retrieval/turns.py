"""Searches of agents that act one after the other: equal ones are computed together.

While the agents of a block act, memories and accesses are queued until the block ends. A search
that several agents repeat therefore has the same results whenever it is computed, and one pass
computes it for the next agents as well.
"""

from collections.abc import Hashable
from dataclasses import dataclass

from memopolis.sim.arrays import Int64
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.retrieval.recalling import record_access, search
from memopolis.sim.memory.retrieval.recollection import Recalled
from memopolis.sim.memory.retrieval.request import SearchOptions

_GROWTH = 4
_MOST = 1024  # most agents of a pass


@dataclass(slots=True)
class _Pass:
    """Results of one search for agents from index `first` of the cohort on.

    `state` is that of the memory at that time, `used` the number of agents that used them since.
    """

    state: Hashable = None
    first: int = 0
    results: Recalled | None = None
    used: int = 1


class Turns:
    """The searches of a cohort whose agents act in turn, in the order of `rows`."""

    def __init__(self, rows: Int64) -> None:
        self._rows = rows
        self._index: dict[int, int] = {}
        self._passes: dict[Hashable, _Pass] = {}

    def search(
        self, memory: Memory, row: int, query: str, options: SearchOptions, *, observed: bool
    ) -> Recalled | None:
        """Return the results of an agent, and record the accesses unless `observed`.

        Returns None if the agent has to search alone, because it is the first one with this query
        and these options.
        """
        if not memory.deferred or memory.store is not None:
            return None
        key = observed, query, options
        try:
            known = self._passes.get(key)
        except TypeError:  # an option that is an array or a list
            return None
        if known is None:
            self._passes[key] = _Pass()
            return None
        if not self._index:
            self._index = {one: index for index, one in enumerate(self._rows.tolist())}
        index = self._index.get(row)
        if index is None:
            return None
        state = memory.now, memory.texts.version, memory.streams.changes
        results, place = known.results, index - known.first
        if results is None or known.state != state or not 0 <= place < len(results):
            # Few agents at first: those who come next may not ask, or the texts may change.
            count = known.used * (1 if results is not None and known.state != state else _GROWTH)
            rows = self._rows[index : index + min(count, _MOST)]
            results = search(memory, rows, query, options, observed=observed, recorded=False)
            known.results, known.state = results, state
            known.first, known.used, place = index, 0, 0
        known.used += 1
        own = results.one(place)
        if not observed:
            record_access(memory, own.rows, own.ids, places=own.places)
        return own
