"""Effects of events on feelings, and of memories on attitudes by topic."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from memopolis.sim.arrays import Float32, Float64
from memopolis.sim.declarations import read_declarations

FEELINGS = ("sadness", "joy", "fear", "disgust", "anger", "surprise")
"""Six basic emotions (Ekman 1992), intensities 0..10."""

BASELINE = 5.0
"""Initial intensity of each feeling, and the level it returns to (AgentSociety 1.5.7: all 5)."""

TABLE = read_declarations(__file__, "feelings.toml")

BAD: Mapping[str, Mapping[str, float]] = TABLE["bad"]
GOOD: Mapping[str, Mapping[str, float]] = TABLE["good"]
"""Feelings changed by bad and by good events of each topic, with weights."""
OTHER_BAD: Mapping[str, float] = {"sadness": 1.0}
OTHER_GOOD: Mapping[str, float] = {"joy": 1.0}  # feelings changed by events of other topics


@dataclass(frozen=True)
class Attitude:
    """How memories affect one attitude."""

    name: str  # name, a field of the struct `attitude`
    query: str  # search query
    # By topic, the effect of a memory of valence 1: 1 supports, -1 opposes
    effect: Mapping[str, float]
    topic: str = ""  # restricts the search to memories of one topic; "" for all


def read_attitudes(module: str, group: str) -> tuple[Attitude, ...]:
    """Read the attitudes of a group of agents from `attitudes.toml` next to a module."""
    table = read_declarations(module, "attitudes.toml")[group]
    return tuple(Attitude(name, **row) for name, row in table.items())


def update_feeling(
    intensity: Float32, impulse: Float32, *, gain: float, calm: float, baseline: float = BASELINE
) -> Float32:
    """Change a feeling, in [0, 10], by the events of a step, and let it decay to its baseline.

    `impulse` is the sum over events of importance times |valence|, with signs; one of 1 changes a
    feeling in the middle of its range by `gain` points. A negative impulse lowers a feeling towards
    its baseline, not below it. `calm` is the share of the distance to the baseline lost in the
    step. Arrays have shape (agents,).

    Source: This project: exponential decay to a baseline; the effect of an impulse is proportional
    to the distance from the highest intensity or the baseline, so no event ends in a feeling's
    opposite.
    """
    calmer = intensity + np.float32(calm) * (np.float32(baseline) - intensity)
    room = np.where(impulse >= 0, 10 - calmer, np.minimum(np.float32(baseline) - calmer, 0))
    moved = calmer + compute_share(impulse, gain=gain) * room
    return np.asarray(np.clip(moved, 0, 10), np.float32)


def compute_share(impulse: Float32, *, gain: float) -> Float32:
    """Compute the share of the distance to the end of the scale that each impulse covers."""
    return np.asarray(1 - np.exp(np.abs(impulse) * np.float32(-gain / 5)))


@lru_cache(16)
def tabulate_effects(topics: tuple[str, ...]) -> Float64:
    """Return the weights of feelings by topic, bad or good event, and feeling, (topics, 2, 6)."""
    table = np.zeros((len(topics), 2, len(FEELINGS)))
    for number, topic in enumerate(topics):
        for sign, effects in enumerate((BAD.get(topic, OTHER_BAD), GOOD.get(topic, OTHER_GOOD))):
            for feeling, weight in effects.items():
                table[number, sign, FEELINGS.index(feeling)] = weight
    return table
