"""Read the table of questions that are answered from the record, and of actions to explain."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_TABLE = Path(__file__).with_name("questions.toml")


@dataclass(frozen=True)
class Question:
    """A question that can be answered from the record; fields as in the head of the table.

    Attributes:
        about: What can be asked.
        ask: What a question matches.
        of: Populations that are asked, empty for any.
        say: Parts of the answer.
        otherwise: Answer if the attributes are recorded, but no part applies.
        declines: Whether an agent without an answer says so.
    """

    about: str
    ask: re.Pattern[str]
    of: frozenset[str]
    say: tuple[Mapping[str, Any], ...]
    otherwise: str
    declines: bool


@dataclass(frozen=True)
class Action:
    """What an agent is asked to explain."""

    kind: str  # kind of the decision
    what: str  # choice or item of the decision, "" for any
    words: frozenset[str] = frozenset()  # words for what was done


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
    return tomllib.loads(_TABLE.read_text(encoding="utf-8"))
