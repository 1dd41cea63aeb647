"""Describe a group of agents as one person, and read the answers of a model for the group."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.status.schema import REFERENCES
from memopolis.sim.mind.mind import Question
from memopolis.sim.mind.person import Person, format_date
from memopolis.sim.mind.profile import (
    AMOUNTS,
    KEYS,
    attribute_names,
    select_feelings,
    time_of_day,
    zone_names,
)
from memopolis.sim.mind.reading import Reading, Unreadable, read_one, schema_of

if TYPE_CHECKING:
    from collections.abc import Sequence


MOST_MEMORIES = 20  # maximum number of memories in a portrait
SHARED = 0.05
"""Share of a group, at least two agents, that must have recalled a memory to include it."""
_MOST_VALUES = 3
_OF_ONE = ("name", "household")
_PLACES = ("zone", "current zone")
_BLANKS = (("{actor}", "someone"), ("{place}", "a place nearby"), ("{evidence}", ""))


def portrait(question: Question, texts: NDArray[np.int32]) -> Person:
    """Describe a group of agents as one person without a name, with texts of `shared_texts`."""
    memory = question.cohort.population.memory
    words = _usual_values(question, "emotion_word")
    needs = attribute_names(question, needs=True)
    return Person(
        agent=int(question.cohort.ids[0]),
        profile=_profile(question),
        feelings=select_feelings(_means(question, "emotion")),
        emotion=words[0][0] if words else "",
        thought="",
        attitudes=_means(question, "attitude"),
        known={name: _middle(v) for name, v in question.known.items() if v.ndim == 1},
        recalled=[_filled(memory.texts[number]) for number in texts.tolist()],
        context={},
        now=format_date(memory, question.tick),
        needs={name: _middle(_present(question, name)) for name in needs},
        time_of_day=time_of_day(memory, question.tick),
    )


def shared_texts(question: Question) -> NDArray[np.int32]:
    """Return the numbers of texts that several agents of a group recalled, the most frequent first.

    They are as many as an agent recalled on average, at most `MOST_MEMORIES`. Each occurs in
    proportion to how often it was recalled, so that one may occur twice and rare ones not at all.
    Each was recalled by at least two agents and by the share `SHARED` of the group.
    """
    if not question.recalled.shape[1]:
        return np.empty(0, np.int32)
    each = np.sort(texts_recalled(question), axis=1)
    # An agent counts once for a text that it recalled several times.
    first = np.ones(each.shape, np.bool_)
    first[:, 1:] = each[:, 1:] != each[:, :-1]
    texts, people = np.unique(each[first & (each >= 0)], return_counts=True)
    times = np.unique(each[each >= 0], return_counts=True)[1]
    enough = people >= max(2, SHARED * len(each))
    order = np.argsort(-times[enough], kind="stable")
    return repeat_in_proportion(texts[enough][order], times[enough][order] / len(each))


def repeat_in_proportion(
    texts: NDArray[np.integer], often: NDArray[np.float64]
) -> NDArray[np.int32]:
    """Repeat numbers in proportion to their mean frequencies per agent, in the same order.

    The sum of the frequencies is divided into intervals of length 1, or into `MOST_MEMORIES`
    intervals if it is larger; each interval gives the number at its middle.
    """
    ends = np.cumsum(often)
    if not len(ends):
        return np.empty(0, np.int32)
    count = min(MOST_MEMORIES, max(1, round(float(ends[-1]))))
    middles = (np.arange(count) + 0.5) * (ends[-1] / count)
    places = np.searchsorted(ends, middles, side="right")
    return np.asarray(texts[np.minimum(places, len(texts) - 1)], np.int32)


def texts_recalled(question: Question) -> NDArray[np.int32]:
    """Return the number of the text of each recalled memory, -1 for none, shape (agents, k)."""
    stream = question.cohort.population.memory.observed.of(question.cohort.rows).stream
    return np.asarray(stream.column("text", question.recalled), np.int32)


def _filled(template: str) -> str:
    for blank, words in _BLANKS:
        template = template.replace(blank, words)
    return template.strip()


def _profile(question: Question) -> dict[str, str]:
    attributes = question.cohort.population.attributes
    lines: dict[str, str] = {}
    for name in attribute_names(question):
        attribute = attributes[name]
        if name in _OF_ONE or attribute.role in REFERENCES:
            continue
        values = _usual_values(question, name)
        numbers = _present(question, name)
        if values is not None:
            known = [value for value in values if value[0] != "none" or len(values) > 1]
            shown = (f"{value} {share:.0%}" if share < 1 else value for value, share in known)
            lines[KEYS.get(name, name)] = ", ".join(shown)
        elif numbers.dtype.kind in "biuf" and (
            numbers.any() or (len(numbers) and attribute.unit not in AMOUNTS)
        ):
            factor, unit = AMOUNTS.get(attribute.unit, (1, ""))
            lines[KEYS.get(name, name)] = f"{_spread(numbers * factor)} {unit}".strip()
    return {name: words for name, words in lines.items() if words}


def _usual_values(question: Question, name: str) -> list[tuple[str, float]] | None:
    """Return the most frequent values of an attribute with labels, and their shares."""
    memory = question.cohort.population.memory
    attribute = memory.status.attributes.get(name)
    if attribute is None:
        return None
    labels: Sequence[str] = attribute.labels
    if attribute.kind == "text":
        labels = memory.status.labels
    elif not labels and attribute.role not in _PLACES:
        return None
    codes = _present(question, name)
    values, counts = np.unique(codes, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:_MOST_VALUES]
    named = zone_names(memory) if attribute.role in _PLACES else labels.__getitem__
    usual = [(named(int(values[at])), float(counts[at] / len(codes))) for at in order]
    return [(text, share) for text, share in usual if text]


def _present(question: Question, name: str) -> NDArray[Any]:
    """Return the values of an attribute of the agents that have it."""
    status, rows = question.cohort.population.memory.status, question.cohort.rows
    present = status.presence(name)
    return status.encoded(name)[rows if present is None else rows[present[rows]]]


def _spread(values: NDArray[Any]) -> str:
    """Describe numbers by their median, and the range of the middle 80 percent."""
    low, middle, high = (float(value) for value in np.quantile(values, (0.1, 0.5, 0.9)))
    if low == high:
        return _number(middle)
    return f"{_number(middle)}, most from {_number(low)} to {_number(high)}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.4g}"


def _means(question: Question, struct: str) -> dict[str, float]:
    status = question.cohort.population.memory.status
    if struct in status.attributes or struct not in status:
        return {}
    rows = {name: _present(question, name) for name in status.fields(struct)}
    # Small children have no feelings and attitudes.
    known = {name: values[~np.isnan(values)] for name, values in rows.items()}
    return {name.partition(".")[2]: _middle(one) for name, one in known.items() if len(one)}


def _middle(values: NDArray[Any]) -> Any:
    """Return the mean of floats and bools, or the most frequent value of other types."""
    if values.dtype.kind in "fb":
        return round(float(np.mean(values, dtype=np.float64)), 2)
    several, counts = np.unique(values, return_counts=True)
    value = several[counts.argmax()]
    return value.item() if isinstance(value, np.generic) else value


# Answers of a model for a group: several at once, or one with its spread.


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
