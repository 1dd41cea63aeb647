"""Distributions of start values: correct shares, and independent random streams."""

from typing import Any

import numpy as np
import pytest

from memopolis.sim.chance import Chance
from memopolis.sim.distributions import Choice, Distribution, Normal, Uniform
from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.status.schema import Schema
from memopolis.sim.population import Agent, attribute
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society

MANY = 20_000


def drawn(distribution: Distribution[Any], agents: int = MANY, seed: int = 1) -> Any:
    schema = Schema()
    schema.declare("x", distribution)
    return Memory(agents, schema=schema, seed=seed).status["x"]


def share_of(mask: Any) -> float:
    return float(np.mean(mask))


def test_options_are_drawn_with_their_probabilities() -> None:
    values = drawn(Choice(["old", "new", "none"], p=[0.5, 0.3, 0.2]))
    for option, share in (("old", 0.5), ("new", 0.3), ("none", 0.2)):
        assert share_of(values == option) == pytest.approx(share, abs=0.015)
    assert share_of(drawn(Choice([1, 2])) == 1) == pytest.approx(0.5, abs=0.015)


def test_options_may_be_of_any_type() -> None:
    assert set(drawn(Choice([True, False]), 50).tolist()) == {True, False}
    assert set(drawn(Choice([1, 2.5]), 50).tolist()) == {1.0, 2.5}
    assert sorted(map(len, drawn(Choice([["a"], ["a", "b"], []]), 50)))[::49] == [0, 2]


def test_uniform_numbers_fill_the_interval() -> None:
    values = drawn(Uniform(2, 4))
    assert values.dtype == np.float64
    assert values.min() >= 2
    assert values.max() < 4
    assert values.mean() == pytest.approx(3, abs=0.02)
    assert values.std() == pytest.approx(2 / 12**0.5, abs=0.01)


def test_whole_uniform_numbers_reach_both_ends() -> None:
    values = drawn(Uniform(1, 6, whole=True))
    assert values.dtype == np.int32
    numbers, counts = np.unique(values, return_counts=True)
    assert numbers.tolist() == [1, 2, 3, 4, 5, 6]
    assert counts / MANY == pytest.approx(1 / 6, abs=0.01)


def test_normal_numbers_have_mean_and_spread() -> None:
    values = drawn(Normal(40, 12))
    assert values.mean() == pytest.approx(40, abs=0.3)
    assert values.std() == pytest.approx(12, abs=0.3)
    assert share_of(np.abs(values - 40) < 12) == pytest.approx(0.6827, abs=0.012)


def test_a_bounded_normal_distribution_is_truncated() -> None:
    values = drawn(Normal(0, 1, low=0))
    assert values.min() >= 0
    # The mean of the upper half of a normal distribution is sqrt(2 / pi).
    assert values.mean() == pytest.approx((2 / np.pi) ** 0.5, abs=0.02)
    assert share_of(values == 0) < 0.001
    whole = drawn(Normal(0, 3, low=-2.5, high=2.5, whole=True))
    assert sorted(set(whole.tolist())) == [-2, -1, 0, 1, 2]


def test_draws_depend_only_on_seed_name_and_row() -> None:
    few = drawn(Uniform(0, 1), agents=5)
    assert drawn(Uniform(0, 1), agents=9)[:5].tolist() == few.tolist()
    assert drawn(Uniform(0, 1), agents=5, seed=2).tolist() != few.tolist()
    schema = Schema()
    schema.declare("y", Uniform(0, 1))
    schema.declare("x", Uniform(0, 1))
    both = Memory(5, schema=schema, seed=1).status
    assert both["x"].tolist() == few.tolist()
    assert both["y"].tolist() != few.tolist()


def test_later_agents_have_the_same_draws_as_initial_ones() -> None:
    schema = Schema()
    schema.declare("age", Normal(40, 10, whole=True))
    schema.declare("faith", Choice(["old", "new"]))
    whole, grown = Memory(8, schema=schema, seed=3), Memory(3, schema=schema, seed=3)
    before = grown.status["age"].tolist()
    grown.grow(8)
    for name in ("age", "faith"):
        assert grown.status[name].tolist() == whole.status[name].tolist()
    assert grown.status["age"][:3].tolist() == before


def test_an_attribute_declared_later_is_drawn_too() -> None:
    memory = Memory(100, seed=1)
    memory.status.declare("luck", Uniform(0, 1))
    assert len(set(memory.status["luck"].tolist())) > 90


class Baker(Agent):
    flour: float = attribute(Uniform(0, 10), "Flour", unit="kg", record=True)
    town: str = attribute(Choice(["north", "south"]))


class Smith(Agent):
    flour: float = attribute(Uniform(0, 10))


class Street(Society[Settings]):
    def build(self, settings: Settings) -> None:
        self.populate(Baker, settings.agents)
        self.populate(Smith, settings.agents, status={})


def test_agents_draw_what_their_class_declares() -> None:
    street = Street(agents=20, rng=1)
    flour = [agent["flour"] for agent in street.population("baker").agents]
    assert len(set(flour)) == 20
    assert all(0 <= kilos < 10 for kilos in flour)
    again = Street(agents=25, rng=1).population("baker")
    assert again.cohort()["flour"].tolist()[:20] == flour
    assert street.population("smith").cohort()["flour"].tolist() != flour
    joined = street.population("baker").add(5)
    assert joined["flour"].tolist() == again.cohort()["flour"].tolist()[20:]


def test_given_values_take_precedence_over_draws() -> None:
    street = Street(agents=3, rng=1)
    street.populate(type("Clerk", (Baker,), {}), 3, status={"flour": np.ones(3)})
    assert street.population("clerk").cohort()["flour"].tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Choice([]), "at least one option, got"),
        (lambda: Choice("ab"), "a list of at least one option"),
        (lambda: Choice(["a", 1]), "of one type, got int, str"),
        (lambda: Choice(["a", None]), "of one type"),
        (lambda: Choice(["a", "b"], p=[0.5, 0.4]), "sum to one, got .* sum to 0.9"),
        (lambda: Choice(["a", "b"], p=[1.5, -0.5]), "at least 0"),
        (lambda: Choice(["a", "b"], p=[1.0]), "2 options need 2 probabilities, got 1"),
        (lambda: Choice(["a", "b"], p=[float("nan"), 1.0]), "at least 0"),
        (lambda: Uniform(3, 3), "low < high, got 3 and 3"),
        (lambda: Uniform(0, float("inf")), "finite bounds, got inf"),
        (lambda: Uniform(0.5, 3, whole=True), "whole bounds, got 0.5"),
        (lambda: Normal(0, 0), "sd > 0, got 0 and 0"),
        (lambda: Normal(0, 1, low=2, high=1), "low < high, got 2 and 1"),
        (lambda: Normal(0, 1, low=20), "has almost no probability between 20 and None"),
    ],
)
def test_an_invalid_distribution_is_refused(make: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        make()


def test_a_custom_draw_is_a_function() -> None:
    rows = np.arange(4)
    for one in (Choice(["a", "b"]), Uniform(0, 1), Normal(0, 1)):
        first = one.draw(Chance(1), "x", rows)
        assert one.draw(Chance(1), "x", rows[::-1]).tolist() == first[::-1].tolist()
