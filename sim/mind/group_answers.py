"""Answers of a model for a group: several at once, or one with its spread."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.mind.mind import Question
from memopolis.sim.mind.reading import Reading, Unreadable, read_one, schema_of


@dataclass(frozen=True, slots=True)
class GroupAnswers:
    """Answers of a group."""

    readings: tuple[Reading, ...]  # the answers, at least one
    spread: float = 0.0  # standard deviation of ratings around a single answer, >= 0

    def draw(
        self, question: Question, u: float, z: float, possible: NDArray[np.bool_] | None = None
    ) -> Reading | None:
        """Draw the answer of one member, or the next one that is possible; None if none is.

        The uniform draw `u`, in [0, 1), selects the answer; the standard normal draw `z` is for the
        spread. `possible` are the options of the member, shape (options,); None for all.
        """
        first = int(u * len(self.readings))
        for reading in (*self.readings[first:], *self.readings[:first]):
            if possible is None or possible[int(reading.value)]:
                value = reading.value + self.spread * z
                value = min(max(value, question.low), question.high)
                return replace(reading, value=value) if self.spread else reading
        return None


def group_schema(one: Question, answers: int) -> dict[str, Any]:
    """Return the JSON schema of a number of answers for a group; one rating has a spread."""
    schema = schema_of(one)
    if answers > 1:
        several = {"type": "array", "items": schema, "minItems": answers, "maxItems": answers}
        return {
            "type": "object",
            "properties": {"answers": several},
            "required": ["answers"],
            "additionalProperties": False,
        }
    if one.form == "rating":
        spread = {"type": "number", "minimum": 0, "maximum": one.high - one.low}
        schema["properties"]["spread"] = spread
        schema["required"].append("spread")
    return schema


def read_group_answers(one: Question, data: object) -> GroupAnswers:
    """Read the answers of a model for a group; Unreadable if none is valid."""
    if isinstance(data, Mapping) and isinstance(data.get("answers"), list):
        return GroupAnswers(_read_valid(one, data["answers"]))
    reading = read_one(one, data)
    spread = data.get("spread") if isinstance(data, Mapping) and one.form == "rating" else None
    if isinstance(spread, bool) or not isinstance(spread, int | float) or math.isnan(spread):
        return GroupAnswers((reading,))
    return GroupAnswers((reading,), min(max(float(spread), 0.0), one.high - one.low))


def _read_valid(one: Question, answers: list[Any]) -> tuple[Reading, ...]:
    readings = []
    fault = Unreadable("the list of answers is empty")
    for answer in answers:
        try:
            readings.append(read_one(one, answer))
        except Unreadable as unreadable:
            fault = unreadable
    if not readings:
        raise fault
    return tuple(readings)
