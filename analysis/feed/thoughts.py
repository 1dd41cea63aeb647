"""Write out the thoughts of a feed from the memories they are based on, all at once."""

from collections.abc import Collection

import numpy as np
import pandas as pd
import pyarrow as pa

from memopolis.analysis.run.run import Run
from memopolis.analysis.run.texts import fill_thoughts

type Moment = tuple[int, int]
"""unique_id of an agent, and a step."""


def write_thoughts(run: Run, wanted: Collection[Moment]) -> dict[Moment, str]:
    """Return what some agents thought in some steps; one without a record is missing."""
    if not wanted:
        return {}
    decisions = _of_agents(run, "decisions", ("kind", "text", "evidence"), wanted)
    keys = set(wanted)
    at = zip(decisions["agent"].to_pylist(), decisions["tick"].to_pylist(), strict=True)
    is_wanted = np.array([key in keys for key in at], np.bool_)
    is_wanted &= decisions["text"].to_numpy() != 0
    thoughts = decisions.filter(is_wanted).to_pandas()
    thoughts = thoughts[thoughts["kind"].astype(str) != "message"]
    thoughts = thoughts.assign(text=run.templates_of(thoughts["text"]))
    written = fill_thoughts(thoughts, _evidence(run, thoughts))
    texts = written["text"].fillna("").astype(str)
    return dict(zip(zip(written["agent"], written["tick"], strict=True), texts, strict=True))


def _evidence(run: Run, thoughts: pd.DataFrame) -> pd.DataFrame:
    """Return the memories that some thoughts are based on, with names filled in."""
    pairs = thoughts[["agent", "evidence"]].explode("evidence").dropna()
    if pairs.empty or not run.has("memories", "text"):
        return pd.DataFrame()
    columns = ("text", "actor", "place", "importance")
    known = set(zip(pairs["agent"].tolist(), pairs["evidence"].astype(int).tolist(), strict=True))
    rows = _of_agents(run, "memories", columns, known)
    at = zip(rows["agent"].to_pylist(), rows["id"].to_pylist(), strict=True)
    memories = rows.filter(np.array([one in known for one in at], np.bool_)).to_pandas()
    return run.fill_names(memories)


def _of_agents(
    run: Run, table: str, columns: tuple[str, ...], pairs: Collection[tuple[int, int]]
) -> pa.Table:
    """Read the rows of the agents of some pairs."""
    agents = sorted({agent for agent, _ in pairs})
    pieces = [run.reader.read(table, columns, agent=agent) for agent in agents]
    return pa.concat_tables(pieces, promote_options="permissive").unify_dictionaries()
