"""Compare the answers of agents that were asked in different ways, by question.

The answers are those of `memopolis.sim.mind.audit.Audit`: one row per question and agent, with a
column per method.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.analysis.compare.intervals import NAN, check_confidence
from memopolis.sim.chance import Chance

type Floats = NDArray[np.float64]

INTERVALS = 10
"""Intervals into which a scale of ratings is divided, for the Jensen-Shannon distance."""
RESAMPLED = "resampled"
"""Method of answers that are drawn from all individual answers to the question."""
_DRAWS = 200  # repetitions of `RESAMPLED`


@dataclass(frozen=True)
class _Asked:
    """Valid pairs of answers to a question: by a method, and individually."""

    agent: NDArray[np.intp]  # number of the agent from 0, shape (pairs,)
    other: Floats  # answers by the method, shape (pairs,)
    alone: Floats  # individual answers, shape (pairs,)
    edges: Floats  # inner bounds of the intervals or options, ascending
    is_rating: bool  # whether answers are ratings


def summarize_answers(answers: pd.DataFrame, methods: Sequence[str]) -> pd.DataFrame:
    """Summarize the answers to each question by method.

    `answers` has one row per question and agent, with a column per method. Returns columns:
    question, method, asked (answers that were requested), valid (share of valid ones), mean and
    spread (standard deviation) of ratings, most_frequent and its share.
    """
    rows = []
    for name, frame in _by_question(answers):
        first = frame.iloc[0]
        for method in methods:
            known = frame[method].dropna()
            usual = known.mode().iloc[0] if len(known) else NAN
            is_rating = first["form"] == "rating"
            rows.append(
                {
                    "question": name,
                    "method": method,
                    "asked": len(frame),
                    "valid": len(known) / len(frame),
                    "mean": known.mean() if is_rating else NAN,
                    "spread": known.std(ddof=0) if is_rating else NAN,
                    "most_frequent": _shown(usual, first),
                    "share": float((known == usual).mean()),
                }
            )
    return pd.DataFrame(rows)


def compare_answers(
    answers: pd.DataFrame,
    methods: Sequence[str],
    *,
    alone: str = "individual",
    confidence: float = 0.95,
    resamples: int = 2_000,
    seed: int = 1,
) -> pd.DataFrame:
    """Compute the distance between the answers by each method and individual answers.

    `answers` has one row per question and agent, with a column per method and the column `alone` of
    the individual answers. Only agents with two valid answers are compared. Intervals are
    percentiles of a bootstrap that resamples agents, each with all of its answers; they leave out
    that a model may answer a group differently the next time. Returns one row per question and
    method, and one per question for the method "resampled": answers drawn from all individual
    answers to the question, whose distance is that of sampling alone. Columns: question, form,
    method, agents, pairs, and the statistics of `STATISTICS`, each with its bounds in NAME_low and
    NAME_high.

    Source: Jensen-Shannon distance: Endres and Schindelin 2003, doi:10.1109/TIT.2003.813506, to
    base 2. Bootstrap of clusters: Davison and Hinkley 1997, Bootstrap Methods, section 3.8.
    """
    check_confidence(confidence)
    chance = Chance(seed)
    tail = (1 - confidence) / 2
    rows = []
    for name, frame in _by_question(answers):
        for method in (*methods, RESAMPLED):
            asked = _pairs(frame, alone if method == RESAMPLED else method, alone)
            row: dict[str, Any] = {
                "question": name,
                "form": frame["form"].iloc[0],
                "method": method,
                "agents": len(np.unique(asked.agent)),
                "pairs": len(asked.agent),
            }
            if len(asked.agent):
                value, spread = _measured(asked, chance, resamples, drawn=method == RESAMPLED)
                for statistic in STATISTICS:
                    low, high = np.quantile(spread[statistic], (tail, 1 - tail))
                    row[statistic] = float(value[statistic])
                    row |= {f"{statistic}_low": float(low), f"{statistic}_high": float(high)}
            rows.append(row)
    bounds = (f"{name}{end}" for name in STATISTICS for end in ("", "_low", "_high"))
    head = ("question", "form", "method", "agents", "pairs", *bounds)
    return pd.DataFrame(rows, columns=list(head))


STATISTICS: Mapping[str, str] = {
    "js_distance": "Jensen-Shannon distance of the distributions, 0 to 1",
    "same": "share of agents with the same choice, or a rating in the same interval",
    "off": "mean absolute difference of an agent's two ratings, in points",
    "mean_difference": "difference of mean ratings, in points",
    "spread_difference": "difference of the standard deviations of ratings, in points",
}
"""Statistics of a method, compared with individual answers."""


def _by_question(answers: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """Return the rows of each question, named by kind and topic, in the order of first rows."""
    topics = answers["about"].where(answers["about"] == "", ": " + answers["about"])
    names = answers["question"] + topics
    return [(str(name), frame) for name, frame in answers.groupby(names, sort=False)]


def _shown(value: float, first: "pd.Series[Any]") -> str:
    """Return a rating with three digits, or the name of an option."""
    if np.isnan(value):
        return "-"
    return f"{value:.3g}" if first["form"] == "rating" else first["options"].split("|")[int(value)]


def _pairs(frame: pd.DataFrame, method: str, alone: str) -> _Asked:
    known = frame[frame[method].notna() & frame[alone].notna()]
    first = frame.iloc[0]
    is_rating = first["form"] == "rating"
    if is_rating:
        edges = np.linspace(first["low"], first["high"], INTERVALS + 1)[1:-1]
    else:
        edges = np.arange(1, len(first["options"].split("|"))) - 0.5
    return _Asked(
        np.unique(known["agent"], return_inverse=True)[1],
        known[method].to_numpy(np.float64),
        known[alone].to_numpy(np.float64),
        edges,
        is_rating,
    )


def _measured(
    asked: _Asked, chance: Chance, resamples: int, *, drawn: bool
) -> tuple[dict[str, Floats], dict[str, Floats]]:
    """Return the statistics, and their values in resamples or draws, shape (resamples,)."""
    pairs, agents = len(asked.agent), int(asked.agent.max()) + 1
    once = np.ones((1, agents))
    if drawn:
        each = [
            _statistics(replace(asked, other=asked.alone[draw]), once)
            for draw in _draw("answers.resampled", chance, _DRAWS, pairs)
        ]
        spread = {name: np.concatenate([sample[name] for sample in each]) for name in STATISTICS}
        return {name: np.asarray(values.mean()) for name, values in spread.items()}, spread
    draws = _draw("answers.bootstrap", chance, resamples, agents)
    weights = np.stack([np.bincount(draw, minlength=agents) for draw in draws])
    whole = {name: np.asarray(v[0]) for name, v in _statistics(asked, once).items()}
    return whole, _statistics(asked, weights)


def _draw(purpose: str, chance: Chance, times: int, number: int) -> NDArray[np.intp]:
    """Return as many numbers below `number` with replacement, shape (times, number)."""
    drawn = chance.uniform(purpose, np.arange(times * number)).reshape(times, number)
    return (drawn * number).astype(np.intp)


def _statistics(asked: _Asked, weights: NDArray[Any]) -> dict[str, Floats]:
    """Compute the statistics of weighted agents; weights have the shape (resamples, agents)."""
    bins = [np.searchsorted(asked.edges, v, side="right") for v in (asked.other, asked.alone)]
    other, alone = (_shares(weights, asked, where) for where in bins)

    def mean(values: NDArray[Any]) -> Floats:
        total = np.bincount(asked.agent, values, weights.shape[1])
        return np.asarray(weights @ total / (weights @ np.bincount(asked.agent)), np.float64)

    statistics = {"js_distance": js_distance(other, alone), "same": mean(bins[0] == bins[1])}
    if not asked.is_rating:
        unknown = np.full(len(weights), NAN)
        return statistics | dict.fromkeys([*STATISTICS][2:], unknown)
    means = [mean(values) for values in (asked.other, asked.alone)]
    spreads = [
        np.sqrt(np.maximum(mean(values**2) - centre**2, 0))
        for values, centre in zip((asked.other, asked.alone), means, strict=True)
    ]
    return statistics | {
        "off": mean(np.abs(asked.other - asked.alone)),
        "mean_difference": means[0] - means[1],
        "spread_difference": spreads[0] - spreads[1],
    }


def _shares(weights: NDArray[Any], asked: _Asked, bins: NDArray[np.intp]) -> Floats:
    """Return the share of each interval or option, shape (resamples, intervals)."""
    counts = np.zeros((weights.shape[1], len(asked.edges) + 1))
    np.add.at(counts, (asked.agent, bins), 1)
    weighted = weights @ counts
    return np.asarray(weighted / weighted.sum(axis=1, keepdims=True), np.float64)


def js_distance(p: Floats, q: Floats) -> Floats:
    """Compute the Jensen-Shannon distance to base 2 of distributions: 0 if equal, 1 if disjoint.

    Both have the shape (distributions, values), and rows that sum to 1; the result
    (distributions,).

    Source: Endres and Schindelin 2003, doi:10.1109/TIT.2003.813506.
    """
    from scipy.spatial.distance import jensenshannon

    distance = jensenshannon(p, q, axis=1, base=2)
    # Rounding may leave a tiny negative divergence of equal distributions, whose root is NaN.
    return np.nan_to_num(np.asarray(distance, np.float64))
