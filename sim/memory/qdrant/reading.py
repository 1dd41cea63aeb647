"""Writing out memories kept in Qdrant, with the evidence that thoughts name."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memopolis.sim.memory.qdrant.desk import Desk
from memopolis.sim.memory.qdrant.payload import Payload, point_id
from memopolis.sim.memory.qdrant.store import Ask
from memopolis.sim.memory.streams.recollection import Recollections
from memopolis.sim.memory.streams.telling import tell

if TYPE_CHECKING:
    from memopolis.sim.memory.qdrant.memory import QdrantMemory


def write_out(memory: "QdrantMemory", row: int, ids: Sequence[int]) -> Recollections:
    """Write out memories that an agent holds, in the order of their ids given.

    Args:
        memory: Where they are.
        row: Row of the agent.
        ids: Ids of its memories; those that are not there are left out.
    """
    named = [number for number in ids if memory.holds(row, number)]
    held = memory.store.get([point_id(row, number) for number in named]) if named else []
    kept = {one["id"]: one for one in held if not one["forgotten"]}
    desk = Desk(memory.rules, [[*_with_evidence(memory, row, kept).values()]])
    place = {number: at for at, number in enumerate(desk.ids[0].tolist())}
    there = [number for number in named if number in kept]
    told = tell(desk.memory, 0, [place[number] for number in there])
    return Recollections(
        replace(one, id=number, thought=kept[number]["thought"])
        for one, number in zip(told, there, strict=True)
    )


def _with_evidence(
    memory: "QdrantMemory", row: int, kept: dict[int, Payload]
) -> dict[int, Payload]:
    """Memories, and those that led to the thoughts among them that name their evidence."""
    thoughts = tuple(number for number, one in kept.items() if "{evidence}" in one["text"])
    if not thoughts:
        return kept
    ask = Ask(row, int(memory.first(row)), among=(("thought", thoughts),))
    return {one["id"]: one for one in memory.store.all(ask)} | kept
