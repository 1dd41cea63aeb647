"""Rebuild one agent of a run in a society of its own, with its last status and its memories.

Minds, prompts and contexts then work with it as they did in the run.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.analysis.run.life import Life
from memopolis.analysis.run.run import Run
from memopolis.sim.errors import RunFolderError, TrustError, UnknownNameError
from memopolis.sim.memory.context_tags import ContextExtractor
from memopolis.sim.mind.call import LoggedCall
from memopolis.sim.population import PROFILE, Agent, Population, attribute
from memopolis.sim.running.trust import external_settings
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society

_FACTS = ("unit", "role")  # facts of an attribute by which prompts describe it
_NOT_STATUS = ["tick", "time", "agent"]
_SHOWN = frozenset({"", "zone"})  # roles of constant attributes that prompts to the agent contain
_IS_ATTRIBUTE = re.compile(r"[^\W\d_]\w*(\.\w+)*")


class AgentSociety(Society[Settings]):
    """A society of one agent of a run."""

    # Ids in the run of its memories, by their id here, shape (memories,)
    numbers: NDArray[np.int64]

    def __init__(self, settings: Settings, agent_class: type[Agent], *, rng: int) -> None:
        self._agent_class = agent_class
        self._calls: list[LoggedCall] = []
        super().__init__(settings, rng=rng)

    def build(self, settings: Settings) -> None:
        """Add the agent."""
        self.populate(self._agent_class, settings.agents)

    def log_calls(self, calls: Sequence[LoggedCall]) -> None:
        """Keep the calls to a model and their results; the mind calls this."""
        self._calls += calls

    @property
    def fault(self) -> str:
        """Reason why the last call to a model gave no usable answer, "" if it gave one."""
        return self._calls[-1].fault if self._calls else ""

    @property
    def population_of_one(self) -> Population:
        """The population of the agent."""
        return self.populations[0]


def build_society(
    run: Run, life: Life, settings: Mapping[str, object], *, tagged: bool = False
) -> AgentSociety:
    """Rebuild an agent of a run in a society of its own, at the end of the run.

    It has the memories that the agent held, with names written out. With `tagged`, their tags are
    derived from times, topics and words, since they are not recorded; otherwise there are none,
    because an urgent tag affects reviews. Raises SettingsError if a setting is unknown or not
    allowed, or UnknownNameError if the run recorded no memories.
    """
    check_has_memories(run, life)
    clock: dict[str, object] = {"start": run.start, "tick": run.hours}
    kept = {key: run.settings[key] for key in ("days", "retrieval") if key in run.settings}
    known = mind_settings(clock | kept | dict(settings))
    society = AgentSociety(known, _class_of(run, life), rng=run.seed)
    population = society.population_of_one
    population.restore(np.array([life.agent], np.int64), np.ones(1, np.bool_))
    held = life.memories
    if "held" in held:
        # At an earlier moment of a run, it is unknown which memories the agent held.
        held = held[held["held"].fillna(True).astype(bool)]  # noqa: FBT003 - a value
    society.numbers = held.index.to_numpy(np.int64)
    if tagged:
        population.memory.extractor = ContextExtractor()
    _remember(run, population, held)
    return society


def check_has_memories(run: Run, life: Life) -> None:
    """Raise an UnknownNameError if the run did not record the memories of an agent.

    An agent may have no memories yet.
    """
    if "id" not in (life.memories.index.name, *life.memories):
        raise UnknownNameError(
            f"{run.folder} recorded no memories of agent {life.agent}; see record.tables"
        )


def mind_settings(settings: Mapping[str, object]) -> Settings:
    """Return the settings of a society of one agent, checked."""
    return Settings(agents=1, news="none").with_changes(settings)


def _class_of(run: Run, life: Life) -> type[Agent]:
    """Create a class with the recorded attributes, whose defaults are the agent's last values."""
    last = _last_status(run, life)
    odd = [name for name in map(str, last.index) if not _IS_ATTRIBUTE.fullmatch(name)]
    if odd:
        raise RunFolderError(
            f"the run in {run.folder} records an attribute {odd[0][:80]!r}, whose name is invalid"
        )
    values: dict[str, Any] = {}
    for name, value in last.items():
        group, dot, field = str(name).partition(".")
        plain = value.item() if isinstance(value, np.generic) else value
        if plain is None:
            continue  # the agent does not have the attribute
        if dot:
            values.setdefault(group, {})[field] = plain
        else:
            values[group] = plain
    title = "".join(part.capitalize() for part in life.population.split("_"))
    known = run.attributes(life.population)
    declared = {}
    for name, value in values.items():
        facts = {key: fact for key in _FACTS if (fact := known.get(name, {}).get(key))}
        declared[name] = attribute(value, **facts)
    constant = [name for name in life.profile if known.get(name, {}).get("role", "") in _SHOWN]
    portrait = tuple(dict.fromkeys((*PROFILE, *constant)))
    body = {"__doc__": "An agent of a run.", "portrait": portrait, **declared}
    return type(title, (Agent,), body)


def _last_status(run: Run, life: Life) -> pd.Series:
    own = run.agent_rows(life.agent)
    if len(own):
        return own.drop(columns=_NOT_STATUS).iloc[-1]
    # Until its first record, only constant attributes are known.
    people = run.people(life.population)
    row = people[people["agent"] == life.agent].iloc[-1]
    declared = run.attributes(life.population)
    return row[[name for name in row.index if name in declared]].dropna()


class _ForeignEmbedder:
    """Stands for an embedder that only the run's manifest names, which must not be loaded."""

    def __init__(self, name: str) -> None:
        self.name = name

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Raise a TrustError."""
        raise TrustError(
            f"the run's embedder {self.name[:80]!r} needs a server or a model for {len(texts)} "
            "texts, which reading a run may not use; this works for runs with the embedder static "
            "or minilm"
        )


def _embedder(run: Run, usual: Any) -> Any:
    """Return the embedder of a run if it uses no server, else a stand-in that refuses."""
    name = run.settings.get("embedder", usual)
    known = Settings().with_changes({"embedder": name})
    return _ForeignEmbedder(known.embedder) if external_settings(known) else known.embedder


def _remember(run: Run, population: Population, memories: pd.DataFrame) -> None:
    memory = population.memory
    memory.deferred = False
    memory.name_of, memory.place_name = run.name_of, run.spoken_place_name
    # It is loaded only when vectors are needed, since its package may be missing.
    memory.embedder = _embedder(run, memory.embedder)
    (agent,) = memory
    for record in memories.to_dict("records"):
        memory.now = record["tick"]
        agent.stream.add(
            record["topic"],
            record["text"],
            actor=record["actor"],
            place=record["place"],
            importance=record["importance"],
            valence=record["valence"],
            confidence=record["confidence"],
            kind=record["kind"],
            emotion=record["emotion"] or None,
            continues=record["continues"],
            # The society reads the tags of runs that recorded none.
            tags=record["tags"].split(", ") if record["tags"] else None,
        )
    memory.flush()
    if "accessed" in memories:
        slots, _ = memory.streams.live(np.arange(1))
        accessed = memories["accessed"].fillna(memories["tick"]).to_numpy(np.int32)
        memory.streams.put("accessed", slots, accessed)
        memory.streams.put("accesses", slots, memories["accesses"].fillna(0).to_numpy(np.uint8))
    if "times" in memories:
        times, since = memories["times"].fillna(1), memories["since"].fillna(memories["tick"])
        memory.streams.put_occasions(slots, times.to_numpy(np.int32), since.to_numpy(np.int32))
    memory.now = population.society.clock.tick = run.ticks
