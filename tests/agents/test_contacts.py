"""Contacts depend on ties, places and activities; news goes along all kinds of ties."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from memopolis.agents.activities import Activity
from memopolis.agents.block_settings import SocialSettings
from memopolis.agents.blocks.social import Talk
from memopolis.agents.contacts import MOST_TIES, OCCASIONS, draw_contacts
from memopolis.agents.conversation import find_versions
from memopolis.sim.memory.text.texts import Texts
from memopolis.sim.world.ties import Network, Ties

MakeVillage = Callable[..., Any]

PEOPLE = 40
ROWS = np.arange(PEOPLE)


def in_pairs(people: int = PEOPLE) -> Network:
    """Rows 0 and 1, 2 and 3, and so on."""
    return Network(people, np.arange(0, people, 2), np.arange(1, people, 2), 0.7)


def together(village: MakeVillage, kind: str, doing: Activity, **changes: Any) -> Any:
    """All are at one place, do the same, and have one tie of a kind in pairs."""
    made = village(agents=PEOPLE, start="2026-01-01 12:00", **changes)
    made.citizens.ties = Ties(PEOPLE, {kind: in_pairs()})
    made.citizens.cohort()["home"] = made.citizens.cohort()["place"] = 1
    made.citizens.cohort()["doing"] = int(doing)
    made.citizens.cohort()["partner"] = -1
    return made


def meetings(made: Any, hours: int = 8) -> Any:
    """Who has talked after some hours, (people,), as numbers of bits."""
    met = np.zeros(len(made.citizens), np.uint64)
    for tick in range(hours):
        made.clock.tick = tick
        bits = made.chance.bits("contact", np.arange(len(made.citizens)), tick)
        draw_contacts(made.citizens, met, bits=bits, clock=made.clock)
    return np.bitwise_count(met)


@pytest.mark.parametrize(
    ("kind", "doing", "talks"),
    [
        ("household", Activity.EAT, True),
        ("household", Activity.AWAY, True),
        ("household", Activity.SLEEP, False),
        ("household", Activity.WORK, False),
        ("colleague", Activity.WORK, True),
        ("colleague", Activity.EAT, False),
        ("schoolmate", Activity.SCHOOL, True),
        ("schoolmate", Activity.WORK, False),
        ("neighbour", Activity.SHOP, True),
        ("neighbour", Activity.REST, False),
        ("friend", Activity.LEISURE, True),
        ("friend", Activity.SLEEP, False),
        ("kin", Activity.REST, True),
        ("kin", Activity.SCHOOL, False),
    ],
)
def test_ties_are_met_in_their_activities(
    village: MakeVillage, kind: str, doing: Activity, *, talks: bool
) -> None:
    count = meetings(together(village, kind, doing))
    assert (count > 0).any() == talks
    assert count.max() <= 1
    # A pair talks or not: both count each other.
    assert (count[::2] == count[1::2]).all()


@pytest.mark.parametrize("kind", ["household", "colleague", "neighbour"])
def test_people_in_different_zones_do_not_meet(village: MakeVillage, kind: str) -> None:
    doing = Activity.WORK if kind == "colleague" else Activity.SHOP
    made = together(village, kind, doing)
    made.citizens.cohort()["place"] = ROWS % 2
    assert not meetings(made).any()


def test_kin_in_different_zones_telephone_less_often_than_they_meet(village: MakeVillage) -> None:
    made = together(village, "kin", Activity.REST)
    near = meetings(made, 12).mean()
    made.citizens.cohort()["place"] = ROWS % 2
    assert 0 < meetings(made, 12).mean() < near


def test_neighbours_meet_only_where_they_live(village: MakeVillage) -> None:
    made = together(village, "neighbour", Activity.SHOP)
    made.citizens.cohort()["home"] = 2
    assert not meetings(made).any()


def test_the_friend_of_a_plan_is_met_unless_asleep(village: MakeVillage) -> None:
    made = together(village, "friend", Activity.SLEEP)
    people = made.citizens.cohort()
    people["partner"] = ROWS ^ 1
    people["doing"] = np.where(ROWS % 2 == 0, int(Activity.MESSAGE), int(Activity.WORK))
    assert meetings(made, 1).tolist() == [1] * PEOPLE
    people["doing"] = np.where(ROWS % 2 == 0, int(Activity.MESSAGE), int(Activity.SLEEP))
    assert not meetings(made, 1).any()


def test_someone_with_several_ties_is_counted_once(village: MakeVillage) -> None:
    made = together(village, "friend", Activity.LEISURE)
    made.citizens.ties = Ties(PEOPLE, {one.kind: in_pairs() for one in OCCASIONS})
    made.citizens.cohort()["doing"] = np.where(ROWS < 20, int(Activity.SHOP), int(Activity.WORK))
    count = meetings(made, 40)
    assert count[:20].all()
    assert count.max() == 1


def test_the_bits_of_a_day_are_enough_for_many_ties(village: MakeVillage) -> None:
    people = 100
    made = village(agents=people, start="2026-01-01 12:00")
    first, second = np.triu_indices(people, 1)
    made.citizens.ties = Ties(people, {"friend": Network(people, first, second)})
    made.citizens.cohort()["doing"] = int(Activity.LEISURE)
    assert meetings(made, 400).max() == MOST_TIES


# The block


def talking(village: MakeVillage, kind: str, **settings: Any) -> Any:
    made = together(village, kind, Activity.REST)
    made.give(made.citizens, Talk(SocialSettings(tell=1.0, least=0.3, **settings)))
    return made


def texts(made: Any, row: int) -> list[str]:
    stream = made.citizens.agents[row].memory.observed.stream
    return [item.template for item in stream.read(range(99))]


def experience(made: Any, rows: list[int], text: str = "A tree fell.") -> None:
    made.citizens.at(np.array(rows)).stream.add("disaster", text, importance=0.9)
    made.citizens.memory.flush()


def test_people_talked_with_are_counted_by_day(village: MakeVillage) -> None:
    made = talking(village, "household")
    for _ in range(11):
        made.step()
    assert not made.citizens["talked_with"].any()
    made.step()  # the last hour of the day
    count = made.citizens["talked_with"]
    assert count.max() == 1
    assert count.mean() > 0.8
    assert (count[::2] == count[1::2]).all()
    made.citizens.cohort()["doing"] = int(Activity.SLEEP)
    for _ in range(24):
        made.step()
    assert not made.citizens["talked_with"].any()


@pytest.mark.parametrize("kind", ["household", "kin"])
def test_news_goes_along_other_ties_than_friendship(village: MakeVillage, kind: str) -> None:
    made = talking(village, kind)
    experience(made, list(range(0, PEOPLE, 2)))
    for _ in range(11):
        made.step()
    heard_texts = [texts(made, row) for row in range(1, PEOPLE, 2)]
    heard = [one for one in heard_texts if one]
    assert len(heard) > 3
    for one in heard:
        assert one[0] == "{actor} told me: A tree fell."
        assert one[1].startswith("I answered {actor}: ")
        assert len(one) == 2  # once, though they talk for hours


def test_known_news_is_not_repeated(village: MakeVillage) -> None:
    made = talking(village, "household")
    experience(made, [0, 1])
    for _ in range(11):
        made.step()
    assert texts(made, 0) == texts(made, 1) == ["A tree fell."]


def test_the_second_event_is_reported_if_the_first_is_known(village: MakeVillage) -> None:
    made = talking(village, "household")
    experience(made, list(range(PEOPLE)))
    some = made.citizens.at(np.arange(0, PEOPLE, 2))
    some.stream.add("disaster", "The road is closed.", importance=0.5)
    made.citizens.memory.flush()
    for _ in range(11):
        made.step()
    listeners = [texts(made, row) for row in range(1, PEOPLE, 2)]
    heard = [memories[1] for memories in listeners if len(memories) > 1]
    assert len(heard) > 10
    assert set(heard) == {"{actor} told me: The road is closed."}


def test_a_listener_hears_the_same_news_once(village: MakeVillage) -> None:
    made = talking(village, "household")
    rows = np.arange(1, PEOPLE)
    made.citizens.ties = Ties(PEOPLE, {"household": Network(PEOPLE, np.zeros(39, int), rows)})
    experience(made, rows.tolist())
    for _ in range(11):
        made.step()
    assert texts(made, 0).count("{actor} told me: A tree fell.") == 1


def test_small_children_are_met_but_hear_no_news(village: MakeVillage) -> None:
    made = talking(village, "household")
    made.citizens.cohort()["age"] = np.where(ROWS % 2 == 0, 40, 5)
    experience(made, list(range(0, PEOPLE, 2)))
    for _ in range(12):
        made.step()
    assert made.citizens["talked_with"][1::2].mean() > 0.8
    assert not any(texts(made, row) for row in range(1, PEOPLE, 2))


def test_new_agents_can_be_added(village: MakeVillage) -> None:
    made = talking(village, "household")
    made.step()
    made.citizens.add(3)
    experience(made, [PEOPLE])
    for _ in range(12):
        made.step()
    count = made.citizens["talked_with"]
    assert len(count) == PEOPLE + 3
    assert count[:PEOPLE].mean() > 0.8
    assert not count[PEOPLE:].any()


def test_versions_of_a_text_are_found() -> None:
    known = Texts()
    event, report, other = known.intern_many(
        ["I met {actor}.", "{actor} told me: I met a friend.", "It rained."]
    )
    versions = find_versions(known, np.array([[event, other], [-1, report]], np.int32))
    assert versions.shape == (2, 2, 4)
    assert versions[0, 0].tolist() == [event, report, -1, event]
    assert versions[0, 1].tolist() == [other, -1, -1, other]
    assert versions[1, 0].tolist() == [-1] * 4
    # Those who took part know what they hear of it as {actor}.
    assert versions[1, 1].tolist() == [-1, report, -1, event]
