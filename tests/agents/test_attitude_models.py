"""Published models of attitude change as functions of arrays: by hand and in general."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from memopolis.agents.attitude_models import (
    baumann,
    biased_assimilation,
    deffuant,
    friedkin_johnsen,
    friedkin_johnsen_limit,
    hegselmann_krause,
    repulsion,
)

if TYPE_CHECKING:
    from collections.abc import Callable

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


def test_deffuant_by_hand() -> None:
    own = np.array([0.2, 0.4, 0.5, 0.6, 0.0])
    heard = np.array([0.4, 0.2, 0.9, np.nan, 0.3])
    moved = deffuant(own, heard, bound=0.3, rate=0.5)
    # Two that meet at mu = 0.5 agree; 0.4 is too far; no meeting; exactly the bound is too far.
    assert moved.tolist() == pytest.approx([0.3, 0.3, 0.5, 0.6, 0.0])
    moved = deffuant(own, heard, bound=0.31, rate=0.1)
    assert moved.tolist() == pytest.approx([0.22, 0.38, 0.5, 0.6, 0.03])


def test_hegselmann_krause_by_hand() -> None:
    heard, weight = row(4.0, 6.0, 7.0, 9.0), row(1.0, 1.0, 1.0, 1.0)
    # Within 2 of 5, that distance included: 4, 6, 7 and 5 itself; mean 22 / 4.
    moved = hegselmann_krause(one(5.0), heard, weight, bound=2)
    assert moved[0] == pytest.approx(5.5)
    # With weights 1, 3, 0 and one's own 4: (4 + 18 + 20) / 8.
    moved = hegselmann_krause(one(5.0), heard, row(1, 3, 0, 9), bound=2, own_weight=4)
    assert moved[0] == pytest.approx(5.25)
    assert hegselmann_krause(one(5.0), row(9.0), row(1.0), bound=2)[0] == 5


def test_repulsion_by_hand() -> None:
    numbers: dict[str, Any] = {"bound": 2, "reject": 3, "rate": 0.5}
    heard, weight = row(4.0, 6.0, 7.5, 9.0), row(1.0, 3.0, 7.0, 5.0)
    # Near 5 within 2 are 4 and 6, mean (4 + 18) / 4 = 5.5; half of the way is 5.25.
    assert repulsion(one(5.0), heard, weight, **numbers)[0] == pytest.approx(5.25)
    # And past 9, beyond 3, by a tenth of 4: 0.5 * (0.5 - 0.4).
    moved = repulsion(one(5.0), heard, weight, backfire=0.1, **numbers)
    assert moved[0] == pytest.approx(5.05)
    # One of two backfires: 0.5 * -4 less than 5, or nothing.
    two = np.array([5.0, 5.0])
    far = np.array([[9.0], [9.0]])
    moved = repulsion(two, far, far, backfire=np.array([1.0, 0.0]), **numbers)
    assert moved.tolist() == [3, 5]
    # Exactly at the distance of rejection, nothing repels.
    assert repulsion(one(5.0), row(8.0), row(1.0), backfire=1, **numbers)[0] == 5


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


def test_baumann_by_hand() -> None:
    # 1 + 0.1 * (3 * (tanh 2 - 0.5 tanh 4) - 1).
    moved = baumann(one(1.0), row(1.0, -2.0), row(1.0, 0.5), coupling=3, controversy=2, step=0.1)
    expected = 1 + 0.1 * (3 * (np.tanh(2) - 0.5 * np.tanh(4)) - 1)
    assert moved[0] == pytest.approx(expected)
    # An agent without messages returns to neutral.
    alone = baumann(one(1.0), row(1.0), row(0.0), coupling=3, controversy=2, step=0.1)
    assert alone[0] == pytest.approx(0.9)


# In general


@given(opinions(), st.floats(0, 1), st.floats(0, 1))
def test_without_backfire_opinions_stay_within_their_initial_range(
    held: tuple[Any, Any, Any], bound: float, rate: float
) -> None:
    own, heard, weight = held
    low = np.minimum(own, heard.min(axis=1)) - 1e-9
    high = np.maximum(own, heard.max(axis=1)) + 1e-9
    for moved in (
        deffuant(own, heard[:, 0], bound=bound, rate=rate),
        hegselmann_krause(own, heard, weight, bound=bound),
        repulsion(own, heard, weight, bound=bound, reject=bound, rate=rate),
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
    own = np.round(own, 3)  # 1 - x loses tiny x
    moved = biased_assimilation(own, heard, weight, bias=bias, own_weight=own_weight)
    assert ((moved >= -1e-9) & (moved <= 1 + 1e-9)).all()
    mirrored = biased_assimilation(1 - own, 1 - heard, weight, bias=bias, own_weight=own_weight)
    assert mirrored == pytest.approx(1 - moved, abs=1e-9)
    # Those sure of a side stay so, whatever they hear.
    sure = biased_assimilation(np.array([0.0, 1.0]), heard[:2], weight[:2], bias=max(bias, 0.1))
    assert sure.tolist() == [0, 1]


@given(opinions(-5, 5), st.floats(0, 5), st.floats(0, 5), st.floats(0.01, 1))
def test_baumann_is_symmetric_and_bounded_by_its_coupling(
    held: tuple[Any, Any, Any], coupling: float, controversy: float, step: float
) -> None:
    own, heard, weight = held
    numbers = {"coupling": coupling, "controversy": controversy, "step": step}
    moved = baumann(own, heard, weight, **numbers)
    assert baumann(-own, -heard, weight, **numbers) == pytest.approx(-moved)
    most = np.maximum(np.abs(own), coupling * weight.sum(axis=1))
    assert (np.abs(moved) <= most + 1e-9).all()


@given(opinions())
def test_one_agent_equals_its_row_of_many(held: tuple[Any, Any, Any]) -> None:
    own, heard, weight = (part.astype(np.float32) for part in held)
    models: list[Callable[[Any, Any, Any], Any]] = [
        lambda x, y, _: deffuant(x, y[:, 0], bound=0.3, rate=0.5),
        lambda x, y, w: hegselmann_krause(x, y, w, bound=0.3),
        lambda x, y, w: repulsion(x, y, w, bound=0.3, reject=0.5, rate=0.5, backfire=0.1),
        lambda x, y, w: friedkin_johnsen(x, x / 2, y, w, susceptibility=0.5, own_weight=1),
        lambda x, y, w: biased_assimilation(x, y, w, bias=1.5),
        lambda x, y, w: baumann(x, y, w, coupling=3, controversy=2, step=0.1),
    ]
    for model in models:
        together = model(own, heard, weight)
        apart = [model(own[i : i + 1], heard[i : i + 1], weight[i : i + 1])[0] for i in range(4)]
        assert np.array_equal(together, np.array(apart))


# Limits


@given(
    hnp.arrays(np.float64, (5, 5), elements=st.floats(0.01, 1)),
    hnp.arrays(np.float64, 5, elements=st.floats(0, 10)),
    hnp.arrays(np.float64, 5, elements=st.floats(0, 0.9)),
)
def test_friedkin_johnsen_converges_to_its_closed_form(
    ties: Floats, start: Floats, susceptibility: Floats
) -> None:
    ties = ties / ties.sum(axis=1, keepdims=True)
    x: Floats = start
    for _ in range(300):
        x = friedkin_johnsen(
            x, start, np.broadcast_to(x, (5, 5)), ties, susceptibility=susceptibility
        )
    assert x == pytest.approx(friedkin_johnsen_limit(start, ties, susceptibility), abs=1e-6)
