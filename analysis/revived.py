"""One agent of a run, alive again as it was at the end: its status and what it remembers.

It stands in a society of its own, so that whatever asks agents (minds, prompts, contexts) can
ask it as it would have in the run.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.sim.errors import UnknownNameError
from memopolis.sim.memory.text.context_tags import ContextExtractor
from memopolis.sim.population import Agent, Population, attribute
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society

if TYPE_CHECKING:
    from memopolis.analysis.life import Life
    from memopolis.analysis.load import Run

_NOT_STATUS = ["tick", "time", "agent"]


class Revived(Society[Settings]):
    """A society of one, who lived in a run.

    Args:
        settings: Its settings.
        agent_class: Class of the agent, whose defaults are its last status.
        rng: Seed of the run.

    Attributes:
        numbers: Ids of its memories in the run by their id here, shape (memories,).
    """

    numbers: NDArray[np.int64]

    def __init__(self, settings: Settings, agent_class: type[Agent], *, rng: int) -> None:
        self._agent_class = agent_class
        super().__init__(settings, rng=rng)

    def build(self, settings: Settings) -> None:
        """Let the one agent live here."""
        self.populate(self._agent_class, settings.agents)

    @property
    def who(self) -> Population:
        """The population of the one agent."""
        return self.populations[0]


def revive(run: "Run", agent: int, settings: Mapping[str, object] | None = None) -> Revived:
    """Bring an agent of a run back.

    Args:
        run: Its run.
        agent: Its unique_id.
        settings: Settings of its society by name, such as the mind; None for the defaults.

    Returns:
        Its society, at the end of the run. It remembers what it still held then; names in its
        memories are written out.

    Raises:
        SettingsError: If a setting is unknown or not allowed.
        UnknownNameError: If nobody has that unique_id, or the run recorded no memories.
    """
    return revived(run, run.life(agent), settings or {})


def revived(
    run: "Run", life: "Life", settings: Mapping[str, object], *, tagged: bool = False
) -> Revived:
    """Bring an agent back from its life, which is read already; as `revive`.

    Tags of memories are not recorded. Where they are wanted (`tagged`) they are read anew from
    times, topics and words; they are left out otherwise, as an urgent tag weighs in a review.
    """
    check_remembers(run, life)
    known = checked_mind({**_as_in(run), **settings})
    society = Revived(known, _class_of(run, life), rng=run.seed)
    population = society.who
    population.restore(np.array([life.agent], np.int64), np.ones(1, np.bool_))
    held = life.memories
    if "held" in held:
        held = held[held["held"].fillna(True).astype(bool)]  # noqa: FBT003 - unknown at a moment
    # What was forgotten by a moment is not recorded; the oldest are.
    held = held.tail(population.memory.streams.limit)
    society.numbers = held.index.to_numpy(np.int64)
    if tagged:
        population.memory.extractor = ContextExtractor()
    _remember(run, population, held)
    return society


def check_remembers(run: "Run", life: "Life") -> None:
    """Refuse an agent of whom nothing is known; who remembers nothing yet may be asked.

    Raises:
        UnknownNameError: If the run recorded no memories.
    """
    if "id" not in (life.memories.index.name, *life.memories):
        raise UnknownNameError(
            f"{run.folder} recorded no memories of agent {life.agent}; see record.tables"
        )


def checked_mind(settings: Mapping[str, object]) -> Settings:
    """Settings of a society of one.

    Args:
        settings: Changes by name, such as the mind.

    Raises:
        SettingsError: If one is unknown or not allowed.
    """
    return Settings(agents=1, news="none").with_changes(settings)


def _as_in(run: "Run") -> dict[str, object]:
    """Settings of a run that say how somebody remembers, and its clock."""
    kept: dict[str, object] = {"start": run.start, "tick": run.hours}
    return kept | {key: run.settings[key] for key in ("days", "retrieval") if key in run.settings}


def _class_of(run: "Run", life: "Life") -> type[Agent]:
    """A class with the attributes recorded, whose defaults are the agent's last values."""
    last = _last_status(run, life)
    values: dict[str, Any] = {}
    for name, value in last.items():
        group, dot, field = str(name).partition(".")
        plain = value.item() if isinstance(value, np.generic) else value
        if dot:
            values.setdefault(group, {})[field] = plain
        else:
            values[group] = plain
    title = "".join(part.capitalize() for part in life.population.split("_"))
    declared = {name: attribute(value) for name, value in values.items()}
    return type(title, (Agent,), {"__doc__": "An agent of a run.", **declared})


def _last_status(run: "Run", life: "Life") -> pd.Series:
    own = run.agent_rows(life.agent)
    if len(own):
        return own.drop(columns=_NOT_STATUS).iloc[-1]
    # Before its first record only what never changes is known.
    people = run.people(life.population)
    there = people[people["agent"] == life.agent].iloc[-1]
    declared = run.attributes(life.population)
    return there[[name for name in there.index if name in declared]].dropna()


def _remember(run: "Run", population: Population, memories: pd.DataFrame) -> None:
    memory = population.memory
    memory.deferred = False
    memory.name_of, memory.place_name = run.name_of, run.place_name
    # Only when vectors are needed: all else is answered also where its package is missing.
    memory.embedder = run.settings.get("embedder", memory.embedder)
    (agent,) = memory
    for one in memories.to_dict("records"):
        memory.now = one["tick"]
        agent.stream.add(
            one["topic"],
            one["text"],
            actor=one["actor"],
            place=one["place"],
            importance=one["importance"],
            valence=one["valence"],
            confidence=one["confidence"],
            kind=one["kind"],
            emotion=one["emotion"] or None,
            continues=one["continues"],
        )
    memory.flush()
    if "accessed" in memories:
        slots, _ = memory.streams.live(np.arange(1))
        accessed = memories["accessed"].fillna(memories["tick"]).to_numpy(np.int32)
        memory.streams.put("accessed", slots, accessed)
        memory.streams.put("accesses", slots, memories["accesses"].fillna(0).to_numpy(np.uint8))
    memory.now = population.society.clock.tick = run.ticks
