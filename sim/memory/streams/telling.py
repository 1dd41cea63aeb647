"""Writing memories out: templates filled in, numbers turned back into words."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from memopolis.sim.memory.streams.emotion import emotion_word
from memopolis.sim.memory.streams.encoding import kind_word
from memopolis.sim.memory.streams.recollection import Recollection, Recollections

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory

EVIDENCE = 3
"""Most memories that a thought's {evidence} is written out from."""

FORGOTTEN = "things since forgotten"
"""What stands for {evidence} where nothing is left of it."""

EARLIER = "earlier things"
"""What stands for the {evidence} of a thought that is itself evidence."""


def tell(
    memory: "Memory",
    row: int,
    ids: Sequence[int],
    scores: Sequence[float] | None = None,
    terms: Mapping[str, Sequence[float]] | None = None,
) -> Recollections:
    """Write out memories of one agent.

    Args:
        memory: Where they are.
        row: Row of the agent.
        ids: Ids of its memories; those that are not there are left out.
        scores: What each was ranked by.
        terms: Terms of each score by name.
    """
    streams = memory.streams
    given = np.asarray(ids, np.int64)
    there = np.flatnonzero(streams.holds(row, given))
    slots = streams.slots(row, given[there])
    columns = {name: values.tolist() for name, values in streams.all_at(slots).items()}
    told = Recollections()
    for at, place in enumerate(there.tolist()):
        told.append(
            _told(
                memory,
                row,
                int(given[place]),
                {name: values[at] for name, values in columns.items()},
                score=0.0 if scores is None else float(scores[place]),
                terms={name: float(values[place]) for name, values in (terms or {}).items()},
            )
        )
    return told


def _told(
    memory: "Memory",
    row: int,
    number: int,
    kept: Mapping[str, Any],
    *,
    score: float,
    terms: Mapping[str, float],
) -> Recollection:
    template = memory.texts[kept["text"]]
    text = _filled(memory, template, kept["actor"], kept["place"])
    if "{evidence}" in text:
        text = text.replace("{evidence}", _evidence(memory, row, number))
    day, second = memory.day_and_second(kept["time"])
    return Recollection(
        id=number,
        time=kept["time"],
        accessed=kept["accessed"],
        text=text,
        template=template,
        topic=memory.topics[kept["topic"]],
        actor=kept["actor"],
        place=kept["place"],
        importance=kept["importance"] / 255,
        valence=kept["valence"] / 127,
        confidence=kept["confidence"] / 255,
        kind=kind_word(kept["kind"]),
        emotion=emotion_word(kept["emotion"]),
        thought=kept["thought"],
        accesses=kept["accesses"],
        score=score,
        day=day,
        second=second,
        location=memory.place_name(kept["place"]) if kept["place"] >= 0 else "unknown",
        terms=terms,
    )


def _filled(memory: "Memory", template: str, actor: int, place: int) -> str:
    return filled(template, actor, place, name_of=memory.name_of, place_name=memory.place_name)


def filled(
    template: str,
    actor: int,
    place: int,
    *,
    name_of: Callable[[int], str],
    place_name: Callable[[int], str],
) -> str:
    """Fill {actor} and {place} of a template.

    Args:
        template: A text, with or without them.
        actor: unique_id of the actor, -1 for none.
        place: Index of the place, -1 for none.
        name_of: Name of a unique_id.
        place_name: Name of the index of a place.
    """
    # Not str.format: a text may hold any other braces.
    if "{" not in template:
        return template
    text = template
    if "{actor}" in text:
        text = text.replace("{actor}", name_of(actor) if actor >= 0 else "someone")
    if "{place}" in text:
        text = text.replace("{place}", place_name(place) if place >= 0 else "somewhere")
    return text


def _evidence(memory: "Memory", row: int, thought: int) -> str:
    """Write out the most important memories that led to a thought, oldest first."""
    streams = memory.streams
    slots, _ = streams.live(np.array([row]))
    slots = slots[streams.at("thought", slots) == thought]
    if not len(slots):
        return FORGOTTEN
    order = np.argsort(-streams.at("importance", slots).astype(np.int64), kind="stable")
    parts = []
    for slot in np.sort(order[:EVIDENCE]):
        one = slots[slot : slot + 1]
        text, actor, place = (int(streams.at(n, one)[0]) for n in ("text", "actor", "place"))
        part = _filled(memory, memory.texts[text], actor, place)
        parts.append(part.replace("{evidence}", EARLIER).rstrip(". "))
    return "; ".join(parts)
