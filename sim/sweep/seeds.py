"""Spawn the random seeds of runs from the root seed of a sweep, independent of their number.

Paired seeds are the same at every point: common random numbers reduce the variance of differences
between points. Independent seeds differ in every run.

Source:
    `numpy.random.SeedSequence`, after O'Neill 2015, "Developing a seed_seq alternative";
    common random numbers: Law 2015, Simulation Modeling and Analysis, 5th ed., section 11.2.
"""

from functools import lru_cache
from typing import Literal, get_args

import numpy as np

type Seeds = Literal["paired", "independent"]
type Purpose = Literal["runs", "parameters", "noise", "resampling"]

type Generator = np.random.Generator

# Keys of runs have one or two numbers, so that this key is never used by a run.
_OF_POINTS = (0, 0, 0)


def run_seed(root: int, *, point: int, replication: int, seeds: Seeds) -> int:
    """Return the random seed of one run, in [0, 2**53), which floats represent exactly."""
    key = (replication,) if seeds == "paired" else (point, replication)
    return _spawned(root, key)


def points_generator(root: int) -> Generator:
    """Return the random generator for the points of a design, which no run uses."""
    return np.random.default_rng(np.random.SeedSequence(entropy=root, spawn_key=_OF_POINTS))


def bootstrap_seed(root: int) -> int:
    """Return the random seed for bootstrap intervals of sensitivity indices, above 0."""
    return _spawned(root, (*_OF_POINTS, 1)) % 2**31 + 1


def generation_seed(root: int, generation: int, purpose: Purpose = "runs") -> int:
    """Return a root seed for one generation of a calibration, numbered from 0."""
    return _spawned(root, (*_OF_POINTS, 2, generation, get_args(Purpose.__value__).index(purpose)))


@lru_cache(maxsize=100_000)
def _spawned(root: int, key: tuple[int, ...]) -> int:
    (word,) = np.random.SeedSequence(entropy=root, spawn_key=key).generate_state(1, np.uint64)
    return int(word) >> 11
