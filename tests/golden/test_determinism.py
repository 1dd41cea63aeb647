"""One seed gives one result, in any process, with any number of threads and other agents."""

import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from tests.manifests import hashes

from memopolis.analysis.compare.divergence import find_divergence
from memopolis.scenarios.hurricane.people import Citizen
from memopolis.scenarios.hurricane.scenario import Hurricane
from memopolis.scenarios.hurricane.settings import HurricaneSettings
from memopolis.scenarios.polarization.scenario import Polarization
from memopolis.scenarios.ubi.scenario import BasicIncome
from memopolis.sim import block, threads
from memopolis.sim.block import Block
from memopolis.sim.memory.retrieval import plan
from memopolis.sim.memory.streams import stream
from memopolis.sim.population import Agent, Cohort, attribute
from memopolis.sim.running.forking import fork
from memopolis.sim.society import Society

AGENTS = 120
RECORDED = 60
"""Agents of the runs whose tables are compared."""
DAYS = 6.0

_SCRIPT = """
from memopolis.scenarios.hurricane.scenario import Hurricane
Hurricane(rng=5, agents={agents}, days={days}, threads={threads}).run({folder!r})
"""
_folders = TemporaryDirectory(prefix="determinism")


@cache
def here() -> Path:
    folder = Path(_folders.name) / "here"
    return Hurricane(rng=5, agents=RECORDED, days=DAYS).run(folder)


@pytest.mark.parametrize("number", [1, 2])
def test_two_processes_give_the_same_tables(tmp_path: Path, number: int) -> None:
    folder = str(tmp_path / "run")
    script = _SCRIPT.format(agents=RECORDED, days=DAYS, threads=number, folder=folder)
    subprocess.run([sys.executable, "-c", script], check=True)
    assert hashes(here()) == hashes(Path(folder))


THREADED: dict[str, Callable[..., Society[Any]]] = {
    "hurricane": partial(Hurricane, agents=RECORDED, days=DAYS),
    "polarization": partial(Polarization, agents=RECORDED, days=10, event="shooting"),
    "ubi": partial(BasicIncome, agents=RECORDED, days=600, start=10),
}


