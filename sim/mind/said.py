"""What a model says for a group: several answers at once, or one with its spread."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.mind.mind import Question
from memopolis.sim.mind.reading import Reading, Unreadable, read_one, schema_of


@dataclass(frozen=True, slots=True)
class Said:
    """Answers of a group.

    Attributes:
        readings: The answers, at least one.
        spread: Standard deviation of ratings around a single answer, >= 0.
    """

    readings: tuple[Reading, ...]
    spread: float = 0.0

    def drawn(
        self, question: Question, u: float, z: float, possible: NDArray[np.bool_] | None = None
    ) -> Reading | None:
        """The answer of one member.

        Args:
            question: What was asked.
            u: Its draw from [0, 1), which chooses among the answers.
            z: Its draw from the standard normal distribution, for the spread.
            possible: Which options it has, shape (options,); None for all.

        Returns:
            One of the answers: the next that is possible; None if none is.
        """
        first = int(u * len(self.readings))
        for reading in (*self.readings[first:], *self.readings[:first]):
            if possible is None or possible[int(reading.value)]:
                return self._spread_out(question, reading, z)
        return None

    def _spread_out(self, question: Question, reading: Reading, z: float) -> Reading:
        if not self.spread:
            return reading
        value = reading.value + self.spread * z
        return replace(reading, value=min(max(value, question.low), question.high))


def several_schema(one: Question, answers: int) -> dict[str, Any]:
    """JSON schema of what a model says for a group.

    Args:
        one: The question as put to one of the group, with the options that any of them has.
        answers: How many answers are wanted; of 1 a rating comes with its spread.
    """
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


def read_several(one: Question, data: object) -> Said:
    """Read what a model says for a group.

    Args:
        one: As in `several_schema`.
        data: The answer as JSON gave it. Of several answers those that do not fit are left
            out.

    Raises:
        Unreadable: If no answer fits the schema.
    """
    if isinstance(data, Mapping) and isinstance(data.get("answers"), list):
        return Said(_those_that_fit(one, data["answers"]))
    spread = data.get("spread") if isinstance(data, Mapping) else None
    return Said((read_one(one, data),), _width(one, spread))


def _those_that_fit(one: Question, answers: list[Any]) -> tuple[Reading, ...]:
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


def _width(one: Question, spread: object) -> float:
    """A spread within the scale; 0 where there is none."""
    if isinstance(spread, bool) or not isinstance(spread, int | float) or math.isnan(spread):
        return 0.0
    return min(max(float(spread), 0.0), one.high - one.low) if one.form == "rating" else 0.0
