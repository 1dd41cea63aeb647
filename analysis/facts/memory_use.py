"""Whether memory is used: arms that differ in recall alone, and what updates rest on."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from memopolis.analysis.compare.intervals import paired_difference
from memopolis.analysis.facts.fact import Fact, Value
from memopolis.analysis.facts.reading import NONE, taken
from memopolis.analysis.facts.seeds import judged
from memopolis.sim.errors import ParameterError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memopolis.analysis.run.run import Run

NORMAL = "scored"
"""The arm that the others are compared with."""

OUTCOMES: "Mapping[str, Callable[[Run], float]]" = {
    "evacuated share": taken("evacuated_share", "end"),
    "government trust, mean over time": taken("government_trust", "mean"),
    "government trust at the end": taken("government_trust", "end"),
    "emergency preparedness, mean over time": taken("emergency_preparedness", "mean"),
    "emergency preparedness at the end": taken("emergency_preparedness", "end"),
}
"""What the arms are compared in."""


def recall_table(
    arms: "Mapping[str, Sequence[Run]]",
    outcomes: "Mapping[str, Callable[[Run], float]]" = OUTCOMES,
    *,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Compare runs with scored recall to runs with none, or with random memories.

    Args:
        arms: Runs by recall policy, "scored" among them; each of the same seeds in the same
            order.
        outcomes: What the arms are compared in, by name; the hurricane's unless given.
        confidence: Of the intervals, in (0, 1).

    Returns:
        One row an outcome and other arm: against, outcome, scored, other (means over seeds),
        difference, low, high (of scored - other, paired by seed), seeds, excludes_zero.

    Raises:
        UnknownNameError: If there is no arm "scored".
        ParameterError: If the arms differ in their seeds.
    """
    if NORMAL not in arms:
        raise UnknownNameError(f"no arm {NORMAL!r}; there are {', '.join(arms) or 'none'}")
    seeds = [run.seed for run in arms[NORMAL]]
    measured = {}
    for name, runs in arms.items():
        if [run.seed for run in runs] != seeds:
            raise ParameterError(
                f"arm {name!r} has seeds {[run.seed for run in runs]} and {NORMAL!r} {seeds}; "
                "paired arms have the same"
            )
        measured[name] = {what: [of(run) for run in runs] for what, of in outcomes.items()}
    rows = []
    for name in arms:
        if name == NORMAL:
            continue
        for outcome in outcomes:
            normal, other = measured[NORMAL][outcome], measured[name][outcome]
            difference = paired_difference(normal, other, confidence=confidence)
            rows.append(
                {
                    "against": name,
                    "outcome": outcome,
                    "scored": float(np.mean(normal)),
                    "other": float(np.mean(other)),
                    "difference": difference.mean,
                    "low": difference.low,
                    "high": difference.high,
                    "seeds": difference.seeds,
                    "excludes_zero": difference.excludes(0),
                }
            )
    return pd.DataFrame(rows)


def memory_table(runs: "Sequence[Run]", *, confidence: float = 0.95) -> pd.DataFrame:
    """Judge that updates rest on memories, and that different memories give other thoughts.

    Args:
        runs: One per seed.
        confidence: Of the intervals, in (0, 1).

    Returns:
        As `facts_table`.

    Raises:
        ParameterError: If no run is given.
    """
    if not runs:
        raise ParameterError("memory use is judged over at least one run; none is given")
    return judged([[memory_use(run)] for run in runs], confidence=confidence)


def memory_use(run: "Run") -> Fact:
    """What attitudes and thoughts of a run rest on."""
    named = named_evidence(run)
    values = (
        Value(
            "attitude updates that name their memories", named.get("attitude", NONE), 1, unit="%"
        ),
        Value("thoughts that name their memories", named.get("thought", NONE), 1, unit="%"),
        Value(
            "thoughts that differ where their memories do",
            thoughts_that_differ(run),
            low=0.9,
            unit="%",
        ),
        Value("answers on attitudes that are not updates", _no_updates(run), unit="%"),
    )
    return Fact("memory", "Updates rest on memories", values, "this project's design")


def named_evidence(run: "Run") -> pd.Series:
    """Share of updates that name the memories they rest on, by kind.

    Attitudes are counted where something recalled bears on them; without that they stay as they
    are. Thoughts are counted all.
    """
    decisions = run.table("decisions")
    updates = decisions[decisions["kind"].isin(("attitude", "thought"))]
    updates = updates[~_rests_on_nothing(updates)]
    named = updates["evidence"].map(len) > 0
    shares: pd.Series = named.groupby(updates["kind"].astype(str)).mean()
    return shares


def thoughts_that_differ(run: "Run") -> float:
    """Of pairs of thoughts of one day that rest on different memories, the share that differ.

    Returns:
        Over all pairs of each day, in [0, 1], as thoughts and memories read; NaN if there is no
        such pair.
    """
    thoughts = run.thoughts
    if thoughts.empty:
        return float("nan")
    rested = pd.DataFrame({"day": thoughts["time"].dt.normalize(), "text": thoughts["text"]})
    rested["memories"] = _memories_read(run, thoughts)
    everyone = _pairs(rested.groupby("day").size())
    same_memories = _pairs(rested.groupby(["day", "memories"]).size())
    same_text = _pairs(rested.groupby(["day", "text"]).size())
    same_both = _pairs(rested.groupby(["day", "text", "memories"]).size())
    different = everyone - same_memories
    return 1 - (same_text - same_both) / different if different else float("nan")


def _no_updates(run: "Run") -> float:
    decisions = run.table("decisions")
    answers = decisions[decisions["kind"] == "attitude"]
    return float(_rests_on_nothing(answers).mean()) if len(answers) else NONE


def _rests_on_nothing(answers: pd.DataFrame) -> "pd.Series[bool]":
    """Whether an answer says that nothing recalled bears on it; it then changes nothing."""
    return answers["reason"].astype(str).str.startswith("nothing")


def _pairs(sizes: pd.Series) -> float:
    return float((sizes * (sizes - 1) / 2).sum())


def _memories_read(run: "Run", thoughts: pd.DataFrame) -> list[tuple[str, ...]]:
    texts = run.memories.set_index(["agent", "id"])["text"].to_dict()
    pairs = zip(thoughts["agent"], thoughts["evidence"], strict=True)
    return [tuple(sorted(texts.get((agent, int(i)), "") for i in ids)) for agent, ids in pairs]
