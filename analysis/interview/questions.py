"""Find what a question asks, by a search among example wordings.

`questions.toml` has the kinds of question that are answered from the record, and words for what is
explained or valued.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.text.words import STOP, split_words

LONGEST = 2_000  # maximum number of characters of a question
ABOUT_IT = "Tell me about it."  # a question about nothing but a subject
RELEVANT = 0.3  # least share of the words of a question in a text on what it asks (illustrative)
_LEAST_KIND = 0.4  # likewise, of a question in an example of its kind (illustrative)
SAME = 0.8  # relevance from which a question is an example in other words (illustrative)
_BETWEEN = 3  # maximum number of words between a preposition and the subject after it
_LEAST = 0.12  # likewise, for an action among other words of a question (illustrative)
_NEAR = 0.75  # least relevance of another kind or action, relative to the best (illustrative)
STAY = "stay"
_NEGATIONS = ("not", "n't", "never", "didnt", "dont", "没", "不")
_OPPOSITES = {
    "leave": STAY,
    STAY: "leave",
    "closed": "open",
    "open": "closed",
    "post": "stay silent",
}
_LOCK = Lock()
_PREPOSITIONS = (  # words before a subject
    "about|on|of|over|during|in|after|before|since|for|with|regarding|from|to|support|oppose|against"
)
# Words that say what is asked, which a search ignores as common words, and others for them
_ASKING = re.compile(r"\b(whom?|when|where|how(?: (?:much|many|long|often))?)\b", re.IGNORECASE)
_ASKED = {"who": "xperson", "whom": "xperson", "when": "xmoment", "where": "xplace", "how": "xway"}
# When something was or is, which is no part of a kind
_TIMES = re.compile(
    r"\b(?:lately|recently|these days|nowadays|now|currently|at the moment|so far|ever|just|"
    r"(?:every|each|this) (?:day|week|month|year)|(?:in|over|during) the (?:last|past) "
    r"(?:(?:few|couple of) )?\w+|since the beginning of the \w+)\b",
    re.IGNORECASE,
)
CHINESE = re.compile(r"[\u4e00-\u9fff]")
# Where a question of several parts is split, such as "How old are you and where do you live?"
_PARTS = re.compile(
    r"[?;\uff1f\uff1b]+\s*|,?\s+and\s+(?=(?:who|whom|what|where|when|which|how|do|did|are|is|have|with)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Kind:
    """A kind of question that can be answered from the record; fields as in the table."""

    about: str
    examples: Sequence[str]
    attributes: Sequence[str] = ()
    answer: str = ""
    recall: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Subject:
    """What questions and memories can be about; fields as in the table."""

    words: str  # regular expression of the beginnings of words that name it
    topics: Sequence[str] = ()  # topics of memories that are about it, whatever their words
    always: bool = False  # whether it is no part of a kind wherever it is named
    alone: bool = False  # whether memories of no other subject will do

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Matches words that name the subject."""
        return re.compile(rf"\b(?:{self.words})\w*", re.IGNORECASE)


@dataclass(frozen=True)
class Action:
    """What an agent is asked to explain."""

    kind: str  # kind of the decision
    what: str  # choice or item of the decision, "" for any


def check_question(question: str) -> None:
    """Raise a ParameterError if a question is empty or has more than `LONGEST` characters."""
    if not question.strip():
        raise ParameterError("the question is empty; give at least one word")
    if len(question) > LONGEST:
        raise ParameterError(
            f"the question has {len(question):,} characters; at most {LONGEST:,} are allowed: "
            "shorten it"
        )


@lru_cache(maxsize=64)
def read_plainly(question: str) -> str:
    """Return a question with other words replaced by those of the examples, in its order.

    Chinese is replaced by English: the longest listed word that fits is taken, and characters of no
    word are left out.
    """
    english, chinese = _read_words()
    text = _replace_chinese(question, chinese) if CHINESE.search(question) else question
    return re.sub(r"[A-Za-z]+", lambda word: english.get(word[0].lower(), word[0]), text)


def _replace_chinese(question: str, chinese: Mapping[str, str]) -> str:
    parts, at = list[str](), 0
    longest = max(map(len, chinese))
    while at < len(question):
        lengths = range(min(longest, len(question) - at), 0, -1)
        length = next((n for n in lengths if question[at : at + n] in chinese), 0)
        word = chinese[question[at : at + length]] if length else question[at]
        parts.append(f" {word} " if length else "" if CHINESE.match(word) else word)
        at += length or 1
    return " ".join("".join(parts).split())


