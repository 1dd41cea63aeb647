"""Format memories: fill templates and turn numbers back into words."""

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from memopolis.sim.memory.streams.emotion import emotion_word
from memopolis.sim.memory.streams.encoding import kind_word
from memopolis.sim.memory.streams.recollection import Recollection, Recollections

if TYPE_CHECKING:
    from memopolis.sim.memory.interface import Memory

EVIDENCE = 2
"""Maximum number of memories that replace the {evidence} of a thought."""

FORGOTTEN = "I no longer remember why."
"""Replaces {evidence} if no memory is left."""

EARLIER = "I thought of earlier days."
"""Replaces the {evidence} of a thought that is itself evidence."""


def format_memories(
    memory: "Memory",
    row: int,
    ids: Sequence[int],
    scores: Sequence[float] | None = None,
    terms: Mapping[str, Sequence[float]] | None = None,
) -> Recollections:
    """Return memories of one agent with their texts.

    Args:
        memory: Memory of the agent.
        row: Row of the agent.
        ids: Ids of its memories; missing ones are skipped.
        scores: Score of each memory.
        terms: Terms of each score by name.
    """
    streams = memory.streams
    numbers = np.asarray(ids, np.int64)
    existing = np.flatnonzero(streams.holds(row, numbers))
    slots = streams.slots(row, numbers[existing])
    columns = {name: values.tolist() for name, values in streams.all_at(slots).items()}
    return Recollections(
        _format(
            memory,
            row,
            int(numbers[place]),
            {name: values[at] for name, values in columns.items()},
            score=0.0 if scores is None else float(scores[place]),
            terms={name: float(values[place]) for name, values in (terms or {}).items()},
        )
        for at, place in enumerate(existing.tolist())
    )


def _format(
    memory: "Memory",
    row: int,
    number: int,
    columns: Mapping[str, int],
    *,
    score: float,
    terms: Mapping[str, float],
) -> Recollection:
    template = memory.texts[columns["text"]]
    text = _fill(memory, template, columns["actor"], columns["place"])
    if "{evidence}" in text:
        text = text.replace("{evidence}", _evidence(memory, row, number))
    day, second = memory.day_and_second(columns["time"])
    return Recollection(
        id=number,
        time=columns["time"],
        accessed=columns["accessed"],
        text=text,
        template=template,
        topic=memory.topics[columns["topic"]],
        actor=columns["actor"],
        place=columns["place"],
        importance=columns["importance"] / 255,
        valence=columns["valence"] / 127,
        confidence=columns["confidence"] / 255,
        kind=kind_word(columns["kind"]),
        emotion=emotion_word(columns["emotion"]),
        thought=columns["thought"],
        accesses=columns["accesses"],
        score=score,
        day=day,
        second=second,
        location=memory.place_name(columns["place"]) if columns["place"] >= 0 else "unknown",
        terms=terms,
    )


def _fill(memory: "Memory", template: str, actor: int, place: int) -> str:
    return fill_template(
        template, actor, place, name_of=memory.name_of, place_name=memory.place_name
    )


def fill_template(
    template: str,
    actor: int,
    place: int,
    *,
    name_of: Callable[[int], str],
    place_name: Callable[[int], str],
) -> str:
    """Fill {actor} and {place} of a template.

    Args:
        template: A text with or without fields.
        actor: unique_id of the actor, -1 for none.
        place: Index of the place, -1 for none.
        name_of: Name of a unique_id.
        place_name: Name of the index of a place.
    """
    # Not str.format: texts may contain other braces.
    if "{" not in template:
        return template
    text = template
    if "{actor}" in text:
        text = text.replace("{actor}", name_of(actor) if actor >= 0 else "someone")
    if "{place}" in text:
        text = text.replace("{place}", place_name(place) if place >= 0 else "somewhere")
    return text


def _evidence(memory: "Memory", row: int, thought: int) -> str:
    """Return the most important memories that led to a thought, without repeated texts."""
    streams = memory.streams
    slots, _ = streams.live(np.array([row]))
    slots = slots[streams.at("thought", slots) == thought]
    if not len(slots):
        return FORGOTTEN
    slots = slots[np.argsort(-streams.at("importance", slots).astype(np.int64), kind="stable")]
    columns = (streams.at(name, slots).tolist() for name in ("text", "actor", "place"))
    distinct = islice(dict.fromkeys(zip(*columns, strict=True)), EVIDENCE)
    return join_sentences(
        [
            _fill(memory, memory.texts[text], actor, place).replace("{evidence}", EARLIER)
            for text, actor, place in distinct
        ]
    )


def join_sentences(texts: Sequence[str]) -> str:
    """Join texts as sentences."""
    return " ".join(text if text.endswith((".", "!", "?")) else f"{text}." for text in texts)
