"""Recognise what a question asks, by its words and by the rows of a table.

`questions.toml` has the questions that are answered from the record, and the actions to explain.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from memopolis.analysis.interview.wording import split

_WHY = re.compile(r"\b(why|how come|what made|what led|for what reason|reasons?)\b", re.IGNORECASE)
_PEOPLE = re.compile(
    r"\b(friends?|who (do|did) you (know|trust|talk|meet)|who (are|is|were) (you )?(close|closest)"
    r"|closest to you|colleagues?|acquaintances?)\b",
    re.IGNORECASE,
)
_OPINION = re.compile(
    r"\b(?:(?:what|how) do you (?:think|feel) (?:of|about)|what is your (?:opinion|view|attitude)"
    r" (?:of|on|about|to|towards?)|your (?:opinion|view|views|attitude) (?:of|on|about|to|towards?)"
    r"|do you (?:support|oppose|trust|favou?r|like))\b(?P<subject>.*)",
    re.IGNORECASE | re.DOTALL,
)

LEAVE, STAY = "leave", "stay"
POST, SILENT = "post", "stay silent"
_NEGATIONS = frozenset({"not", "didn", "never", "don", "didnt", "dont"})
_OPPOSITES = {LEAVE: STAY, STAY: LEAVE, "closed": "open", "open": "closed", POST: SILENT}


@dataclass(frozen=True)
class Question:
    """A question that can be answered from the record; fields as in the head of the table."""

    about: str  # what can be asked
    ask: re.Pattern[str]  # what a question matches
    of: frozenset[str]  # populations that are asked, empty for any
    say: tuple[Mapping[str, Any], ...]  # parts of the answer
    otherwise: str  # answer if the attributes are recorded, but no part applies
    declines: bool  # whether an agent without an answer says so


@dataclass(frozen=True)
class Action:
    """What an agent is asked to explain."""

    kind: str  # kind of the decision
    what: str  # choice or item of the decision, "" for any
    words: frozenset[str] = frozenset()  # words for what was done


def asks_why(question: str) -> bool:
    """Check whether a question asks for the reason of a decision."""
    return bool(_WHY.search(question))


def asks_about_people(question: str) -> bool:
    """Check whether a question asks which people an agent knows."""
    return bool(_PEOPLE.search(question))


def opinion_subject(question: str) -> str:
    """Return what a question asks an opinion of, "" if it asks for none."""
    match = _OPINION.search(question)
    return "" if match is None else match["subject"].strip(" ?!.")


def asked_actions(question: str) -> list[Action]:
    """Return the actions that a question names, in its order; "not" reverses them."""
    words = split(question)
    named = [one for word in words for one in read_actions() if word in one.words]
    actions = list(dict.fromkeys(named))
    if _NEGATIONS.isdisjoint(words):
        return actions
    return [replace(one, what=_OPPOSITES.get(one.what, one.what)) for one in actions]


@cache
def read_questions() -> tuple[Question, ...]:
    """Read the questions of the table, in its order."""
    return tuple(
        Question(
            row["about"],
            re.compile(row["ask"], re.IGNORECASE),
            frozenset(row.get("of", ())),
            tuple({"text": one} if isinstance(one, str) else one for one in row["say"]),
            row.get("otherwise", ""),
            row.get("decline", False),
        )
        for row in _read()["question"]
    )


@cache
def read_actions() -> tuple[Action, ...]:
    """Read the actions of the table, in its order."""
    return tuple(
        Action(row["kind"], row.get("what", ""), frozenset(row["words"]))
        for row in _read()["action"]
    )


def read_attitude_words() -> Mapping[str, str]:
    """Read words for attitudes, by their names."""
    words: Mapping[str, str] = _read()["attitudes"]
    return words


@cache
def _read() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("questions.toml").read_text(encoding="utf-8"))
