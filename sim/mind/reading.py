"""What an answer must look like, and reading what a model wrote."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from memopolis.sim.memory.streams.emotion import EMOTIONS, emotion_number
from memopolis.sim.mind.mind import Question

FEELINGS = ("sadness", "joy", "fear", "disgust", "anger", "surprise")
"""Feelings in the order of `Answer.intensities`, each from 0 to 10."""

LONGEST = 20_000
"""Most characters of an answer that are read."""

MOST_TEXT = 500
"""Most characters of a text or a reason that are kept."""


class Unreadable(Exception):  # noqa: N818 - caught where it is raised, never seen by a user
    """An answer that does not fit its schema; says why, in the engine's own words."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One answer, read and within its ranges.

    Attributes:
        value: Rating or number of the option; NaN for a text.
        text: The text, without braces; None where none was asked for.
        emotion: Number of the emotion word, 0 for none.
        intensities: The six feelings, NaN where not said.
        reason: Why, in the model's words.
    """

    value: float = math.nan
    text: str | None = None
    emotion: int = 0
    intensities: tuple[float, ...] = (math.nan,) * len(FEELINGS)
    reason: str = ""


def feels(question: Question) -> bool:
    """Whether an answer names an emotion and its intensities: a thought does."""
    return question.form == "text" and question.kind == "thought"


def schema_of(question: Question, place: int = 0) -> dict[str, Any]:
    """JSON schema of the answer of one agent.

    Args:
        question: What is asked.
        place: Whose answer, by place in the cohort: options may differ.
    """
    text = {"type": "string"}
    if question.form == "rating":
        rating = {"type": "number", "minimum": question.low, "maximum": question.high}
        return _object({"reason": text, "rating": rating})
    if question.form == "choice":
        return _object({"reason": text, "choice": {"enum": list(options_of(question, place))}})
    if not feels(question):
        return _object({"text": text})
    level = {"type": "number", "minimum": 0, "maximum": 10}
    intensities = _object(dict.fromkeys(FEELINGS, level))
    emotion = {"enum": list(EMOTIONS)}
    return _object({"text": text, "emotion": emotion, "intensities": intensities})


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def options_of(question: Question, place: int) -> tuple[str, ...]:
    """Options one agent has: all, or those that `known["possible"]` says it may choose."""
    possible = question.known.get("possible")
    if possible is None:
        return question.options
    return tuple(question.options[at] for at in np.flatnonzero(possible[place]))


def json_of(text: str) -> Any:
    """The JSON value in what a model wrote, also within prose, or with small mistakes.

    Raises:
        Unreadable: If there is none, or it breaks off: half a number is another number.
    """
    if len(text) > LONGEST:
        raise Unreadable(f"it has more than {LONGEST} characters")
    first, last = text.find("{"), text.rfind("}")
    if first < 0 or last < first:
        raise Unreadable("it holds no whole JSON object")
    try:
        return json.loads(text[first : last + 1])
    except (ValueError, RecursionError):
        return _repaired(text[first : last + 1])


def _repaired(text: str) -> Any:
    decoder = json.JSONDecoder()
    for start in [at for at, mark in enumerate(text) if mark == "{"][:20]:
        try:  # several objects, or braces in the prose around one
            return decoder.raw_decode(text, start)[0]
        except (ValueError, RecursionError):
            continue
    from json_repair import repair_json

    try:
        return repair_json(text, return_objects=True, skip_json_loads=True)
    except (ValueError, RecursionError):
        raise Unreadable("it is no JSON") from None


def _number(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("must be a number")  # noqa: TRY004 - pydantic wants a ValueError
    return value


def _word(value: object) -> object:
    return value.strip() if isinstance(value, str) else value


def _plain(value: object) -> object:
    """A text that can be kept: encodable, without control characters, not too long."""
    if not isinstance(value, str):
        return value
    encodable = value[: 4 * MOST_TEXT].encode("utf-8", "replace").decode()
    seen = "".join(mark if mark.isprintable() else " " for mark in encodable)
    return " ".join(seen.split())[:MOST_TEXT]


_Number = Annotated[float, BeforeValidator(_number)]
_Word = Annotated[str, BeforeValidator(_word)]
_Text = Annotated[str, BeforeValidator(_plain)]


class _Said(BaseModel):
    model_config = ConfigDict(allow_inf_nan=False)

    reason: _Text = ""


class _Rated(_Said):
    rating: _Number


class _Chosen(_Said):
    choice: _Word


class _Written(_Said):
    text: _Text


class _Felt(_Written):
    emotion: _Word
    intensities: dict[str, _Number] = {}


def read_one(question: Question, data: object, place: int = 0) -> Reading:
    """Read the answer of one agent.

    Numbers out of range are clamped. Braces go out of texts: what a model wrote is never a
    template to be filled in.

    Args:
        question: What was asked.
        data: The answer as JSON gave it.
        place: Whose answer, by place in the cohort.

    Raises:
        Unreadable: If it does not fit the schema.
    """
    if not isinstance(data, Mapping):
        raise Unreadable("it is no JSON object")
    _check_own(question, data, place)
    try:
        return _read(question, data, place)
    except ValidationError as error:
        faults = {".".join(map(str, fault["loc"])): fault["type"] for fault in error.errors()}
        wrong = ", ".join(f"{name} ({kind})" for name, kind in faults.items() if name in _NAMES)
        raise Unreadable(f"these are missing or of a wrong type: {wrong or 'fields'}") from None


_NAMES = {"reason", "rating", "choice", "text", "emotion", "intensities"} | {
    f"intensities.{name}" for name in FEELINGS
}


def _check_own(question: Question, data: Mapping[str, Any], place: int) -> None:
    """Refuse an answer that names another agent."""
    own = int(question.cohort.ids[place])
    if "agent" in data and str(data["agent"]).strip() != str(own):
        raise Unreadable("it is the answer of another agent")


def _read(question: Question, data: Mapping[str, Any], place: int) -> Reading:
    if question.form == "rating":
        rated = _Rated.model_validate(data)
        value = min(max(rated.rating, question.low), question.high)
        return Reading(value, reason=unbraced(rated.reason))
    if question.form == "choice":
        chosen = _Chosen.model_validate(data)
        number = _option(question, chosen.choice, place)
        return Reading(number, reason=unbraced(chosen.reason))
    parsed = _Felt.model_validate(data) if feels(question) else _Written.model_validate(data)
    if not parsed.text:
        raise Unreadable("the text is empty")
    if not isinstance(parsed, _Felt):
        return Reading(text=unbraced(parsed.text), reason=unbraced(parsed.reason))
    levels = (parsed.intensities.get(name, math.nan) for name in FEELINGS)
    return Reading(
        text=unbraced(parsed.text),
        emotion=_emotion(parsed.emotion),
        intensities=tuple(min(max(level, 0.0), 10.0) for level in levels),
        reason=unbraced(parsed.reason),
    )


def _option(question: Question, choice: str, place: int) -> int:
    for option in options_of(question, place):
        if option.casefold() == choice.casefold():
            return question.options.index(option)
    raise Unreadable("the choice is none of the options")


def _emotion(word: str) -> int:
    if word.capitalize() not in EMOTIONS:
        raise Unreadable("the emotion is none of the 21 words")
    return emotion_number(word.capitalize())


def unbraced(text: str) -> str:
    """A text without braces, so that nothing in it is filled in when it is written out."""
    return text.replace("{", "(").replace("}", ")")
