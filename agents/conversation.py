"""Conversations of two people: what both remember of an opening, a reply and a closing.

The opening and the reply are remarks. The listener remembers a remark with its topic and valence,
the speaker remembers having said it. The closing is the end of the reply and depends on how the
conversation felt, which is the valence of what both remember of it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from memopolis.agents.ages import ADULT
from memopolis.agents.everyday import RECEIVED, name_friend
from memopolis.agents.experience import Experience
from memopolis.agents.replies import (
    HEARSAY,
    HOUSEHOLD,
    SOURCES,
    TODAY,
    Remembered,
    is_personal,
    name_day,
)
from memopolis.sim.arguments import find_distinct
from memopolis.sim.arrays import Array, Bools, Float32, Floats, Int32, Int64, Intp, Ints, Objects
from memopolis.sim.memory.retrieval.filter import Filter
from memopolis.sim.memory.retrieval.profiles import Profile
from memopolis.sim.memory.retrieval.recollection import Recalled, fill_template
from memopolis.sim.mind.mind import Answer, Question
from memopolis.sim.population import Cohort

if TYPE_CHECKING:
    from memopolis.sim.block import Block
    from memopolis.sim.memory.text.texts import Texts
    from memopolis.sim.society_base import SocietyBase

INVITATION = "invitation"  # topic of offers to one person, which are not passed on
OWN_REPORT = "I told {actor}: "
ANSWERED = "{actor} answered: "
OWN_ANSWER = "I answered {actor}: "
HISTORY = 5  # number of memories of the other person that a talk may take up (choice)
_NEWEST = Profile(recency=1.0, since="created")
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
    """Return the numbers of texts with a prefix, as people pass them on; see `retell`."""
    if not prefix:
        return numbers
    distinct, back = find_distinct(numbers)
    return texts.intern_many([prefix + retell(texts[int(n)]) for n in distinct])[back]


def retell(text: str) -> str:
    """Return a remembered text as its owner passes it on to others.

    The prefix of a talk names the other side as {actor}, so a person in the text itself becomes a
    friend. What others reported of their own lives is reported as theirs.
    """
    plain = name_friend(text.removeprefix(RECEIVED))
    is_theirs = text.startswith(RECEIVED) and is_personal(plain)
    return HEARSAY + plain if is_theirs and not plain.startswith(HEARSAY) else plain


def find_versions(texts: "Texts", numbers: Int32) -> Int32:
    """Return the numbers of the texts in which others may know the same, shape (..., 4).

    The first is what a report says, or the text itself, without who said it; the others are
    reports of it at first and second hand, and that of a participant. They are -1 for
    none. `numbers` has shape (...).
    """
    distinct, back = find_distinct(numbers)
    plain = [
        texts[number].removeprefix(RECEIVED).removeprefix(HEARSAY) if number >= 0 else ""
        for number in distinct.tolist()
    ]
    named = [name_friend(text) for text in plain]
    versions = [
        plain,
        [RECEIVED + text for text in named],
        [RECEIVED + HEARSAY + text for text in named],
        [text.replace("a friend", "{actor}", 1) for text in plain],
    ]
    numbered = np.stack([texts.find_many(some) for some in versions], axis=1)
    return np.asarray(np.where(distinct[:, None] >= 0, numbered, -1)[back], np.int32)


def find_sources(texts: "Texts", numbers: Ints, place: Ints) -> Intp:
    """Return how those who remember texts of places know of them: positions in `SOURCES`.

    All arrays have one shape; numbers and places are -1 for none.
    """
    distinct, back = find_distinct(numbers)
    plain, heard = [], []
    for number in distinct.tolist():
        text = texts[number] if number >= 0 else ""
        heard.append(text.startswith(RECEIVED))
        plain.append(text.removeprefix(RECEIVED))
    personal = np.array([is_personal(text) for text in plain], np.bool_)
    second = np.array([text.startswith(HEARSAY) for text in plain], np.bool_)
    theirs = (personal & np.array(heard, np.bool_)) | second
    of_lives = np.where(theirs, SOURCES.index("hearsay"), SOURCES.index("own"))[back]
    of_places = np.where(place >= 0, SOURCES.index("seen"), SOURCES.index("news"))
    return np.where((personal | second)[back], of_lives, of_places)


def recall_history(people: Cohort, others: Int64) -> Recalled:
    """Recall the newest memories of each agent that name another one, shape (m, `HISTORY`).

    `others` are the unique_ids of the others; an agent may be asked about several.
    """
    return people.stream.recommend(HISTORY, where=Filter(actor=others), profile=_NEWEST)


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


def list_remembered(
    society: "SocietyBase[Any]", history: Experience, prefixes: tuple[str, ...]
) -> list[list[Remembered]]:
    """Return the memories of earlier days that begin so, of each agent, (m, k), in their order."""
    texts, clock, today = society.texts, society.clock, society.clock.now.date()
    names = ("text", "topic", "time", "valence")
    text, topic, time, valence = (history.column(name) for name in names)
    remembered: list[list[Remembered]] = [[] for _ in text]
    when: dict[int, str] = {}
    for row, at in np.argwhere(texts.start_with(text, prefixes)).tolist():
        tick = int(time[row, at])
        if tick not in when:
            when[tick] = name_day(clock.date_of(tick).date(), today)
        if when[tick] != TODAY:
            about, felt = history.topics[topic[row, at]], float(valence[row, at])
            remembered[row].append(Remembered(texts[int(text[row, at])], about, when[tick], felt))
    return remembered


def begin_with(texts: "Texts", beginnings: Sequence[str], numbers: Int32) -> Int32:
    """Return the numbers of texts with a sentence before each, "" for none, shape (m,)."""
    longer, at = numbers.copy(), [n for n, words in enumerate(beginnings) if words]
    longer[at] = texts.intern_many([f"{beginnings[n]} {texts[int(numbers[n])]}" for n in at])
    return longer


def ask_for_words(
    block: "Block",
    speakers: Cohort,
    texts: Int32,
    *,
    to: Intp,
    about: str,
    history: Recalled,
    memories: Recalled | None = None,
    heard: Objects | None = None,
) -> Int32:
    """Ask the speakers' minds for their words, and return the numbers of the texts, shape (m,).

    `texts` are those by rule, which remain where a mind has no other words; `to` are the rows of
    the listeners, `history` what the speakers remember of them, `memories` what a message is based
    on, and `heard` the remarks that it answers.
    """
    words = texts.copy()
    known = _describe_talk(block, speakers, texts, to, history)
    if heard is not None:
        known["heard"] = heard
    memories = history if memories is None else memories.join(history)
    for some in split_repeats(speakers.rows):
        asked = speakers.at(speakers.rows[some])
        question = Question(
            "message", asked, "text", repeat_text, about=about,
            known={name: values[some] for name, values in known.items()},
            memories=Recalled(asked.rows, memories.ids[some], memories.scores[some]),
        )  # fmt: skip
        text = block.society.questions.ask(question, block=block.name).text
        words[some] = np.where(text >= 0, text, texts[some])
    return words


def _describe_talk(
    block: "Block", speakers: Cohort, texts: Int32, to: Intp, history: Recalled
) -> dict[str, Array]:
    """Return what a mind knows of a talk: the rule's text, and who the listener is."""
    society, people = block.society, block.population
    names = [society.name_of(number) for number in people.ids[to].tolist()]
    return {
        "words": texts[:, None],
        "to": np.array(names, object),
        "age": people["age"][to],
        "relation": np.array(name_relations(speakers, to), object),
        "met_before": (history.ids >= 0).any(axis=1),
    }


def name_relations(speakers: Cohort, to: Intp) -> list[str]:
    """Name what each listener is to the speaker: "friend", "child of the household", and so on."""
    people, speaker = speakers.population, speakers.rows
    age = people["age"].astype(np.int64)
    relation = np.full(len(to), "acquaintance", object)
    for kind, network in reversed(list(people.ties.items())):
        name = "relative" if kind == "kin" else kind.replace("_", " ")
        relation[network.between(speaker, to) > 0] = name
    at_home = relation == HOUSEHOLD
    older = age[speaker] - age[to]
    relation[at_home] = "member of the household"
    relation[at_home & (older >= ADULT)] = "child of the household"
    relation[at_home & (older <= -ADULT)] = "parent in the household"
    return list(relation)


def read_remarks(block: "Block", texts: Int32, place: Ints | None = None) -> Objects:
    """Return remarks as a listener understands them: with zones by name, and others as friends."""
    society, memory = block.society, block.population.memory
    zones = np.full(len(texts), -1) if place is None else place
    return np.array(
        [
            fill_template(
                retell(society.texts[number]), -1, zone,
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
