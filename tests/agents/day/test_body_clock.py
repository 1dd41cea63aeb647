"""The body clock: sleep pressure and its thresholds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memopolis.agents.day.body_clock import (
    CHRONOTYPES,
    DEBT_LASTS,
    DEBT_LOWERS,
    FALLS,
    NEED_HOURS,
    RISES,
    change_debt,
    change_pressure,
    circadian,
    find_lower_thresholds,
    find_needs,
    find_phases,
    find_rise_times,
)

shares = st.floats(0, 1)
hours = st.floats(0, 24)
rises = st.floats(5, 30)


def change(pressure: float, asleep: float, elapsed: float, rise: float = RISES) -> float:
    before, share, time = (np.array([value]) for value in (pressure, asleep, rise))
    return float(change_pressure(before, share, elapsed, time)[0])


def test_pressure_follows_the_published_equations() -> None:
    # Daan, Beersma and Borbely 1984: S = 1 - exp(-t / 18.2) awake, S0 exp(-t / 4.2) asleep.
    assert change(0, 0, 16) == pytest.approx(0.5848, abs=1e-4)
    assert change(0.7, 1, 8) == pytest.approx(0.1042, abs=1e-4)
    assert (FALLS, RISES) == (4.2, 18.2)


@given(shares, shares, hours, rises)
def test_pressure_stays_in_range(pressure: float, asleep: float, elapsed: float, rise: float) -> (
    None
):  # fmt: skip
    assert 0 <= change(pressure, asleep, elapsed, rise) <= 1


@given(shares, shares, shares, hours)
def test_more_sleep_and_less_pressure_before_leave_less_pressure(
    pressure: float, one: float, other: float, elapsed: float
) -> None:
    less, more = sorted((one, other))
    assert change(pressure, more, elapsed) <= change(pressure, less, elapsed) + 1e-6
    assert change(less, pressure, elapsed) <= change(more, pressure, elapsed) + 1e-6


@given(shares, hours, hours, st.booleans())
def test_two_spans_equal_one(pressure: float, first: float, second: float, asleep: bool) -> None:  # noqa: FBT001
    twice = change(change(pressure, asleep, first), asleep, second)
    assert twice == pytest.approx(change(pressure, asleep, first + second), abs=1e-6)


def test_process_c_is_a_skewed_sine_of_24_hours() -> None:
    values = circadian(np.linspace(0, 24, 97))
    assert values[[0, 48, 96]] == pytest.approx(0, abs=1e-9)
    assert values == pytest.approx(-values[::-1], abs=1e-9)
    assert 0.95 < values.max() < 1.05
    assert values.argmax() < 24  # steeper than a sine, whose maximum is after 6 hours
    assert circadian(np.array([3.0])) == pytest.approx(
        0.97 * np.sin(np.pi / 4)
        + 0.22
        + 0.07 * np.sin(3 * np.pi / 4)
        + 0.001 * np.sin(5 * np.pi / 4)
    )


def test_the_clock_is_latest_at_20_and_differs_between_people() -> None:
    ages = np.arange(91.0)
    phases = find_phases(ages, np.zeros(91))
    assert phases.argmax() == 20
    assert phases[70] < phases[40]
    late = find_phases(ages, np.ones(91)) - phases
    assert late == pytest.approx(CHRONOTYPES, abs=1e-5)


def test_children_tire_faster_and_need_more_sleep() -> None:
    rise = find_rise_times(np.arange(91.0))
    assert (np.diff(rise[:21]) > 0).all()
    assert rise[40] == pytest.approx(RISES)
    needed = find_needs(np.array([3, 9, 40]), np.zeros(3))
    assert (np.diff(needed) < 0).all()
    short, long = find_needs(np.full(2, 40), np.array([-1.0, 1.0]))
    assert long - short == pytest.approx(2 * NEED_HOURS, abs=1e-5)


def test_sleep_lasts_longer_with_debt() -> None:
    rested, tired = find_lower_thresholds(np.full(2, 40), np.array([0.0, 5.0]))
    assert rested - tired == pytest.approx(5 * DEBT_LOWERS, abs=1e-6)


@given(hours, hours, st.floats(6, 12))
def test_debt_tends_to_what_lacks_and_is_stable(slept: float, other: float, needed: float) -> None:
    debt = np.zeros(1, np.float32)
    for _ in range(90):
        debt = change_debt(debt, np.array([slept]), np.array([needed]))
    fades = 1 - np.exp(-24 / DEBT_LASTS)
    assert debt[0] == pytest.approx((needed - slept) / fades, rel=1e-4, abs=1e-3)
    less, more = (
        change_debt(debt, np.array([night]), np.array([needed]))[0]
        for night in sorted((slept, other), reverse=True)
    )
    assert less <= more
