"""Compose thoughts: a quoted memory, the change of attitude or the feeling it caused, an intention.

The phrases are in `data/thoughts.toml`. The text of a thought has a placeholder for the memory,
which is filled when the text is read, so agents share templates but have their own thoughts.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from memopolis.agents.appraisal import BAD
from memopolis.agents.grammar import OTHERS, Grammar
from memopolis.agents.occ import MOVES
from memopolis.sim.arrays import Bools, Float64, Floats, Int8, Int32, Intp, Ints, UInt8
from memopolis.sim.memory.streams.encoding import EMOTION_WORDS, EMOTIONS
from memopolis.sim.memory.text.texts import Texts
from memopolis.sim.mind.mind import Answer, Question

type Span = Literal["day", "month"]
"""Period that a thought covers: a day, or a month if steps are longer."""

PHRASES = Path(__file__).parent / "data" / "thoughts.toml"

SIGNS = ("plain", "good", "bad")  # signs of an event by number
SIZES = (" small", "")
"""Endings of the keys of events whose importance is below and from `WEIGHTY`."""

REPORTS = frozenset({"figures", "survey", "policy"})
"""Topics of events that citizens know from the news."""

VIEWS = frozenset(
    {"gun_control", "background_checks", "immigration", "legal_status", "climate", "clean_power"}
)
"""Topics of opinions that others express."""

PERSONAL = frozenset({"job", "pay", "money", "help", "family"})
"""Topics of events that call for action only by those to whom they happened."""

_BAD = SIGNS.index("bad")

PLEASANT = frozenset(
    {
        "Joy", "Hope", "Satisfaction", "Relief", "Pride", "Admiration", "Liking", "Gratitude",
        "Gratification", "Love",
    }
)  # fmt: skip
"""Emotion words of pleasant feelings."""

_IS_PLEASANT = np.array([word in PLEASANT for word in EMOTION_WORDS], np.bool_)

NOTABLE = 0.15  # absolute valence from which an event is good or bad (illustrative)

WEIGHTY = 0.3
"""Importance from which an event is no small matter, and a bad one overshadows the pleasant ones
(illustrative)."""

BAD_WEIGHT = 1.5
"""Factor of the importance of bad events when a thought chooses the memory that it quotes.

Source: "Bad is stronger than good": Baumeister, Bratslavsky, Finkenauer and Vohs 2001,
doi:10.1037/1089-2680.5.4.323 (recalled); the factor is illustrative.
"""

NEWS_WEIGHT = 0.4
"""Factor of the importance of official figures and surveys when a thought chooses its quote, since
people think of their own lives first (illustrative)."""

LEAST_CHANGE = 0.05
"""Change of an attitude since the last thought, in points, from which a thought mentions it
(illustrative)."""

DRAWS = 2  # number of uniform draws that choose the intention and the phrases of a thought

VARIANTS = 256
"""Number of ways in which the phrases of a thought are combined, so that agents share texts."""

_STEPS = 1.1673039782614187 ** -np.arange(1.0, 5.0)
"""Steps of a sequence that spreads evenly in four dimensions.

