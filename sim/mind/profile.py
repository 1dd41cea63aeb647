"""Describe agents by the attributes that their class declares for prompts, without empty ones.

The attribute `portrait` of an agent class lists these attributes. Values without information are
left out: an empty text, "none", an amount of 0, and a zone in a society without zones.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from memopolis.sim.memory.status.schema import REFERENCES

if TYPE_CHECKING:
    from memopolis.sim.memory.memory import Memory
    from memopolis.sim.memory.status.schema import Attribute
    from memopolis.sim.mind.mind import Question

KEYS: Mapping[str, str] = {
    "home": "residence",
    "place": "current_place",
    "household": "lives_with",
    "income": "household_income",
    "skill": "hourly_wage",
    "wage": "hourly_wage",
    "pid": "party_identification",
    "labour": "labour_market_status",
    "hours": "hours_of_work",
    "eligible": "covered_by_basic_income",
}
"""Names in prompts of attributes whose own name is not clear."""

AMOUNTS: Mapping[str, tuple[float, str]] = {
    "USD/year": (1, "USD a year"),
    "USD/h": (1, "USD an hour"),
    "cents": (0.01, "USD"),
    "h/week": (1, "hours a week"),
}
"""Factor and name of each unit of amounts; amounts of 0 are left out."""

NEUTRAL = 5.0  # intensity of an emotion of a calm agent, from 0 to 10
CALM = 0.5  # largest distance from `NEUTRAL` that is not reported (choice)

_DIGITS = 4
_MOST_NAMES = 8
_HOURS = ((6, "night"), (12, "morning"), (18, "afternoon"), (22, "evening"), (24, "night"))


def attribute_names(question: "Question", *, needs: bool = False) -> list[str]:
    """Return the attributes that prompts to these agents contain: the needs, or all others."""
    declared = question.cohort.population.attributes
    named = question.cohort.population.agent_class.portrait
    return [name for name in named if name in declared and needs == (declared[name].role == "need")]


def describe_profiles(question: "Question") -> list[dict[str, Any]]:
    """Describe each agent by its attributes, shape (agents,), without empty ones."""
    population = question.cohort.population
    is_person = "gender" in population.attributes
    kind = {} if is_person else {"kind": population.name.replace("_", " ")}
    profiles: list[dict[str, Any]] = [dict(kind) for _ in range(len(question.cohort))]
    for name in attribute_names(question):
        key = KEYS.get(name, name)
        for profile, value in zip(profiles, _values(question, name), strict=True):
            if value is not None:
                profile[key] = value
    return profiles


def describe_needs(question: "Question") -> list[dict[str, float]]:
    """Return the satisfaction of the needs of each agent, from 0 to 1."""
    cohort, names = question.cohort, attribute_names(question, needs=True)
    values = {name: cohort[name] for name in names}
    return [
        {name: round(float(values[name][at]), 2) for name in names} for at in range(len(cohort))
    ]


def select_feelings(feelings: Mapping[str, float]) -> Mapping[str, float] | str:
    """Return the feelings that differ from a calm state; "calm" if none does, {} without any."""
    felt = {name: value for name, value in feelings.items() if abs(value - NEUTRAL) > CALM}
    return felt or ("calm" if feelings else {})


def describe_value(attribute: "Attribute", value: Any, zone_name: Callable[[int], str]) -> Any:
    """Return a value, a text in place of its number, for a prompt; None without information."""
    if value is None or (isinstance(value, float | np.floating) and np.isnan(value)):
        return None
    if attribute.role in {"zone", "current zone"}:
        if value < 0:
            return "away from the region" if attribute.role == "current zone" else None
        return zone_name(int(value)) or None
    if attribute.labels:
        value = attribute.labels[int(value)]
    if isinstance(value, str):
        return value if value not in {"", "none"} else None
    if isinstance(value, bool | np.bool_):
        return bool(value)
    return describe_number(attribute, float(value))


def describe_number(attribute: "Attribute", value: float) -> Any:
    """Return a number with its unit or scale; None for an amount of 0."""
    if attribute.unit in AMOUNTS:
        factor, unit = AMOUNTS[attribute.unit]
        amount = round_amount(value * factor)  # as in 231,200 or 15.37
        digits = ",.10g" if abs(amount) < 1_000 else ",.0f"
        return f"about {amount:{digits}} {unit}" if value else None
    number = round(value, 2) if value % 1 else int(value)
    if not attribute.unit and attribute.low is not None and attribute.high is not None:
        return f"{number} ({attribute.description})"
    return number


def round_amount(value: float) -> float:
    """Round a number to four digits."""
    return float(f"{value:.{_DIGITS}g}")


def zone_names(memory: "Memory") -> Callable[[int], str]:
    """Return a function for names of zones, "" for zones without a name."""

    def name(zone: int) -> str:
        label = memory.place_name(zone)
        return "" if label == f"zone {zone}" else label

    return name


def time_of_day(memory: "Memory", tick: int) -> str:
    """Return morning, afternoon, evening or night; "" if a step is a day or longer."""
    if memory.date_of is None or memory.ticks_per_day <= 1:
        return ""
    hour = memory.date_of(tick).hour
    return next(name for until, name in _HOURS if hour < until)


def _values(question: "Question", name: str) -> Sequence[Any]:
    memory, rows = question.cohort.population.memory, question.cohort.rows
    attribute = memory.status.attributes[name]
    if name == "household":
        return _housemates(question)
    if attribute.role in REFERENCES:
        return _employers(question) if name == "employer" else [None] * len(rows)
    named = zone_names(memory)
    return [describe_value(attribute, one, named) for one in question.cohort[name]]


def _housemates(question: "Question") -> list[Any]:
    """Return the names of the other members of each agent's household, or "alone"."""
    population, rows = question.cohort.population, question.cohort.rows
    house = population["household"]
    present = population["alive"]
    result: list[Any] = []
    for row in rows.tolist():
        members = np.flatnonzero((house == house[row]) & present)
        others = [population.memory.name_of(int(population.ids[m])) for m in members if m != row]
        more = [f"{len(others) - _MOST_NAMES} more"] if len(others) > _MOST_NAMES else []
        result.append([*others[:_MOST_NAMES], *more] or "alone")
    return result


def _employers(question: "Question") -> list[Any]:
    """Return the name of each agent's firm."""
    population, rows = question.cohort.population, question.cohort.rows
    firms = next((p for p in population.society.populations if p.name == "firm"), None)
    employer = population["employer"][rows].tolist()
    if firms is None:
        return [None] * len(rows)
    ids, named = firms.ids, population.memory.name_of
    return [named(int(ids[one])) or f"firm {ids[one]}" if one >= 0 else None for one in employer]