@cache
def _read_words() -> tuple[Mapping[str, str], Mapping[str, str]]:
    table = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
    return table["english"], table["chinese"]


def split_question(question: str) -> list[str]:
    """Split a question into those that it consists of; one that only asks why stays with the rest.

    "How old are you and where do you live?" is two, "What do you think of it, and why?" is one.
    """
    parts: list[str] = []
    for part in filter(str.strip, _PARTS.split(question)):
        is_word = len(read_plainly(part).split()) == 1
        if parts and (is_word or (asks_why(part) and not asked_actions(part))):
            parts[-1] += f", {part}"
        else:
            parts.append(part)
    return parts if len(parts) > 1 else [question]


def compute_relevance(question: str, texts: Sequence[str]) -> list[float]:
    """Return the share of the informative words of a question in each text, 0..1.

    It is 1 only for a text of the same words, common ones included. A question is
    compared by its own words and by those of `read_plainly`, whichever are nearer.
    """
    return _compare_all({question, read_plainly(question)}, texts)


def _compare_all(wordings: set[str], texts: Sequence[str]) -> list[float]:
    """Return the relevance of each text to the wording of a question that is nearest to it."""
    compared = [_compare(wording, texts) for wording in sorted(wordings)]
    return [max(shares) for shares in zip(*compared, strict=True)]


def _compare(question: str, texts: Sequence[str]) -> list[float]:
    with _LOCK:
        memory = _index(tuple(texts))
        matches = memory[0].observed.stream.search(question, k=len(texts), explain=True)
    shares = {match.id: match.terms["relevance"] for match in matches}
    asked = _letters(question)
    return [
        1.0 if _letters(text) == asked else min(shares.get(i, 0), 0.99)
        for i, text in enumerate(texts)
    ]


@lru_cache(maxsize=16)
def _index(texts: tuple[str, ...]) -> Memory:
    memory = Memory(agents=1, limit=len(texts) + 1, seed=0)
    for text in texts:
        memory[0].stream.add("wording", text)
    return memory


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def find_kinds(question: str) -> list[tuple[Kind, float]]:
    """Return the kinds that a question may be of, with their relevance, the most relevant first.

    Kinds with less than `_NEAR` of the relevance of the best one are left out. The subject of a
    question, such as the storm, and its time are no part of a kind.
    """
    plain, own = read_plainly(question), any(subject.always for subject in find_subjects(question))
    rest = _drop_subject(plain, is_english=not CHINESE.search(question))
    ranked = _rank_kinds({question, plain} if own else {question, plain, rest})
    if not own or (ranked and ranked[0][1] >= SAME):
        return ranked
    if not _inform(rest) and not re.search(r"(?i)\b(?:whom?|when|where|why)\b", rest):
        return _rank_kinds({ABOUT_IT})[:1]  # nothing but the subject
    return _rank_kinds({rest}) or ranked


def _rank_kinds(wordings: set[str]) -> list[tuple[Kind, float]]:
    examples = [(kind, example) for kind in read_kinds() for example in kind.examples]
    texts, marked = [example for _, example in examples], set(map(mark_asking, wordings))
    shares = _compare_all(marked, list(map(mark_asking, texts)))
    asked = {word for wording in wordings for word in _inform(wording)}
    if asked:  # "who" alone is no kind
        shared = _compare_all(wordings, texts)
        shares = [a * (b >= _LEAST) for a, b in zip(shares, shared, strict=True)]
    best = dict[str, tuple[float, int, float]]()
    for (kind, example), share in zip(examples, shares, strict=True):
        # Of equally relevant examples, the one with fewer other words is nearer.
        others = len(_inform(example) - asked)
        common = max(_compute_overlap(wording, example) for wording in wordings)
        rank = (share, -others, common)
        best[kind.about] = max(best.get(kind.about, rank), rank)
    least = max(_LEAST_KIND, *(_NEAR * share for share, _, _ in best.values()))
    ranked = sorted(read_kinds(), key=lambda kind: best[kind.about], reverse=True)
    return [(kind, best[kind.about][0]) for kind in ranked if best[kind.about][0] >= least]


def _compute_overlap(text: str, other: str) -> float:
    """Return the share of common words among all words of two texts."""
    words, others = (set(split_words(one)[0]) for one in (text, other))
    return len(words & others) / max(len(words | others), 1)


def _inform(text: str) -> set[str]:
    """Return the words of a text that a search does not ignore."""
    return set(split_words(text)[0]) - STOP


def mark_asking(text: str) -> str:
    """Add a word for "who", "when" and the like that a search does not ignore."""
    return _ASKING.sub(lambda word: f"{word[0]} {_ASKED.get(word[0].lower(), 'xnumber')}", text)


