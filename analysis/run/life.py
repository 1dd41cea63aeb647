"""What a run recorded of one agent, and which attributes are locations or change."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from memopolis.sim.recording.schema import HELD

AWAY = "away"  # name of the zone -1
_UNRECORDED = "something from before the run"
_THOUGHT = ("time", "text", "emotion", "evidence", "rests_on")
_DECISION = ("time", "block", "kind", "item", "choice", "value", "reason", "mind")
_OUTCOME = ("probability", "draw", "threshold", "together")


@dataclass(frozen=True, eq=False)
class Life:
    """Everything recorded of one agent; tables that the run did not record are empty."""

    agent: int  # unique_id of the agent
    population: str
    name: str
    profile: dict[str, Any]  # constant attributes; zones by name, ticks as dates
    status: pd.DataFrame  # attributes that change, by time; likewise
    # By id: time, topic, kind, text, importance, valence, confidence, actor, place, and, of those
    # held at the end or at present, accessed (tick), accesses, thought (id of the thought it led
    # to, -1 for none), times (occasions it stands for) and since (tick of the first of them); held
    # marks these. At an earlier moment this is unknown, and all six are missing.
    memories: pd.DataFrame
    # Time, text, emotion, evidence, a list of texts, and rests_on, a list of the ids of these
    # memories
    thoughts: pd.DataFrame
    # Time, block, kind, item, choice, value, reason, mind, and evidence and rests_on likewise;
    # probability, draw and threshold by which it was carried out, and together, a list of the
    # unique_ids of the others who decided with the agent
    decisions: pd.DataFrame


def is_zone(attributes: Mapping[str, Mapping[str, Any]], name: str) -> bool:
    """Check by its declared role whether an attribute contains numbers of zones."""
    return attributes.get(name, {}).get("role") in {"zone", "current zone"}


def zone_attribute(attributes: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the attribute with the present zone, else the first with a zone, "" for none."""
    zones = [name for name in attributes if is_zone(attributes, name)]
    now = [name for name in zones if attributes[name]["role"] == "current zone"]
    return str((now or zones or [""])[0])


def split_status(
    rows: pd.DataFrame, changing: frozenset[str], readable: Callable[[pd.Series], pd.Series]
) -> tuple[dict[str, Any], pd.DataFrame]:
    """Split the recorded status of an agent into constant attributes and a table of changing ones.

    `readable` replaces numbers of zones and ticks by words.
    """
    names = [name for name in rows if name not in {"tick", "time", "agent"}]
    # A block may write an attribute without declaring it.
    constant = [name for name in names if name not in changing and rows[name].nunique() < 2]
    values = {str(name): readable(rows[name]) for name in constant}
    profile = {name: _plain(one.iloc[0]) for name, one in values.items() if len(one)}
    states = rows.set_index("time")[[name for name in names if name not in constant]].copy()
    for name in states:
        states[name] = readable(states[name])
    return profile, states


def join_held(memories: pd.DataFrame, held: pa.Table | None, *, is_known: bool) -> pd.DataFrame:
    """Index the memories of an agent by id, and mark those that it holds, if that is known now.

    `memories` are written out, `held` as in the schema `HELD`; None if not recorded.
    """
    if not len(memories.columns):
        return memories
    frame = memories.drop(columns=["population", "agent"]).set_index("id").sort_index()
    if held is None:
        return frame
    frame = frame.join(held.to_pandas().set_index("id").drop(columns="agent"), how="left")
    frame["held"] = frame["accessed"].notna() if is_known else pd.NA
    frame = frame.astype({name: "Int32" for name in HELD.columns if name in frame})
    return frame.astype({"held": "bool" if is_known else "boolean"})


def join_evidence(
    decisions: pd.DataFrame, memories: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return decisions and thoughts of an agent, with the texts of the memories they use.

    Decisions have no columns if they were not recorded; memories are indexed by id.
    """
    frame = decisions.reset_index(drop=True)
    if not len(frame.columns):
        return frame, frame
    texts = memories["text"].to_dict() if "text" in memories else {}
    evidence = [[texts.get(i, _UNRECORDED) for i in ids] for ids in frame["evidence"]]
    frame["rests_on"] = frame["evidence"]
    frame["evidence"] = evidence
    is_thought = frame["text"].notna()
    thoughts, others = frame[is_thought][[*_THOUGHT]], frame[~is_thought]
    others = others[[*_DECISION, "evidence", "rests_on", *_OUTCOME]]
    return others.reset_index(drop=True), thoughts.reset_index(drop=True)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
