"""Define the JSON schemas of answers, and check answers against them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from memopolis.sim.memory.streams.encoding import EMOTIONS, emotion_number
from memopolis.sim.mind.mind import MOST_STEPS, Question

FEELINGS = ("sadness", "joy", "fear", "disgust", "anger", "surprise")
"""Feelings in the order of `Answer.intensities`, each from 0 to 10."""

MOST_TEXT = 500  # maximum number of characters stored of a text or a reason


class Unreadable(Exception):  # noqa: N818 - caught where it is raised, never seen by a user
    """An answer does not fit its schema.

    The message does not quote the model. It is sent back in the request for repair, so changing it
    makes recorded cassettes unusable.
    """


@dataclass(frozen=True, slots=True)
class Reading:
    """A valid answer."""

    value: float = math.nan  # rating or number of the option; NaN for a text
    text: str | None = None  # the text, without braces; None if the question has no text
    emotion: int = 0  # number of the emotion word, 0 for none
    # The six feelings, NaN for missing ones
    intensities: tuple[float, ...] = (math.nan,) * len(FEELINGS)
    reason: str = ""  # reason in the words of the model
    # Number of the option, number of the place, and whole hours of each step
    steps: tuple[tuple[int, int, int], ...] = ()


def has_emotion(question: Question) -> bool:
    """Whether answers contain an emotion and intensities, as for thoughts."""
    return question.form == "text" and question.kind == "thought"


def schema_of(question: Question, place: int = 0) -> dict[str, Any]:
    """Return the JSON schema of the answer of the agent at a position in the cohort."""
    text = {"type": "string"}
    if question.form == "rating":
        rating = {"type": "number", "minimum": question.low, "maximum": question.high}
        return _object({"reason": text, "rating": rating})
    if question.form == "choice":
        return _object(
            {"reason": text, "choice": {"enum": list(possible_options(question, place))}}
        )
    if question.form == "steps":
        return _object({"reason": text, "steps": _schema_of_steps(question, place)})
    if not has_emotion(question):
        return _object({"text": text})
    level = {"type": "number", "minimum": 0, "maximum": 10}
    intensities = _object(dict.fromkeys(FEELINGS, level))
    emotion = {"enum": list(EMOTIONS)}
    return _object({"text": text, "emotion": emotion, "intensities": intensities})


def _schema_of_steps(question: Question, place: int) -> dict[str, Any]:
    hours = {"type": "integer", "minimum": int(question.low), "maximum": int(question.high)}
    step = _object(
        {
            "what": {"enum": list(possible_options(question, place))},
            "where": {"enum": list(question.places)},
            "hours": hours,
        }
    )
    return {"type": "array", "items": step, "minItems": 1, "maxItems": MOST_STEPS}


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def possible_options(question: Question, place: int) -> tuple[str, ...]:
    """Return the options of one agent: all, or those marked in `known["possible"]`."""
    possible = question.known.get("possible")
    if possible is None:
        return question.options
    return tuple(question.options[at] for at in np.flatnonzero(possible[place]))


def _number(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("must be a number")  # noqa: TRY004 - pydantic wants a ValueError
    return value


def _word(value: object) -> object:
    return value.strip() if isinstance(value, str) else value


def _plain(value: object) -> object:
    """Return a text that can be stored: encodable, without control characters, not too long."""
    if not isinstance(value, str):
        return value
    encodable = value[: 4 * MOST_TEXT].encode("utf-8", "replace").decode()
    seen = "".join(mark if mark.isprintable() else " " for mark in encodable)
    return " ".join(seen.split())[:MOST_TEXT]


_Number = Annotated[float, BeforeValidator(_number)]
_Word = Annotated[str, BeforeValidator(_word)]
_Text = Annotated[str, BeforeValidator(_plain)]


class _Reasoned(BaseModel):
    model_config = ConfigDict(allow_inf_nan=False)

    reason: _Text = ""


class _Rated(_Reasoned):
    rating: _Number


class _Chosen(_Reasoned):
    choice: _Word


class _Planned(_Reasoned):
    steps: list[Any]


class _Step(BaseModel):
    model_config = ConfigDict(allow_inf_nan=False)

    what: _Word
    where: _Word
    hours: _Number


class _Written(_Reasoned):
    text: _Text


class _Felt(_Written):
    emotion: _Word
    intensities: dict[str, _Number] = {}


def read_one(question: Question, data: object, place: int = 0) -> Reading:
    """Read the answer of the agent at a position in the cohort, from parsed JSON.

    Numbers out of range are clamped. Braces are removed from texts, so that a text of a model is
    never used as a template. Raises Unreadable if it does not fit the schema.
    """
    if not isinstance(data, Mapping):
        raise Unreadable("it is no JSON object")
    own = int(question.cohort.ids[place])
    if "agent" in data and str(data["agent"]).strip() != str(own):
        raise Unreadable("it is the answer of another agent")
    try:
        return _read(question, data, place)
    except ValidationError as error:
        faults = {".".join(map(str, fault["loc"])): fault["type"] for fault in error.errors()}
        wrong = ", ".join(f"{name} ({kind})" for name, kind in faults.items() if name in _NAMES)
        raise Unreadable(f"these are missing or of a wrong type: {wrong or 'fields'}") from None


_NAMES = {"reason", "rating", "choice", "text", "emotion", "intensities", "steps"} | {
    f"intensities.{name}" for name in FEELINGS
}


def _read(question: Question, data: Mapping[str, Any], place: int) -> Reading:
    if question.form == "rating":
        rated = _Rated.model_validate(data)
        value = min(max(rated.rating, question.low), question.high)
        return Reading(value, reason=remove_braces(rated.reason))
    if question.form == "choice":
        chosen = _Chosen.model_validate(data)
        number = _option(question, chosen.choice, place)
        return Reading(number, reason=remove_braces(chosen.reason))
    if question.form == "steps":
        return _read_steps(question, _Planned.model_validate(data), place)
    parsed = _Felt.model_validate(data) if has_emotion(question) else _Written.model_validate(data)
    if not parsed.text:
        raise Unreadable("the text is empty")
    if not isinstance(parsed, _Felt):
        return Reading(text=remove_braces(parsed.text), reason=remove_braces(parsed.reason))
    word = parsed.emotion.capitalize()
    if word not in EMOTIONS:
        raise Unreadable("the emotion is none of the 21 words")
    levels = (parsed.intensities.get(name, math.nan) for name in FEELINGS)
    return Reading(
        text=remove_braces(parsed.text),
        emotion=emotion_number(word),
        intensities=tuple(min(max(level, 0.0), 10.0) for level in levels),
        reason=remove_braces(parsed.reason),
    )


def _read_steps(question: Question, planned: _Planned, place: int) -> Reading:
    """Read a list of steps; invalid steps, and those after the last allowed one, are left out."""
    steps = [one for step in planned.steps if (one := _read_step(question, step, place))]
    steps = steps[:MOST_STEPS]
    if not steps:
        raise Unreadable("none of the steps is valid")
    reason = remove_braces(planned.reason)
    left_out = len(planned.steps) - len(steps)
    if left_out:
        reason = f"{reason} (invalid steps left out: {left_out})".strip()
    return Reading(steps[0][0], reason=reason, steps=tuple(steps))


def _read_step(question: Question, data: object, place: int) -> tuple[int, int, int] | None:
    try:
        step = _Step.model_validate(data)
        what = _option(question, step.what, place)
    except (ValidationError, Unreadable):
        return None
    where = [one.casefold() for one in question.places]
    if step.where.casefold() not in where:
        return None
    hours = round(min(max(step.hours, question.low), question.high))
    return what, where.index(step.where.casefold()), hours


def _option(question: Question, choice: str, place: int) -> int:
    for option in possible_options(question, place):
        if option.casefold() == choice.casefold():
            return question.options.index(option)
    raise Unreadable("the choice is none of the options")


def remove_braces(text: str) -> str:
    """Replace braces by parentheses, so that a text is never used as a template."""
    return text.replace("{", "(").replace("}", ")")
