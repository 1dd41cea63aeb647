"""Agents that are added while a society runs are as all others."""

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from memopolis.analysis.run.run import load_run
from memopolis.analysis.run.tables import table_digests
from memopolis.sim import block as blocks
from memopolis.sim.block import Block
from memopolis.sim.errors import MemopolisError, ParameterError, SchemaError, StateError
from memopolis.sim.population import Agent, Cohort, Population, attribute
from memopolis.sim.recording.stopping import StopRun
from memopolis.sim.running.building import load_state
from memopolis.sim.running.forking import fork
from memopolis.sim.running.repeating import repeat
from memopolis.sim.running.resuming import resume
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society
from memopolis.sim.state.saving import save_state
from memopolis.sim.world.ties import Network, Ties

STEPS = 8


class Sailor(Agent):
    """A person of a harbour town."""

    name: str = attribute("nameless", record=True)
    cash: float = attribute(1.5, record=True)
    heard: int = attribute(0, record=True)
    bag: list[str] = attribute([])


class Ship(Agent):
    """A ship in the harbour."""

    crew: int = attribute(0, record=True)


class Arrive(Block):
    """Let sailors arrive, each step one more, and every other step a ship."""

    def step(self, cohort: Cohort) -> None:
        """Add agents."""
        tick = self.clock.tick
        names = np.array([f"sailor {tick}.{number}" for number in range(tick + 1)])
        new = self.population.add(tick + 1, status={"name": names, "cash": 0.25, "port": "Genoa"})
        assert len(new) == tick + 1
        new.stream.add("life", f"Arrived at hour {tick}", importance=0.9)
        if tick % 2:
            self.society.population("ship").add(status={"crew": len(cohort)})
        if tick == 5:
            self.population.agents[-1].remove()


class Listen(Block):
    """Count the arrivals that each remembers, and remember the hour."""

    writes = ("heard", "cash")
    by_row: ClassVar[bool] = True

    def step(self, cohort: Cohort) -> None:
        """Recall and remember."""
        cohort["heard"] = cohort.stream.search("arrived", k=3).counts
        cohort["cash"] += self.chance.uniform(cohort)
        cohort.stream.add("life", f"It is hour {self.clock.tick}", importance=0.1)


class Harbour(Society[Settings]):
    """A harbour town."""

    def build(self, settings: Settings) -> None:
        """Add sailors with ties, and a ship."""
        ties = Ties(settings.agents, {"friend": Network(settings.agents, [0], [1])})
        self.populate(Sailor, settings.agents, blocks=[Arrive(), Listen()], ties=ties)
        self.populate(Ship, 1)