def _drop_subject(plain: str, *, is_english: bool) -> str:
    """Replace the subject of a question by "it", and leave out its time."""
    text = _TIMES.sub(" ", plain)
    for subject in read_subjects().values():
        if not subject.pattern.search(text):
            continue
        words = rf"(?:{subject.words})\w*(?: (?:laws?|rules?|control)\b)?"
        between = rf"(?:(?!(?:{_PREPOSITIONS})\b)\w+ ){{0,{_BETWEEN}}}"
        text = re.sub(rf"(?i)\b({_PREPOSITIONS}) {between}{words}", r"\1 it", text)
        # After `read_plainly`, words that were Chinese have no order.
        if subject.always or not is_english:
            text = re.sub(rf"(?i)\b(?:the |an? )?{words}", "it", text)
    return re.sub(r"\bit(?: it\b)+", "it", " ".join(text.split()))


@lru_cache(maxsize=64)
def find_subjects(question: str) -> list[Subject]:
    """Return the subjects that a question names, the narrowest first."""
    text = f"{question} {read_plainly(question)}"
    named = [subject for subject in read_subjects().values() if subject.pattern.search(text)]
    return named[:1] if named and named[0].alone else named


def asks_why(question: str) -> bool:
    """Check whether a question asks for the reason of a decision."""
    return _has_any(question, _read()["why"])


def asked_actions(question: str) -> list[Action]:
    """Return the actions that a question names, the most relevant first; "not" reverses them."""
    table = {
        Action(kind, what): words
        for kind, choices in _read()["decisions"].items()
        for what, words in choices.items()
    }
    shares = dict(zip(table, compute_relevance(question, [*table.values()]), strict=True))
    least = max(_LEAST, _NEAR * max(shares.values()))
    order = sorted(table, key=lambda action: -shares[action])
    actions = [action for action in order if shares[action] >= least]
    # "Why did you raise your prices?" names the price before what was done with it.
    whole = {action.kind for action in actions if not action.what}
    actions += [
        action
        for action in order
        if action.what and action.kind in whole and 0 < shares[action] < least
    ]
    if not any(word in question.casefold() for word in _NEGATIONS):
        return actions
    return [replace(action, what=_OPPOSITES.get(action.what, action.what)) for action in actions]


def drop_opinion(question: str) -> str:
    """Leave out the words of a question by which it asks for an opinion, but not its subject."""
    words = "|".join(word for word in _read()["opinion"] if " " not in word)
    return re.sub(rf"(?i)\b(?:{words})\b", " ", read_plainly(question))


def read_attitude_words() -> Mapping[str, str]:
    """Read words for attitudes, by their names."""
    words: Mapping[str, str] = _read()["attitudes"]
    return words


def read_attribute_words() -> Mapping[str, str]:
    """Read words for attributes, by their names."""
    words: Mapping[str, str] = _read()["attributes"]
    return words


def read_moments() -> Mapping[str, str]:
    """Read words for dated events of a run, by the names of its facts."""
    words: Mapping[str, str] = _read()["moments"]
    return words


@cache
def read_subjects() -> Mapping[str, Subject]:
    """Read the subjects of questions and memories, by name, the narrowest first."""
    return {name: Subject(**row) for name, row in _read()["subjects"].items()}


def read_announcers() -> tuple[str, ...]:
    """Read the beginnings of memories of news that reach everybody."""
    return tuple(_read()["announced"])


def read_suggestions(population: str) -> Sequence[str]:
    """Read questions that agents of a population may suggest."""
    suggestions: Mapping[str, Sequence[str]] = _read()["suggested"]
    return suggestions.get(population, suggestions["citizen"])


def asks_what_if(question: str) -> bool:
    """Check whether a question asks what would be in another case."""
    return any(word in question.casefold() for word in _read()["what_if"])


def asks_peak(question: str) -> bool:
    """Check whether a question asks when something was strongest."""
    words = read_plainly(question).casefold().split()
    return "when" in words and any(word in words for word in ("most", "worst", "best"))


def asks_opinion(question: str) -> bool:
    """Check whether a question asks for an opinion."""
    return _has_any(question, _read()["opinion"])


def _has_any(question: str, words: Sequence[str]) -> bool:
    text = f"{question} {read_plainly(question)}".casefold()
    return any(word in text for word in words)


@cache
def read_kinds() -> tuple[Kind, ...]:
    """Read the kinds of question of the table, in its order."""
    return tuple(Kind(**row) for row in _read()["kind"])


@cache
def _read() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("questions.toml").read_text(encoding="utf-8"))