Source: R sequence: Roberts 2018, "The unreasonable effectiveness of quasirandom sequences"
(recalled). The base is the root of x^5 = x + 1.
"""


@cache
def read_phrases(span: Span) -> Grammar:
    """Read the phrases of thoughts that cover a day or a month."""
    sections = Grammar.read(PHRASES).sections
    grammar = Grammar({**sections, "change": _introduce(sections["change"], sections["so"])})
    if span == "day":
        return grammar
    return Grammar(
        {
            section: {
                key: tuple(phrase.replace("Tomorrow", "Next month") for phrase in phrases)
                for key, phrases in entries.items()
            }
            for section, entries in grammar.sections.items()
        }
    )


def _introduce(
    changes: Mapping[str, tuple[str, ...]], so: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    """Replace {so} in changes by how they follow from a welcome and an unwelcome memory."""
    return {
        f"{key}{case}": tuple(
            dict.fromkeys(phrase.replace("{so}", way) for way in so[kind] for phrase in phrases)
        )
        for key, phrases in changes.items()
        for case, kind in (("", "welcome"), (" despite", "unwelcome"))
    }


INTENTIONS = tuple(read_phrases("day").sections["intention"])
"""Names of intentions, as stored by number in the attribute `intention`; the first is none."""


@dataclass(frozen=True)
class Occasion:
    """Subjects of thoughts, one entry per agent."""

    topic: Ints  # number of the topic of the most important event, shape (agents,)
    valence: Floats  # valence of that event, in [-1, 1], shape (agents,)
    quoted_topic: Ints  # number of the topic of the quoted memory, shape (agents,)
    quoted_valence: Floats  # its valence, in [-1, 1], shape (agents,)
    quoted_weighty: Bools  # whether its importance is at least `WEIGHTY`, shape (agents,)
    # Number of the emotion word of citizens, shape (agents,); mean valence of the memories of
    # institutions
    mood: NDArray[np.number]
    attitude: Ints  # number of the attitude that the quoted memory changed, -1 for none, (agents,)
    rises: Bools  # whether that attitude rose, shape (agents,)
    # Number of the situation of each agent, see `ThoughtComposer`, shape (agents,)
    situation: Ints
    shadowed: Bools  # whether a bad event of the day forbids pleasant feelings, shape (agents,)
    # Whether the most important event is personal and happened to another agent, shape (agents,)
    of_others: Bools


class ThoughtComposer:
    """Composes thoughts of one population about a day or a month.

    A thought quotes one memory. It states the attitude that the memory changed, else the feeling if
    that fits the memory, and the intention if the memory is like the event that suggests it.
    `institution` is its kind, such as "firm"; "" for citizens, who have emotions. Intentions
    suggested for a situation, such as "away" from home, replace the usual ones.
    """

    def __init__(
        self,
        topics: Sequence[str],
        attitudes: Sequence[str],
        span: Span,
        *,
        institution: str,
        situations: Sequence[str] = ("",),
    ) -> None:
        self.grammar = read_phrases(span)
        self.institution = institution
        self.suggested = f"suggested {institution}" if institution else "suggested"
        number = self.grammar.numbers
        self._event = _number_events(self.grammar, topics, is_institution=bool(institution))
        self._feeling = _number_feelings(self.grammar, topics)
        self._unfelt = number("feeling", (OTHERS,))[0]
        self._assessment = number("assessment", SIGNS)
        self._unassessed = number("assessment", (OTHERS,))[0]
        self._change = _number_changes(self.grammar, attitudes)
        self._unchanged = number("change", (OTHERS,))[0]
        self._unsaid = number("intention", ("none",))[0]
        self._idle = INTENTIONS.index("none")
        usual_keys = self.grammar.sections[self.suggested]
        pairs = [f"{_name_kind(topic)} {sign}" for topic in topics for sign in SIGNS]
        special = [f"{name} {pair}".strip() for name in situations for pair in pairs]
        usual = pairs * len(situations)
        keys = [
            own if own in usual_keys else pair for own, pair in zip(special, usual, strict=True)
        ]
        shape = len(situations), -1, len(SIGNS)
        self._suggested = number(self.suggested, keys).reshape(shape)
        named = [INTENTIONS.index(name) for name in self.grammar.phrases(self.suggested)]
        self._intention = np.array(named, np.intp)

    def compose(self, occasion: Occasion, u: Float64, texts: Texts) -> tuple[Int32, UInt8]:
        """Compose thoughts: numbers of texts, and numbers of intentions, each of shape (agents,).

        `u` are draws in [0, 1), shape (agents, `DRAWS`).
        """
        sign, quoted = find_sign(occasion.valence), find_sign(occasion.quoted_valence)
        suggested = self._suggested[occasion.situation, occasion.topic, sign]
        drawn = self.grammar.draw(self.suggested, suggested, u[:, 0])
        intention = np.where(occasion.of_others, self._idle, self._intention[drawn])
        follows = (occasion.quoted_topic == occasion.topic) & (quoted == sign)
        parts: dict[str, Ints] = {
            "event": self._event[
                occasion.quoted_weighty.view(np.int8), occasion.quoted_topic, quoted
            ]
        }
        if self.institution:
            parts["assessment"] = self._find_assessment(occasion, quoted)
        else:
            parts["feeling"] = self._find_feeling(occasion, quoted)
        parts["change"] = self._find_change(occasion, quoted)
        parts["intention"] = np.where(follows, intention, self._unsaid)
        text = self.grammar.compose(parts, spread_draws(u[:, 1], len(parts)), texts)
        return text, intention.astype(np.uint8)

    def _find_assessment(self, occasion: Occasion, quoted: Int8) -> Ints:
        """Return the number of the key of each assessment; none where an attitude changed."""
        fits = (occasion.attitude < 0) & (find_sign(occasion.mood) == quoted)
        return np.asarray(np.where(fits, self._assessment[quoted], self._unassessed))

    def _find_feeling(self, occasion: Occasion, quoted: Int8) -> Ints:
        """Return the number of the key of each feeling; none where an attitude changed."""
        pleasant = _IS_PLEASANT[occasion.mood]
        fits = (occasion.attitude < 0) & ~(pleasant & occasion.shadowed)
        felt = self._feeling[occasion.quoted_topic, occasion.mood, quoted]
        return np.asarray(np.where(fits, felt, self._unfelt))

    def _find_change(self, occasion: Occasion, quoted: Int8) -> Ints:
        """Return the number of the key of each change of attitude."""
        if not self._change.size:
            return np.full(len(quoted), self._unchanged)
        rises = occasion.rises.astype(np.intp)
        unwelcome = (quoted == _BAD).astype(np.intp)
        keys = self._change[unwelcome, np.maximum(occasion.attitude, 0), rises]
        return np.asarray(np.where(occasion.attitude >= 0, keys, self._unchanged))


def spread_draws(u: Float64, sections: int) -> Float64:
    """Return draws for each section, evenly spread over `VARIANTS`, shape (agents, sections)."""
    variant = np.floor(u * VARIANTS)[:, None] + 0.5
    return np.asarray((variant * _STEPS[:sections]) % 1.0)


def _name_kind(topic: str) -> str:
    """Return the name of a topic in the keys of phrases."""
    return "view" if topic in VIEWS else topic


def _number_events(grammar: Grammar, topics: Sequence[str], *, is_institution: bool) -> Intp:
    """Return the number of the key that introduces each event, (sizes, topics, signs)."""
    phrases = grammar.sections["event"]

    def name(topic: str, sign: str, size: str) -> str:
        if is_institution:
            return "institution"
        if topic in REPORTS and sign == "plain":
            return "news"
        own = f"{_name_kind(topic)} {sign}"
        return next((key for key in (own, f"{sign}{size}") if key in phrases), sign)

    keys = [name(topic, sign, size) for size in SIZES for topic in topics for sign in SIGNS]
    return grammar.numbers("event", keys).reshape(len(SIZES), -1, len(SIGNS))


def _number_changes(grammar: Grammar, attitudes: Sequence[str]) -> Intp:
    """Return the number of the key of each change, (unwelcome or not, attitudes, ways)."""
    ways = [f"{name} {way}" for name in attitudes for way in ("down", "up")]
    despite = [f"{way} despite" for way in ways]
    return grammar.numbers("change", ways + despite).reshape(2, -1, 2)


def _number_feelings(grammar: Grammar, topics: Sequence[str]) -> Intp:
    """Return the number of the key of each topic, emotion word and sign of the event."""
    phrases = grammar.sections["feeling"]
    keys = []
    for topic in topics:
        keys += [OTHERS] * len(SIGNS)
        for word in EMOTIONS:
            keys += [_name_feeling(topic, word, sign, phrases) for sign in SIGNS]
    return grammar.numbers("feeling", keys).reshape(len(topics), -1, len(SIGNS))


RELIEVING = ("relief", "preparation", "help")
"""Topics of good events after which people are relieved."""


def _name_feeling(topic: str, word: str, sign: str, phrases: Collection[str]) -> str:
    """Return the key of an emotion word: the word itself if the event can have caused it."""
    kind, cause = ("pleasant", "good") if word in PLEASANT else ("unpleasant", "bad")
    stirred = {feeling for feeling, share in MOVES[word].items() if share > 0}
    can_cause = (
        word != "Relief" or topic in RELIEVING
        if sign == "good"
        else topic not in BAD or any(BAD[topic].get(feeling, 0) > 0 for feeling in stirred)
    )
    if f"{word} {_name_kind(topic)} {sign}" in phrases:
        return f"{word} {_name_kind(topic)} {sign}"
    if sign == cause and can_cause:
        return word
    case = "despite" if sign not in {"plain", cause} else "plain"
    own = f"{word} {case}"
    return own if own in phrases else f"{kind} {case}"


def find_sign(valence: NDArray[np.number], notable: float = NOTABLE) -> Int8:
    """Return the number of the sign of each valence, as in `SIGNS`."""
    good, bad = valence >= notable, valence <= -notable
    return np.asarray(good.view(np.int8) + 2 * bad.view(np.int8))


def choose_fitting(word: UInt8, valence: Floats) -> UInt8:
    """Return emotion words that fit the events of thoughts, 0 for none, shape (agents,).

    Pleasant emotions do not fit bad events, nor unpleasant ones good events.
    """
    sign, pleasant = find_sign(valence), _IS_PLEASANT[word]
    fits = np.where(pleasant, sign != _BAD, sign != SIGNS.index("good"))
    return np.where(fits, word, 0).astype(np.uint8)


def choose_quoted(importance: Floats, valence: Floats, is_report: Bools) -> Intp:
    """Return the place of the memory that each thought quotes, shape (agents,).

    It is the most important one, where bad events count for more and reports for less; all
    arguments have the shape (agents, k), and the importance of no memory is negative.
    """
    salience = np.where(valence <= -NOTABLE, importance * BAD_WEIGHT, importance)
    salience = np.where(is_report, salience * NEWS_WEIGHT, salience)
    return np.asarray(salience.argmax(axis=1))


def take_composed(question: Question) -> Answer:
    """Answer with the composed thought: the rule of the question "thought"."""
    facts = question.known
    nothing = np.full(len(facts["composed"]), np.nan, np.float32)
    return Answer(
        nothing, evidence=facts["evidence"], text=facts["composed"], emotion=facts["word"]
    )
