"""A state taken over with other settings: the words that blocks hold keep their meaning."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memopolis.agents.citizen import Citizen
from memopolis.scenarios.hurricane import Hurricane
from memopolis.scenarios.polarization import Polarization
from memopolis.sim.block import Block
from memopolis.sim.running.building import load_state, society_from
from memopolis.sim.settings import Field, Settings
from memopolis.sim.society import Society
from memopolis.sim.state.checkpoints import checkpoints_of, read, write_checkpoint
from memopolis.sim.state.saving import read_state, save_state


class Words(Block):
    """Keeps the numbers of a text, a label, a topic and a tag from `setup` on."""

    def __init__(self, word: str) -> None:
        self.word = word

    def setup(self) -> None:
        memory = self.population.memory
        self.numbers = self.society.texts.intern_many([f"first {self.word}", self.word])
        self.label = memory.status.label(self.word)
        memory.topic_number(self.word)
        self.tag = memory.tags.bits(f"tag of {self.word}")

    def step(self, cohort: Any) -> None:
        cohort.memory.stream.add(self.word, self.numbers[[1] * len(cohort)], tags=self.tag)
        cohort["home_name"] = np.full(len(cohort), self.label, np.int32)
        cohort.memory.stream.add("late", f"Step {self.clock.tick} of {self.word}")


class Resident(Citizen):
    """A citizen with a word."""


class TownSettings(Settings):
    """A word for everybody."""

    word: str = Field("hello", "Word that is said")


class Town(Society[TownSettings]):
    """People who say a word."""

    def build(self, settings: TownSettings) -> None:
        population = self.populate(Resident, settings.agents)
        population.memory.status.declare("home_name", "")
        self.give(population, Words(settings.word))


def list_memories(society: Society[Any]) -> list[tuple[str, str, str, tuple[str, ...]]]:
    """What the first agent remembers, by words alone."""
    population = society.populations[0]
    memory = population.memory
    rows, ids, _ = memory.streams.listed(np.zeros(1, np.int64))
    text, topic, tags = (memory.streams.get(c, rows, ids) for c in ("text", "topic", "tags"))
    home = str(memory[0].status.get("home_name", default=""))
    return [
        (memory.texts[int(a)], memory.topics[int(b)], home, memory.tags.names(int(c)))
        for a, b, c in zip(text, topic, tags, strict=True)
    ]


@pytest.mark.parametrize("word", ["hello", "good day", "Step 0 of hello"])
def test_texts_interned_in_setup_keep_their_numbers(tmp_path: Path, word: str) -> None:
    town = Town(agents=2, rng=1)
    for _ in range(3):
        town.step()
    folder = save_state(town, tmp_path / "state")
    before = list_memories(town)
    settings = town.settings.with_changes({"word": word})
    other, _ = society_from(read_state(folder), Town, settings)
    assert list_memories(other) == before
    other.step()
    *_, spoken, step = list_memories(other)
    assert spoken[:3] == (word, word, word)
    assert spoken[3] == (f"tag of {word}",)
    assert step[:2] == (f"Step 3 of {word}", "late")
    assert [old[:2] for old in list_memories(other)[:6]] == [old[:2] for old in before]


def test_equal_settings_give_equal_numbers(tmp_path: Path) -> None:
    town = Town(agents=2, rng=1)
    for _ in range(3):
        town.step()
    other = load_state(save_state(town, tmp_path / "state"))
    assert other.words is None
    for society in (town, other):
        society.step()
    assert other.texts.all == town.texts.all
    assert other.populations[0].memory.topics == town.populations[0].memory.topics
    assert other.populations[0].memory.status.labels == town.populations[0].memory.status.labels


def remembered(society: Society[Any]) -> dict[str, list[tuple[str, str]]]:
    """Topic and text of all that is remembered, by population."""
    by_name = {}
    for population in society.populations:
        memory = population.memory
        rows, ids = memory.streams.listed()[:2]
        text, topic = (memory.streams.get(name, rows, ids) for name in ("text", "topic"))
        by_name[population.name] = [
            (memory.topics[int(b)], memory.texts[int(a)]) for a, b in zip(text, topic, strict=True)
        ]
    return by_name


FORKS = [
    (Hurricane, {"agents": 40, "days": 12}, {"orders": "none"}, (90, 110)),
    (Polarization, {"agents": 60}, {"event": "shooting", "event_day": 5}, (3, 8)),
    (
        Polarization,
        {"agents": 60, "event": "shooting", "event_day": 2},
        {"event": "none", "event_day": 10},
        (3, 8),
    ),
]


@pytest.mark.parametrize(("kind", "settings", "changes", "steps"), FORKS)
def test_a_subclass_continues_the_state_with_the_same_timeline(
    tmp_path: Path,
    kind: type[Society[Any]],
    settings: dict[str, Any],
    changes: dict[str, Any],
    steps: tuple[int, int],
) -> None:
    at, to = steps
    parent = kind(rng=5, **settings)
    for _ in range(at):
        parent.step()
    write_checkpoint(parent, tmp_path, position={})
    state = read(checkpoints_of(tmp_path)[0])
    fork, _ = society_from(state, kind, parent.settings.with_changes(changes))
    assert fork.settings != parent.settings
    assert fork.timeline.state() == parent.timeline.state()
    assert remembered(fork) == remembered(parent)
    for _ in range(to - at):
        parent.step()
        fork.step()
    assert remembered(fork) == remembered(parent)
    assert repr(fork.measured) == repr(parent.measured)  # NaN, without a value, equals itself
