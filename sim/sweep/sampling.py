"""Choose the points of a design: a grid, or samples of the unit cube.

A sample is an array of shares, one row per point and one column per factor; `value_at` converts a
share to a factor's value, so that ranges and levels are sampled alike.
"""

import itertools
import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.sweep.factors import Factor, Range, value_at
from memopolis.sim.sweep.seeds import Generator, points_generator

type Sampling = Literal[
    "grid", "points", "random", "latin_hypercube", "sobol", "saltelli", "saltelli_total", "morris"
]
SAMPLINGS: tuple[str, ...] = get_args(Sampling.__value__)

MOST_RUNS = 1_000_000
"""Maximum number of runs of a sweep. Each has a folder, and all are planned in advance."""

LEVELS_OF_MORRIS = 4
"""Number of levels of each factor in Morris' method, as in Campolongo et al. 2007."""


def draw_points(
    sampling: Sampling, factors: Mapping[str, Factor], *, samples: int, seed: int
) -> list[dict[str, Any]]:
    """Choose the points of a design by a method except "points": values of factors by name."""
    if sampling == "grid":
        return _grid(factors)
    names = list(factors)
    return [
        {
            name: value_at(factors[name], float(share))
            for name, share in zip(names, row, strict=True)
        }
        for row in shares(sampling, len(names), samples=samples, seed=seed)
    ]


def shares(sampling: Sampling, factors: int, *, samples: int, seed: int) -> NDArray[np.float64]:
    """Sample the unit cube by a method other than "grid" and "points", shape (points, factors)."""
    if not factors:
        raise ParameterError(f"sampling {sampling} needs at least one factor; name a setting")
    _check_samples(sampling, samples)
    return _SAMPLERS[sampling](factors, samples, points_generator(seed))


def count_points(sampling: Sampling, factors: Mapping[str, Factor], *, samples: int) -> int:
    """Count the points of a sampling other than "points" without drawing them."""
    if sampling == "grid":
        return math.prod(
            1 if isinstance(factor, Range) else len(factor) for factor in factors.values()
        )
    k = len(factors)
    each = {"saltelli": 2 * k + 2, "saltelli_total": k + 2, "morris": k + 1}
    return samples * each.get(sampling, 1)


def _grid(factors: Mapping[str, Factor]) -> list[dict[str, Any]]:
    for name, factor in factors.items():
        if isinstance(factor, Range):
            raise ParameterError(
                f"factor {name} is a range, but sampling grid needs levels, such as "
                f"[{factor.low:g}, {factor.high:g}]; other samplings take ranges"
            )
    levels = [list(factor) for factor in factors.values() if not isinstance(factor, Range)]
    return [dict(zip(factors, chosen, strict=True)) for chosen in itertools.product(*levels)]


def _check_samples(sampling: Sampling, samples: int) -> None:
    if samples < 1:
        raise ParameterError(f"samples is {samples}; sampling {sampling} needs at least 1")
    if sampling.startswith(("sobol", "saltelli")) and samples & (samples - 1):
        below = 1 << (samples.bit_length() - 1)
        raise ParameterError(
            f"samples is {samples}; sampling {sampling} is balanced for powers of two only: "
            f"use {below} or {2 * below}"
        )


def _latin_hypercube(factors: int, samples: int, rng: Generator) -> NDArray[np.float64]:
    """Source: McKay, Beckman and Conover 1979, doi:10.2307/1268522."""
    from scipy.stats import qmc

    return np.asarray(qmc.LatinHypercube(factors, rng=rng).random(samples))


def _sobol(factors: int, samples: int, rng: Generator) -> NDArray[np.float64]:
    """Source: Sobol 1967; scrambled after Owen 1998, doi:10.1145/272991.273010."""
    from scipy.stats import qmc

    return np.asarray(qmc.Sobol(factors, scramble=True, rng=rng).random(samples))


def _saltelli(
    factors: int, samples: int, rng: Generator, *, pairs: bool = True
) -> NDArray[np.float64]:
    """Source: Saltelli 2002, doi:10.1016/S0010-4655(02)00280-1, by SALib."""
    from SALib.sample import sobol

    return np.asarray(sobol.sample(problem(factors), samples, calc_second_order=pairs, seed=rng))


def _morris(factors: int, samples: int, rng: Generator) -> NDArray[np.float64]:
    """Source: Morris 1991, doi:10.2307/1269043, by SALib."""
    from SALib.sample import morris

    return np.asarray(
        morris.sample(problem(factors), samples, num_levels=LEVELS_OF_MORRIS, seed=rng)
    )


def problem(factors: int) -> dict[str, Any]:
    """Describe the unit cube as a problem for SALib."""
    names = [f"x{number}" for number in range(factors)]
    return {"num_vars": factors, "names": names, "bounds": [[0.0, 1.0]] * factors}


_SAMPLERS: Mapping[str, Callable[[int, int, Generator], NDArray[np.float64]]] = {
    "random": lambda factors, samples, rng: rng.random((samples, factors)),
    "latin_hypercube": _latin_hypercube,
    "sobol": _sobol,
    "saltelli": _saltelli,
    "saltelli_total": partial(_saltelli, pairs=False),
    "morris": _morris,
}
