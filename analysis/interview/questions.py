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
from memopolis.sim.errors import ParameterError

LONGEST = 2_000  # maximum number of characters of a question

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


def check_question(question: str) -> None:
    """Raise a ParameterError if a question is empty or has more than `LONGEST` characters."""
    if not question.strip():
        raise ParameterError("the question is empty; give at least one word")
    if len(question) > LONGEST:
        raise ParameterError(
            f"the question has {len(question):,} characters; at most {LONGEST:,} are allowed: "
            "shorten it"
        )


def asks_why(question: str) -> bool:
    """Check whether a question asks for the reason of a decision."""
    return bool(_find("why", question))


def asks_about_people(question: str) -> bool:
    """Check whether a question asks which people an agent knows."""
    return bool(_find("people", question))


def opinion_subject(question: str) -> str:
    """Return what a question asks an opinion of, "" if it asks for none."""
    match = _find("opinion", question)
    return "" if match is None else match["subject"].strip(" ?!.")


def _find(subject: str, question: str) -> re.Match[str] | None:
    """Find the words by which a question asks for reasons, people or an opinion."""
    pattern = "|".join(_read()["words"][subject])
    tail = "(?P<subject>.*)" if subject == "opinion" else ""
    return re.search(rf"\b(?:{pattern})\b{tail}", question, re.IGNORECASE | re.DOTALL)


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
            re.compile(row["ask"], re.IGNORECASE | re.DOTALL),
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
