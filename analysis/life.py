"""One life: everything a run recorded of one agent."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from memopolis.analysis import written
from memopolis.analysis.people import ZONE, description_of, zones_by_name

if TYPE_CHECKING:
    from memopolis.analysis.load import Run

_UNWRITTEN = "something from before the run"


@dataclass(frozen=True, eq=False)
class Life:
    """One agent's life; tables that the run did not record are empty.

    Attributes:
        agent: Its unique_id.
        population: Whose member it is.
        name: What it is called.
        profile: Attributes that nothing changes; zones by name, ticks as dates.
        status: Attributes that change, by time; likewise.
        memories: By id: time, topic, kind, text, importance, valence, confidence, actor, place,
            and, of those still held at the end or right now, accessed (tick), accesses and
            thought (id of the thought it led to, -1 for none); held says which those are. At
            an earlier moment that is not known, and all four are missing.
        thoughts: time, text, emotion, evidence, a list of texts, and rests_on, a list of the
            ids of these memories.
        decisions: time, block, kind, item, choice, value, reason, mind, and evidence and
            rests_on likewise.
    """

    agent: int
    population: str
    name: str
    profile: dict[str, Any]
    status: pd.DataFrame
    memories: pd.DataFrame
    thoughts: pd.DataFrame
    decisions: pd.DataFrame


def life_of(run: "Run", agent: int) -> Life:
    """Gather everything about one agent.

    Args:
        run: A run.
        agent: unique_id of an agent of any population.

    Raises:
        UnknownNameError: If nobody has that unique_id.
    """
    population = run.member_of(agent)
    profile, status = _profile(run, population, agent)
    own = _own(run, agent)
    memories = _memories(run, population, agent, own)
    decisions = _decisions(own, memories)
    worded = decisions["text"].notna() if "text" in decisions else pd.Series(dtype=bool)
    return Life(
        agent=agent,
        population=population,
        name=run.name_of(agent),
        profile=profile,
        status=status,
        memories=memories,
        thoughts=_columns(decisions[worded], *("time", "text", "emotion", "evidence", "rests_on")),
        decisions=_columns(
            decisions[~worded],
            *("time", "block", "kind", "item", "choice", "value", "reason", "mind"),
            *("evidence", "rests_on"),
        ),
    )


@dataclass(frozen=True, eq=False)
class _Own:
    """What one agent wrote: memories, thoughts and decisions, None where they were not recorded."""

    memories: pd.DataFrame | None
    thoughts: pd.DataFrame
    decisions: pd.DataFrame | None


def _own(run: "Run", agent: int) -> _Own:
    memories, decisions = (
        run.own(name, agent) if name in run.tables else None for name in ("memories", "decisions")
    )
    named = pd.DataFrame() if memories is None else written.named_memories(run, memories)
    if decisions is None:
        thoughts = pd.DataFrame(columns=[*written.THOUGHTS])
    else:
        thoughts = written.thoughts_among(run, decisions, named)
        decisions = written.told_decisions(decisions, thoughts)
    if memories is not None:
        memories = written.told_memories(named, thoughts)
    return _Own(memories, thoughts, decisions)


def _profile(run: "Run", population: str, agent: int) -> tuple[dict[str, Any], pd.DataFrame]:
    own = run.agent_rows(agent)
    known = own if len(own) else _first_of(run, population, agent)
    changing = run.changing(population)
    names = [name for name in own if name not in {"tick", "time", "agent"}]
    # What a block did not say that it writes is a state all the same.
    stays = [name for name in names if name not in changing and known[name].nunique() < 2]
    told = {name: _readable(run, population, known[name]) for name in stays}
    profile = {str(name): _plain(of.iloc[0]) for name, of in told.items() if len(of)}
    states = own.set_index("time")[[name for name in names if name not in stays]].copy()
    for name in states:
        states[name] = _readable(run, population, states[name])
    return profile, states


def _first_of(run: "Run", population: str, agent: int) -> pd.DataFrame:
    """The first status that was recorded of an agent, before which only what stays is known."""
    first = run.first_rows(population)
    return first[first["agent"] == agent]


def _readable(run: "Run", population: str, values: pd.Series) -> pd.Series:
    """Zones by name and ticks as dates, by what the attribute says it is."""
    described = description_of(run, population, str(values.name))
    if described.startswith(ZONE):
        return zones_by_name(run, values)
    if described.startswith("Tick"):
        times: pd.Series = run.time_of(values).dt.strftime("%d %b %H:%M").astype(object)
        return times.where(values >= 0, "never")
    return values


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _memories(run: "Run", population: str, agent: int, own: _Own) -> pd.DataFrame:
    if own.memories is None:
        return pd.DataFrame()
    frame = own.memories.drop(columns=["population", "agent"]).set_index("id").sort_index()
    held = run.rows.held(population, agent)
    if held is None:
        return frame
    end = held.to_pandas().set_index("id")[["accessed", "accesses", "thought"]]
    frame = frame.join(end, how="left")
    frame["held"] = frame["accessed"].notna() if run.knows_held else pd.NA
    frame = frame.astype({"accessed": "Int32", "accesses": "Int32", "thought": "Int32"})
    return frame.astype({"held": "bool" if run.knows_held else "boolean"})


def _decisions(own: _Own, memories: pd.DataFrame) -> pd.DataFrame:
    if own.decisions is None:
        return pd.DataFrame()
    frame = own.decisions.drop(columns=["population", "agent"]).reset_index(drop=True)
    texts = memories["text"].to_dict() if "text" in memories else {}
    frame["rests_on"] = frame["evidence"]
    frame["evidence"] = [[texts.get(i, _UNWRITTEN) for i in ids] for ids in frame["evidence"]]
    return frame


def _columns(frame: pd.DataFrame, *names: str) -> pd.DataFrame:
    return frame[[name for name in names if name in frame]].reset_index(drop=True)
