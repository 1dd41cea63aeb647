"""Who is meant by what is typed, and how many a shock reaches."""

import pytest
from tests.dashboard.own_towns import Town

from memopolis import Hurricane
from memopolis.dashboard.shocks.kinds import preview
from memopolis.dashboard.shocks.offers import fields_of
from memopolis.dashboard.shocks.people import describe_reach, select_agents
from memopolis.sim.timeline import Message, News, Order


@pytest.fixture(scope="module")
def hurricane() -> Hurricane:
    return Hurricane(agents=60, days=3, rng=1)


def test_recipients_are_parsed(hurricane: Hurricane) -> None:
    town = Town(agents=12, rng=1)
    people = hurricane.populations[0].cohort()
    everybody = select_agents(hurricane, "all")
    assert everybody.ids == tuple(people.ids.tolist())
    assert everybody.described.startswith("60 people: ")
    assert everybody.described.endswith("and 57 more")
    old = select_agents(hurricane, "evacuated=false, age>60")
    assert old.ids == tuple(people.ids[people["age"] > 60].tolist())
    assert set(old.ids) == set(everybody.ids) - set(select_agents(hurricane, "age <= 60").ids)
    assert (
        select_agents(hurricane, "gender!=male").ids
        == select_agents(hurricane, "gender=female").ids
    )
    assert select_agents(town, "m").ids == (2, 5, 8, 11)
    assert select_agents(town, "7").described == "1 person: villager (7)"
    # The code of a zone goes before a number of a citizen, which it may look like.
    assert hurricane.place is not None
    zone = hurricane.place.zones[int(people["home"][0])]
    assert people.ids[0] in select_agents(hurricane, zone).ids


def test_the_size_of_the_audience_is_shown_while_typing(hurricane: Hurricane) -> None:
    typed = {field.name: field.default for field in fields_of(Message, hurricane)}
    assert preview(Message, typed, hurricane) == ("", "")
    typed["to"] = "3, 5"
    assert preview(Message, typed, hurricane)[0].startswith("To 2 people: ")
    typed["to"] = "Atlantis"
    assert "Atlantis" in preview(Message, typed, hurricane)[1]
    young = sum(hurricane.populations[0].cohort()["age"] < 7)
    text = f"For 60 of 60 people, {young} of them too young"
    assert describe_reach(hurricane, News("x")).startswith(text)
    assert describe_reach(hurricane, Order(("all",), "none")).startswith(text)
    assert describe_reach(hurricane, Order(("band A",), "none")) == ""
    assert describe_reach(hurricane, News("x", audience="age=3")).startswith("For ")
