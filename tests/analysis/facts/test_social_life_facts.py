"""Facts about ties and talk, from tables made by hand."""

from typing import Any

import pandas as pd
import pytest
from tests.analysis.facts.hand_made import HandMade

from memopolis.analysis.facts.social_life import (
    compare_ends,
    count_outside,
    describe_ties,
    friendships,
    parties_of_friends,
    talks,
)

# A triangle 0, 1, 2 with a tail 3, and a pair 4, 5; agent 6 has no friends.
TIES = pd.DataFrame({"source": [0, 0, 1, 2, 4], "target": [1, 2, 2, 3, 5], "kind": ["friend"] * 5})


PARTIES = {"D": "Democrat", "I": "Independent", "R": "Republican"}


def run(**columns: Any) -> Any:
    people = pd.DataFrame(
        {
            "tick": 23,
            "agent": range(7),
            "race": ["a", "a", "a", "b", "b", "b", "b"],
            "age": [30, 31, 32, 60, 70, 71, 20],
            "home": [0, 0, 1, 1, 2, 2, 2],
            "evacuated": [False, False, True, False, False, False, True],
            "party": [PARTIES[letter] for letter in "DDRIDRD"],
        }
        | columns
    )
    return HandMade({"agents_citizen": people, "ties": TIES})


def values(fact: Any) -> dict[str, float]:
    return {value.what: value.value for value in fact.values}  # noqa: PD011 - no DataFrame


def test_a_graph_is_described() -> None:
    described = describe_ties(TIES, agents=7)
    assert described["mean"] == pytest.approx(10 / 6)
    assert described["transitivity"] == pytest.approx(3 / 5)
    assert described["clustering"] == pytest.approx((1 + 1 + 1 / 3) / 7)
    assert described["connected"] == pytest.approx(4 / 6)
    twice = pd.concat([TIES, TIES.rename(columns={"source": "target", "target": "source"})])
    assert describe_ties(twice, agents=7) == described
    assert describe_ties(TIES[3:], agents=7)["transitivity"] == 0
    assert pd.isna(describe_ties(TIES[:0], agents=7)["transitivity"])


def test_ends_of_ties_are_compared() -> None:
    people = run().first_rows("citizen")
    race = compare_ends(TIES, people, "race")
    assert race["same"] == pytest.approx(4 / 5)
    assert race["by_chance"] == pytest.approx(0.7**2 + 0.3**2)
    assert compare_ends(TIES, people, "age")["correlation"] > 0.5
    assert pd.isna(compare_ends(TIES[:0], people, "age")["same"])


def test_friends_in_other_zones_are_compared_by_evacuation() -> None:
    outside = count_outside(TIES, run().first_rows("citizen"))
    assert outside.to_dict() == pytest.approx({0: 0.5, 1: 0.5, 2: 2 / 3, 3: 0, 4: 0, 5: 0})
    what = "friends in other zones, who left minus who stayed"
    assert values(friendships(run()))[what] == pytest.approx(2 / 3 - 1 / 5)
    assert pd.isna(values(friendships(run(evacuated=False)))[what])


def test_few_friendships_cross_parties() -> None:
    crossing = values(parties_of_friends({"control": run()}))
    assert crossing["friendships of Democrats with Republicans"] == pytest.approx(3 / 5)


def test_people_talked_with_are_compared_by_day_and_age() -> None:
    first, second = (
        run(tick=tick, time=pd.Timestamp(time), talked_with=count).agents_of("citizen")
        for tick, time, count in (
            (23, "2026-01-02 23:00", 6),
            (47, "2026-01-03 23:00", [4] * 4 + [2] * 3),
        )
    )
    days = pd.concat([first, second])
    both: Any = HandMade({"agents_citizen": days})
    numbers = values(talks(both))
    assert numbers["different people talked with a day"] == pytest.approx((42 + 22) / 14)
    assert numbers["the same on weekends, minus weekdays"] == pytest.approx(22 / 7 - 6)
    assert numbers["the same from 65 years on, minus 25 to 64 years"] == pytest.approx(-1)
