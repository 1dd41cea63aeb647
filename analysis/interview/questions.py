"""Find what a question asks, by a search among example wordings.

`questions.toml` has the kinds of question that are answered from the record, and words for what is
explained or valued.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.memory import Memory

LONGEST = 2_000  # maximum number of characters of a question
RELEVANT = 0.3  # least share of the words of a question in a wording of its kind (illustrative)
SAME = 0.8  # relevance from which a question is an example in other words (illustrative)
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
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
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
    text = _replace_chinese(question, chinese) if _CHINESE.search(question) else question
    return re.sub(r"[A-Za-z]+", lambda word: english.get(word[0].lower(), word[0]), text)


def _replace_chinese(question: str, chinese: Mapping[str, str]) -> str:
    parts, at = list[str](), 0
    longest = max(map(len, chinese))
    while at < len(question):
        lengths = range(min(longest, len(question) - at), 0, -1)
        length = next((n for n in lengths if question[at : at + n] in chinese), 0)
        word = chinese[question[at : at + length]] if length else question[at]
        parts.append(f" {word} " if length else "" if _CHINESE.match(word) else word)
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
    plain = read_plainly(question)
    shares = _compare(question, texts)
    if plain == question:
        return shares
    return [max(pair) for pair in zip(shares, _compare(plain, texts), strict=True)]


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

    Kinds with less than `_NEAR` of the relevance of the best one are left out. The subjects of a
    scenario, such as the storm, are no part of a kind.
    """
    ranked = _rank_kinds(question)
    if ranked and ranked[0][1] >= SAME:
        return ranked
    rest = _drop_subjects(question)
    return ranked if rest == question else _rank_kinds(rest) or ranked


def _rank_kinds(question: str) -> list[tuple[Kind, float]]:
    kinds = read_kinds()
    shares = iter(compute_relevance(question, [one for kind in kinds for one in kind.examples]))
    # Of equally relevant examples, the shorter one is nearer to the question.
    ranked = [
        (kind, *max((next(shares), -len(example)) for example in kind.examples)) for kind in kinds
    ]
    least = max(RELEVANT, *(_NEAR * share for _, share, _ in ranked))
    ranked.sort(key=lambda row: row[1:], reverse=True)
    return [(kind, share) for kind, share, _ in ranked if share >= least]


def _drop_subjects(question: str) -> str:
    """Leave out the subjects of a question, such as the storm, unless nothing else is left."""
    plain = read_plainly(question)
    rest = plain
    for subject in _read()["subjects"]:
        rest = re.sub(
            rf"(?i)\b(?:about |of |for |in |during |than |before |after )?(?:the |a )?{subject}\b",
            " ",
            rest,
        )
    return question if rest == plain else rest


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


def read_announcers() -> tuple[str, ...]:
    """Read the beginnings of memories of news that reach everybody."""
    return tuple(_read()["announced"])


def read_suggestions(population: str) -> Sequence[str]:
    """Read questions that agents of a population may suggest."""
    suggestions: Mapping[str, Sequence[str]] = _read()["suggested"]
    return suggestions.get(population, suggestions["citizen"])


def asks_what_if(question: str) -> bool:
    """Check whether a question asks what would be in another case."""
    return _has_any(question, _read()["what_if"])


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
