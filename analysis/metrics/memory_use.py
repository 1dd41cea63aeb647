"""How much the agents of a run remember, recall, decide and think, and what memories are like."""

import re

import pandas as pd

from memopolis.analysis.run.run import Run

_WEEK_HOURS = 168.0
COLUMNS = ("memories", "recalls", "decisions", "attitude_updates", "thoughts")
"""Figures of each population, per agent and simulated week."""

LIFE_COLUMNS = ("distinct", "names_others", "names_reasons", "merged", "held")
"""Figures of the memories of each population, see `describe_memories`."""

# Word beginnings of feelings and causes in memories (illustrative).
_REASONS = re.compile(
    r"\b(because|since|due to|so that|in order to|for the storm|as a result|therefore|when|after"
    r"|enjoy|lik(?:e|ed)\b|cheer|annoy|argu|bored|lonel|peace|stress|crowded|tasty|good|bad|poor"
    r"|pleas|glad|happy|sad|worr|afraid|fear|scare|angr|upset|relie|proud|hope|comfort|tired"
    r"|surpris|disgust|disappoint|thank|sorry|shame)",
    re.IGNORECASE,
)


def count_memory_use(run: Run) -> pd.DataFrame:
    """Count what agents remember, recall, decide and think, by the tables memories and decisions.

    Returns one row per population, with the number of agents and, per agent and simulated week:
    memories stored, thoughts not included; recalls, memories that decisions recalled as evidence;
    decisions other than attitudes and thoughts; attitude_updates, attitudes that were rated on the
    basis of a memory; thoughts.
    """
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
    agents = _agents(run)
    figures = pd.DataFrame(counts).reindex(agents.index).fillna(0)
    return _table(agents, figures.div(agents * _weeks(run), axis=0))


def describe_memories(run: Run) -> pd.DataFrame:
    """Measure how varied the memories of each population are, and what they name.

    Returns one row per population, with the number of agents and: distinct, memories of an agent
    that differ in text, actor or place from others of the same week, per agent and week;
    names_others, share of memories that name another agent, in [0, 1]; names_reasons, share of
    memories with a word for a feeling or a cause, in [0, 1]; merged, memories merged into others
    that are still held, per agent and week; held, memories that an agent has at the end. Thoughts
    and memories from before the run are not included, except in `held`. NaN where a population has
    no memories, or where the run did not record what is held.
    """
    memories = run.table("memories", ["actor", "kind", "place", "text"])
    memories = memories[(memories["tick"] >= 0) & (memories["kind"] != "thought")]
    population = memories["population"].astype("category")
    week = (memories["tick"] * run.hours // _WEEK_HOURS).astype(int)
    texts = run.table("texts").set_index("hash")["text"]
    named = memories["text"].isin(texts.index[texts.str.contains("{actor}", regex=False)])
    named &= (memories["actor"] >= 0) & (memories["actor"] != memories["agent"])
    reasons = memories["text"].isin(
        texts.index[texts.map(lambda text: bool(_REASONS.search(text)))]
    )
    keys = pd.DataFrame({"population": population, "agent": memories["agent"], "week": week})
    keys = keys.assign(**{name: memories[name] for name in ("text", "actor", "place")})
    agents = _agents(run)
    held = {name: run.reader.held(name) for name in agents.index}
    occasions = {name: None if one is None else one["times"] for name, one in held.items()}
    counts = pd.DataFrame(
        {
            "distinct": keys.drop_duplicates().groupby("population", observed=True).size(),
            "merged": pd.Series(
                {
                    name: float("nan") if one is None else one.to_numpy().sum() - len(one)
                    for name, one in occasions.items()
                }
            ),
        }
    ).reindex(agents.index)
    figures = counts.div(agents * _weeks(run), axis=0)
    figures.insert(1, "names_others", named.groupby(population, observed=True).mean())
    figures.insert(2, "names_reasons", reasons.groupby(population, observed=True).mean())
    sizes = {name: float("nan") if one is None else len(one) for name, one in occasions.items()}
    figures["held"] = pd.Series(sizes) / agents
    return _table(agents, figures)


def _agents(run: Run) -> pd.Series:
    return pd.Series({name: len(run.people(name)) for name in run.populations}, name="agents")


def _weeks(run: Run) -> float:
    return run.ticks * run.hours / _WEEK_HOURS


def _table(agents: pd.Series, figures: pd.DataFrame) -> pd.DataFrame:
    return pd.concat([agents, figures], axis=1).rename_axis("population")


def _count(rows: pd.DataFrame) -> pd.Series:
    return rows.groupby(rows["population"].astype(str)).size()
