"""Memories, thoughts and decisions of a run with their texts written out, of all or of some."""

from typing import TYPE_CHECKING

import pandas as pd

from memopolis.analysis import told

if TYPE_CHECKING:
    from memopolis.analysis.load import Run

THOUGHTS = ("tick", "time", "population", "agent", "text", "evidence", "evidence_text")
"""Columns of thoughts where there are none."""


def named_memories(run: "Run", memories: pd.DataFrame) -> pd.DataFrame:
    """Write out memories but for {evidence}.

    Args:
        run: Whose texts and names they are.
        memories: Rows of the table `memories` with their times.
    """
    frame = memories.copy()
    frame["text"] = told.with_names(
        run.worded(frame["text"]),
        frame["actor"],
        frame["place"],
        name_of=run.name_of,
        place_name=run.place_name,
    )
    return frame


def thoughts_among(run: "Run", decisions: pd.DataFrame, named: pd.DataFrame) -> pd.DataFrame:
    """Decisions that ended in a text, written out, and their evidence in words.

    Args:
        run: Whose texts they are.
        decisions: Rows of the table `decisions` with their times.
        named: Memories of the same agents, as `named_memories` gives them.
    """
    # A hash of 0 is no text.
    frame = decisions[decisions["text"] != 0].copy()
    frame["text"] = run.worded(frame["text"]).astype(object)
    frame["evidence_text"] = evidence_among(frame, named)
    frame["text"] = told.with_evidence(frame["text"], frame["evidence_text"])
    return frame


def evidence_among(decisions: pd.DataFrame, named: pd.DataFrame) -> pd.Series:
    """Write out what decisions rest on: their most important memories, oldest first."""
    if named.empty or decisions.empty:
        return pd.Series(float("nan"), index=decisions.index, dtype=object)
    rested = decisions[["population", "agent", "evidence"]].explode("evidence")
    rested = rested.dropna(subset=["evidence"]).rename(columns={"evidence": "id"})
    rested = rested.astype({"id": "int32"}).rename_axis("decision").reset_index()
    return told.evidence_texts(rested, named).reindex(decisions.index)


def told_memories(named: pd.DataFrame, thoughts: pd.DataFrame) -> pd.DataFrame:
    """Write out the {evidence} of memories of thoughts, from the decisions that formed them.

    Args:
        named: As `named_memories` gives them.
        thoughts: As `thoughts_among` gives them, of the same agents.
    """
    frame = named.copy()
    formed = frame["kind"] == "thought"
    if formed.any():
        keys = ["population", "agent", "tick"]
        asked = frame.loc[formed, keys]
        words = asked.merge(thoughts[[*keys, "evidence_text"]], on=keys, how="left")
        words.index = asked.index
        written = told.with_evidence(frame.loc[formed, "text"], words["evidence_text"])
        frame.loc[formed, "text"] = written
    frame["text"] = told.without_evidence(frame["text"])
    return frame


def told_decisions(decisions: pd.DataFrame, thoughts: pd.DataFrame) -> pd.DataFrame:
    """Decisions with their texts, and lists of the ids of memories as evidence.

    Args:
        decisions: Rows of the table `decisions` with their times.
        thoughts: Those among them that ended in a text, as `thoughts_among` gives them.
    """
    frame = decisions.copy()
    frame["text"] = thoughts["text"].reindex(frame.index)
    frame["evidence"] = [ids.tolist() for ids in frame["evidence"]]
    return frame
