"""Check a shock before it is added to an active run.

A shock that a block cannot process would end the run in the middle of a step; one that reaches no
agent would have no effect.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from memopolis.sim.errors import (
    MemopolisError,
    ParameterError,
    SchemaError,
    UnknownNameError,
    did_you_mean,
)
from memopolis.sim.memory.interface import TOPICS
from memopolis.sim.timeline import EVERYONE, Message, News, Order, Plain, Policy, Shock, check_plain
from memopolis.sim.world.news import audience_of

if TYPE_CHECKING:
    from memopolis.sim.population import Population
    from memopolis.sim.society_base import SocietyBase


def check_shock(society: "SocietyBase[Any]", shock: Shock, *, rules: Mapping[str, object]) -> None:
    """Refuse a shock that cannot act in a society, built with some rules; none allow any key."""
    check_plain(shock)
    _check_kept(shock)
    if isinstance(shock, News):
        _check_topic(society, shock.topic)
        _check_audience(society, shock.audience)
    elif isinstance(shock, Order):
        _check_zones(society, shock.zones)
    elif isinstance(shock, Message):
        _check_topic(society, shock.topic)
        _check_people(society, shock)
    elif isinstance(shock, Policy):
        _check_rule(shock, rules)


def _check_kept(shock: Shock) -> None:
    """Refuse a shock that would change when it is written to the manifest and read again."""
    kind = type(shock).__name__
    try:
        written = json.dumps(shock.to_dict(), allow_nan=False)
        for field in fields(shock):
            json.dumps(getattr(shock, field.name), ensure_ascii=False).encode()
        same = Shock.from_dict(json.loads(written)) == shock
    except (ValueError, MemopolisError) as error:
        raise SchemaError(f"such a {kind} cannot be saved: {error}") from None
    if not same:
        raise SchemaError(f"such a {kind} cannot be saved: it is read as another one")


def _check_topic(society: "SocietyBase[Any]", topic: object) -> None:
    if not isinstance(topic, str) or not topic.strip():
        raise ParameterError("the topic of a shock is empty; name what it is about")
    for population in society.populations:
        known = population.memory.topics
        if topic not in known and len(known) >= TOPICS:
            raise ParameterError(
                f"{topic!r} would be topic {TOPICS + 1}, the limit is {TOPICS}; use a known topic"
            )


def _check_audience(society: "SocietyBase[Any]", audience: str) -> None:
    """Refuse an audience that is invalid for all populations, or empty."""
    reached, errors = 0, list[MemopolisError]()
    for population in society.populations:
        try:
            reached += int(audience_of(population.cohort(), audience).sum())
        except (UnknownNameError, ParameterError) as error:
            errors.append(error)
    if len(errors) == len(society.populations):
        raise errors[0] if errors else ParameterError("no agent could hear it")
    if not reached:
        raise ParameterError(
            f"audience {audience!r} is empty now; allowed are all, the name of an inhabited zone, "
            f"and key=value of a status attribute"
        )


def _check_zones(society: "SocietyBase[Any]", zones: Iterable[str]) -> None:
    for zone in zones:
        if zone == EVERYONE:
            continue
        if society.place is None:
            raise UnknownNameError(
                f"there is no zone {zone!r}: {type(society).__name__} has no place; an order "
                f"goes to all zones"
            )
        society.place.index(zone)


def _check_people(society: "SocietyBase[Any]", message: Message) -> None:
    if not message.to:
        raise ParameterError("a message goes to at least one agent; give their numbers as `to`")
    if message.actor != -1:
        _check_agent(society, "actor", message.actor)
    for unique_id in message.to:
        population, row = _check_agent(society, "to", unique_id)
        if not population["alive"][row]:
            raise ParameterError(f"the {population.name} {unique_id} has left the society")


def _check_agent(
    society: "SocietyBase[Any]", field: str, unique_id: int
) -> "tuple[Population, int]":
    if isinstance(unique_id, bool) or not isinstance(unique_id, int):
        raise SchemaError(f"{field} is {unique_id!r}; the unique_id of an agent is needed")
    for population in society.populations:
        row = population.find(unique_id)
        if row is not None:
            return population, row
    ranges = ", ".join(f"{p.name} {p.ids[0]} to {p.ids[-1]}" for p in society.populations if len(p))
    raise UnknownNameError(f"{field}: there is no agent {unique_id}; there are {ranges}")


def _check_rule(policy: Policy, rules: Mapping[str, Any]) -> None:
    if not rules:
        return
    if policy.key not in rules:
        advice = did_you_mean(policy.key, rules)
        raise UnknownNameError(
            f"no rule is called {policy.key!r}; {advice}allowed are {', '.join(sorted(rules))}"
        )
    wanted = _kind(rules[policy.key])
    if wanted != "nothing" and _kind(policy.value) != wanted:
        raise ParameterError(
            f"the value of rule {policy.key} is {policy.value!r}; a {wanted} is needed"
        )


def _kind(value: Plain) -> str:
    if isinstance(value, bool):
        return "truth value"
    if isinstance(value, int | float):
        return "number"
    return "text" if isinstance(value, str) else "nothing"
