"""How much the agents of a run remember, recall, decide and think, by population."""

from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    from memopolis.analysis.run.run import Run

_WEEK_HOURS = 168.0
COLUMNS = ("memories", "recalls", "decisions", "attitude_updates", "thoughts")
"""Figures of each population, per agent and simulated week."""


def count_memory_use(run: "Run") -> pd.DataFrame:
    """Count what the agents of each population remember, recall, decide and think.

    Args:
        run: A run with the tables memories and decisions.

    Returns:
        One row per population, with the number of agents and, per agent and simulated week:
        memories stored, thoughts not included; recalls, memories that decisions recalled as
        evidence; decisions other than attitudes and thoughts; attitude_updates, attitudes that
        were rated on the basis of a memory; thoughts.
    """
    weeks = run.ticks * run.hours / _WEEK_HOURS
    memories, decisions = run.table("memories"), run.table("decisions")
    memories = memories[memories["tick"] >= 0]
    evidence = decisions["evidence"].map(len)
    kind = decisions["kind"].astype(str)
    counts = {
        "memories": _count(memories[memories["kind"] != "thought"]),
        "recalls": evidence.groupby(decisions["population"].astype(str)).sum(),
        "decisions": _count(decisions[~kind.isin(("attitude", "thought"))]),
        "attitude_updates": _count(decisions[(kind == "attitude") & (evidence > 0)]),
        "thoughts": _count(memories[memories["kind"] == "thought"]),
    }
    agents = pd.Series({name: len(run.people(name)) for name in run.populations}, name="agents")
    figures = pd.DataFrame(counts).reindex(agents.index).fillna(0).div(agents * weeks, axis=0)
    return pd.concat([agents, figures], axis=1).rename_axis("population")


def _count(rows: pd.DataFrame) -> pd.Series:
    return rows.groupby(rows["population"].astype(str)).size()
