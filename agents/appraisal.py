"""Effects of events on feelings, and of memories on attitudes by topic."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from memopolis.sim.arrays import Float32
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
RELIEVES = ("relief", "preparation")


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
    feeling in the middle of its range by `gain` points. `calm` is the share of the distance to the
    baseline lost in the step. Arrays have shape (agents,).

    Source: This project: exponential decay to a baseline; the effect of an impulse is proportional
    to the distance from the end of the scale, so intensities stay within their range.
    """
    calmer = intensity + np.float32(calm) * (np.float32(baseline) - intensity)
    if not impulse.any():  # most feelings in most steps
        return np.asarray(np.clip(calmer, 0, 10), np.float32)
    share = 1 - np.exp(-np.abs(impulse) * np.float32(gain / 5))
    room = np.where(impulse >= 0, 10 - calmer, -calmer)
    return np.asarray(np.clip(calmer + share * room, 0, 10), np.float32)
