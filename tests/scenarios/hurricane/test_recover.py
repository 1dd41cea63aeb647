"""Gusts damage homes and stores; people see it when they are at home, repair it and help."""

import numpy as np
import pytest

from memopolis.scenarios.hurricane.damage import damage_by_gust, repair
from memopolis.scenarios.hurricane.scenario import Hurricane


def test_damage_rises_with_the_gust_and_mobile_homes_suffer_more() -> None:
    exposure = np.linspace(0, 1, 101)
    share = [
        float((damage_by_gust(np.full(101, gust, np.float32), exposure) > 0).mean())
        for gust in (40, 60, 90, 130)
    ]
    assert share[0] == 0
    assert (np.diff(share) > 0).all()
    gust = np.full(101, 80, np.float32)
    fragile = damage_by_gust(gust, exposure, np.ones(101, np.bool_))
    assert fragile.sum() > damage_by_gust(gust, exposure).sum()


def test_repairs_take_their_mean_time_and_end() -> None:
    damage = np.array([0.8], np.float32)
    assert repair(damage, days=4.0)[0] == pytest.approx(0.8 * np.exp(-0.25))
    for _ in range(40):
        damage = repair(damage, days=4.0)
    assert damage[0] == 0


def test_people_remember_damage_where_it_is_and_some_are_helped() -> None:
    society = Hurricane(agents=200, rng=1, storm="matthew", record={"tables": ()})
    society.run_for(society.clock.ticks_of_days(14))
    homes, citizens = society.population("household"), society.population("citizen")
    assert 0.05 < (homes["damage"] > 0).mean() < 0.8
    topics = {"damage": 0, "help": 0}
    for agent in citizens.agents:
        stream = agent.memory.observed.stream
        for memory in stream.read(stream.list_ids()):
            if memory.topic in topics:
                topics[memory.topic] += 1
                nearest = society.circumstances.nearest
                assert nearest is not None
                assert memory.time > society.clock.tick_of(nearest) - 24
    assert min(topics.values()) > 0


def test_after_the_storm_people_are_afraid_and_sad_for_days() -> None:
    def levels(storm: str, orders: str) -> dict[str, np.ndarray]:
        society = Hurricane(
            agents=150, rng=1, storm=storm, orders=orders, start="2019-08-28",
            record={"tables": ()},
        )  # fmt: skip
        series: dict[str, list[float]] = {"fear": [], "sadness": [], "joy": []}
        citizens = society.population("citizen")
        for _ in range(society.clock.ticks_of_days(14)):
            society.step()
            for name, values in series.items():
                values.append(float(np.nanmean(citizens[f"emotion.{name}"])))
        return {name: np.array(values) for name, values in series.items()}

    storm, calm = levels("dorian", "default"), levels("none", "none")
    nearest = 24 * 8 + 12
    days = slice(nearest + 72, nearest + 144)
    for name in ("fear", "sadness"):
        assert (storm[name] - calm[name])[days].mean() > 0.05, name
        assert (storm[name] - calm[name]).min() > -0.1, name
    before = slice(nearest - 72, nearest)
    assert (storm["joy"] - calm["joy"])[before].mean() < 0
