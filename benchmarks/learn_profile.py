"""Learn the weights of the profiles `recall`, `dense` and `late_interaction`, and check them.

    python benchmarks/learn_profile.py [--minilm | --late-interaction]

A linear score of the memory's terms is fitted so that, for each question of the training material
(`quality_training.py`), a softmax over all memories of the stream gives the evidence as much
probability as possible. Without the sentence model the term `dense` is the `static` of `recall`.
Prints the weights, and retrieval recall on streams and kinds of text that were left out of the fit
and on the test sets, which never enter the fit.
"""

# ruff: noqa: E402 - libraries read these when they are imported
import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from quality_material import town
from quality_recall import remember
from quality_shapes import Material
from quality_talks import talks
from quality_training import harbour, mixed, training_talks
from scipy.optimize import minimize

from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.retrieval.by_numpy import compute_terms
from memopolis.sim.memory.retrieval.profiles import Profile
from memopolis.sim.memory.retrieval.request import SearchOptions, build_request

TERMS = (
    "own", "actor", "date", "window", "session", "answer", "statement", "information", "dense",
    "dense_near", "late_interaction",
)  # fmt: skip
"""Terms that are fitted; without late interaction, its column is 0 and so is its weight."""
PENALTY = 0.03
"""Weight of the sum of squares of the weights, for terms of standard deviation 1; of 0.003 to 0.2
the best on streams that were left out."""
TOP = 10
FOLDS = 5

Float64 = NDArray[np.float64]
_ALL = Profile(
    relevance=1, neighbours=0, actor=1, date=1, window=1, session=1, answer=1, statement=1,
    information=1, dense=1, dense_near=1,
)  # fmt: skip


@dataclass(frozen=True)
class Example:
    """A question and the memories of its stream.

    Attributes:
        stream: Number of the stream.
        terms: Terms of each memory, shape (memories, terms).
        evidence: Whether each memory is evidence, shape (memories,).
    """

    stream: int
    terms: Float64
    evidence: NDArray[np.bool_]


def examples(material: Material, embedder: Any, profile: Profile) -> list[Example]:
    """Compute the terms of all memories for each question of a material."""
    memory = remember(material, embedder)
    memory.settle()
    return list(_examples(memory, material, profile))


def _examples(memory: Memory, material: Material, profile: Profile) -> Iterable[Example]:
    for row, stream in enumerate(material.streams):
        for question in stream.questions:
            request = build_request(
                memory, np.array([row]), question.text, SearchOptions(None, profile)
            )
            terms = compute_terms(memory.streams, request)
            zero = np.zeros(len(terms["own"]))
            columns = [np.nan_to_num(terms.get(name, zero).astype(np.float64)) for name in TERMS]
            evidence = np.zeros(len(stream.memories), np.bool_)
            evidence[list(question.evidence)] = True
            yield Example(row, np.stack(columns, axis=1), evidence)


def fit(data: Sequence[Example], weights: Sequence[float]) -> Float64:
    """Fit the weights of the terms.

    Args:
        data: The examples.
        weights: Weight of each example.

    Returns:
        Weight of each term; those of relevance's parts sum to their share, shape (terms,).

    Source:
        Cao et al. 2007, Learning to rank: from pairwise to listwise approach,
        doi:10.1145/1273496.1273513.
    """
    terms = np.concatenate([one.terms for one in data])
    sizes = [len(one.terms) for one in data]
    first = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    example = np.repeat(np.arange(len(data)), sizes)
    target = np.concatenate([one.evidence / one.evidence.sum() for one in data])
    share = np.asarray(weights)[example] / np.sum(weights)
    spread = terms.std(axis=0) + 1e-9
    scaled = terms / spread

    def loss(w: Float64) -> tuple[float, Float64]:
        score = scaled @ w
        score -= np.maximum.reduceat(score, first)[example]
        power = np.exp(score)
        total = np.add.reduceat(power, first)[example]
        value = -(share * target * (score - np.log(total))).sum() + PENALTY * (w @ w)
        slope = -(scaled.T @ (share * (target - power / total))) + 2 * PENALTY * w
        return value, slope

    bounds = [(0, None)] * len(TERMS)
    best = minimize(loss, np.zeros(len(TERMS)), jac=True, method="L-BFGS-B", bounds=bounds)
    return np.asarray(best.x / spread)


def recall(data: Iterable[Example], weights: Float64) -> float:
    """Compute the mean share of the evidence in the best ten, %; ties go to newer memories."""
    shares = []
    for one in data:
        order = np.argsort(-(one.terms @ weights)[::-1], kind="stable")[:TOP]
        shares.append(one.evidence[::-1][order].sum() / one.evidence.sum())
    return 100 * float(np.mean(shares))


def fit_all(sets: Sequence[Sequence[Example]]) -> Float64:
    """Fit weights to several sets; each question has the same weight."""
    data = [one for each in sets for one in each]
    return fit(data, [1.0] * len(data))


def folds(sets: Sequence[Sequence[Example]], number: int = FOLDS) -> list[Float64]:
    """Compute the recall on the streams of each fold by weights fitted without them, %.

    Every fifth stream of all sets, in order, is in the same fold.

    Returns:
        Mean recall on the questions of each set by fold, nan where a fold has no stream of a set,
        shape (sets,) each.
    """
    streams = [(at, n) for at, each in enumerate(sets) for n in sorted({e.stream for e in each})]
    results = []
    for fold in range(number):
        out = set(streams[fold::number])
        rest = [[e for e in each if (at, e.stream) not in out] for at, each in enumerate(sets)]
        weights = fit_all([each for each in rest if each])
        own = [[e for e in each if (at, e.stream) in out] for at, each in enumerate(sets)]
        results.append(np.array([recall(each, weights) if each else np.nan for each in own]))
    return results


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the weights and their retrieval recall."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minilm", action="store_true", help="with the sentence model")
    parser.add_argument("--late-interaction", action="store_true", help="and its token vectors")
    options = parser.parse_args(arguments)
    embedder = "minilm" if options.minilm or options.late_interaction else "static"
    profile = replace(_ALL, late_interaction=float(options.late_interaction))
    materials = training_talks(), harbour(), mixed()
    sets = [examples(material, embedder, profile) for material in materials]
    weights = fit_all(sets)
    shown = zip(TERMS, weights / weights.max(), strict=True)
    print("weights:", ", ".join(f"{name} {weight:.2f}" for name, weight in shown))
    left_out = np.array(folds(sets))
    for index, material in enumerate(materials):
        values = left_out[:, index]
        deviation = np.nanstd(values, ddof=1)
        print(
            f"{material.name}: fitted {recall(sets[index], weights):.1f}, left out "
            f"{np.nanmean(values):.1f} (standard deviation of {FOLDS} folds {deviation:.1f})"
        )
    for material in (talks(), town()):
        data = examples(material, embedder, profile)
        print(f"{material.name}: {recall(data, weights):.1f}")


if __name__ == "__main__":
    main()
