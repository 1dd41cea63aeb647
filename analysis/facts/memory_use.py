"""Facts about the use of memory: arms that differ only in recall, and evidence of updates."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial

import pandas as pd

from memopolis.analysis.compare.intervals import paired_difference
from memopolis.analysis.facts.fact import Fact, make_fact
from memopolis.analysis.facts.reading import NONE, outcome_of, runs_by_seed
from memopolis.analysis.metrics.memory_use import describe_memories
from memopolis.analysis.run.run import Run
from memopolis.analysis.run.texts import OTHER_TEXTS

NORMAL = "scored"  # the arm that the others are compared with

OUTCOMES: Mapping[str, Callable[[Run], float]] = {
    "evacuated share": outcome_of("evacuated_share", "end"),
    "government trust, mean over time": outcome_of("government_trust", "mean"),
    "government trust at the end": outcome_of("government_trust", "end"),
    "emergency preparedness, mean over time": outcome_of("emergency_preparedness", "mean"),
    "emergency preparedness at the end": outcome_of("emergency_preparedness", "end"),
    "trips, mean over time": outcome_of("trips", "mean"),
    "visits to stores, mean over time": outcome_of("store_visits", "mean"),
    "spending in stores, cents, mean over time": outcome_of("spent", "mean"),
    "joy, mean over time": outcome_of("joy", "mean"),
    "open stores, mean over time": outcome_of("open_stores", "mean"),
    "stock of stores, mean over time": outcome_of("stock", "mean"),
    "customers turned away, mean over time": outcome_of("turned_away", "mean"),
    "order considered, mean over time": outcome_of("considered_order", "mean"),
    "shelters open, mean over time": outcome_of("shelters_open", "mean"),
}
"""Outcomes of citizens, firms and the government in which the arms are compared."""


_described = lru_cache(maxsize=1)(describe_memories)  # several outcomes of one run


def _of_citizens(run: Run, column: str) -> float:
    return float(_described(run)[column]["citizen"])


LIVES: Mapping[str, Callable[[Run], float]] = {
    f"memories of citizens: {name}": partial(_of_citizens, column=name)
    for name in ("distinct", "merged", "held")
}
"""Figures of the memories of citizens, as outcomes."""


def recall_table(
    arms: Mapping[str, Sequence[Run]], outcomes: Mapping[str, Callable[[Run], float]] = OUTCOMES
) -> pd.DataFrame:
    """Compare runs with scored recall to runs with none, or with random memories.

    Arms are runs by recall policy, "scored" among them, each of the same seeds in the same order;
    outcomes are functions of a run by name, those of the hurricane if omitted. Returns a row per
    outcome and other arm: against, outcome, scored, other (means over seeds), difference, low, high
    (95 %, of scored - other, paired by seed), seeds, excludes_zero. Raises UnknownNameError if
    there is no arm "scored", or ParameterError if the arms have different seeds.
    """
    runs_by_seed(arms, [NORMAL])  # checks them
    measured = {
        name: pd.DataFrame([{outcome: of(run) for outcome, of in outcomes.items()} for run in runs])
        for name, runs in arms.items()
    }
    normal, rows = measured.pop(NORMAL), []
    for name, other in measured.items():
        for outcome in outcomes:
            scored, changed = normal[outcome], other[outcome]
            difference = paired_difference(scored, changed)
            means = (scored.mean(skipna=False), changed.mean(skipna=False))
            rows.append((name, outcome, *means, *difference, difference.excludes(0)))
    head = ["against", "outcome", "scored", "other", "difference", "low", "high", "seeds"]
    return pd.DataFrame(rows, columns=[*head, "excludes_zero"])


def memory_use(run: Run) -> Fact:
    """Measure on how many memories the attitudes and thoughts of a run are based."""
    named, differ = named_evidence(run), thoughts_that_differ(run)
    numbers = {
        "attitude updates that name their memories": named.get("attitude", NONE),
        "thoughts that name their memories": named.get("thought", NONE),
        "thoughts that differ where their memories do": differ,
        "answers on attitudes that are not updates": _share_without_update(run),
    }
    return make_fact("memory", numbers)


def named_evidence(run: Run) -> pd.Series:
    """Return the share of updates that name the memories they are based on, by kind.

    Answers on attitudes for which no recalled memory was relevant change nothing and are not
    counted.
    """
    decisions = run.table("decisions")
    updates = decisions[decisions["kind"].isin(("attitude", "thought"))]
    updates = updates[~_has_no_evidence(updates)]
    named = updates["evidence"].map(len) > 0
    shares: pd.Series = named.groupby(updates["kind"].astype(str)).mean()
    return shares


def thoughts_that_differ(run: Run) -> float:
    """Return how often thoughts differ that are based on different memories, compared as texts.

    It is a share of all pairs of thoughts of one day that are based on different memories; NaN if
    there is no such pair.
    """
    thoughts = run.thoughts
    if thoughts.empty:
        return float("nan")
    thoughts = thoughts[~thoughts["kind"].astype(str).isin(OTHER_TEXTS)]
    frame = pd.DataFrame({"day": thoughts["time"].dt.normalize(), "text": thoughts["text"]})
    frame["memories"] = _evidence_texts(run, thoughts)
    all_pairs = _count_pairs(frame.groupby("day").size())
    same_memories = _count_pairs(frame.groupby(["day", "memories"]).size())
    same_text = _count_pairs(frame.groupby(["day", "text"]).size())
    same_both = _count_pairs(frame.groupby(["day", "text", "memories"]).size())
    different = all_pairs - same_memories
    return 1 - (same_text - same_both) / different if different else float("nan")


def _share_without_update(run: Run) -> float:
    decisions = run.table("decisions")
    answers = decisions[decisions["kind"] == "attitude"]
    return float(_has_no_evidence(answers).mean()) if len(answers) else NONE


def _has_no_evidence(answers: pd.DataFrame) -> "pd.Series[bool]":
    """Check whether no recalled memory was relevant to an answer, which then changes nothing."""
    return answers["reason"].astype(str).str.startswith("nothing")


def _count_pairs(sizes: pd.Series) -> float:
    return float((sizes * (sizes - 1) / 2).sum())


def _evidence_texts(run: Run, thoughts: pd.DataFrame) -> list[tuple[str, ...]]:
    texts = run.memories.set_index(["agent", "id"])["text"].to_dict()
    pairs = zip(thoughts["agent"], thoughts["evidence"], strict=True)
    return [tuple(sorted(texts.get((agent, int(i)), "") for i in ids)) for agent, ids in pairs]
