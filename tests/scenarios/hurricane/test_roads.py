"""Evacuees on the roads: free flow without limits, queues and anger with them, contraflow."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.scenarios.remembered import read_memories

from memopolis.agents.traffic_jams import JAM_HOURS, annoyance
from memopolis.analysis.run.tables import table_digests
from memopolis.scenarios.hurricane.blocks.drive_out import (
    BUS_SHARE,
    SECOND_CAR,
    TURNED_BACK,
    DriveOut,
    count_cars,
)
from memopolis.scenarios.hurricane.people import ADULT, Stage
from memopolis.scenarios.hurricane.scenario import Hurricane
from memopolis.scenarios.places.place_files import find_place
from memopolis.sim.errors import DataFileError, SettingsError
from memopolis.sim.running.by_hand import RunByHand
from memopolis.sim.running.resuming import resume
from memopolis.sim.world.traffic import Traffic

DAYS = 9


def society(**changes: Any) -> Hurricane:
    settings = {"agents": 250, "days": DAYS, "record": {"tables": ()}, **changes}
    return Hurricane(rng=2, **settings)


def live(made: Hurricane) -> Hurricane:
    while made.running and made.time < made.ticks:
        made.step()
    return made


def homes(made: Hurricane) -> Any:
    return made.population("household").cohort()


def jams(made: Hurricane) -> pd.DataFrame:
    """All memories of being stuck on the way out, with the delay of the household."""
    delay, house = homes(made)["delay"], made.population("citizen").cohort()["household"]
    rows = [
        (row, one.text, one.importance, one.valence, delay[house[row]])
        for row, agent in enumerate(made.population("citizen").cohort())
        for one in agent.memory.stream.read(agent.memory.stream.list_ids())
        if one.topic == "traffic" and one.text.startswith("We were stuck")
    ]
    return pd.DataFrame(rows, columns=["row", "text", "importance", "valence", "delay"])


@pytest.fixture(scope="module")
def narrow() -> Hurricane:
    return live(society(roads={"capacity": 0.15}))


@pytest.fixture(scope="module")
def wide() -> Hurricane:
    return live(society(roads={"capacity": 1e9}))


def test_roads_without_limits_equal_free_flow(wide: Hurricane) -> None:
    status, roads = homes(wide), wide.roads
    left = status["left_at"] >= 0
    assert left.sum() > 20
    assert status["delay"] == pytest.approx(np.zeros(len(left)), abs=1e-4)
    assert not len(jams(wide))
    names = [name.removeprefix("outside ") for name in roads.exits]
    exits = np.array([names.index(name) for name in status["exit"][left]])
    free = roads.find_ways_out(roads.hours)[0][status["zone"][left], exits]
    # Drivers set out at a moment of the hour, so an hour more or less may have ended.
    taken = status["cleared_at"][left] - status["left_at"][left]
    assert (taken >= np.floor(free)).all()
    assert (taken <= np.ceil(free)).all()


def test_narrow_roads_delay_people_and_anger_them(narrow: Hurricane, wide: Hurricane) -> None:
    status = homes(narrow)
    cleared = status["cleared_at"] >= 0
    assert status["delay"][cleared].mean() > 1
    hours = [
        (homes(made)["cleared_at"] - homes(made)["left_at"])[homes(made)["cleared_at"] >= 0].mean()
        for made in (narrow, wide)
    ]
    assert hours[0] - hours[1] == pytest.approx(status["delay"][cleared].mean(), abs=0.5)
    remembered = jams(narrow)
    assert len(remembered) > 20
    assert (remembered["delay"] >= JAM_HOURS).all()
    expected = annoyance(remembered["delay"].to_numpy())
    assert remembered["importance"].to_numpy() == pytest.approx(expected, abs=0.02)
    assert remembered["valence"].to_numpy() == pytest.approx(-expected, abs=0.02)
    stated = remembered[remembered["delay"].between(2, 40)]
    for text, delay in zip(stated["text"], stated["delay"], strict=True):
        assert f"for {round(delay)} hours" in text
    # The vehicles that left are those that the households took.
    took = count_cars(status["vehicles"])
    assert status["cars"][cleared] == pytest.approx(took[cleared])


def test_anger_follows_the_delay(narrow: Hurricane, wide: Hurricane) -> None:
    # Until the storm, the same citizens differ only by what happened on the road.
    def anger(made: Hurricane) -> float:
        table = made.datacollector.get_model_vars_dataframe()
        return float(table["anger"].iloc[24 * 5 : 24 * 8].mean())

    assert anger(narrow) > anger(wide) + 0.05


def test_no_queue_exceeds_the_capacity_of_the_ways_out() -> None:
    made = society(roads={"capacity": 0.15, "contraflow": 1.0})
    outward = made.roads.end >= made.roads.zones
    people = made.facts()["people_per_agent"]
    (traffic,) = made.world
    assert isinstance(traffic, Traffic)
    household = made.population("household")
    previous: set[int] = set()
    while made.time < made.ticks:
        made.step()
        flow = traffic.flow[outward]
        # A household that has begun to pass counts as a whole.
        most = 0.15 * made.roads.capacity[outward] + people * (1 + SECOND_CAR)
        assert (flow <= most + 1e-6).all()
        gone = set(np.flatnonzero(household["cleared_at"] >= 0).tolist())
        cars = household["cars"][sorted(gone - previous)].sum() * people
        assert flow.sum() == pytest.approx(cars, rel=1e-5)
        previous = gone
    assert len(previous) > 20


def test_contraflow_widens_reversible_roads_while_lanes_are_reversed() -> None:
    made = society(roads={"capacity": 0.5, "contraflow": 2.0})
    block = next(b for b in made.population("household").blocks if isinstance(b, DriveOut))
    reversed_ = made.circumstances.closures.contraflow.any(axis=1)
    assert 24 < reversed_.sum() < 72
    for tick in range(made.ticks):
        made.clock.tick = tick
        factor = block.relative_capacity()
        assert (factor[~made.roads.reversible] == 0.5).all()
        assert (factor[made.roads.reversible] == (1.0 if reversed_[tick] else 0.5)).all()


def test_the_vehicles_of_a_household() -> None:
    cars = count_cars(np.array([0, 1, 2, 3]))
    assert cars == pytest.approx([BUS_SHARE, 1, 1 + SECOND_CAR, 1 + SECOND_CAR])


def test_households_turn_back_in_gusts() -> None:
    # So narrow that most are still on the road when the storm comes.
    made = live(society(roads={"capacity": 0.02}, days=10, start="2019-08-30"))
    status = homes(made)
    turned = (status["stage"] == Stage.RETURNED) & (status["cleared_at"] < 0)
    assert turned.sum() > 10
    assert (status["stage"] != Stage.ON_THE_ROAD).all()
    people = made.population("citizen").cohort()
    back = turned[people["household"]]
    assert np.array_equal(people["place"][back] >= 0, np.ones(back.sum(), bool))
    assert not people["away"][back].any()
    assert (status["delay"][turned] > 1).mean() > 0.5
    text = TURNED_BACK.partition("{")[0]
    for number in people.where(back).of_age(ADULT).rows[:20]:
        agent = people.population.agents[int(number)]
        texts = [memory.text for memory in read_memories(agent)]
        assert any(one.startswith(text) for one in texts)


def test_a_run_resumes_in_the_middle_of_a_queue(tmp_path: Path) -> None:
    def queueing() -> Hurricane:
        checkpoint = {"every": 3, "keep": 0}
        return Hurricane(rng=2, agents=150, days=7, roads={"capacity": 0.1}, checkpoint=checkpoint)

    straight = queueing().run(tmp_path / "straight")
    with RunByHand(queueing(), tmp_path / "part") as run:
        for _ in range(24 * 6 + 4):
            run.make_step()
        homes_then = run.society.population("household").cohort()
        assert homes_then["driving"].any()
    resume(run.folder)
    assert table_digests(run.folder) == table_digests(straight)


def test_threads_change_nothing() -> None:
    results = [live(society(roads={"capacity": 0.15}, threads=n, days=7)) for n in (1, 2)]
    one, other = (homes(made) for made in results)
    for name in ("cleared_at", "delay", "arrival", "link"):
        assert np.array_equal(one[name], other[name]), name


def test_own_roads_replace_the_shipped_ones(tmp_path: Path) -> None:
    made = society(roads={"table": "derived"})
    assert "derived from the zones" in made.facts()["roads"]
    table = made.roads.to_table(made.circumstances.place)
    file = tmp_path / "roads.csv"
    table.assign(vehicles_per_hour=77).to_csv(file, index=False)
    own = society(roads={"table": str(file)})
    assert set(own.roads.capacity) == {77}
    assert "roads.csv" in own.data_hashes()
    table.iloc[3:].assign(km=-1).to_csv(file, index=False)
    with pytest.raises(DataFileError, match="row 1, column km: '-1'"):
        society(roads={"table": str(file)})
    with pytest.raises((DataFileError, SettingsError), match=r"roads 'nowhere\.csv'"):
        society(roads={"table": "nowhere.csv"})


def test_the_folder_of_a_place_may_contain_roads(tmp_path: Path) -> None:
    shipped = society()
    place = shipped.circumstances.place
    folder = tmp_path / "town"
    folder.mkdir()
    zones = find_place("charleston").zones
    (folder / "zones.csv").write_bytes(zones.read_bytes())
    assert "derived" in society(place=str(folder)).facts()["roads"]
    shipped.roads.to_table(place).to_csv(folder / "roads.csv", index=False)
    made = society(place=str(folder))
    assert np.array_equal(made.roads.capacity, shipped.roads.capacity)
    assert made.facts()["roads"].endswith("of roads.csv")
