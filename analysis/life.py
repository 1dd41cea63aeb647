"""One life: everything a run recorded of one agent."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from memopolis.sim.errors import RunFolderError, UnknownNameError

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
        profile: Attributes that stay for everyone; zones by name, ticks as dates.
        status: Attributes that change, by time; likewise.
        memories: By id: time, topic, kind, text, importance, valence, confidence, actor, place,
            and, of those still held at the end, accessed (tick), accesses and thought (id of
            the thought it led to, -1 for none); held says which those are.
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
    population = run.population_of(agent)
    if not population:
        raise UnknownNameError(_nobody(run, agent))
    profile, status = _profile(run, population, agent)
    run = type(run)(run.folder, run.manifest, only=agent)
    memories = _memories(run, population, agent)
    decisions = _decisions(run, population, agent, memories)
    worded = decisions["text"].notna() if "text" in decisions else pd.Series(dtype=bool)
    return Life(
        agent=agent,
        population=population,
        name=run.name_of(agent),
        profile=profile,
        status=status,
        memories=memories,
        thoughts=_columns(
            decisions[worded], *("time", "text", "emotion", "evidence", "rests_on")
        ),
        decisions=_columns(
            decisions[~worded],
            *("time", "block", "kind", "item", "choice", "value", "reason", "mind"),
            *("evidence", "rests_on"),
        ),
    )


def _nobody(run: "Run", agent: int) -> str:
    ranges = []
    for population in run.manifest["populations"]:
        if f"agents_{population}" in run.tables:
            ids = run.table(f"agents_{population}")["agent"]
            ranges.append(f"{population} {ids.min()} to {ids.max()}")
    if not ranges:
        return f"agent {agent} cannot be shown: the run did not record agents"
    return f"nobody has the number {agent}; there are {'; '.join(ranges)}"


def _profile(run: "Run", population: str, agent: int) -> tuple[dict[str, Any], pd.DataFrame]:
    frame = run.agents_of(population)
    own = frame[frame["agent"] == agent].set_index("time").drop(columns=["tick", "agent"])
    # Whatever never changes for anybody describes; what changes for somebody is a state.
    stays = [name for name in own if _stays(frame, str(name))]
    declared = run.manifest.get("attributes", {}).get(population, {})
    for name in own:
        described = str(declared.get(name, {}).get("description", ""))
        own[name] = _readable(run, own[name], described)
    return {str(name): _plain(own[name].iloc[0]) for name in stays}, own.drop(columns=stays)


def _readable(run: "Run", values: pd.Series, described: str) -> pd.Series:
    """Zones by name and ticks as dates, by what the attribute says it is."""
    if described.startswith("Zone"):
        names = [run.place_name(zone) if zone >= 0 else "away" for zone in values.tolist()]
        return pd.Series(names, index=values.index, dtype=object)
    if described.startswith("Tick"):
        times: pd.Series = run.time_of(values).dt.strftime("%d %b %H:%M").astype(object)
        return times.where(values >= 0, "never")
    return values


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _stays(frame: pd.DataFrame, name: str) -> bool:
    values = frame[name]
    codes = values.cat.codes if isinstance(values.dtype, pd.CategoricalDtype) else values
    by_agent = np.asarray(codes)[np.lexsort([frame["tick"], frame["agent"]])]
    agents = np.sort(frame["agent"].to_numpy())
    changes = (by_agent[1:] != by_agent[:-1]) & (agents[1:] == agents[:-1])
    return not changes.any()


def _memories(run: "Run", population: str, agent: int) -> pd.DataFrame:
    if "memories" not in run.tables:
        return pd.DataFrame()
    frame = run.memories
    own = frame[(frame["agent"] == agent) & (frame["population"] == population)]
    own = own.drop(columns=["population", "agent"]).set_index("id")
    held = run.folder / "memory" / f"{population}.parquet"
    if not held.is_file():
        return own.sort_index()
    try:
        end = pd.read_parquet(held, filters=[("agent", "==", agent)]).set_index("id")
    except (ValueError, OSError) as error:  # Arrow's own errors are of these kinds
        raise RunFolderError(f"{held} is broken: {str(error).splitlines()[0]}") from None
    own = own.join(end[["accessed", "accesses", "thought"]], how="left").sort_index()
    own["held"] = own["accessed"].notna()
    for column in ("accessed", "accesses", "thought"):
        own[column] = own[column].astype("Int32")
    return own


def _decisions(run: "Run", population: str, agent: int, memories: pd.DataFrame) -> pd.DataFrame:
    if "decisions" not in run.tables:
        return pd.DataFrame()
    frame = run.decisions
    own = frame[(frame["agent"] == agent) & (frame["population"] == population)]
    own = own.drop(columns=["population", "agent"]).reset_index(drop=True)
    texts = memories["text"].to_dict() if "text" in memories else {}
    own["rests_on"] = own["evidence"]
    own["evidence"] = [[texts.get(i, _UNWRITTEN) for i in ids] for ids in own["evidence"]]
    return own


def _columns(frame: pd.DataFrame, *names: str) -> pd.DataFrame:
    return frame[[name for name in names if name in frame]].reset_index(drop=True)
