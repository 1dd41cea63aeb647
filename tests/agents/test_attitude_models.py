"""Published models of attitude change: by hand, in general, and their published results."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from memopolis.agents.attitude_models import (
    biased_assimilation,
    bounded_confidence,
    friedkin_johnsen,
    friedkin_johnsen_limit,
    reinforcement,
)
from memopolis.sim.errors import ParameterError

Floats = NDArray[np.floating]


def row(*values: float) -> Floats:
    return np.array([values], np.float64)


def one(value: float) -> Floats:
    return np.array([value], np.float64)


def opinions(low: float = 0, high: float = 1) -> st.SearchStrategy[tuple[Any, Any, Any]]:
    """Own opinions, those heard and their weights."""
    number = st.floats(low, high)
    return st.tuples(
        hnp.arrays(np.float64, 4, elements=number),
        hnp.arrays(np.float64, (4, 3), elements=number),
        hnp.arrays(np.float64, (4, 3), elements=st.floats(0, 5)),
    )


# By hand


def test_bounded_confidence_by_hand() -> None:
    heard, weight = row(4.0, 6.0, 9.0), row(1.0, 3.0, 5.0)
    # Near 5 within 2 are 4 and 6, mean (4 + 18) / 4 = 5.5; half of the way is 5.25.
    moved = bounded_confidence(one(5.0), heard, weight, bound=2, rate=0.5)
    assert moved[0] == pytest.approx(5.25)
    # And away from 9 by a tenth of 4: 0.5 * (0.5 - 0.4).
    moved = bounded_confidence(one(5.0), heard, weight, bound=2, rate=0.5, backfire=0.1)
    assert moved[0] == pytest.approx(5.05)
    # Two who meet at mu = 0.5 are of one mind.
    pair = np.array([0.2, 0.4])
    met = bounded_confidence(pair, pair[::-1, None], np.ones((2, 1)), bound=0.3, rate=0.5)
    assert met.tolist() == pytest.approx([0.3, 0.3])
    # A distance of exactly the bound is too far (Deffuant: |x - y| < eps).
    assert bounded_confidence(one(0.0), row(2.0), row(1.0), bound=2, rate=1)[0] == 0


def test_friedkin_johnsen_by_hand() -> None:
    # Others: (1 * 2 + 3 * 6) / 4 = 5; 0.8 * 5 + 0.2 * 10 = 6.
    moved = friedkin_johnsen(one(1.0), one(10.0), row(2.0, 6.0), row(1.0, 3.0), susceptibility=0.8)
    assert moved[0] == pytest.approx(6)
    # With one's own 1 of weight 4: (20 + 4) / 8 = 3; 0.8 * 3 + 2 = 4.4.
    moved = friedkin_johnsen(
        one(1.0), one(10.0), row(2.0, 6.0), row(1.0, 3.0), susceptibility=0.8, own_weight=4
    )
    assert moved[0] == pytest.approx(4.4)
    alone = friedkin_johnsen(one(1.0), one(10.0), row(2.0), row(0.0), susceptibility=0.8)
    assert alone[0] == pytest.approx(0.8 + 2)


def test_biased_assimilation_by_hand() -> None:
    # s = 2 * 0.5 = 1, against 1; 0.8 * 1 and 0.2 * 1: (0.8 + 0.8) / (1 + 1) = 0.8.
    moved = biased_assimilation(one(0.8), row(0.5), row(2.0), bias=1)
    assert moved[0] == pytest.approx(0.8)
    # Bias 2: 0.64 and 0.04: (0.8 + 0.64) / 1.68.
    moved = biased_assimilation(one(0.8), row(0.5), row(2.0), bias=2)
    assert moved[0] == pytest.approx(1.44 / 1.68)
    # Bias 0 is the weighted average: (0.8 + 2 * 0.5) / 3.
    moved = biased_assimilation(one(0.8), row(0.5), row(2.0), bias=0)
    assert moved[0] == pytest.approx(0.6)


def test_reinforcement_by_hand() -> None:
    # 1 + 0.1 * (3 * (tanh 2 - 0.5 tanh 4) - 1).
    moved = reinforcement(
        one(1.0), row(1.0, -2.0), row(1.0, 0.5), coupling=3, controversy=2, step=0.1
    )
    expected = 1 + 0.1 * (3 * (np.tanh(2) - 0.5 * np.tanh(4)) - 1)
    assert moved[0] == pytest.approx(expected)
    # Who hears nothing comes back to neutral.
    alone = reinforcement(one(1.0), row(1.0), row(0.0), coupling=3, controversy=2, step=0.1)
    assert alone[0] == pytest.approx(0.9)


# In general


@given(opinions(), st.floats(0, 1), st.floats(0, 1))
def test_without_backfire_nobody_leaves_the_range_of_what_is_held(
    held: tuple[Any, Any, Any], bound: float, rate: float
) -> None:
    own, heard, weight = held
    low = np.minimum(own, heard.min(axis=1)) - 1e-9
    high = np.maximum(own, heard.max(axis=1)) + 1e-9
    for moved in (
        bounded_confidence(own, heard, weight, bound=bound, rate=rate),
        friedkin_johnsen(own, own, heard, weight, susceptibility=rate, own_weight=1),
        biased_assimilation(own, heard, weight, bias=0),
    ):
        assert (low <= moved).all()
        assert (moved <= high).all()


@given(opinions(), st.floats(0, 10), st.floats(0.1, 10))
def test_biased_assimilation_stays_in_range_and_is_symmetric(
    held: tuple[Any, Any, Any], bias: float, own_weight: float
) -> None:
    own, heard, weight = held
    own = np.round(own, 3)  # 1 - x tells tiny x from 0 no more
    moved = biased_assimilation(own, heard, weight, bias=bias, own_weight=own_weight)
    assert ((moved >= -1e-9) & (moved <= 1 + 1e-9)).all()
    mirrored = biased_assimilation(1 - own, 1 - heard, weight, bias=bias, own_weight=own_weight)
    assert mirrored == pytest.approx(1 - moved, abs=1e-9)
    # Those sure of a side stay so, whatever they hear.
    sure = biased_assimilation(np.array([0.0, 1.0]), heard[:2], weight[:2], bias=max(bias, 0.1))
    assert sure.tolist() == [0, 1]


@given(opinions(-5, 5), st.floats(0, 5), st.floats(0, 5), st.floats(0.01, 1))
def test_reinforcement_is_symmetric_and_bounded_by_its_coupling(
    held: tuple[Any, Any, Any], coupling: float, controversy: float, step: float
) -> None:
    own, heard, weight = held
    numbers = {"coupling": coupling, "controversy": controversy, "step": step}
    moved = reinforcement(own, heard, weight, **numbers)
    assert reinforcement(-own, -heard, weight, **numbers) == pytest.approx(-moved)
    most = np.maximum(np.abs(own), coupling * weight.sum(axis=1))
    assert (np.abs(moved) <= most + 1e-9).all()


@given(opinions())
def test_one_alone_and_many_together_come_to_the_same(held: tuple[Any, Any, Any]) -> None:
    own, heard, weight = (part.astype(np.float32) for part in held)
    models: list[Callable[[Any, Any, Any], Any]] = [
        lambda x, y, w: bounded_confidence(x, y, w, bound=0.3, rate=0.5, backfire=0.1),
        lambda x, y, w: friedkin_johnsen(x, x / 2, y, w, susceptibility=0.5, own_weight=1),
        lambda x, y, w: biased_assimilation(x, y, w, bias=1.5),
        lambda x, y, w: reinforcement(x, y, w, coupling=3, controversy=2, step=0.1),
    ]
    for model in models:
        together = model(own, heard, weight)
        apart = [model(own[i : i + 1], heard[i : i + 1], weight[i : i + 1])[0] for i in range(4)]
        assert np.array_equal(together, np.array(apart))


@pytest.mark.parametrize(
    "call",
    [
        lambda: bounded_confidence(one(1), row(1), row(1), bound=-1, rate=1),
        lambda: bounded_confidence(one(1), row(1), row(1), bound=1, rate=1.5),
        lambda: bounded_confidence(one(1), row(1), row(1), bound=1, rate=1, backfire=-1),
        lambda: friedkin_johnsen(one(1), one(1), row(1), row(1), susceptibility=2),
        lambda: friedkin_johnsen(one(1), one(1), row(1), row(1), susceptibility=1, own_weight=-1),
        lambda: biased_assimilation(one(1), row(1), row(1), bias=-1),
        lambda: biased_assimilation(one(1), row(1), row(1), bias=1, own_weight=0),
        lambda: reinforcement(one(1), row(1), row(1), coupling=-1, controversy=1, step=0.1),
        lambda: reinforcement(one(1), row(1), row(1), coupling=1, controversy=1, step=0),
    ],
)
def test_numbers_out_of_range_are_refused(call: Callable[[], Any]) -> None:
    with pytest.raises(ParameterError):
        call()


# Published results


def clusters(opinions: Floats, gap: float, least: float = 0.02) -> int:
    """Groups of at least a share of all, apart from each other by more than a gap."""
    ordered = np.sort(opinions)
    sizes = np.diff([0, *(np.flatnonzero(np.diff(ordered) > gap) + 1), len(ordered)])
    return int((sizes >= least * len(ordered)).sum())


@pytest.mark.parametrize(("bound", "count"), [(0.3, 1.0), (0.2, 2.0), (0.15, 2.9), (0.1, 4.5)])
def test_deffuant_comes_to_as_many_clusters(bound: float, count: float) -> None:
    # Facts: N 1000, mu 0.5, ten seeds; clusters of at least 2%, +/- 0.5.
    found = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        x: Floats = rng.random(1_000)
        for _ in range(300):
            pairs = rng.permutation(1_000)
            x[pairs] = bounded_confidence(
                x[pairs],
                x[np.roll(pairs.reshape(-1, 2), 1, axis=1).ravel()][:, None],
                np.ones((1_000, 1)),
                bound=bound,
                rate=0.5,
            )
        found.append(clusters(x, bound / 2))
    assert np.mean(found) == pytest.approx(count, abs=0.5)


@pytest.mark.parametrize(("bound", "count"), [(0.25, 1.0), (0.18, 2.0), (0.1, 4.0)])
def test_hegselmann_and_krause_come_to_as_many_clusters(bound: float, count: float) -> None:
    # Facts: N 625; consensus at 0.25, none at 0.18.
    found = []
    for seed in range(4):
        x: Floats = np.random.default_rng(seed).random(625)
        for _ in range(40):
            everybody = np.broadcast_to(x, (625, 625))
            x = bounded_confidence(x, everybody, np.ones((625, 625)), bound=bound, rate=1)
        found.append(clusters(x, 1e-3))
    assert np.mean(found) == pytest.approx(count, abs=0.5)
    assert (max(found) == 1) == (bound == 0.25)


@given(
    hnp.arrays(np.float64, (5, 5), elements=st.floats(0.01, 1)),
    hnp.arrays(np.float64, 5, elements=st.floats(0, 10)),
    hnp.arrays(np.float64, 5, elements=st.floats(0, 0.9)),
)
def test_friedkin_johnsen_ends_at_its_closed_form(
    ties: Floats, start: Floats, susceptibility: Floats
) -> None:
    ties = ties / ties.sum(axis=1, keepdims=True)
    x: Floats = start
    for _ in range(300):
        x = friedkin_johnsen(
            x, start, np.broadcast_to(x, (5, 5)), ties, susceptibility=susceptibility
        )
    assert x == pytest.approx(friedkin_johnsen_limit(start, ties, susceptibility), abs=1e-6)


def test_without_stubbornness_a_connected_society_agrees() -> None:
    ties = np.random.default_rng(1).random((6, 6))
    ties /= ties.sum(axis=1, keepdims=True)
    x = start = np.arange(6.0)
    for _ in range(200):
        x = friedkin_johnsen(x, start, np.broadcast_to(x, (6, 6)), ties, susceptibility=1.0)
    assert np.ptp(x) < 1e-9


@pytest.mark.parametrize(("bias", "spreads"), [(0.0, False), (3.0, True)])
def test_bias_polarizes_where_averaging_does_not(bias: float, *, spreads: bool) -> None:
    # Dandekar 2013: two communities, most ties within; bias of at least 1 drives them apart.
    side = np.repeat([0, 1], 10)
    ties = np.where(side[:, None] == side[None, :], 1.0, 0.1)
    np.fill_diagonal(ties, 0)
    x = np.where(side == 0, 0.4, 0.6)
    for _ in range(2_000):
        x = biased_assimilation(x, np.broadcast_to(x, (20, 20)), ties, bias=bias)
    assert (np.ptp(x) > 0.9) == spreads


def baumann(controversy: float, homophily: float, seed: int, people: int = 300) -> Floats:
    """The activity-driven society of Baumann et al. 2020, with the parameters of its replication.

    N is smaller; gamma 2.1, least activity 0.01, m 10, r 0.5, K 3, T 10 and dt 0.05 are as found.
    """
    rng = np.random.default_rng(seed)
    power = 1 - 2.1
    activity = (0.01**power + rng.random(people) * (1 - 0.01**power)) ** (1 / power)
    x: Floats = rng.uniform(-1, 1, people)
    for _ in range(200):
        ties = np.zeros((people, people))
        for who in np.flatnonzero(rng.random(people) < activity):
            far = np.abs(x - x[who])
            far[who] = np.inf
            chance = np.maximum(far, 1e-9) ** -homophily
            chance[who] = 0
            partners = rng.choice(people, 10, replace=False, p=chance / chance.sum())
            ties[partners, who] = 1
            back = partners[rng.random(10) < 0.5]
            ties[who, back] = 1
        x = reinforcement(
            x,
            np.broadcast_to(x, (people, people)),
            ties,
            coupling=3,
            controversy=controversy,
            step=0.05,
        )
    return x


@pytest.mark.parametrize("seed", [1, 2])
def test_reinforcement_has_its_three_regimes(seed: int) -> None:
    agreed = baumann(0.05, 2, seed)
    one_sided = baumann(3, 0, seed)
    polarized = baumann(3, 3, seed)
    assert np.abs(agreed).mean() < 0.05
    assert abs(np.sign(one_sided).mean()) > 0.95
    assert np.abs(one_sided).mean() > 0.3
    assert 0.2 < (polarized > 0).mean() < 0.8
    assert np.abs(polarized).mean() > 0.3