def harbour(**settings: Any) -> Harbour:
    """Return a harbour town of three sailors and a ship."""
    record = {"agents_every": 1}
    return Harbour(
        agents=3, days=STEPS / 24, rng=1, record=record, checkpoint={"every": 3}, **settings
    )


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of an undisturbed run."""
    return harbour().run(tmp_path_factory.mktemp("whole") / "run")


def test_new_agents_are_recorded(whole: Path) -> None:
    run = load_run(whole)
    counts = run.agents.groupby("tick").size().tolist()
    assert counts == [4, 6, 9, 13, 18, 23, 30, 38]
    last = run.agents[run.agents["tick"] == STEPS - 1].set_index("name")
    assert last.loc[["sailor 2.1", "sailor 6.0", "sailor 7.0"], "heard"].tolist() == [3, 2, 1]
    assert (last["cash"] > 0.25).all()
    ships = run.agents_of("ship")
    assert ships[ships["tick"] == STEPS - 1]["crew"].tolist() == [0, 4, 9, 18, 30]
    assert run.memories["text"].str.startswith("Arrived").sum() == sum(range(1, STEPS + 1))


@pytest.mark.parametrize("parts", [1, 2])
@pytest.mark.parametrize("threads", [1, 2])
def test_parts_and_threads_change_nothing(
    tmp_path: Path, whole: Path, parts: int, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "ROWS_PER_PART", 1)
    folder = harbour(parts=parts, threads=threads).run(tmp_path / "run")
    assert table_digests(folder) == table_digests(whole)


@pytest.mark.parametrize("step", [2, 4, 7])
def test_a_resumed_run_equals_an_undisturbed_one(tmp_path: Path, whole: Path, step: int) -> None:
    def stop(done: int, *_: object) -> None:
        if done == step:
            raise StopRun

    with pytest.raises(StopRun):
        harbour().run(tmp_path / "run", progress=stop)
    resume(tmp_path / "run", scenario=Harbour)
    assert table_digests(tmp_path / "run") == table_digests(whole)


def test_a_repeated_and_a_forked_run_have_the_same_agents(tmp_path: Path, whole: Path) -> None:
    repeat(whole, tmp_path / "repeated", scenario=Harbour)
    assert table_digests(tmp_path / "repeated") == table_digests(whole)
    fork(whole, tmp_path / "forked", at=6, scenario=Harbour)
    forked = load_run(tmp_path / "forked").agents
    assert forked.equals(load_run(whole).agents)


def test_a_saved_society_continues_with_its_agents(tmp_path: Path) -> None:
    town = harbour()
    for _ in range(4):
        town.step()
    loaded = load_state(save_state(town, tmp_path / "state"), scenario=Harbour)
    for one in (town, loaded):
        one.step()
        sailors = one.population("sailor")
        assert [agent.unique_id for agent in one.agents] == list(range(1, len(one.agents) + 1))
        assert sailors.agents[9].memory.status.get("port", default="-") == "Genoa"
        assert sailors.agents[0].memory.status.get("port", default="-") == "-"
        assert sailors.ties["friend"].agents == len(sailors)
    first, second = (one.population("sailor").cohort()["cash"] for one in (town, loaded))
    assert first.tolist() == second.tolist()


@pytest.fixture
def sailors() -> Population:
    """Return the sailors of a town."""
    return harbour().population("sailor")


def test_values_are_one_for_all_or_one_for_each(sailors: Population) -> None:
    sailors.add(2, status={"name": np.array(["Ann", "Bob"]), "cash": 7, "bag": ["rope"]})
    one = sailors.add(status={"name": "Cem", "bag": []})
    assert one.rows.tolist() == [5]
    status = sailors.cohort()
    assert status["name"].tolist() == ["nameless"] * 3 + ["Ann", "Bob", "Cem"]
    assert status["cash"].tolist() == [1.5, 1.5, 1.5, 7, 7, 1.5]
    assert status["bag"].tolist() == [[], [], [], ["rope"], ["rope"], []]
    assert len(sailors.memory.of(one.rows).stream.search("anything", k=1).ids[0]) == 1


@pytest.mark.parametrize(
    ("count", "status", "error", "message"),
    [
        (0, {}, ParameterError, "count is 0"),
        (1.5, {}, ParameterError, "count is 1.5"),
        (2, {"name": np.array(["Ann"])}, ParameterError, "'name' got values of shape"),
        (2, {"cash": 3.0, "name": 5}, SchemaError, "'name' is of type text"),
        (2, {"wings": 2, "heard": "much"}, SchemaError, "'heard' is of type int"),
    ],
)
def test_an_invalid_addition_changes_nothing(
    sailors: Population, count: Any, status: Any, error: type[MemopolisError], message: str
) -> None:
    with pytest.raises(error, match=message):
        sailors.add(count, status=status)
    assert len(sailors) == len(sailors.ids) == len(sailors.memory) == sailors.ties.agents == 3
    assert "wings" not in sailors.cohort().memory.status
    assert sailors.add().ids.tolist() == [5]


def test_mesa_lists_new_agents_with_their_values(sailors: Population) -> None:
    society: Any = sailors.society
    assert len(society.agents) == 4
    sailors.add(2, status={"name": "Ann"})
    assert [agent.name for agent in society.agents_by_type[Sailor]][3:] == ["Ann", "Ann"]
    assert len(society.agents) == 6


def test_adding_creates_no_objects(sailors: Population, monkeypatch: pytest.MonkeyPatch) -> None:
    created: list[int] = []
    create = Sailor.__init__

    def count(self: Sailor, model: Any, population: Population, row: int) -> None:
        created.append(row)
        create(self, model, population, row)

    monkeypatch.setattr(Sailor, "__init__", count)
    sailors.add(1_000)
    sailors.add(status={"name": "Ann"})
    assert created == []
    assert sailors.agents[-1].name == "Ann"  # type: ignore[attr-defined]
    sailors.add(2)
    assert len(sailors.agents) == 1_006
    assert created == list(range(1_006))


def test_arrays_seldom_move(sailors: Population) -> None:
    moved, before = 0, sailors.memory._columns._arrays["cash"].base
    for number in range(200):
        sailors.add(status={"cash": float(number)})
        after = sailors.memory._columns._arrays["cash"].base
        moved += after is not before
        before = after
    assert moved < 40
    assert sailors.cohort()["cash"].tolist() == [1.5] * 3 + [float(n) for n in range(200)]
    assert sailors.agents[100].cash == 97.0  # type: ignore[attr-defined]


class Crowd(Block):
    """Add an agent for each agent, which depends on the number of threads and parts."""

    by_row: ClassVar[bool] = True

    def step(self, cohort: Cohort) -> None:
        """Add agents."""
        self.population.add(len(cohort))


def test_a_block_by_row_cannot_add_agents() -> None:
    society: Society[Settings] = Society(rng=1)
    society.populate(Sailor, 3, blocks=[Crowd()])
    with pytest.raises(StateError, match="a block with by_row cannot add a sailor; add it in a bl"):
        society.step()


class Recruit(Block):
    """Let each sailor recruit another in its turn, and recall."""

    def act(self, sailor: Any) -> None:
        """Add an agent, and search before and after."""
        sailor.stream.add("work", "Looked for a crew")
        new = self.population.add(status={"name": f"mate of {sailor.unique_id}"})
        next(iter(new)).stream.add("life", f"Was recruited by {sailor.unique_id}")
        sailor.heard = len(sailor.stream.search("crew", k=5))


def test_an_agent_adds_another_in_its_turn() -> None:
    society: Society[Settings] = Society(rng=1)
    people = society.populate(Sailor, 3, blocks=[Recruit()])
    society.step()
    society.step()
    assert len(people) == 12
    assert people.cohort()["heard"].tolist() == [1] * 6 + [0] * 6
    texts = [agent.stream.read([0])[0].text for agent in people.agents]
    assert texts[3:6] == ["Was recruited by 1", "Was recruited by 2", "Was recruited by 3"]
