"""Memories, recalls, decisions and thoughts are counted by population."""

from pathlib import Path

import pytest

from memopolis.agents.block_settings import SleepSettings
from memopolis.agents.blocks.sleep import SleepByHour
from memopolis.agents.citizen import Citizen
from memopolis.analysis.metrics.memory_use import (
    COLUMNS,
    LIFE_COLUMNS,
    count_memory_use,
    describe_memories,
)
from memopolis.analysis.run.run import Run, load_run
from memopolis.scenarios.polarization.scenario import Polarization
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society


def test_counts_are_per_agent_and_week(tmp_path: Path) -> None:
    run = load_run(Polarization(agents=60, days=7, rng=1).run(tmp_path / "run"))
    use = count_memory_use(run)
    assert list(use.columns) == ["agents", *COLUMNS]
    citizens = use.loc["citizen"]
    assert citizens["agents"] == 60
    memories = run.table("memories")
    events = memories[(memories["population"] == "citizen") & (memories["kind"] == "event")]
    assert citizens["memories"] == pytest.approx(len(events) / 60)
    thoughts = memories[(memories["population"] == "citizen") & (memories["kind"] == "thought")]
    assert citizens["thoughts"] == pytest.approx(len(thoughts) / 60)
    assert use.loc["outlet", "decisions"] == pytest.approx(7)
    # Without persuaders at work, there is nothing to remember.
    assert not use.loc["persuader", ["memories", "thoughts"]].any()


class Pair(Society[Settings]):
    """Two people, of whom the first has a meal and meets the other every day."""

    def build(self, settings: Settings) -> None:
        people = self.populate(Citizen, settings.agents)
        people.memory[0].stream.add("life", "We moved here.")
        self.give(people, SleepByHour(SleepSettings(replay=0, forget_below=0)))
        self.people = people

    def step(self) -> None:
        super().step()
        stream = self.people.memory[0].stream
        if self.clock.tick < 7:
            stream.add("life", "I had a meal.", importance=0.1)
            stream.add("social", "I met {actor}.", actor=self.people.agents[1], importance=0.6)
            if self.clock.tick == 0:
                stream.add("life", "I was glad because the sun came out.", importance=0.6)
                stream.add("life", "I think of the sun.", kind="thought")


def lived(folder: Path) -> Run:
    return load_run(Pair(agents=2, days=14, tick=24.0, rng=1).run(folder))


def test_memories_are_described_by_agent_and_week(tmp_path: Path) -> None:
    run = lived(tmp_path / "run")
    lives = describe_memories(run)
    assert list(lives.columns) == ["agents", *LIFE_COLUMNS]
    (one,) = lives.to_dict("records")
    stored = 1 + 7 + 7 + 1
    assert one["distinct"] == pytest.approx(4 / 4), "two agents, two weeks"
    assert one["names_others"] == pytest.approx(7 / stored)
    assert one["names_reasons"] == pytest.approx(1 / stored)
    assert one["merged"] == pytest.approx(6 / 4)
    # The move, one meal, seven meetings, the sun and the thought.
    assert one["held"] == pytest.approx(11 / 2)


def test_a_life_shows_how_often_a_memory_happened(tmp_path: Path) -> None:
    run = lived(tmp_path / "run")
    memories = run.life(1).memories
    meals = memories[memories["text"] == "I had a meal."]
    assert meals["held"].tolist() == [False] * 6 + [True]
    assert meals["times"].tolist()[-1] == 7
    assert meals["since"].tolist()[-1] == meals["tick"].iloc[0]


def test_a_moment_of_a_run_knows_not_what_was_merged(tmp_path: Path) -> None:
    moment = lived(tmp_path / "run").until(5)
    assert describe_memories(moment)["held"].tolist() == [0]
