"""Compose thoughts of an event, a feeling or assessment, a change of attitude and an intention.

The phrases are in `data/thoughts.toml`. The text of a thought has a placeholder for its evidence,
which is filled when the text is read, so agents share templates but have their own thoughts.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from memopolis.agents.grammar import OTHERS, Grammar
from memopolis.sim.arrays import Bools, Float64, Floats, Int8, Int32, Intp, Ints, UInt8
from memopolis.sim.memory.streams.encoding import EMOTION_WORDS, EMOTIONS
from memopolis.sim.memory.text.texts import Texts
from memopolis.sim.mind.mind import Answer, Question

type Span = Literal["day", "month"]
"""Period that a thought covers: a day, or a month if steps are longer."""

PHRASES = Path(__file__).parent / "data" / "thoughts.toml"

SIGNS = ("plain", "good", "bad")  # signs of an event by number

REPORTS = frozenset({"figures", "survey", "policy"})
"""Topics of events that citizens know from the news."""

LEADING = 6  # number of the most important memories of a thought among which repeats are left out

PLEASANT = frozenset(
    {
        "Joy", "Hope", "Satisfaction", "Relief", "Pride", "Admiration", "Liking", "Gratitude",
        "Gratification", "Love",
    }
)  # fmt: skip
"""Emotion words of pleasant feelings."""

NOTABLE = 0.15  # absolute valence from which an event is good or bad (illustrative)

WEIGHTY = 0.3  # importance from which an event makes a day more than an ordinary one (illustrative)

LEAST_CHANGE = 0.05
"""Change of an attitude since the last thought, in points, from which a thought mentions it
(illustrative)."""

DRAWS = 5  # number of uniform draws that choose the phrases and the intention of a thought

_MONTHLY = (
    ("Today", "This month"),
    ("today", "this month"),
    ("Tomorrow", "Next month"),
    ("tomorrow", "next month"),
    (" day", " month"),
)


@cache
def read_phrases(span: Span) -> Grammar:
    """Read the phrases of thoughts that cover a day or a month."""
    grammar = Grammar.read(PHRASES)
    if span == "day":
        return grammar
    return Grammar(
        {
            section: {key: tuple(map(_monthly, phrases)) for key, phrases in entries.items()}
            for section, entries in grammar.sections.items()
        }
    )


def _monthly(phrase: str) -> str:
    for day, month in _MONTHLY:
        phrase = phrase.replace(day, month)
    return phrase


INTENTIONS = tuple(read_phrases("day").sections["intention"])
"""Names of intentions, as stored by number in the attribute `intention`; the first is none."""


@dataclass(frozen=True)
class Occasion:
    """Subjects of thoughts, one entry per agent."""

    topic: Ints  # number of the topic of the most important event, shape (agents,)
    valence: Floats  # valence of that event, in [-1, 1], shape (agents,)
    # Number of the emotion word of citizens, shape (agents,); mean valence of the memories of
    # institutions
    mood: NDArray[np.number]
    # Changes of attitudes since the last thought, in points, shape (attitudes, agents)
    change: Floats
    # Number of the situation of each agent, see `ThoughtComposer`, shape (agents,)
    situation: Ints
    weighty: Bools  # whether the event is more than trivial, shape (agents,)


class ThoughtComposer:
    """Composes thoughts of one population about a day or a month.

    A thought mentions a change of an attitude, given with the topics that change it, only if its
    event has one of them, or none are known. `institution` is its kind, such as "firm"; "" for
    citizens, who have emotions. Intentions suggested for a situation, such as "away" from home,
    replace the usual ones.
    """

    def __init__(
        self,
        topics: Sequence[str],
        attitudes: Sequence[tuple[str, Collection[str]]],
        span: Span,
        *,
        institution: str,
        situations: Sequence[str] = ("",),
    ) -> None:
        self.grammar = read_phrases(span)
        self.institution = institution
        self.suggested = f"suggested {institution}" if institution else "suggested"
        number = self.grammar.numbers
        events = [
            "institution" if institution
            else "news" if topic in REPORTS and sign == "plain"
            else sign
            for topic in topics for sign in SIGNS
        ]  # fmt: skip
        self._event = number("event", events).reshape(-1, len(SIGNS))
        plain, weighty = number("event", ("plain", "weighty"))
        # Phrases about a day without events are only for trivial ones.
        self._weighty_event = np.where(self._event == plain, weighty, self._event)
        self._feeling = _number_feelings(self.grammar)
        self._assessment = number("assessment", SIGNS)
        self._unchanged = number("change", (OTHERS,))[0]
        ways = [f"{name} {way}" for name, _ in attitudes for way in ("down", "up")]
        phrases = self.grammar.sections["change"]
        despite = [f"{way} despite" if f"{way} despite" in phrases else way for way in ways]
        self._change = number("change", ways + despite).reshape(2, -1, 2)
        self._bears = np.array(
            [[not some or topic in some for topic in topics] for _, some in attitudes],
            np.bool_,
        ).reshape(len(attitudes), len(topics))
        known = self.grammar.sections[self.suggested]
        pairs = [f"{topic} {sign}" for topic in topics for sign in SIGNS]
        special = [f"{name} {pair}".strip() for name in situations for pair in pairs]
        usual = pairs * len(situations)
        keys = [one if one in known else pair for one, pair in zip(special, usual, strict=True)]
        shape = len(situations), -1, len(SIGNS)
        self._suggested = number(self.suggested, keys).reshape(shape)
        named = [INTENTIONS.index(name) for name in self.grammar.phrases(self.suggested)]
        self._intention = np.array(named, np.intp)

    def compose(self, occasion: Occasion, u: Float64, texts: Texts) -> tuple[Int32, UInt8]:
        """Compose thoughts: numbers of texts, and numbers of intentions, each of shape (agents,).

        `u` are draws in [0, 1), shape (agents, `DRAWS`).
        """
        sign = find_sign(occasion.valence)
        suggested = self._suggested[occasion.situation, occasion.topic, sign]
        drawn = self.grammar.draw(self.suggested, suggested, u[:, 0])
        intention = self._intention[drawn]
        events = np.where(occasion.weighty[:, None], *(
            numbers[occasion.topic] for numbers in (self._weighty_event, self._event)
        ))  # fmt: skip
        parts: dict[str, Ints] = {"event": events[np.arange(len(sign)), sign]}
        if self.institution:
            parts["assessment"] = self._assessment[find_sign(occasion.mood)]
        else:
            parts["feeling"] = self._feeling[occasion.mood, sign]
        parts["change"] = self._find_change(occasion, sign)
        parts["intention"] = intention
        return self.grammar.compose(parts, u[:, 1:], texts), intention.astype(np.uint8)

    def feels_about_event(self, occasion: Occasion) -> Bools:
        """Return whose feeling is about the event, as its phrase says, shape (agents,)."""
        sign = find_sign(occasion.valence)
        if self.institution:
            return np.zeros(len(sign), np.bool_)
        pleasant = np.array([word in PLEASANT for word in EMOTION_WORDS])[occasion.mood]
        fits = np.where(pleasant, sign == SIGNS.index("good"), sign == SIGNS.index("bad"))
        return np.asarray(fits, np.bool_)

    def _find_change(self, occasion: Occasion, sign: Int8) -> Intp:
        """Return the number of the key for the largest change that the event bears on."""
        agents = np.arange(len(sign))
        if not len(occasion.change):
            return np.full(len(agents), self._unchanged)
        change = np.where(self._bears[:, occasion.topic], occasion.change, 0)
        largest = np.abs(change).argmax(axis=0)
        moved = change[largest, agents]
        rises = moved > 0
        despite = np.where(rises, sign == SIGNS.index("bad"), sign == SIGNS.index("good"))
        key = self._change[despite.astype(np.intp), largest, rises.astype(np.intp)]
        return np.asarray(np.where(np.abs(moved) >= LEAST_CHANGE, key, self._unchanged))


def _number_feelings(grammar: Grammar) -> Intp:
    """Return the number of the key of each emotion word and sign of the event."""
    known = grammar.sections["feeling"]
    keys = [OTHERS] * len(SIGNS)
    for word in EMOTIONS:
        kind, fits = ("pleasant", "good") if word in PLEASANT else ("unpleasant", "bad")
        for sign in SIGNS:
            case = "plain" if sign == "plain" else "despite"
            own = f"{word} {case}"
            keys.append(word if sign == fits else own if own in known else f"{kind} {case}")
    return grammar.numbers("feeling", keys).reshape(-1, len(SIGNS))


def find_sign(valence: NDArray[np.number], notable: float = NOTABLE) -> Int8:
    """Return the number of the sign of each valence, as in `SIGNS`."""
    good, bad = valence >= notable, valence <= -notable
    return np.asarray(good.view(np.int8) + 2 * bad.view(np.int8))


def drop_opposites(ids: Int32, signs: Ints, event: Ints, only: Bools) -> Int32:
    """Leave out memories, -1, of the other sign than the event of thoughts, of the agents `only`.

    `signs` are those of the memories, shape (agents, k), and `event` that of each event.
    """
    other = np.where(only & (event > 0), len(SIGNS) - event, 0)  # 0 where no memory is left out
    return np.where((signs == other[:, None]) & (signs > 0), -1, ids)


def drop_repeats(ids: Int32, gists: Ints) -> Int32:
    """Leave out memories that say the same as more important ones, which come first, (agents, k).

    `gists` is the number of what each of the first ones says, -1 for none.
    """
    distinct = ids.copy()
    by_place = np.ascontiguousarray(gists.T)
    for place, gist in enumerate(by_place):
        for earlier in by_place[:place]:
            distinct[gist == earlier, place] = -1
    return distinct


def take_composed(question: Question) -> Answer:
    """Answer with the composed thought: the rule of the question "thought"."""
    known = question.known
    nothing = np.full(len(known["composed"]), np.nan, np.float32)
    return Answer(
        nothing, evidence=known["evidence"], text=known["composed"], emotion=known["word"]
    )
