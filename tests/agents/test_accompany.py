"""Accompany: children are with an adult, at school or in the care of others, at all hours."""

from collections import Counter
from functools import cache
from typing import Any

import numpy as np

from memopolis.agents.activities import NUMBERS, STEPS, Activity
from memopolis.agents.ages import ADULT, INDEPENDENT_AGE
from memopolis.agents.blocks.accompany import _IS_OUT as IS_OUT
from memopolis.agents.plans import find_step, kind_of
from memopolis.scenarios.hurricane.scenario import Hurricane

# Meals out, and messages on the way, are no outings of their own.
WITH_CHILDREN = IS_OUT | np.isin(np.arange(len(IS_OUT)), (Activity.EAT, Activity.MESSAGE))
COLUMNS = ("doing", "doing_before", "place", "target", "scheduled")


@cache
def live() -> dict[str, Any]:
    """Return columns of the citizens in each hour of a week without a storm."""
    society = Hurricane(agents=500, rng=3, days=7, storm="none", record={"tables": ()})
    people = society.population("citizen")
    kept: dict[str, Any] = {name: [] for name in (*COLUMNS, "kind")}
    for _ in range(24 * 7):
        society.step()
        for name in COLUMNS:
            kept[name].append(people[name].copy())
        kept["kind"].append(kind_of(find_step(people["plan"], people["plan_step"])))
    fixed = {name: people[name] for name in ("age", "household", "home", "workplace")}
    return {name: np.array(values) for name, values in kept.items()} | fixed


def list_families(week: dict[str, Any]) -> list[tuple[int, list[int]]]:
    """Return the row of each child under 12, and those of the adults it lives with."""
    adults: dict[int, list[int]] = {}
    for row in np.flatnonzero(week["age"] >= ADULT):
        adults.setdefault(int(week["household"][row]), []).append(int(row))
    children = np.flatnonzero(week["age"] < INDEPENDENT_AGE)
    return [(int(row), adults.get(int(week["household"][row]), [])) for row in children]


def test_no_child_is_out_without_an_adult_of_the_household() -> None:
    week = live()
    alone, outings = [], 0
    for child, adults in list_families(week):
        for hour in np.flatnonzero(IS_OUT[week["doing"][:, child]]):
            outings += 1
            same_place = week["place"][hour, adults] == week["place"][hour, child]
            with_child = (same_place & WITH_CHILDREN[week["doing"][hour, adults]]).any()
            if not with_child:
                alone.append((child, int(hour)))
    assert outings > 100
    assert alone == []


def test_no_child_is_alone_by_day_or_by_night() -> None:
    week = live()
    others = (Activity.SCHOOL, Activity.IN_CARE)
    at_home = ~IS_OUT & (np.arange(len(IS_OUT)) != Activity.WORK)
    alone: Counter[str] = Counter()
    for child, adults in list_families(week):
        doing = week["doing"][:, child]
        place = week["place"][:, [child]]
        with_adult = week["place"][:, adults] == place
        with_adult &= week["doing"][:, adults] != Activity.WORK
        asleep_at_home = with_adult & at_home[week["doing"][:, adults]]
        is_kept = np.isin(doing, others) | (week["kind"][:, child] == NUMBERS["eat at work"])
        is_kept |= np.where(
            doing == Activity.SLEEP, asleep_at_home.any(axis=1), with_adult.any(axis=1)
        )
        alone.update(Activity(number).name for number in doing[~is_kept] if adults)
    assert alone == {}


def test_changes_of_zone_show_their_way_unless_people_are_due_to_sleep() -> None:
    week = live()
    moves = week["place"][1:] != week["place"][:-1]
    travels = (week["doing"] == Activity.TRAVEL) | (week["doing_before"] == Activity.TRAVEL)
    asleep = (week["doing_before"] == Activity.SLEEP)[1:][moves]
    assert moves.sum() > 1000
    assert (travels[1:][moves] | asleep).all()
    assert asleep.mean() < 0.01


def test_children_are_in_care_when_their_parents_are_at_work() -> None:
    week = live()
    spent: Counter[int] = Counter()
    for child, adults in list_families(week):
        if not adults:
            continue
        busy = (week["doing"][:, adults] == Activity.WORK).all(axis=1)
        spent.update(week["doing"][busy, child].tolist())
        care = busy & (week["doing"][:, child] == Activity.IN_CARE)
        assert (week["place"][care, child] == week["home"][child]).all()
    assert set(spent) <= {Activity.SCHOOL, Activity.IN_CARE, Activity.EAT}
    assert min(spent[Activity.SCHOOL], spent[Activity.IN_CARE]) > 20


def test_children_at_home_with_an_adult_follow_their_own_day() -> None:
    week = live()
    eats = plays = 0
    for child, adults in list_families(week):
        at_home = (week["target"][:, adults] == week["home"][child]).any(axis=1)
        eats += (week["doing"][at_home, child] == Activity.EAT).sum()
        plays += (week["doing"][at_home, child] == Activity.REST).sum()
    assert eats > 0
    assert plays > eats


def test_children_do_not_join_their_parents_at_work_and_have_no_friends_of_theirs() -> None:
    week = live()
    meals = 0
    for child, _ in list_families(week):
        eats = week["doing"][:, child] == Activity.EAT
        meals += eats.sum()
        names = {STEPS[kind].name for kind in week["kind"][:, child]}
        assert not names & {"work", "meet", "eat with a friend"}
        # Pupils have lunch at school.
        assert week["age"][child] >= 5 or "eat at work" not in names
    assert meals > 100
