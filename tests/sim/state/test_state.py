"""The whole state of a society, saved and loaded: what follows is the same to the last bit."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memopolis.agents.citizen import Citizen
from memopolis.agents.institutions import Firm
from memopolis.analysis.run.tables import table_digests
from memopolis.scenarios.hurricane import Hurricane
from memopolis.sim.block import Block
from memopolis.sim.errors import StateError
from memopolis.sim.running.building import load_state
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society
from memopolis.sim.state.saving import save_state, write_state
from memopolis.sim.state.state import state_of
from memopolis.sim.timeline import News

GO_ON = """
import sys
from memopolis.sim.running.building import load_state
from memopolis.sim.state.saving import save_state
folder = sys.argv[1]
society = load_state(f"{folder}/state")
society.run(f"{folder}/loaded", days=50 / 24)
save_state(society, f"{folder}/loaded_end")
"""


class Migrate(Block):
    """Let some leave, some come, and count."""

    state = ("count",)

    def setup(self) -> None:
        self.count = np.zeros(3)

    def step(self, cohort: Any) -> None:
        self.count[:2] += 1, len(cohort)
        tick = self.clock.tick
        cohort.where(self.chance.uniform(cohort) < 0.1).memory.stream.add("life", f"Day {tick}")
        if tick == 3:
            self.population.agents[1].remove()
            self.population.add(2)
        if tick == 4:
            self.population.agents[0]["visited"] = {"where": tick}
            self.population.agents[0]["mood"] = "curious"


class Town(Society[Settings]):
    """Two populations, one of which comes and goes."""

    def build(self, settings: Settings) -> None:
        self.populate(Citizen, settings.agents, blocks=[Migrate()])
        self.populate(Firm, 2)
        self.at("2026-01-01 02:00", News("It begins."))
        self.at("2026-01-01 20:00", News("It ends."))


def assert_same_state(one: Society[Any], other: Society[Any]) -> None:
    assert (one.time, one.clock.tick, one.running) == (other.time, other.clock.tick, other.running)
    assert one.random.random() == other.random.random()
    assert one.rng.random() == other.rng.random()
    assert one.timeline.state() == other.timeline.state()
    assert one.policies == other.policies
    for a, b in zip(one.populations, other.populations, strict=True):
        assert a.ids.tolist() == b.ids.tolist()
        assert [x.unique_id for x in a.cohort()] == [x.unique_id for x in b.cohort()]
        saved = b.memory.status.state()
        for name, values in a.memory.status.state()["arrays"].items():
            np.testing.assert_array_equal(values, saved["arrays"][name])
        assert a.memory.status.labels == saved["labels"]
        assert a.memory.topics == b.memory.topics
        assert a.memory.issued.tolist() == b.memory.issued.tolist()
        rows, ids = a.memory.streams.listed()[:2]
        for column in ("time", "accessed", "text", "actor", "place", "thought", "accesses"):
            np.testing.assert_array_equal(
                a.memory.streams.get(column, rows, ids), b.memory.streams.get(column, rows, ids)
            )
        for row in (0, len(a) - 1):
            assert list(a.memory[row].stream.read(ids)) == list(b.memory[row].stream.read(ids))


def test_a_loaded_hurricane_continues_like_the_saved_one(tmp_path: Path) -> None:
    society = Hurricane(agents=60, rng=3)
    for _ in range(130):  # past the order and the first departures
        society.step()
    save_state(society, tmp_path / "state")
    society.run(tmp_path / "straight", days=50 / 24)
    done = subprocess.run(
        [sys.executable, "-c", GO_ON, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert table_digests(tmp_path / "straight") == table_digests(tmp_path / "loaded")
    assert_same_state(society, load_state(tmp_path / "loaded_end"))


def test_names_declared_during_a_run_are_kept(tmp_path: Path) -> None:
    town = Town(agents=5, rng=1)
    for _ in range(6):
        town.step()
    loaded = load_state(save_state(town, tmp_path / "state"))
    assert_same_state(town, loaded)
    citizens = loaded.population("citizen")
    assert len(citizens) == 7
    assert len(citizens.cohort()) == 6
    assert len(loaded.agents) == len(town.agents) == 8
    assert citizens.agents[0]["visited"] == {"where": 4}
    assert ["mood" in agent.memory.status for agent in citizens.agents] == [True] + 6 * [False]
    assert loaded.timeline.state() == town.timeline.state()
    for society in (town, loaded):
        for _ in range(20):
            society.step()
        society.population("citizen").add(1)
    assert_same_state(town, loaded)
    for society in (town, loaded):
        (block,) = society.population("citizen").blocks
        assert isinstance(block, Migrate)
        assert block.count.tolist() == [26, 152, 0]


def test_saving_changes_nothing(tmp_path: Path) -> None:
    one, other = Town(agents=5, rng=1), Town(agents=5, rng=1)
    for tick in range(10):
        one.step()
        other.step()
        if tick in (0, 4):
            save_state(one, tmp_path / str(tick))
    assert_same_state(one, other)


def test_a_changed_scenario_is_refused(tmp_path: Path) -> None:
    state = state_of(Town(agents=1, rng=1))
    state.plain["populations"]["citizen"]["blocks"] = ["wander"]
    with pytest.raises(StateError, match="other populations or blocks"):
        load_state(write_state(state, tmp_path / "state"))


def test_a_class_that_cannot_be_imported_must_be_passed(tmp_path: Path) -> None:
    class Hidden(Town):
        """Defined in a function."""

    folder = save_state(Hidden(agents=2, rng=1), tmp_path / "state")
    with pytest.raises(StateError, match="pass its class as `scenario`"):
        load_state(folder)
    assert len(load_state(folder, scenario=Hidden).population("citizen")) == 2


def test_a_state_must_be_an_array(tmp_path: Path) -> None:
    town = Town(agents=1, rng=1)
    block: Any = town.populations[0].blocks[0]
    block.count = {"not": "an array"}
    with pytest.raises(StateError, match="must be an array"):
        save_state(town, tmp_path)
