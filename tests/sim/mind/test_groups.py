from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memopolis.sim.errors import ParameterError
from memopolis.sim.mind.archetype import _large, bin_numbers, group_agents
from memopolis.sim.mind.mind import Answer, Question
from memopolis.sim.population import Agent, Cohort, attribute
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society


class Person(Agent):
    gender: str = attribute("female")
    age: int = attribute(40, low=0, high=100)
    income: float = attribute(0.0)
    attitude: dict[str, float] = attribute({"trust": 5.0, "care": 5.0}, low=0, high=10)
    friends: list[int] = attribute([])


class Town(Society[Settings]):
    def build(self, settings: Settings) -> None:
        self.people = self.populate(Person, settings.agents)


@pytest.fixture
def town() -> Callable[..., Cohort]:
    def make(**status: Any) -> Cohort:
        made = Town(agents=len(next(iter(status.values()))), rng=1)
        for name, values in status.items():
            made.people.cohort()[name.replace("__", ".")] = np.asarray(values)
        return made.people.cohort()

    return make


def ask(people: Cohort, about: str = "") -> Question:
    return Question(
        "attitude", people, "rating", lambda q: Answer(np.zeros(len(q.cohort))), about=about
    )


def test_agents_with_equal_attributes_form_a_group(town: Callable[..., Cohort]) -> None:
    people = town(gender=["male", "female", "male", "female", "male"], age=[10, 10, 90, 12, 15])
    # By two parts of the age, 0..50 and 50..100, and gender; numbered by first member.
    groups = group_agents(ask(people), ("gender", "age"), bins=2, least=1)
    assert groups.tolist() == [0, 1, 2, 1, 0]


def test_small_groups_are_merged_by_the_most_important_attributes(
    town: Callable[..., Cohort],
) -> None:
    people = town(gender=["male"] * 4 + ["female"] * 4, age=[10, 10, 90, 95, 10, 90, 30, 60])
    groups = group_agents(ask(people), ("gender", "age"), bins=2, least=3)
    assert groups.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    # Young men are two and stay so; the others are as few in each part or fewer.
    groups = group_agents(ask(people), ("gender", "age"), bins=10, least=2)
    assert groups.tolist() == [0, 0, 1, 1, 2, 2, 2, 2]


def test_remaining_agents_join_the_largest_group(town: Callable[..., Cohort]) -> None:
    people = town(gender=["male"] * 5 + ["female"])
    assert group_agents(ask(people), ("gender",), bins=2, least=2).tolist() == [0] * 6


def test_a_question_about_an_attitude_groups_by_that_attitude(
    town: Callable[..., Cohort],
) -> None:
    people = town(attitude__trust=[1, 1, 9, 9], attitude__care=[1, 9, 1, 9])
    by = ("attitude",)
    assert group_agents(ask(people, "trust"), by, bins=2, least=1).tolist() == [0, 0, 1, 1]
    assert group_agents(ask(people, "care"), by, bins=2, least=1).tolist() == [0, 1, 0, 1]
    assert group_agents(ask(people), by, bins=2, least=1).tolist() == [0, 1, 2, 3]


def test_unbounded_numbers_are_divided_into_quantiles(
    town: Callable[..., Cohort],
) -> None:
    people = town(income=[1e5, 3.0, 1.0, 2.0])
    assert group_agents(ask(people), ("income",), bins=2, least=1).tolist() == [0, 0, 1, 1]


def test_attributes_without_values_are_skipped(town: Callable[..., Cohort]) -> None:
    people = town(age=[10, 90])
    assert group_agents(ask(people), ("emotion", "age"), bins=2, least=1).tolist() == [0, 1]
    assert group_agents(ask(people), ("emotion",), bins=2, least=1).tolist() == [0, 0]


def test_list_attributes_form_no_groups(town: Callable[..., Cohort]) -> None:
    with pytest.raises(ParameterError, match="'friends': it is a list"):
        group_agents(ask(town(age=[1, 2])), ("friends",), bins=2, least=1)


def test_intervals_of_a_range_have_equal_width() -> None:
    values = np.array([0.0, 1.99, 2.0, 5.0, 9.99, 10.0])
    assert bin_numbers(values, 5, 0.0, 10.0).tolist() == [0, 0, 1, 2, 4, 4]
    assert bin_numbers(values, 1, 0.0, 10.0).tolist() == [0] * 6


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 9)), min_size=1),
    st.integers(1, 12),
)
def test_groups_reach_the_minimum_size(codes: list[tuple[int, int, int]], least: int) -> None:
    groups = _large(np.array(codes), least)
    sizes = np.unique(groups, return_counts=True)[1]
    assert sizes.sum() == len(codes)
    assert sizes.min() >= min(least, len(codes))
    assert len(sizes) <= max(1, len(codes) // least)
