"""Friendships and kin have the shape that surveys find."""

from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from memopolis.sim.chance import Chance
from memopolis.sim.errors import ParameterError
from memopolis.sim.world.place import Place
from memopolis.sim.world.ties import Network
from memopolis.sim.world.ties_kin import draw_kin, lives_with_parent
from memopolis.sim.world.ties_social import (
    Crowd,
    Labels,
    Likeness,
    Meetings,
    Numbers,
    Ring,
    draw_friends,
)

CHANCE = Chance(4)
PEOPLE = 3000
ROWS = np.arange(PEOPLE)
HOUSEHOLD = ROWS // 2
ZONE = CHANCE.choice("zone", HOUSEHOLD, np.ones(8))
AGE = 7 + CHANCE.uniform("age", ROWS) * 73
GROUP = CHANCE.choice("group", HOUSEHOLD, [0.6, 0.4])
WORK = np.where(ROWS % 2 == 0, ROWS // 60, -1)

Ends = tuple[NDArray[np.intp], NDArray[np.int32]]


def make_place() -> Place:
    return Place.from_table(
        pd.DataFrame(
            {
                "zone": [str(z) for z in range(8)],
                "name": [str(z) for z in range(8)],
                "lat": 32 + np.arange(8) * 0.08,
                "lon": -80.0,
                "population": 1000,
            }
        )
    )


def make_friends(n: int = PEOPLE, chance: Chance = CHANCE, **changes: Any) -> Network:
    meetings = Meetings.of(
        n, place=make_place(), zones=ZONE[:n], focus=WORK[:n], at_focus=0.4, reach=0.1
    )
    likeness = Likeness.of(n, [Numbers(AGE[:n], 6.0, 0.05), Labels(GROUP[:n], 0.2)])
    return draw_friends(meetings, likeness, chance, households=HOUSEHOLD[:n], **changes)


def ends(network: Network) -> Ends:
    rows = np.arange(network.agents)
    return np.repeat(rows, network.count(rows)), network.contacts


def graph_of(network: Network) -> "nx.Graph[int]":
    return network.to_networkx()


def test_numbers_of_friends_are_skewed() -> None:
    degree = make_friends().count(ROWS)
    assert degree.mean() == pytest.approx(5, rel=0.12)
    assert 0.5 < degree.std() / degree.mean() < 0.9
    assert ((degree - degree.mean()) ** 3).mean() > degree.std() ** 3
    assert make_friends(mean=12).count(ROWS).mean() == pytest.approx(12, rel=0.12)


def test_friends_of_friends_are_friends() -> None:
    closed, random = (nx.transitivity(graph_of(make_friends(closure=c))) for c in (0.6, 0.0))
    assert 0.15 < closed < 0.5
    assert random < 0.1
    parts = sorted(map(len, nx.connected_components(graph_of(make_friends()))))
    assert parts[-1] > 0.9 * PEOPLE


def test_friends_are_alike_and_met_near_home_or_at_work() -> None:
    one, other = ends(make_friends())
    assert (HOUSEHOLD[one] != HOUSEHOLD[other]).all()
    same, chance = (GROUP[one] == GROUP[other]).mean(), (GROUP[one] == GROUP[other[::-1]]).mean()
    assert same - chance > 0.1
    assert 0.4 < np.corrcoef(AGE[one], AGE[other])[0, 1] < 0.85
    km = make_place().distance_km
    assert km[ZONE[one], ZONE[other]].mean() < 0.8 * km[ZONE[one], ZONE[other[::-1]]].mean()
    at_work = (WORK[one] >= 0) & (WORK[one] == WORK[other])
    assert at_work[WORK[one] >= 0].mean() > 0.15  # 2 % of the others work there


def test_those_with_a_wide_reach_have_friends_farther_away() -> None:
    far = np.where(HOUSEHOLD % 2 == 0, 1.0, 0.0)
    meetings = Meetings.of(PEOPLE, place=make_place(), zones=ZONE, reach=far)
    network = draw_friends(meetings, Likeness.of(PEOPLE, []), CHANCE, households=HOUSEHOLD)
    one, other = ends(network)
    outside = ZONE[one] != ZONE[other]
    assert outside[far[one] == 1].mean() > outside[far[one] == 0].mean() + 0.1


def test_a_weight_of_zero_excludes_and_an_unknown_label_does_not() -> None:
    labels = np.where(ROWS % 3 == 0, -1, ROWS % 3)
    likeness = Likeness.of(PEOPLE, [Labels(labels, 0.0)])
    network = draw_friends(Meetings.of(PEOPLE), likeness, CHANCE, households=ROWS)
    one, other = labels[ends(network)[0]], labels[ends(network)[1]]
    assert not ((one >= 0) & (other >= 0) & (one != other)).any()
    assert ((one < 0) & (other >= 0)).mean() > 0.15


def test_who_takes_no_part_has_no_friends() -> None:
    network = make_friends(takes_part=AGE >= 20)
    degree = network.count(ROWS)
    assert degree[AGE < 20].sum() == 0
    assert degree[AGE >= 20].mean() == pytest.approx(5, rel=0.12)


def test_ties_follow_from_the_seed_and_not_from_later_agents() -> None:
    first, same, other = (make_friends(chance=Chance(seed)) for seed in (1, 1, 2))
    assert first.contacts.tolist() == same.contacts.tolist()
    assert first.contacts.tolist() != other.contacts.tolist()
    before, after = make_friends(PEOPLE - 1), make_friends(PEOPLE)
    changed = sum(set(before.of(r)) != set(after.of(r)) for r in range(PEOPLE - 1))
    assert changed < 0.03 * PEOPLE


def test_the_weights_of_candidates_are_the_shares_of_choices() -> None:
    likeness = Likeness.of(4, [Labels([0, 0, 1, 1], 0.25)])
    meetings = Meetings.of(4)
    ring = Ring(
        np.array([0, 3]), np.array([0.0, 1 / 3, 2 / 3], np.float32), np.array([1, 2, 3], np.int32)
    )
    crowd = Crowd(CHANCE, meetings, likeness, np.arange(4), ring, "test")
    chosen = crowd.meet(np.zeros(20_000, np.int64), np.arange(20_000), met=40)
    share = np.bincount(chosen, minlength=4) / 20_000
    assert share == pytest.approx([0, 4 / 6, 1 / 6, 1 / 6], abs=0.02)


def test_small_populations_and_wrong_use() -> None:
    for people in (0, 1, 2):
        network = draw_friends(
            Meetings.of(people), Likeness.of(people, []), CHANCE, households=np.zeros(people, int)
        )
        assert len(network) == 0
    with pytest.raises(ParameterError, match="one value for each of 3 agents"):
        Likeness.of(3, [Labels([0, 1], 0.5)])
    with pytest.raises(ParameterError, match="mean is -1"):
        make_friends(mean=-1)
    with pytest.raises(ParameterError, match="zones"):
        Meetings.of(2, place=make_place(), zones=[0, 8])
    with pytest.raises(ParameterError, match="focus"):
        Meetings.of(2, focus=[-2, 0])


# Kin


def make_kin(**changes: Any) -> Network:
    meetings = Meetings.of(PEOPLE, place=make_place(), zones=ZONE, reach=0.5)
    return draw_kin(meetings, CHANCE, households=HOUSEHOLD, ages=AGE, descent=GROUP, **changes)


def test_kin_are_of_one_descent_and_live_elsewhere() -> None:
    one, other = ends(make_kin())
    assert len(one) > PEOPLE
    assert (HOUSEHOLD[one] != HOUSEHOLD[other]).all()
    assert (GROUP[one] == GROUP[other]).all()


def test_parents_are_a_generation_older() -> None:
    home = ROWS  # singles
    network = draw_kin(Meetings.of(PEOPLE), CHANCE, households=home, ages=AGE)
    one, other = ends(network)
    years = np.abs(AGE[one] - AGE[other])
    # Parents and children differ by a generation, siblings by less.
    assert ((years > 15) & (years < 45)).mean() > 0.3
    assert years.max() < 45


def test_children_at_home_have_no_parent_elsewhere() -> None:
    household, age = np.array([0, 0, 1, 2, 2]), np.array([45.0, 19, 30, 50, 40])
    assert lives_with_parent(household, age).tolist() == [False, True, False, False, False]
