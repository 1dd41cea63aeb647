"""Shocks as data, and the order in which they come."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest

from memopolis.sim.clock import Clock
from memopolis.sim.errors import ParameterError, SchemaError, StateError, UnknownNameError
from memopolis.sim.timeline import Message, News, Order, Policy, Shock, Timeline

SHOCKS = [
    News("A storm is coming.", topic="disaster", stance=0.5, importance=0.9, audience="29401"),
    Order(("29401", "29403"), "mandatory"),
    Policy("tax.share", 0.25),
    Message((3, 4), "Are you safe?", actor=7),
]


@dataclass(frozen=True)
class SchoolClosure(Shock):
    """A kind of shock of the test."""

    zones: tuple[str, ...]
    what: object = "schools"


@pytest.fixture
def clock() -> Clock:
    return Clock(datetime(2019, 8, 28), timedelta(hours=1))


@pytest.fixture
def timeline(clock: Clock) -> Timeline:
    return Timeline(clock)


@pytest.mark.parametrize("shock", [*SHOCKS, SchoolClosure(("29401",))])
def test_a_shock_survives_json(shock: Shock) -> None:
    plain = json.loads(json.dumps(shock.to_dict()))
    assert Shock.from_dict(plain) == shock


def test_a_single_zone_or_agent_needs_no_tuple() -> None:
    assert Order("29401", "none") == Order(("29401",), "none")  # type: ignore[arg-type]
    assert Message(3, "Hello").to == (3,)  # type: ignore[arg-type]


def test_shocks_are_ordered_by_tick_and_then_by_insertion(timeline: Timeline) -> None:
    late, first, second = (Policy("key", number) for number in (1, 2, 3))
    timeline.at("2019-08-28 05:00", late)
    timeline.at("2019-08-28 02:59", first)
    timeline.at("2019-08-28 02:00", second)
    assert timeline.due(1) == []
    assert timeline.due(2) == [first, second]
    assert timeline.due(2) == []
    assert timeline.due(9) == [late]
    assert [tick for tick, _ in timeline] == [2, 2, 5]


def test_a_shock_set_for_the_running_tick_is_not_lost(clock: Clock, timeline: Timeline) -> None:
    clock.tick = 4
    assert timeline.due(4) == []
    timeline.at(clock.now, SHOCKS[0])
    assert timeline.due(5) == SHOCKS[:1]


def test_state_continues_where_it_was_saved(clock: Clock, timeline: Timeline) -> None:
    for hour, shock in enumerate(SHOCKS):
        timeline.at(f"2019-08-28 0{hour}:00", shock)
    timeline.due(1)
    again = Timeline(clock)
    again.restore(json.loads(json.dumps(timeline.state())))
    assert list(again) == list(timeline)
    assert len(again) == len(SHOCKS)
    assert again.due(99) == timeline.due(99) == SHOCKS[2:]


def test_a_time_that_has_passed_is_refused(clock: Clock, timeline: Timeline) -> None:
    with pytest.raises(ParameterError, match="has passed"):
        timeline.at("2019-08-27 23:59", SHOCKS[0])
    clock.tick = 10
    with pytest.raises(ParameterError, match="the clock is at 2019-08-28 10:00"):
        timeline.at("2019-08-28 09:00", SHOCKS[0])


@pytest.mark.parametrize("function", [lambda: None, print, Clock, datetime.now])
def test_functions_are_refused_with_advice(
    timeline: Timeline, function: Callable[..., Any]
) -> None:
    with pytest.raises(StateError, match="as data, not functions"):
        timeline.at("2019-08-28", function)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", ["A storm", None, {"shock": "News"}])
def test_an_object_that_is_no_shock_is_refused(timeline: Timeline, wrong: object) -> None:
    with pytest.raises(SchemaError, match="Message, News, Order"):
        timeline.at("2019-08-28", wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "wrong",
    [
        News("A storm", audience=None),  # type: ignore[arg-type]
        News("A storm", audience=("all",)),  # type: ignore[arg-type]
        News("A storm", topic=5),  # type: ignore[arg-type]
        Policy(5, 1),  # type: ignore[arg-type]
    ],
)
def test_a_field_that_must_be_text_is_checked(timeline: Timeline, wrong: Shock) -> None:
    with pytest.raises(SchemaError, match="a text is needed"):
        timeline.at("2019-08-28", wrong)


def test_a_shock_that_cannot_be_saved_is_refused(timeline: Timeline) -> None:
    with pytest.raises(SchemaError, match=r"SchoolClosure\.what"):
        timeline.at("2019-08-28", SchoolClosure(("29401",), what=[1, 2]))


@pytest.mark.parametrize(
    "make",
    [
        lambda: News(""),
        lambda: News("A storm", stance=-1.5),
        lambda: News("A storm", importance=-0.1),
        lambda: News("A storm", importance=float("nan")),
        lambda: Message((1,), "Hello", importance=2),
        lambda: Order((), "mandatory"),
        lambda: News(5),  # type: ignore[arg-type]
        lambda: News("A storm", stance="1"),  # type: ignore[arg-type]
        lambda: Order((5,), "mandatory"),  # type: ignore[arg-type]
        lambda: Order(5, "mandatory"),  # type: ignore[arg-type]
    ],
)
def test_values_out_of_range_are_refused(make: Callable[[], Shock]) -> None:
    with pytest.raises(ParameterError):
        make()


def test_a_saved_shock_of_unknown_kind_or_fields_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="known are"):
        Shock.from_dict({"shock": "Meteor"})
    with pytest.raises(ParameterError, match="cannot make a Policy"):
        Shock.from_dict({"shock": "Policy", "name": "x"})


def test_past_shocks_are_those_that_were_due() -> None:
    timeline = Timeline(Clock(datetime(2026, 1, 1), timedelta(hours=1)))
    timeline.at("2026-01-01 00:00", Policy("a", 1))
    timeline.at("2026-01-01 05:00", Policy("b", 2))
    assert not list(timeline.past)
    timeline.due(0)
    assert timeline.past == ((0, Policy("a", 1)),)
    assert len(list(timeline)) == 2
