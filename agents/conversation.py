"""Conversations of two people: what both remember of an opening, a reply and a closing.

The opening and the reply are remarks. The listener remembers a remark with its topic and valence,
the speaker remembers having said it. The closing is the end of the reply and depends on how the
conversation felt, which is the valence of what both remember of it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from memopolis.agents.everyday import RECEIVED, name_friend
from memopolis.sim.arguments import find_distinct
from memopolis.sim.arrays import Array, Bools, Float32, Floats, Int32, Int64, Intp, Ints, Objects
from memopolis.sim.memory.retrieval.recollection import Recalled, fill_template
from memopolis.sim.mind.mind import Answer, Question
from memopolis.sim.population import Cohort

if TYPE_CHECKING:
    from memopolis.sim.block import Block
    from memopolis.sim.memory.text.texts import Texts

OWN_REPORT = "I told {actor}: "
ANSWERED = "{actor} answered: "
OWN_ANSWER = "I answered {actor}: "
OWN_IMPORTANCE = 0.1  # importance of memories of own remarks, without a feeling (illustrative)
FELT_IMPORTANCE = 0.2
"""Importance added to a memory of a conversation by the strongest feeling (illustrative)."""


@dataclass(frozen=True)
class Remarks:
    """What listeners remember of remarks, one entry per remark, shape (m,)."""

    topics: Sequence[str]  # names of topics
    topic: Ints  # index in `topics` of each remark
    text: Int32  # numbers of the texts
    importance: ArrayLike  # in [0, 1], one value or one per remark
    valence: Floats  # in [-1, 1]
    confidence: ArrayLike  # in [0, 1], one value or one per remark
    place: Ints | None = None  # zones, -1 for none; None for no places


def remember_heard(
    listeners: Cohort, remarks: Remarks, prefix: str, *, actor: Int64, continues: ArrayLike = False
) -> None:
    """Add memories of remarks, shape (m,), to those who hear or read them.

    `actor` is the unique_id of each author; `continues` marks memories that continue the previous
    one, in the same talk.
    """
    numbers = prefix_texts(listeners.population.society.texts, remarks.text, prefix)
    importance = np.asarray(remarks.importance, np.float32)
    confidence, follows = np.asarray(remarks.confidence, np.float32), np.asarray(continues)
    # In the order of topics, in which a listener remembers several remarks.
    order = np.argsort(remarks.topic, kind="stable")
    listeners.at(listeners.rows[order]).stream.add(
        listeners.population.memory.number_topics(remarks.topics, remarks.topic[order]),
        numbers[order],
        actor=actor[order],
        place=None if remarks.place is None else remarks.place[order],
        importance=importance[order] if importance.ndim else importance,
        valence=remarks.valence[order],
        confidence=confidence[order] if confidence.ndim else confidence,
        continues=follows[order] if follows.ndim else follows,
    )


def remember_said(
    speakers: Cohort,
    texts: Int32,
    prefix: str,
    *,
    actor: Int64 | None = None,
    place: Ints | None = None,
    felt: Floats | None = None,
    continues: ArrayLike = False,
) -> None:
    """Add memories of own remarks, of topic "social", to their authors, shape (m,).

    `actor` is the unique_id of the listener, None for the public. `felt` is how the conversation
    felt, in [-1, 1]; None if that is remembered elsewhere. For the rest see `remember_heard`.
    """
    speakers.stream.add(
        "social",
        prefix_texts(speakers.population.society.texts, texts, prefix),
        actor=actor,
        place=place,
        importance=OWN_IMPORTANCE if felt is None else compute_importance(felt),
        valence=felt,
        confidence=1.0,
        continues=continues,
    )


def compute_importance(felt: Floats) -> Float32:
    """Compute the importance of memories of a conversation by how it felt, in [0, 1]."""
    return np.asarray(OWN_IMPORTANCE + FELT_IMPORTANCE * np.abs(felt), np.float32)


def prefix_texts(texts: "Texts", numbers: Int32, prefix: str) -> Int32:
    """Return the numbers of texts with a prefix, which replaces an earlier `RECEIVED`.

    The prefix names the other side as {actor}, so a person in the text itself becomes a friend.
    """
    if not prefix:
        return numbers
    distinct, back = find_distinct(numbers)
    plain = [texts[int(number)].removeprefix(RECEIVED) for number in distinct]
    return texts.intern_many([prefix + name_friend(text) for text in plain])[back]


def find_versions(texts: "Texts", numbers: Int32) -> Int32:
    """Return the numbers of the texts in which others may know the same, shape (..., 2).

    The first is what a report says, or the text itself, the second a report of it; -1 for none.
    `numbers` has shape (...).
    """
    distinct, back = find_distinct(numbers)
    plain = [
        texts[number].removeprefix(RECEIVED) if number >= 0 else "" for number in distinct.tolist()
    ]
    reports = [RECEIVED + name_friend(text) for text in plain]
    versions = np.stack([texts.find_many(plain), texts.find_many(reports)], axis=1)
    return np.asarray(np.where(distinct[:, None] >= 0, versions, -1)[back], np.int32)


def compute_harmony(own: Floats, others: Floats, strength: Floats) -> Float32:
    """Compute how pleasant a conversation felt to both: valence in [-1, 1], shape (pairs,).

    Strong ties and similar attitudes to the subject, in [0, 10], are pleasant.

    Source: Attraction by similar attitudes: Byrne 1961, doi:10.1037/h0044721 (recalled); the linear
    form is this project's, illustrative.
    """
    distance = np.abs(own - others) / 5
    felt = 0.6 * np.clip(strength, 0, 1) + 0.2 - 0.8 * distance
    return np.asarray(np.clip(felt, -1, 1), np.float32)


def find_only_talks(starters: Cohort, others: Cohort) -> tuple[Bools, Bools]:
    """Return which starters, and which others, have no other talk at this time, shape (m,) each.

    The turns of their talks are consecutive memories.
    """
    count = np.bincount(np.concatenate([starters.rows, others.rows]))
    return count[starters.rows] == 1, count[others.rows] == 1


def ask_for_words(
    block: "Block",
    speakers: Cohort,
    texts: Int32,
    *,
    to: Intp,
    about: str,
    memories: Recalled | None = None,
    heard: Objects | None = None,
) -> Int32:
    """Ask the speakers' minds for their words, and return the numbers of the texts, shape (m,).

    `texts` are those by rule, which remain where a mind has no other words; `to` are the rows of
    the listeners, `memories` what a message is based on, and `heard` the remarks that it answers.
    """
    words = texts.copy()
    for some in split_repeats(speakers.rows):
        asked = speakers.at(speakers.rows[some])
        known = _describe_talk(block, texts[some], to[some], None if heard is None else heard[some])
        question = Question(
            "message", asked, "text", repeat_text, about=about, known=known,
            memories=None if memories is None else Recalled(
                asked.rows, memories.ids[some], memories.scores[some]
            ),
        )  # fmt: skip
        text = block.society.questions.ask(question, block=block.name).text
        words[some] = np.where(text >= 0, text, texts[some])
    return words


def _describe_talk(
    block: "Block", texts: Int32, to: Intp, heard: Objects | None
) -> dict[str, Array]:
    """Return what a mind knows of a talk: the rule's text, the listener, and what was heard."""
    society = block.society
    names = [society.name_of(one) for one in block.population.ids[to].tolist()]
    known: dict[str, Array] = {"words": texts[:, None], "to": np.array(names, object)}
    if heard is not None:
        known["heard"] = heard
    return known


def read_remarks(block: "Block", texts: Int32, place: Ints | None = None) -> Objects:
    """Return remarks as a listener understands them: with zones by name, and others as friends."""
    society, memory = block.society, block.population.memory
    zones = np.full(len(texts), -1) if place is None else place
    return np.array(
        [
            fill_template(
                name_friend(society.texts[number].removeprefix(RECEIVED)), -1, zone,
                name_of=memory.name_of, place_name=memory.place_name,
            )
            for number, zone in zip(texts.tolist(), zones.tolist(), strict=True)
        ],
        object,
    )  # fmt: skip


def split_repeats(rows: Ints) -> Iterator[Intp]:
    """Yield positions in ascending order of rows, each row at most once at a time."""
    left = np.arange(len(rows))
    while len(left):
        _, first = np.unique(rows[left], return_index=True)
        yield left[first]
        left = np.delete(left, first)


def repeat_text(question: Question) -> Answer:
    """Say what the rule says: the rule of the question "message"."""
    text = question.known["words"][:, 0]
    return Answer(np.full(len(text), np.nan, np.float32), text=text)
