"""Replies in talks: phrases that fit the report, the tie of the two, and earlier occasions.

The phrases, and the order in which they are sought, are described in `data/replies.toml`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache
from itertools import product

import numpy as np

from memopolis.agents.ages import ADULT, INDEPENDENT_AGE
from memopolis.agents.everyday import RECEIVED, read_replies
from memopolis.agents.thoughts import SIGNS as USUAL_SIGNS
from memopolis.agents.thoughts import find_sign
from memopolis.sim.arrays import Array, Bools, Floats, Intp

SOURCES = ("news", "seen", "own", "hearsay")  # how a speaker knows of an event
SIGNS = (*USUAL_SIGNS, "grave")
LEVELS = ("high", "middle", "low", "")  # levels of the attitude by which a reply is chosen
TIES = ("home", "child", "parent", "close", "other")
CLOSE = ("friend", "kin")  # kinds of ties of "close"
HOUSEHOLD = "household"  # kind of ties of "home" and "parent"
DANGERS = frozenset({"disaster", "order", "evacuation", "damage"})
"""Topics after which people wish each other well, if the news is bad."""

GRAVE_VALENCE, GRAVE_IMPORTANCE = -0.5, 0.45
"""Valence up to which, and importance from which, a report is grave (illustrative)."""

HEARSAY = "A friend told me: "  # beginning of what a speaker has heard about another's life
TODAY = "today"  # name of the present day
OCCASIONS = (RECEIVED, "I met {actor}", "I had a ")
"""Beginnings of memories of reports of another, of meetings and of meals."""
_PERSONAL = re.compile(r"(I|We|My|Our)\b|.*\b(us|me)\b")


def is_personal(text: str) -> bool:
    """Return whether a text is about the life of the one who says it."""
    return _PERSONAL.match(text) is not None


def find_signs(valence: Floats, importance: Floats) -> Intp:
    """Return the position in `SIGNS` of each report, shape (m,)."""
    grave = (valence <= GRAVE_VALENCE) & (importance >= GRAVE_IMPORTANCE)
    return np.where(grave, SIGNS.index("grave"), find_sign(valence))


def find_ties(is_home: Bools, is_close: Bools, speaker: Array, listener: Array) -> Intp:
    """Return the position in `TIES` of each talk, given the ages of both, shape (m,)."""
    tie = np.where(is_close, TIES.index("close"), TIES.index("other"))
    tie[is_home] = TIES.index("close")
    is_home = is_home & (listener >= ADULT)
    tie[is_home] = np.where(speaker[is_home] < ADULT, TIES.index("parent"), TIES.index("home"))
    tie[listener < INDEPENDENT_AGE] = TIES.index("child")
    return tie


@lru_cache(64)
def number_replies(topics: tuple[str, ...]) -> Intp:
    """Return the number of the key of replies, by topic and the four tuples above."""
    return np.stack([_number_replies(topic) for topic in topics])


@cache
def _number_replies(topic: str) -> Intp:
    """Return the number of the key of replies to a topic, by the four tuples above."""
    keys = list(read_replies().sections["reply"])
    numbers = {key: number for number, key in enumerate(keys)}
    chosen = [
        next(numbers[key] for key in list_reply_keys(topic, *situation) if key in numbers)
        for situation in product(SOURCES, SIGNS, LEVELS, TIES)
    ]
    shape = len(SOURCES), len(SIGNS), len(LEVELS), len(TIES)
    return np.array(chosen, np.intp).reshape(shape)


def list_reply_keys(topic: str, source: str, sign: str, level: str, tie: str) -> Iterator[str]:
    """Yield the keys of replies in a situation, the most specific ones first."""
    signs = ("grave", "bad") if sign == "grave" else (sign,)
    # Replies to a topic are to what the speaker knows first hand.
    by_topic = [] if source == "hearsay" else [topic]
    stems = [f"{name} {source} {sign}" for name in by_topic for sign in signs]
    if tie != "child":
        stems += [f"{name} {level}" for name in by_topic if level]
    stems += [f"{name} {sign}" for name in by_topic for sign in signs]
    stems += [f"{source} {sign}" for sign in signs] if tie != "child" else []
    stems += signs
    if tie == "child":
        yield from (f"{stem} child" for stem in stems)
    else:
        yield from (key for stem in stems for key in (f"{stem} {tie}", stem))


@lru_cache(64)
def number_closings(topics: tuple[str, ...]) -> Intp:
    """Return the number of the key of closings, by topic, sign, feeling, tie, and if one recalls.

    The sign is that of the report. The feeling of the talk is a position in the usual signs:
    plain, good or bad. The last index is 1 if the answer begins with what is remembered.
    """
    keys = list(read_replies().sections["closing"])
    numbers = {key: number for number, key in enumerate(keys)}
    chosen = [
        next(numbers[key] for key in list_closing_keys(*situation) if key in numbers)
        for situation in product(topics, SIGNS, USUAL_SIGNS, TIES, (False, True))
    ]
    shape = (len(topics), len(SIGNS), len(USUAL_SIGNS), len(TIES), 2)
    return np.array(chosen, np.intp).reshape(shape)


def list_closing_keys(
    topic: str,
    sign: str,
    felt: str,
    tie: str,
    recalls: bool,  # noqa: FBT001 - of a product
) -> Iterator[str]:
    """Yield the keys of closings in a situation, the most specific ones first."""
    if topic in DANGERS and sign in ("bad", "grave") and felt != "bad":
        yield f"danger {tie}"
    if recalls:
        yield "none"
    yield f"{felt} {tie}"
    yield felt


def name_day(then: date, now: date) -> str:
    """Name an earlier day.

    Examples:
        >>> name_day(date(2019, 9, 1), now=date(2019, 9, 2))
        'yesterday'
        >>> name_day(date(2019, 9, 1), now=date(2019, 9, 4))
        'on Sunday'
    """
    days = (now - then).days
    if days < 1:
        return TODAY
    if days == 1:
        return "yesterday"
    return f"on {then:%A}" if days < 7 else "last week" if days < 14 else "some time ago"


@dataclass(frozen=True)
class Remembered:
    """A memory of an earlier day in which the other person acts."""

    text: str
    topic: str
    when: str  # its day, as in "on Monday"
    valence: float  # in [-1, 1]

    @property
    def is_report(self) -> bool:
        """Whether it is of what the other said, not of a meeting."""
        return self.text.startswith(RECEIVED)


def take_up(memories: Sequence[Remembered], topic: str, tie: str, u: float) -> str:
    """Return a sentence about `OCCASIONS` with the other, the newest first; "" for nothing.

    It is an earlier talk on the same topic, else the latest meeting or talk on another topic; `u`
    in [0, 1) chooses the phrase. People of a household do not recall meetings, and children
    nothing.
    """
    if tie in ("child", "parent"):
        return ""
    subjects = read_replies().sections["subject"]
    for memory in memories:
        if memory.is_report and memory.topic == topic and topic in subjects:
            return _say("same", memory, u)
    for memory in memories if tie != "home" else ():
        if not memory.is_report:
            return _say(f"met {_name_sign(memory.valence)}", memory, u)
        if memory.topic in subjects:
            return _say(f"told {_name_sign(memory.valence)}", memory, u)
    return ""


def _say(key: str, memory: Remembered, u: float) -> str:
    """Return a phrase of the section "recall" about a memory."""
    replies = read_replies()
    phrases = replies.sections["recall"][key]
    subject = replies.sections["subject"].get(memory.topic, ("",))[0]
    phrase = phrases[int(u * len(phrases))]
    return phrase.replace("{subject}", subject).replace("{when}", memory.when)


def _name_sign(valence: float) -> str:
    return USUAL_SIGNS[int(find_sign(np.array([valence]))[0])]
