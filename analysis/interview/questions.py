"""Find what a question asks, by a search among example wordings.

`questions.toml` has the kinds of question that are answered from the record, and words for what is
explained or valued.
"""

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


def compute_relevance(question: str, texts: Sequence[str]) -> list[float]:
    """Return the share of the informative words of a question in each text, 0..1.

    It is 1 only for a text of the same words, common ones included.
    """
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

    Kinds with less than `_NEAR` of the relevance of the best one are left out.
    """
    kinds = read_kinds()
    shares = iter(
        compute_relevance(question, [example for kind in kinds for example in kind.examples])
    )
    ranked = [(kind, max(next(shares) for _ in kind.examples)) for kind in kinds]
    least = max(RELEVANT, *(_NEAR * share for _, share in ranked))
    return sorted((pair for pair in ranked if pair[1] >= least), key=lambda pair: -pair[1])


def asks_why(question: str) -> bool:
    """Check whether a question asks for the reason of a decision."""
    return any(word in question.casefold() for word in _read()["why"])


def asked_actions(question: str) -> list[Action]:
    """Return the actions that a question names, the most relevant first; "not" reverses them."""
    table = {
        Action(kind, what): words
        for kind, choices in _read()["decisions"].items()
        for what, words in choices.items()
    }
    shares = dict(zip(table, compute_relevance(question, [*table.values()]), strict=True))
    least = max(_LEAST, _NEAR * max(shares.values()))
    actions = [
        action
        for action in sorted(table, key=lambda action: -shares[action])
        if shares[action] >= least
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


def read_suggestions(population: str) -> Sequence[str]:
    """Read questions that agents of a population may suggest."""
    suggestions: Mapping[str, Sequence[str]] = _read()["suggested"]
    return suggestions.get(population, suggestions["citizen"])


def asks_opinion(question: str) -> bool:
    """Check whether a question asks for an opinion."""
    return any(word in question.casefold() for word in _read()["opinion"])


@cache
def read_kinds() -> tuple[Kind, ...]:
    """Read the kinds of question of the table, in its order."""
    return tuple(Kind(**row) for row in _read()["kind"])


@cache
def _read() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("questions.toml").read_text(encoding="utf-8"))
