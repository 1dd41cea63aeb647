"""From a form to a shock: which kinds are offered, what each asks for, what is read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest
from tests.dashboard.own_towns import Bare, Fair, Town, TownSettings

from memopolis import BasicIncome, Hurricane, Polarization
from memopolis.dashboard.shocks.kinds import (
    USUAL,
    ShockField,
    kinds_of,
    missing_kinds,
    shock_of,
    types_of,
)
from memopolis.dashboard.shocks.offers import fields_of, value_field
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


def test_only_kinds_with_an_effect_are_offered(
    hurricane: Hurricane, ubi: BasicIncome, town: Town
) -> None:
    assert kinds_of(hurricane) == [News, Order, Message]
    assert kinds_of(Polarization(agents=20, rng=1)) == [News, Message]
    assert kinds_of(ubi) == [News, Policy, Message]
    assert kinds_of(town) == [News, Message, Fair]
    assert kinds_of(Bare(agents=2)) == [Message]
    assert missing_kinds(ubi) == [Order]


@pytest.mark.parametrize("kind", [*USUAL, Fair])
def test_every_field_is_explained(kind: type[Shock], town: Town) -> None:
    fields = fields_of(kind, town)
    assert [field.name for field in fields] == list(types_of(kind))
    assert all(field.description for field in fields)


def test_a_form_offers_known_zones_topics_and_rules(hurricane: Hurricane, ubi: BasicIncome) -> None:
    order = of(Order, hurricane)
    zones = dict(order["zones"].offers)
    assert zones["all"] == "everybody"
    assert zones["29483"] == "Summerville 29483"
    assert {"ordered", "band A", "county Charleston"} <= set(zones)
    assert order["status"].form == "choice"
    assert dict(order["status"].offers)["voluntary"].startswith("voluntary: people there")
    assert [value for value, _ in order["status"].offers] == [
        "mandatory",
        "voluntary",
        "lifted",
        "none",
    ]
    rules = of(Policy, ubi)
    key, label = rules["key"].offers[0]
    assert key == "amount"
    assert label.startswith("Amount, now 1000: ")
    assert len(label) > len("Amount, now 1000: ")
    assert rules["value"].default == "1000"
    assert "0 to 100000 USD/month" in rules["value"].description
    assert [value for value, _ in value_field("who", ubi).offers] == [
        "all",
        "low_income",
        "unemployed",
    ]
    assert value_field("consumption.demand", ubi).default == "1"


class Noted(Town):
    """A town with more news of the river than of the fair, and one letter."""

    def build(self, settings: TownSettings) -> None:
        super().build(settings)
        for hour in (9, 10):
            self.at(f"2026-01-01 {hour:02}:00", News("The river rises.", topic="river"))
        self.at("2026-01-01 09:00", Message((1,), "Dear all", topic="letters"))


def topics(kind: type[Shock], society: Society[Any]) -> tuple[str, list[str]]:
    """The topic that a form begins with, and those that it offers."""
    field = of(kind, society)["topic"]
    assert field.form == "text"
    return field.default, [value for value, _ in field.offers]


def test_news_starts_with_the_topic_of_the_society(hurricane: Hurricane, town: Town) -> None:
    first, offered = topics(News, hurricane)
    assert first == offered[0] == "disaster"
    assert {"relief", "order", "past storm"} <= set(offered)
    assert topics(News, town) == ("fair", ["fair"])
    noted = Noted(agents=6, rng=1)
    assert topics(News, noted) == ("river", ["river", "fair", "letters"])
    assert topics(Message, noted) == ("letters", ["letters", "fair", "river"])


def test_without_news_the_default_topic_affects_an_attitude() -> None:
    polarization = Polarization(agents=20, rng=1)
    assert topics(News, polarization) == (
        "gun_control",
        ["gun_control", "background_checks", "left_right"],
    )
    assert topics(Message, polarization)[0] == "social"
    assert topics(News, Bare(agents=2)) == ("news", [])


def test_topics_sent_by_hand_are_offered_but_not_the_default() -> None:
    noted = Noted(agents=6, rng=1)
    for hour in (11, 12, 13):
        noted.steer(f"2026-01-01 {hour}:00", News("A ship.", topic="boats"))
    assert topics(News, noted) == ("river", ["river", "fair", "boats", "letters"])


def read(kind: type[Shock], society: Society[Any], typed: Mapping[str, str]) -> Shock:
    """What a form gives whose other fields were left alone."""
    defaults = {field.name: field.default for field in fields_of(kind, society)}
    return shock_of(kind, {**defaults, **typed}, society)


def test_forms_create_the_described_shocks(
    hurricane: Hurricane, ubi: BasicIncome, town: Town
) -> None:
    assert read(News, hurricane, {"text": "The bridge is closed.", "topic": "traffic"}) == News(
        "The bridge is closed.", topic="traffic"
    )
    assert read(News, hurricane, {"text": "x", "stance": "-1", "audience": "evacuated=false"}) == (
        News("x", topic="disaster", stance=-1.0, audience="evacuated=false")
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
    ("kind", "typed", "message"),
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
        (Message, {"to": "", "text": "x"}, "select citizens"),
        (Message, {"to": "99999", "text": "x"}, "99999"),
        (Message, {"to": "3, evacuated=false", "text": "x"}, "'3'"),
        (Message, {"to": "9-3", "text": "x"}, "is reversed"),
        (Message, {"to": "age>500", "text": "x"}, "selects no agent"),
        (Message, {"to": "age>old", "text": "x"}, "numbers"),
        (Message, {"to": "3", "text": "x", "actor": "4.5"}, "whole number"),
    ],
)
def test_a_user_error_is_one_line(
    hurricane: Hurricane, kind: type[Shock], typed: dict[str, str], message: str
) -> None:
    with pytest.raises(MemopolisError, match=message) as failure:
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
def test_a_policy_accepts_the_values_of_its_setting(ubi: BasicIncome, key: str, value: str) -> None:
    with pytest.raises(MemopolisError):
        read(Policy, ubi, {"key": key, "value": value})


@dataclass(frozen=True)
class Storm(Shock):
    """A custom storm."""

    size: Annotated[Literal["small", "big"], "How big it is, in words."]
    loud: bool = True
    name: str | None = None
    at: tuple[int, ...] = (1, 2)


def test_any_custom_shock_has_a_form(town: Town) -> None:
    fields = of(Storm, town)
    assert fields["size"].description == "How big it is, in words."
    assert fields["loud"].description == ""
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
