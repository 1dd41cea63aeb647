"""A society works with Mesa's tools like any model."""

import gc
from typing import Any

import mesa
import numpy as np
import pytest
from mesa.experimental.mesa_signals import ALL

from memopolis.agents.blocks.needs import Needs
from memopolis.agents.citizen import Citizen
from memopolis.agents.institutions import Firm
from memopolis.scenarios.hurricane import Hurricane
from memopolis.sim.measures import Measure
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society


class Village(Society[Settings]):
    """A village that gets hungry."""

    measures = (Measure("hunger", "hunger", "Mean satisfaction of hunger"),)

    def build(self, settings: Settings) -> None:
        self.populate(Citizen, settings.agents, blocks=[Needs()])


def order(row: dict[str, Any]) -> tuple[int, int]:
    return row["RunId"], row["Step"]


def test_mesa_batch_run_returns_one_row_per_step() -> None:
    rows = mesa.batch_run(
        Village,
        {"agents": [5, 8], "days": 0.25},
        rng=[1, 2],
        data_collection_period=1,
        display_progress=False,
    )
    assert len(rows) == 2 * 2 * 6  # settings, seeds, steps
    assert {row["agents"] for row in rows} == {5, 8}
    assert {row["rng"] for row in rows} == {1, 2}
    first = [row["hunger"] for row in rows if row["RunId"] == 0]
    assert first == sorted(first, reverse=True)
    assert first[-1] < first[0]


def test_batch_run_in_processes_gives_the_same() -> None:
    # The scenario comes from the package, since other processes do not know this file.
    def run(processes: int) -> list[dict[str, Any]]:
        rows = mesa.batch_run(
            Hurricane,
            {"agents": 30, "days": 0.5},
            number_processes=processes,
            rng=[1, 2],
            data_collection_period=1,
            display_progress=False,
        )
        return sorted(rows, key=order)

    assert repr(run(2)) == repr(run(1))  # a measure may be NaN, which equals nothing


def test_batch_run_of_the_hurricane() -> None:
    rows = mesa.batch_run(
        Hurricane,
        {"agents": 40, "days": 1, "storm": ["dorian", "none"]},
        rng=[3],
        display_progress=False,
    )
    assert [row["storm"] for row in rows] == ["dorian", "none"]
    assert all(row["evacuated_share"] == 0 for row in rows)


def test_a_society_collects_its_measures() -> None:
    village = Village(agents=4, days=1, rng=1)
    village.run_for(5)
    frame = village.datacollector.get_model_vars_dataframe()
    assert list(frame.columns) == ["hunger"]
    assert len(frame) == 5


def test_a_custom_data_collector_works() -> None:
    village = Village(agents=4, days=1, rng=1)
    collector = mesa.DataCollector(
        model_reporters={"now": lambda society: society.clock.now},
        agent_reporters={"Hunger": "hunger", "Household": lambda citizen: citizen.household},
    )
    for _ in range(3):
        village.step()
        collector.collect(village)
    frame = collector.get_agent_vars_dataframe()
    assert len(frame) == 12
    assert frame["Hunger"].between(0, 1).all()
    assert frame.loc[3]["Hunger"].tolist() == [citizen.hunger for citizen in village.agents]


def test_agent_sets_and_run_for_work() -> None:
    village = Village(agents=4, days=1, rng=1)
    village.run_for(24)
    assert not village.running
    hungry = village.agents.select(lambda citizen: citizen.hunger < 1)
    assert len(hungry) == 4
    village.agents.shuffle_do(lambda citizen: setattr(citizen, "hunger", 1.0))
    assert village.agents.agg("hunger", min) == 1.0


def objects_of(village: Village) -> int:
    """Count the Mesa agents that exist; reading `agents` would create them."""
    return sum(isinstance(one, Citizen) and one.model is village for one in gc.get_objects())


def test_no_agent_exists_until_it_is_requested() -> None:
    village = Village(agents=40, days=1, rng=1)
    village.run_for(3)
    citizens = village.population("citizen")
    assert objects_of(village) == 0
    (few,) = [list(citizens.cohort().at(np.array([3, 7])))]
    assert objects_of(village) == 2
    assert few[1].unique_id == 8
    assert len(village.agents) == 40
    assert objects_of(village) == 40
    assert citizens.agents[7] is few[1]
    assert few[1] in village.agents
    assert [one.unique_id for one in village.agents] == list(range(1, 41))
    assert village.agents.to_list() == citizens.agents
    assert list(village.agents_by_type[Citizen]) == citizens.agents


def test_agents_are_listed_in_the_order_of_their_ids() -> None:
    village = Village(agents=2, days=1, rng=1)
    firms = village.populate(Firm, 1)
    village.population("citizen").add(1)
    village.population("citizen").cohort()
    firms.add(1)
    assert [(type(one), one.unique_id) for one in village.agents] == [
        (Citizen, 1),
        (Citizen, 2),
        (Firm, 3),
        (Citizen, 4),
        (Firm, 5),
    ]
    assert village.agent_types == [Citizen, Firm]
    assert village.agents.groupby("unique_id").count() == dict.fromkeys(range(1, 6), 1)
    village.population("citizen").add(1)
    assert [one.unique_id for one in village.agents] == [1, 2, 3, 4, 5, 6]
    assert village.agent_id_counter == 7


def test_agents_that_left_before_are_not_listed() -> None:
    village = Village(agents=4, days=1, rng=1)
    citizens = village.population("citizen")
    citizens.agents[1].remove()
    assert [one.unique_id for one in village.agents] == [1, 3, 4]
    citizens.agents[2].remove()
    assert [one.unique_id for one in village.agents] == [1, 4]
    village.remove_all_agents()
    assert len(village.agents) == 0
    assert len(citizens.cohort()) == 0


def test_other_mesa_agents_may_live_in_a_society() -> None:
    village = Village(agents=2, days=1, rng=1)
    dog = mesa.Agent(village)
    assert dog.unique_id == 3
    assert village.agents.to_list()[-1] is dog
    village.population("citizen").add(1)
    assert [one.unique_id for one in village.agents] == [1, 2, 3, 4]
    dog.remove()
    assert [one.unique_id for one in village.agents] == [1, 2, 4]


def test_agents_that_join_and_leave_send_signals() -> None:
    village = Village(agents=2, days=1, rng=1)
    signals: list[str] = []

    def note(message: Any) -> None:
        signals.append(str(message.signal_type))

    village.observe("agents", ALL, note)
    assert signals == []
    village.population("citizen").add(2)
    village.population("citizen").agents[0].remove()
    assert signals == ["agent_added", "agent_added", "agent_removed"]


def test_mesa_refuses_to_replace_the_agents() -> None:
    village = Village(agents=2, days=1, rng=1)
    with pytest.raises(AttributeError, match=r"trying to set model\.agents"):
        village.agents = []
