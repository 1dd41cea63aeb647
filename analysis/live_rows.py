"""The tables of a run under way between two steps, and the status of everyone right now."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from memopolis.analysis.rows import no_table, of_agents
from memopolis.analysis.tables import chosen, joined
from memopolis.sim.recording.held import held_by
from memopolis.sim.recording.rows import status_of
from memopolis.sim.recording.table import Coded, Waiting

if TYPE_CHECKING:
    import pyarrow as pa

    from memopolis.analysis.grown import Grown
    from memopolis.sim.running.by_hand import RunByHand

_NOTHING = (0, Waiting())


class LiveRows:
    """Tables of a run under way, as they are between two steps; they are `Rows`.

    Args:
        by_hand: The run that somebody steps, whose lock is held meanwhile.
        grown: What earlier looks have read.

    Attributes:
        grown: As given.
        society: Whose run it is.
        lock: Held while the society itself is read.
        step: How many steps were made.
        so_far: Parts and waiting rows by table.
    """

    def __init__(self, by_hand: "RunByHand", grown: "Grown") -> None:
        self.grown = grown
        self.society = by_hand.society
        self.lock = by_hand.lock
        self.step = by_hand.step
        self.so_far = by_hand.recorder.so_far()
        self._folder = by_hand.folder
        self._populations = {p.name: (p, p.ids) for p in self.society.populations}
        self._status = {
            f"agents_{p.name}": _as_waiting(status_of(p, self.step - 1))
            for p in self.society.populations
        }

    def names(self) -> tuple[str, ...]:
        """Names of the tables that have rows, as `Rows.names`."""
        there = (name for name, (parts, waiting) in self.so_far.items() if parts or waiting.chunks)
        return tuple(sorted(there))

    def columns(self, name: str) -> frozenset[str]:
        """Names of the columns of a table, as `Rows.columns`."""
        parts, waiting = self.so_far.get(name, _NOTHING)
        in_parts = self.grown.parts.schema(name).names if parts else ()
        return frozenset((*waiting.columns, *in_parts))

    def read(
        self, name: str, columns: Sequence[str] = (), *, agent: int | None = None
    ) -> "pa.Table":
        """Rows of a table, as `Rows.read`; none of a status that is not recorded yet."""
        parts, waiting = self.so_far.get(name, _NOTHING)
        pieces = []
        if parts:
            pieces.append(self.grown.parts.read(name, columns, agent=agent, parts=parts))
        if not (parts or waiting.chunks) and name in self._status:
            waiting = _without_rows(self._status[name])
        if waiting.chunks:
            pieces.append(_chosen(name, waiting, columns, agent=agent))
        if not pieces:
            raise no_table(self._folder, name, self.names())
        return joined(name, pieces)

    def newest(self, name: str, before: int, columns: Sequence[str] = ()) -> "pa.Table":
        """Rows of the newest step before a step, as `Rows.newest`; right now, the status."""
        if before >= self.step and name in self._status:
            return self.status(name, columns)
        parts, waiting = self.so_far.get(name, _NOTHING)
        # Each batch is one step.
        for chunk in reversed(waiting.chunks):
            if chunk["tick"][0] < before:
                return _chosen(name, Waiting((chunk,), waiting.labels), columns)
        if parts:
            return self.grown.parts.newest(name, before, columns, parts=parts)
        return self.read(name, columns).slice(0, 0)

    def status(
        self, name: str, columns: Sequence[str] = (), *, agent: int | None = None
    ) -> "pa.Table":
        """Status of everyone in a population, or of one agent, after the steps made.

        Args:
            name: agents_ and the population.
            columns: Those wanted beside the key; all if none are named.
            agent: unique_id of an agent; one who is not there has no row.

        Raises:
            UnknownNameError: If there is no such population.
        """
        if name not in self._status:
            raise no_table(self._folder, name, self.names())
        return _chosen(name, self._status[name], columns, agent=agent)

    def held(self, population: str, agent: int) -> "pa.Table | None":
        """What an agent remembers when this is asked, as `Rows.held`."""
        import pyarrow as pa

        society = self._populations[population][0]
        with self.lock:
            rows = np.array([society.row_of(agent)])
            return pa.table(held_by(society.memory, society.ids, rows))

    def lay_out_lives(self) -> Iterator[None]:
        """Copy by agent what lives are read from, as `Rows.lay_out_lives`; what waits is quick."""
        for name in of_agents(self.names()):
            parts, _ = self.so_far[name]
            if parts:
                yield from self.grown.parts.lay_out(name, parts=parts)

    def texts(self) -> dict[int, str]:
        """All texts that are remembered when this is asked, by hash."""
        with self.lock:
            texts = self.society.texts
            return dict(zip(texts.hash_of(texts.numbers).tolist(), texts.all, strict=True))

    def ids(self) -> dict[str, frozenset[int]]:
        """unique_ids of everyone there ever was, by population."""
        return {name: frozenset(ids.tolist()) for name, (_, ids) in self._populations.items()}

    def recorded_name(self, agent: int) -> str:
        """Name of somebody, "" where its class records none or nobody has that unique_id."""
        for population, ids in self._populations.values():
            columns = population.memory.columns
            declared = columns.schema.attributes.get("name")
            row = int(np.searchsorted(ids, agent))
            if declared is not None and declared.record and agent in ids[row : row + 1]:
                (code,) = columns.codes("name", np.array([row]))
                return str(columns.texts[code])
        return ""


def _as_waiting(status: Mapping[str, Any]) -> Waiting:
    """A status as the only batch of a table; its numbers are copies already."""
    numbers = {n: c.codes if isinstance(c, Coded) else c for n, c in status.items()}
    return Waiting((numbers,), {n: c.labels for n, c in status.items() if isinstance(c, Coded)})


def _chosen(
    name: str, waiting: Waiting, columns: Sequence[str], *, agent: int | None = None
) -> "pa.Table":
    return waiting.rows(chosen(name, columns, waiting.columns) or (), agent=agent)


def _without_rows(waiting: Waiting) -> Waiting:
    empty = {name: column[:0] for name, column in waiting.chunks[0].items()}
    return Waiting((empty,), waiting.labels)
