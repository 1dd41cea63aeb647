"""Needs, hearing, outings and goods: ranges, monotonicity, and empty input."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from memopolis.agents.economy.shopping import serve_in_order
from memopolis.agents.hearing import compute_delays
from memopolis.agents.itinerary import compute_trip_shares
from memopolis.agents.need_kernels import change_need

share = st.floats(0, 1, width=32)
levels = hnp.arrays(np.float32, st.integers(0, 8), elements=share)


# Needs


@given(levels, st.floats(0, 5, width=32))
def test_a_need_never_falls_below_zero(level: NDArray[np.float32], loss: float) -> None:
    same = np.zeros(len(level), np.uint8)
    after = change_need(level, np.array([-loss], np.float32), same, same)
    assert after.dtype == np.float32
    assert ((after >= 0) & (after <= level)).all()
    assert change_need(level, np.zeros(1, np.float32), same, same).tolist() == level.tolist()
    more = change_need(level, np.array([-loss - 0.1], np.float32), same, same)
    assert (more <= after).all()


def test_a_need_changes_within_its_range() -> None:
    level, change = np.array([0.9, 0.1, 0.9], np.float32), np.array([-0.3, 0.3], np.float32)
    doing = np.array([0, 0, 1], np.uint8)
    assert change_need(level, change, doing, doing) == pytest.approx([0.6, 0, 1])
    assert change_need(level[:0], change, doing[:0], doing[:0]).shape == (0,)
    # As a subclass may declare it.
    precise = change_need(level.astype(np.float64), change, doing, doing)
    assert precise.dtype == np.float64


# Hearing

draws = hnp.arrays(np.float64, st.integers(0, 8), elements=st.floats(0, 0.999999))
hours = st.floats(0, 23.99)


@given(draws, hours, st.floats(0.1, 48))
def test_news_is_never_received_before_publication_or_at_night(
    u: NDArray[np.float64], hour: float, mean: float
) -> None:
    waited = compute_delays(u, hour, mean=mean)
    assert waited.shape == u.shape
    assert (waited >= 0).all()
    of_day = (hour + waited) % 24
    assert ((of_day >= 6 - 1e-9) | (of_day < 1e-9)).all()


@given(hours, st.floats(0.1, 48))
def test_delays_rise_with_the_draw(hour: float, mean: float) -> None:
    u = np.linspace(0, 0.999, 50)
    # Agents that would hear at night may hear at the same time; the order does not change by a day.
    assert (np.diff(compute_delays(u, hour, mean=mean)) > -2).all()


def test_the_mean_delay_equals_the_setting() -> None:
    u = (np.arange(10_000) + 0.5) / 10_000
    assert compute_delays(u, 7, mean=3).mean() == pytest.approx(3, abs=0.35)


def test_news_published_at_night_is_received_in_the_morning() -> None:
    waited = compute_delays(np.array([0.0, 0.5, 0.9]), 0.0, mean=0.5)
    assert ((waited >= 6) & (waited < 8)).all()


# Outings


@given(st.integers(1, 5), st.data())
def test_trip_shares_sum_to_one_and_fall_with_distance(zones: int, data: st.DataObject) -> None:
    km = data.draw(hnp.arrays(np.float64, (zones, zones), elements=st.floats(0.1, 200)))
    people = data.draw(hnp.arrays(np.float64, zones, elements=st.floats(1, 1e6)))
    shares = compute_trip_shares(km, people)
    assert shares.sum(axis=1) == pytest.approx(np.ones(zones))
    assert (shares >= 0).all()
    farther = km.copy()
    farther[:, 0] *= 2
    assert (compute_trip_shares(farther, people)[:, 0] <= shares[:, 0] + 1e-12).all()


# Goods


@given(
    st.lists(st.integers(0, 3), max_size=30),
    st.lists(st.floats(0, 8, width=32), min_size=4, max_size=4),
)
def test_scarce_goods_go_to_the_first_buyers(seller: list[int], stock: list[float]) -> None:
    units = serve_in_order(np.array(seller, np.intp), np.ones(len(seller)), np.array(stock, "f4"))
    served = units == 1
    for firm in range(4):
        turns = [bool(got) for one, got in zip(seller, served, strict=True) if one == firm]
        expected = min(len(turns), int(np.floor(stock[firm])))
        assert turns == [True] * expected + [False] * (len(turns) - expected)