@pytest.fixture
def few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let few agents be work for several threads."""
    monkeypatch.setattr(plan, "ROWS_PER_THREAD", 3)
    monkeypatch.setattr(stream, "ACCESSES_PER_THREAD", 3)
    monkeypatch.setattr(stream, "ROWS_PER_THREAD", 3)
    monkeypatch.setattr(block, "ROWS_PER_PART", 5)


@pytest.mark.usefixtures("few_rows")
@pytest.mark.parametrize("scenario", THREADED)
def test_the_number_of_threads_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scenario: str
) -> None:
    parts: list[int] = []

    def counted(works: Sequence[Callable[[], None]]) -> None:
        parts.append(len(works))
        threads.run_parts(works)

    monkeypatch.setattr(block, "run_parts", counted)
    societies = [THREADED[scenario](rng=5, threads=number) for number in (1, 2, 3)]
    folders = [one.run(tmp_path / str(one.settings.threads)) for one in societies]
    assert set(parts) == {2, 3}
    for society, folder in zip(societies[1:], folders[1:], strict=True):
        assert hashes(folders[0]) == hashes(folder)
        # Numbers of texts and topics too, which tables do not contain.
        for mine, other in zip(societies[0].populations, society.populations, strict=True):
            assert mine.memory.texts.all == other.memory.texts.all
            assert mine.memory.topics == other.memory.topics


@pytest.mark.usefixtures("few_rows")
def test_a_run_continues_with_another_number_of_threads(tmp_path: Path) -> None:
    society = Hurricane(rng=5, agents=RECORDED, days=DAYS, threads=2, **{"checkpoint.every": 24})
    folder = society.run(tmp_path / "run")
    continued = fork(folder, tmp_path / "fork", at=72, changes={"threads": 3})
    # Checkpoints begin new parts of tables, so rows are compared.
    assert find_divergence(here(), folder).same
    assert find_divergence(folder, continued).same


def test_other_seeds_give_other_runs(tmp_path: Path) -> None:
    other = Hurricane(rng=6, agents=RECORDED, days=1).run(tmp_path / "run")
    mine, others = (pd.read_parquet(run / "tables" / "measures") for run in (here(), other))
    both = mine.merge(others, on=["tick", "measure", "group"])
    assert (both["value_x"] != both["value_y"]).any()


# Who else is there


class Visitor(Agent):
    """An agent of a class that the scenario does not know."""

    mood: float = attribute(0.0)


class Wander(Block):
    """Draw a lot, and change nothing of others."""

    def step(self, cohort: Cohort) -> None:
        cohort["mood"] = self.chance.uniform(cohort)
        self.society.chance.order("wandering", cohort.rows, self.clock.tick)


class Muse(Block):
    """One more block of citizens, which draws and writes values that no block reads."""

    def step(self, citizens: Cohort) -> None:
        citizens["prior_damage"] = self.chance.uniform(citizens)


class VisitedFirst(Hurricane):
    """With one more class of agents, who come before all others."""

    def build(self, settings: HurricaneSettings) -> None:
        self.populate(Visitor, 7, blocks=[Wander()])
        super().build(settings)


class Musing(Hurricane):
    """With one more behaviour."""

    def build(self, settings: HurricaneSettings) -> None:
        super().build(settings)
        self.give(self.population("citizen"), Muse())


def lives(scenario: type[Hurricane], hours: int, **changes: Any) -> dict[str, NDArray[Any]]:
    society = scenario(**{"rng": 5, "agents": AGENTS, **changes})
    for _ in range(hours):
        society.step()
    people = society.population("citizen")
    columns = {name: people.cohort()[name] for name in people.attributes}
    counts = people.memory.streams.count[np.arange(len(people))]
    return {**columns, "memories": counts}


@pytest.mark.parametrize("scenario", [VisitedFirst, Musing])
def test_an_added_block_or_population_changes_no_other_draw(scenario: type[Hurricane]) -> None:
    hours = round(24 * DAYS)
    alone, together = (lives(one, hours, days=DAYS) for one in (Hurricane, scenario))
    for name, values in alone.items():
        if name != "prior_damage":
            np.testing.assert_array_equal(values, together[name], err_msg=name)


def test_one_more_agent_leaves_the_initial_state_of_others_unchanged() -> None:
    few, more = (lives(Hurricane, 0, agents=agents) for agents in (AGENTS, AGENTS + 1))
    # The last household is cut to the number of agents, and has one member more.
    last = few["household"] == few["household"][-1]
    for name, values in few.items():
        if name not in ("employer", "memories"):  # firms are founded for everybody together
            np.testing.assert_array_equal(values[~last], more[name][:AGENTS][~last], err_msg=name)


def test_one_more_agent_leaves_the_first_hours_of_others_unchanged() -> None:
    few, more = (lives(Hurricane, 12, agents=agents) for agents in (AGENTS, AGENTS + 1))
    for name in ("hunger", "energy", "place", "plan", "doing", "until", "target"):
        same = np.mean(few[name] == more[name][:AGENTS])
        # Only agents that the new one meets, talks or sells to may change, and then their families.
        assert same > 0.95, name


def test_draws_of_a_block_do_not_depend_on_the_number_of_agents() -> None:
    few, more = (Hurricane(rng=5, agents=agents) for agents in (AGENTS, AGENTS + 1))
    for one, other in zip(
        few.population("citizen").blocks, more.population("citizen").blocks, strict=True
    ):
        rows = np.arange(AGENTS)
        mine, theirs = (
            block.chance.uniform(Cohort(block.population, rows), "x")
            for block in (one, other)
            if isinstance(block, Block)
        )
        assert np.array_equal(mine, theirs)


# The order does not depend on numbers


def test_service_does_not_depend_on_the_row() -> None:
    """With scarce beds and roads, the rows of agents that are served are evenly distributed."""
    sheltered: list[float] = []
    waits: list[tuple[float, float]] = []
    for seed in range(5):
        society = Hurricane(
            rng=seed,
            agents=250,
            days=8,
            evacuation={"shelter": 1.0, "beds": 0.04},
            roads={"capacity": 0.1},
            record={"tables": ()},
        )
        for _ in range(24 * 8):
            society.step()
        homes = society.population("household").cohort()
        at = np.linspace(0, 1, len(homes["stage"]))
        sheltered += at[homes["destination"] == 3].tolist()
        left = homes["left_at"] >= 0
        waits += list(zip(at[left].tolist(), homes["delay"][left].tolist(), strict=True))
    assert len(sheltered) > 15
    # The mean of n even draws has the standard error 0.29 / sqrt(n); four of them are allowed.
    assert abs(np.mean(sheltered) - 0.5) < 4 * 0.29 / np.sqrt(len(sheltered))
    assert len(waits) > 100
    place, waited_ = np.array(waits).T
    assert waited_.max() > 0
    ranks = pd.Series(waited_).rank()
    assert abs(np.corrcoef(place, ranks)[0, 1]) < 4 / np.sqrt(len(waits))


def test_citizens_have_the_class_of_the_scenario() -> None:
    assert Hurricane(rng=1, agents=5).population("citizen").agent_class is Citizen
