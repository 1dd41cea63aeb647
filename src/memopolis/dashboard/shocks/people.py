"""Select agents by number, by zone or by conditions."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.agents.ages import AGE_OF_REASON
from memopolis.sim.errors import ParameterError, UnknownNameError
from memopolis.sim.population import Cohort
from memopolis.sim.society import Society
from memopolis.sim.timeline import EVERYONE, Message, News, Order, Shock
from memopolis.sim.world.news import audience_of

NAMED = 3  # maximum number of agents that are named
_NUMBERS = re.compile(r"(\d{1,15})(?:\s*-\s*(\d{1,15}))?")
_COMPARED = re.compile(r"([\w.]+)\s*(<=|>=|!=|<|>)\s*(\S+)")
_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "<=": np.less_equal,
    ">=": np.greater_equal,
    "!=": np.not_equal,
    "<": np.less,
    ">": np.greater,
}


@dataclass(frozen=True)
class Selection:
    """The selected agents of a society."""

    ids: tuple[int, ...]  # their unique_ids, without duplicates
    described: str  # number and names, as a text


def select_agents(society: Society[Any], text: str) -> Selection:
    """Select agents by numbers ("3, 5, 20-30"), or people by conditions that all must be met.

    Conditions are "all", the name of a zone they live in, "evacuated=false" or "age>60". Raises
    ParameterError if the text is empty, mixes both, or selects no agent, or UnknownNameError if a
    zone, attribute or number does not exist.
    """
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts:
        raise ParameterError("select citizens: numbers, all, a zone, or key=value")
    numbers = [_NUMBERS.fullmatch(part) for part in parts]
    zones = () if society.place is None else society.place.zones
    if all(number and part not in zones for number, part in zip(numbers, parts, strict=True)):
        ids = _ids_of(society, [match for match in numbers if match])
    else:
        people = society.populations[0].cohort()
        ids = people.where(_mask(people, parts)).ids.tolist()
    if not ids:
        raise ParameterError(f"{text!r} selects no agent at present")
    return Selection(tuple(ids), _describe(society, ids))


def describe_reach(society: Society[Any], shock: Shock) -> str:
    """Describe the number of people a shock is for; "" if it is unknown."""
    if isinstance(shock, Message):
        return f"To {_describe(society, shock.to)}"
    if not society.populations or not isinstance(shock, News | Order):
        return ""
    people = society.populations[0].cohort()
    if isinstance(shock, News):
        masks = [_mask(people, [shock.audience])]
    else:
        zones = () if society.place is None else society.place.zones
        if not set(shock.zones) <= {EVERYONE, *zones}:
            return ""
        masks = [_mask(people, [zone]) for zone in shock.zones]
    mask = np.any(masks, axis=0)
    described = f"For {np.count_nonzero(mask):,} of {len(people):,} people"
    if "age" not in society.populations[0].attributes:
        return described
    young = mask & (people["age"] < AGE_OF_REASON)
    few = np.count_nonzero(young)
    return described + (f", {few:,} of them too young to follow it" if few else "")


def _ids_of(society: Society[Any], match: list[re.Match[str]]) -> list[int]:
    ids: dict[int, None] = {}
    for row in match:
        first, last = int(row[1]), int(row[2] or row[1])
        if last < first:
            raise ParameterError(f"{row[0]} is reversed; give the lower number first")
        # Agents that have left are skipped in a range; asked for alone, they are an error.
        groups = [p.cohort().ids if row[2] else p.ids for p in society.populations]
        known = np.concatenate(groups)
        inside = known[(known >= first) & (known <= last)]
        if not len(inside):
            described = ", ".join(
                f"{p.name} {p.ids[0]} to {p.ids[-1]}" for p in society.populations
            )
            raise UnknownNameError(f"there is no agent {row[0]}; there are {described}")
        ids |= dict.fromkeys(sorted(inside.tolist()))
    return list(ids)


def _mask(people: Cohort, parts: list[str]) -> NDArray[np.bool_]:
    return np.all([_meets(people, part) for part in parts], axis=0)


def _meets(people: Cohort, part: str) -> NDArray[np.bool_]:
    compared = _COMPARED.fullmatch(part)
    if compared:
        return _compared(people, compared)
    return audience_of(people, part)


def _compared(people: Cohort, match: re.Match[str]) -> NDArray[np.bool_]:
    name, sign, typed = match.groups()
    column: Any = people[name]
    if sign == "!=":
        return ~_meets(people, f"{name}={typed}")
    try:
        return np.asarray(_COMPARISONS[sign](column.astype(np.float64), float(typed)))
    except ValueError:
        raise ParameterError(
            f"{match[0]!r} compares numbers, but {name} or {typed!r} is not a number"
        ) from None


def label_agent(society: Society[Any], unique_id: int) -> str:
    """Format the name and number of an agent."""
    name = society.name_of(unique_id)
    if not name:
        name = next(p.name for p in society.populations if p.find(unique_id) is not None)
    return f"{name} ({unique_id})"


def label_agents(society: Society[Any], ids: Sequence[int]) -> str:
    """Format the names and numbers of the first agents, and how many more there are."""
    names = ", ".join(label_agent(society, agent) for agent in ids[:NAMED])
    return f"{names} and {len(ids) - NAMED:,} more" if len(ids) > NAMED else names


def _describe(society: Society[Any], ids: Sequence[int]) -> str:
    count = "1 person" if len(ids) == 1 else f"{len(ids):,} people"
    return f"{count}: {label_agents(society, ids)}"
