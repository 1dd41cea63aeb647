"""A society works with Mesa's tools like any model."""

from typing import Any

import mesa

from memopolis.agents.blocks.needs import Needs
from memopolis.agents.citizen import Citizen
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

    assert run(2) == run(1)


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
