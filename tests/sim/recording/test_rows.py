"""What is recorded once of any society: its place, and ties among some of its people."""

from pathlib import Path

import numpy as np
import pandas as pd

from memopolis import Agent, Network, Settings, Society, Ties, load_run
from memopolis.sim.recording.rows import ALL_TIED, MOST_TIED, list_others, static_tables, ties_table
from memopolis.sim.world.place import Place


class Neighbour(Agent):
    """A citizen in a street."""


class Street(Society[Settings]):
    """Everybody knows the next one."""

    def build(self, settings: Settings) -> None:
        rows = np.arange(settings.agents)
        street = Network(settings.agents, rows, (rows + 1) % settings.agents)
        self.populate(Neighbour, settings.agents, ties=Ties(settings.agents, {"friend": street}))
        table = {"zone": ["a", "b"], "name": ["Hill", "Hill"], "lat": [1.0, 1.1], "lon": [2.0, 2.0]}
        self.place = Place.from_table(pd.DataFrame(table | {"population": [3, 4]}))


def test_a_custom_society_records_zones_and_ties(tmp_path: Path) -> None:
    run = load_run(Street(agents=5, days=0.1, rng=1).run(tmp_path / "run"))
    assert run.zones["label"].tolist() == ["Hill a", "Hill b"]
    ties = run.table("ties")
    assert ties[["source", "target"]].to_numpy().tolist() == [
        [1, 2], [1, 5], [2, 3], [3, 4], [4, 5],
    ]  # fmt: skip
    assert set(ties["kind"]) == {"friend"}


def test_a_table_of_the_scenario_overrides_the_default() -> None:
    class Own(Street):
        def static_tables(self) -> dict[str, pd.DataFrame]:
            return {"ties": pd.DataFrame({"source": [1], "target": [2], "kind": ["own"]})}

    result = static_tables(Own(agents=5, rng=1))
    assert result["ties"]["kind"].tolist() == ["own"]
    assert len(result["zones"]) == 2


def test_a_society_without_place_and_ties_records_neither() -> None:
    class Alone(Society[Settings]):
        def build(self, settings: Settings) -> None:
            self.populate(Neighbour, settings.agents)

    assert static_tables(Alone(agents=3, rng=1)) == {}


def test_all_ties_of_a_small_society_are_recorded() -> None:
    ties = Ties(ALL_TIED, {"pairs": Network(ALL_TIED, np.arange(0, 40, 2), np.arange(1, 41, 2))})
    assert len(ties_table(ties, np.arange(ALL_TIED))) == 20


def test_a_connected_sample_of_the_ties_of_a_large_society_is_recorded() -> None:
    people = ALL_TIED + 1
    chain = np.arange(500, people - 1)
    ties = Ties(people, {"chain": Network(people, chain, chain + 1)})
    table = ties_table(ties, np.arange(people) + 10)
    assert len(table) == MOST_TIED - 1
    assert table["source"].min() == 510


def test_ties_of_each_kind_are_recorded_once() -> None:
    ties = Ties(3, {"a": Network(3, [0, 1], [1, 2]), "b": Network(3, [1], [0])})
    table = ties_table(ties, np.arange(3))
    assert table.to_numpy().tolist() == [[0, 1, "a"], [1, 2, "a"], [0, 1, "b"]]


def test_without_ties_there_are_no_rows() -> None:
    assert ties_table(Ties(3, {"a": Network(3, [], [])}), np.arange(3)).empty


def test_other_members_of_a_group_are_listed() -> None:
    ids = np.array([10, 11, 12, 13, 14, 15], np.int32)
    lists = list_others(np.array([7, 3, 7, -1, -1, 7]), ids)
    assert lists.lengths.tolist() == [2, 0, 2, 0, 0, 2]
    assert lists.items.tolist() == [12, 15, 10, 15, 10, 12]
    alone = list_others(None, ids)
    assert alone.lengths.tolist() == [0] * 6
    assert not len(alone.items)
