"""Vehicles in queues: conservation, capacity, order, and the limit of free flow."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.sim.world.test_roads import LINE, place, rows

from memopolis.sim.errors import ParameterError
from memopolis.sim.world.roads import Roads
from memopolis.sim.world.traffic import (
    LEAST_LEFT,
    PEOPLE_PER_VEHICLE,
    Traffic,
    Travellers,
    slow_down,
)

FloatArray = NDArray[np.float64]
WAY_A = 0.4
"""Hours from zone a to the outside on empty roads."""


def traffic(people: float = 1.0) -> Traffic:
    return Traffic(Roads.from_table(LINE, place()), hours=1.0, people=people)


def leave(made: Traffic, start: FloatArray, vehicles: FloatArray | None = None) -> Travellers:
    """Let travellers start from zone a at some hours."""
    count = len(start)
    many = np.ones(count) if vehicles is None else vehicles
    link = np.zeros(count, np.int32)
    arrival = start + made.roads.hours[link]
    return Travellers(link, arrival, np.zeros(count), np.zeros(count, np.int64), many)


def drive(
    made: Traffic, travellers: Travellers, capacity: FloatArray, *hours: float
) -> list[FloatArray]:
    _, first = made.roads.find_ways_out(made.roads.hours)
    on = np.arange(len(travellers.link))
    gone = np.full(len(on), np.nan)
    seen = []
    for until in hours:
        part = Travellers(*(getattr(travellers, n)[on] for n in Travellers.__dataclass_fields__))
        out = made.advance(part, first, capacity, until=until)
        for name in ("link", "arrival", "delay"):
            getattr(travellers, name)[on] = getattr(part, name)
        gone[on] = out
        on = on[np.isnan(out)]
        seen.append(gone.copy())
    return seen


def test_without_limits_everyone_drives_the_free_time() -> None:
    made = traffic()
    start = np.linspace(0, 2, 50)
    travellers = leave(made, start)
    (gone,) = drive(made, travellers, np.full(6, np.inf), 10.0)
    assert gone == pytest.approx(start + WAY_A)
    assert (travellers.delay == 0).all()


def test_a_queue_lets_pass_the_capacity_first_come_first_served() -> None:
    made = traffic()
    start = np.zeros(1_000)
    start[:500] = np.linspace(0, 0.1, 500)[::-1]
    capacity = np.array([np.inf, np.inf, 100.0, np.inf, np.inf, np.inf])
    travellers = leave(made, start)
    (gone,) = drive(made, travellers, capacity, 100.0)
    # 1,000 vehicles at 100 an hour: one every 0.01 h.
    assert np.sort(gone) == pytest.approx(WAY_A + 0.01 * np.arange(1_000))
    assert np.array_equal(np.argsort(start, kind="stable"), np.argsort(gone, kind="stable"))
    assert travellers.delay == pytest.approx(gone - start - WAY_A)


@given(
    start=st.lists(st.floats(0, 5), min_size=1, max_size=40),
    limit=st.floats(2, 50),
    weight=st.floats(0.1, 30),
)
def test_no_vehicle_is_lost_and_no_link_exceeds_its_capacity(
    start: list[float], limit: float, weight: float
) -> None:
    made = traffic()
    capacity = np.full(6, limit)
    travellers = leave(made, np.array(start), np.full(len(start), weight))
    hours = np.arange(1.0, 400.0)
    passed = 0.0
    _, first = made.roads.find_ways_out(made.roads.hours)
    on = travellers
    for until in hours:
        before = len(on.link)
        gone = np.isfinite(made.advance(on, first, capacity, until=until))
        out = made.flow[-1]
        assert out == pytest.approx(weight * gone.sum())
        # One group may begin to pass before the end of the step.
        assert (made.flow <= limit + weight + 1e-9).all()
        on = Travellers(*(getattr(on, n)[~gone] for n in Travellers.__dataclass_fields__))
        assert len(on.link) + gone.sum() == before
        passed += out
        if not len(on.link):
            break
    assert passed == pytest.approx(weight * len(start))


def test_the_length_of_a_step_changes_nothing() -> None:
    start = np.random.default_rng(3).uniform(0, 2, 300)
    capacity = np.full(6, 60.0)
    results = []
    for hours in ([50.0], np.arange(0.5, 50, 0.5), np.arange(3.0, 50, 3)):
        made = traffic()
        travellers = leave(made, start)
        results.append((drive(made, travellers, capacity, *hours)[-1], travellers.delay))
    for gone, delay in results[1:]:
        assert np.array_equal(gone, results[0][0])
        assert np.array_equal(delay, results[0][1])


def test_doubled_capacity_halves_the_clearance_of_a_bottleneck() -> None:
    cleared = []
    for limit in (100.0, 200.0):
        made = traffic()
        capacity = np.array([np.inf, np.inf, np.inf, np.inf, np.inf, limit])
        (gone,) = drive(made, leave(made, np.zeros(2_000)), capacity, 100.0)
        cleared.append(gone.max() - WAY_A)
    assert cleared[0] / cleared[1] == pytest.approx(2, rel=1e-3)


def test_drivers_expect_the_queue_that_they_would_meet() -> None:
    made = traffic()
    capacity = np.full(6, 100.0)
    travellers = leave(made, np.zeros(50))
    waits = made.waits(0.1, travellers, capacity)
    assert waits == pytest.approx([0.5, 0, 0, 0, 0, 0])
    drive(made, travellers, capacity, 0.2)
    # Ten have passed, the eleventh may pass at once; forty others wait.
    assert made.waits(0.2, travellers, capacity)[0] == pytest.approx(0.4, abs=0.011)


def test_daily_trips_slow_each_other_down() -> None:
    start, end = np.zeros(300, np.int16), np.full(300, 2, np.int16)
    # An agent is not in its own way, however many people it represents.
    alone, _ = traffic(people=5_000).drive(start[:1], end[:1])
    assert alone == pytest.approx([18.0])
    made = traffic(people=PEOPLE_PER_VEHICLE * 2)
    minutes, lost = made.drive(start, end)
    # 600 vehicles on links for 1,000 an hour.
    assert made.volume.tolist() == [600, 0, 600, 0, 0, 0]
    assert minutes == pytest.approx(np.full(300, 18 * (1 + 0.15 * 0.598**4)))
    assert lost == pytest.approx(minutes - 18)
    # They take capacity from vehicles that leave, but never all of it.
    assert made.free_capacity(np.ones(6))[0] == pytest.approx(400)
    assert made.free_capacity(np.full(6, 0.6))[0] == pytest.approx(LEAST_LEFT * 600)
    made.step(None)
    assert (made.volume == 0).all()


def test_evacuating_vehicles_slow_down_daily_trips() -> None:
    made = traffic()
    one = np.array([0]), np.array([1])
    free = made.drive(*one)[0]
    drive(made, leave(made, np.zeros(900)), np.full(6, 1e9), 1.0)
    assert made.drive(*one)[0] > free * 1.05


def test_the_function_of_delays_is_limited() -> None:
    factor = slow_down(np.array([0, 1, 1.5, 90]))
    assert factor == pytest.approx([1, 1.15, 1 + 0.15 * 1.5**4, 1 + 0.15 * 1.5**4])
    with pytest.raises(ParameterError, match="at least 0"):
        slow_down(np.array([-0.1]))


def test_two_exits_share_a_graph() -> None:
    table = rows(("a", "b", 6), ("b", "a", 6), ("a", "outside west", 6), ("b", "outside east", 6))
    roads = Roads.from_table(table, place(2))
    time, first = roads.find_ways_out(roads.hours)
    assert roads.exits == ("outside west", "outside east")
    assert time[:2] == pytest.approx(np.array([[0.1, 0.2], [0.2, 0.1]]))
    assert first[:2].tolist() == [[2, 0], [1, 3]]


def test_trips_and_travellers_that_do_not_fit_the_roads_are_refused() -> None:
    made = traffic()
    for start, end in (([0], [99]), ([-1], [0]), ([0.5], [0]), ([0, 1], [0])):
        with pytest.raises(ParameterError, match=r"start|end"):
            made.drive(np.array(start), np.array(end))
    _, first = made.roads.find_ways_out(made.roads.hours)
    capacity = np.ones(len(made.roads))
    for name, values, message in (
        ("link", np.array([99], np.int32), "links of travellers"),
        ("exits", np.array([7]), "exits of travellers"),
        ("arrival", np.zeros(2), "shapes"),
    ):
        travellers = leave(made, np.zeros(1))
        setattr(travellers, name, values)
        with pytest.raises(ParameterError, match=message):
            made.advance(travellers, first, capacity, until=1.0)
    with pytest.raises(ParameterError, match="capacity"):
        made.advance(leave(made, np.zeros(1)), first, capacity[:-1], until=1.0)
