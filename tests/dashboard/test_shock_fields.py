"""From a form to a shock: which kinds are offered, what is read, who is meant, what is listed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import pytest
from tests.dashboard.own_towns import Bare, Fair, Town

from memopolis import BasicIncome, Hurricane, Polarization
from memopolis.dashboard.shock_fields import ShockField, fields_of, value_field
from memopolis.dashboard.shock_kinds import USUAL, kinds_of, left_out, meanings, types_of
from memopolis.dashboard.shock_list import happenings, shown
from memopolis.dashboard.shock_people import reached, who
from memopolis.dashboard.shock_reading import preview, shock_of
from memopolis.sim.errors import MemopolisError, ParameterError
from memopolis.sim.society import Society
from memopolis.sim.timeline import Message, News, Order, Policy, Shock


@pytest.fixture(scope="module")
def hurricane() -> Hurricane:
    return Hurricane(agents=60, days=3, rng=1)


@pytest.fixture(scope="module")
def ubi() -> BasicIncome:
    return BasicIncome(agents=60, days=360, start=3, rng=1)


@pytest.fixture(scope="module")
def town() -> Town:
    return Town(agents=12, rng=1)


def of(kind: type[Shock], society: Society[Any]) -> dict[str, ShockField]:
    return {field.name: field for field in fields_of(kind, society)}


def test_a_kind_is_offered_where_something_acts_on_it(
    hurricane: Hurricane, ubi: BasicIncome, town: Town
) -> None:
    assert kinds_of(hurricane) == [News, Order, Message]
    assert kinds_of(Polarization(agents=20, rng=1)) == [News, Message]
    assert kinds_of(ubi) == [News, Policy, Message]
    assert kinds_of(town) == [News, Message, Fair]
    assert kinds_of(Bare(agents=2)) == [Message]
    assert left_out(ubi) == [Order]


@pytest.mark.parametrize("kind", [*USUAL, Fair])
def test_every_field_is_explained(kind: type[Shock], town: Town) -> None:
    fields = fields_of(kind, town)
    assert [field.name for field in fields] == list(types_of(kind))
    assert all(field.description for field in fields)
    assert set(meanings(kind)) == set(types_of(kind))


def test_a_form_offers_what_the_society_knows(hurricane: Hurricane, ubi: BasicIncome) -> None:
    order = of(Order, hurricane)
    zones = dict(order["zones"].offers)
    assert zones["all"] == "everybody"
    assert zones["29483"] == "Summerville 29483"
    assert {"ordered", "band A", "county Charleston"} <= set(zones)
    assert order["status"].form == "choice"
    assert [value for value, _ in order["status"].offers] == [
        "mandatory",
        "voluntary",
        "lifted",
        "none",
    ]
    topics = dict(of(News, hurricane)["topic"].offers)
    assert {"past storm", "disaster", "order"} <= set(topics)
    rules = of(Policy, ubi)
    assert rules["key"].offers[0] == ("amount", "amount (now 1000)")
    assert rules["value"].default == "1000"
    assert "0 to 100000 USD/month" in rules["value"].description
    assert [value for value, _ in value_field(ubi, "who").offers] == [
        "all",
        "low_income",
        "unemployed",
    ]
    assert value_field(ubi, "consumption.demand").default == "1"


def test_polarization_offers_the_topics_that_move_attitudes() -> None:
    topics = dict(of(News, Polarization(agents=20, rng=1))["topic"].offers)
    assert {"gun_control", "background_checks"} <= set(topics)


def read(kind: type[Shock], society: Society[Any], typed: Mapping[str, str]) -> Shock:
    """What a form gives whose other fields were left alone."""
    defaults = {field.name: field.default for field in fields_of(kind, society)}
    return shock_of(kind, {**defaults, **typed}, society)


def test_forms_make_the_shocks_they_describe(
    hurricane: Hurricane, ubi: BasicIncome, town: Town
) -> None:
    assert read(News, hurricane, {"text": "The bridge is closed.", "topic": "traffic"}) == News(
        "The bridge is closed.", topic="traffic"
    )
    assert read(News, hurricane, {"text": "x", "stance": "-1", "audience": "evacuated=false"}) == (
        News("x", stance=-1.0, audience="evacuated=false")
    )
    assert read(Order, hurricane, {"zones": "29483, band A"}) == Order(
        ("29483", "band A"), "mandatory"
    )
    assert read(Message, hurricane, {"to": "3, 5,7-9", "text": "<b>now</b>"}) == Message(
        (3, 5, 7, 8, 9), "<b>now</b>"
    )
    assert read(Policy, ubi, {"key": "amount", "value": "500"}) == Policy("amount", 500.0)
    assert read(Policy, ubi, {"key": "start", "value": "5"}) == Policy("start", 5)
    assert read(Policy, ubi, {"key": "who", "value": "unemployed"}) == Policy("who", "unemployed")
    assert read(Fair, town, {"zones": "n, s", "joy": "0.5"}) == Fair(("n", "s"), 0.5)


@pytest.mark.parametrize(
    ("kind", "typed", "told"),
    [
        (News, {"text": " "}, "empty"),
        (News, {"text": "x", "stance": "2"}, "stance"),
        (News, {"text": "x", "stance": "much"}, "stance takes a number, given 'much'"),
        (News, {"text": "x", "importance": "nan"}, "importance"),
        (News, {"text": "x", "audience": "Atlantis"}, "Atlantis"),
        (News, {"text": "x", "audience": "wings=2"}, "wings"),
        (News, {"text": "x", "audience": "age=young"}, "age=young"),
        (News, {"text": "x", "topic": ""}, "topic"),
        (Order, {"zones": ""}, "zone"),
        (Order, {"zones": "Atlantis"}, "Atlantis"),
        (Order, {"zones": "all", "status": "perhaps"}, "perhaps"),
        (Message, {"to": "", "text": "x"}, "who is meant"),
        (Message, {"to": "99999", "text": "x"}, "99999"),
        (Message, {"to": "3, evacuated=false", "text": "x"}, "'3'"),
        (Message, {"to": "9-3", "text": "x"}, "backwards"),
        (Message, {"to": "age>500", "text": "x"}, "nobody"),
        (Message, {"to": "age>old", "text": "x"}, "numbers"),
        (Message, {"to": "3", "text": "x", "actor": "4.5"}, "whole number"),
    ],
)
def test_a_mistake_is_one_line(
    hurricane: Hurricane, kind: type[Shock], typed: dict[str, str], told: str
) -> None:
    with pytest.raises(MemopolisError, match=told) as failure:
        read(kind, hurricane, typed)
    assert "\n" not in str(failure.value)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("amount", "-5"),
        ("amount", "much"),
        ("who", "me"),
        ("start", "3.5"),
        ("start", "500"),
        ("consumption.demand", "-1"),
        ("consumption.demand", "nan"),
        ("tax", "1"),
    ],
)
def test_a_rule_takes_what_the_setting_of_its_name_takes(
    ubi: BasicIncome, key: str, value: str
) -> None:
    with pytest.raises(MemopolisError):
        read(Policy, ubi, {"key": key, "value": value})


def test_who_is_meant(hurricane: Hurricane, town: Town) -> None:
    people = hurricane.populations[0].cohort()
    everybody = who(hurricane, "all")
    assert everybody.ids == tuple(people.ids.tolist())
    assert everybody.told.startswith("60 people: ")
    assert everybody.told.endswith("and 57 more")
    old = who(hurricane, "evacuated=false, age>60")
    assert old.ids == tuple(people.ids[people.status["age"] > 60].tolist())
    assert set(old.ids) == set(everybody.ids) - set(who(hurricane, "age <= 60").ids)
    assert who(hurricane, "gender!=male").ids == who(hurricane, "gender=female").ids
    assert who(town, "m").ids == (2, 5, 8, 11)
    assert who(town, "7").told == "1 person: villager (7)"
    # The code of a zone goes before a number of a citizen, which it may look like.
    assert hurricane.place is not None
    zone = hurricane.place.zones[int(people.status["home"][0])]
    assert people.ids[0] in who(hurricane, zone).ids


def test_how_many_it_reaches_is_told_while_typing(hurricane: Hurricane) -> None:
    typed = {field.name: field.default for field in fields_of(Message, hurricane)}
    assert preview(Message, typed, hurricane) == ("", "")
    typed["to"] = "3, 5"
    assert preview(Message, typed, hurricane)[0].startswith("To 2 people: ")
    typed["to"] = "Atlantis"
    assert "Atlantis" in preview(Message, typed, hurricane)[1]
    young = sum(hurricane.populations[0].cohort().status["age"] < 7)
    told = f"For 60 of 60 people, {young} of them too young"
    assert reached(hurricane, News("x")).startswith(told)
    assert reached(hurricane, Order(("all",), "none")).startswith(told)
    assert reached(hurricane, Order(("band A",), "none")) == ""
    assert reached(hurricane, News("x", audience="age=3")).startswith("For ")


@dataclass(frozen=True)
class Storm(Shock):
    """A storm of one's own.

    Attributes:
        size: How big it
            is, in words.
        loud: Whether it is heard.
        name: What it is called, none for no name.
        at: Hours of the day.
    """

    size: Literal["small", "big"]
    loud: bool = True
    name: str | None = None
    at: tuple[int, ...] = (1, 2)


def test_any_kind_of_plain_fields_has_a_form(town: Town) -> None:
    fields = of(Storm, town)
    assert fields["size"].description == "How big it is, in words."
    assert fields["size"].form == fields["loud"].form == "choice"
    assert fields["at"].default == "1,2"
    typed = {"size": "big", "loud": "false", "name": "none", "at": "4, 5"}
    assert shock_of(Storm, typed, town) == Storm("big", loud=False, name=None, at=(4, 5))
    assert shock_of(Storm, {**typed, "name": "Ann"}, town) == Storm(
        "big", loud=False, name="Ann", at=(4, 5)
    )
    with pytest.raises(ParameterError, match="at takes a whole number, given 'x'"):
        shock_of(Storm, {**typed, "at": "x"}, town)
    with pytest.raises(ParameterError, match="size is missing"):
        shock_of(Storm, {}, town)


def test_the_list_tells_past_from_to_come_and_by_hand_from_planned() -> None:
    town = Town(agents=6, days=2, rng=1)
    town.steer("2026-01-01 01:00", Message((1, 2, 3, 4), "Hello"))
    town.steer("2026-01-01 08:00", News("A fair is coming.", topic="fair", importance=0.9))
    town.steer("2026-01-01 20:00", Fair(("n",), 0.1))
    for _ in range(4):
        town.step()
    found = happenings(town)
    assert [(one.tick, one.kind, one.past, one.by_hand) for one in found] == [
        (8, "News", False, True),
        (8, "News", False, False),
        (20, "Fair", False, True),
        (1, "Message", True, True),
    ]
    assert found[-1].whom.startswith("to villager (1), villager (2), villager (3) and 1 more")
    assert found[2].whom == "zones n · joy 0.1"
    assert f"{found[0].date:%H:%M}" == "08:00"


def test_a_long_list_is_cut_around_now_and_keeps_what_is_by_hand() -> None:
    town = Town(agents=6, days=2, rng=1)
    for hour in range(24):
        town.timeline.at(f"2026-01-01 {hour:02}:30", News(f"hour {hour}"))
    town.steer("2026-01-02 20:00", Fair(("n",)))
    for _ in range(12):
        town.step()
    found = happenings(town)
    few = shown(found, most=8)
    assert [one.tick for one in few] == [12, 13, 14, 15, 44, 11, 10, 9, 8]
    assert shown(found) == found
