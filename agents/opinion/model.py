"""Common parts of models of opinion dynamics: initial opinions, simulation, meetings, ties."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from memopolis.sim.arrays import Float64, Floats, Int64
from memopolis.sim.chance import Chance
from memopolis.sim.errors import ParameterError
from memopolis.sim.world.ties import Network

type Ties = Network | ArrayLike
"""A network, or weights of shape (agents, agents): row i holds the influence on agent i."""


def read_opinions(start: ArrayLike, *, low: float = -np.inf, high: float = np.inf) -> Float64:
    """Return initial opinions as an array, shape (agents,).

    Raises ParameterError if they are not a vector of finite numbers on the scale.
    """
    try:
        opinions = np.array(start, np.float64)
    except (TypeError, ValueError):
        raise ParameterError(
            "start must be a vector of numbers, one per agent; got something else"
        ) from None
    if opinions.ndim != 1 or not len(opinions) or not np.isfinite(opinions).all():
        raise ParameterError(
            f"start has shape {opinions.shape}; it must be a vector of finite numbers, one per "
            f"agent"
        )
    if opinions.min() < low or opinions.max() > high:
        raise ParameterError(
            f"start ranges from {opinions.min():g} to {opinions.max():g}; this model requires "
            f"opinions from {low:g} to {high:g}"
        )
    return opinions


def simulate(start: Float64, change: Callable[[Float64, int], Floats], *, steps: int) -> Float64:
    """Return the opinions at each step, initial ones first, shape (steps + 1, agents).

    `change` maps opinions and the number of the step, from 0, to the next opinions.
    """
    if steps < 0:
        raise ParameterError(f"steps is {steps}; it must be at least 0")
    paths = np.empty((steps + 1, len(start)))
    paths[0] = start
    for step in range(steps):
        paths[step + 1] = change(paths[step], step)
    return paths


def draw_pairs(agents: int, chance: Chance, step: int) -> tuple[Int64, Int64]:
    """Draw agents // 2 random pairs, independently: first and second members."""
    meetings = np.arange(agents // 2)
    one = (chance.uniform("opinion.one", meetings, step) * agents).astype(np.int64)
    away = (chance.uniform("opinion.other", meetings, step) * (agents - 1)).astype(np.int64)
    return one, (one + 1 + away) % agents


def make_averaging(ties: Ties, agents: int) -> Callable[[Float64], tuple[Float64, Float64]]:
    """Return a function that averages the opinions each agent is exposed to.

    It maps opinions, shape (agents,), to mean opinions of neighbours and sums of weights, both of
    shape (agents, 1). Raises ParameterError if the ties do not fit.
    """
    if isinstance(ties, Network):
        if ties.agents != agents:
            raise ParameterError(f"ties connect {ties.agents} agents, but start has {agents}")
        return lambda opinions: _average_neighbours(ties, opinions)
    weights = np.asarray(ties, np.float64)
    fit = weights.shape == (agents, agents) and (weights >= 0).all()
    if not fit or not np.isfinite(weights).all():
        raise ParameterError(
            f"ties have shape {weights.shape}; they must be finite weights >= 0 of shape "
            f"({agents}, {agents})"
        )
    total = weights.sum(axis=1)
    shares = weights / np.where(total > 0, total, 1)[:, None]
    return lambda opinions: ((shares @ opinions)[:, None], total[:, None])


def check_confidence(bound: float, rate: float) -> None:
    """Raise ParameterError unless the bound is at least 0 and the rate in [0, 1]."""
    if not bound >= 0 or not 0 <= rate <= 1:
        raise ParameterError(
            f"bound is {bound} and rate is {rate}; bound must be >= 0 and rate in [0, 1]"
        )


def check_shape(values: float | Float64, agents: int, name: str) -> None:
    """Raise ParameterError unless a parameter is a scalar or has one value per agent."""
    shape = np.shape(values)
    if shape not in {(), (agents,)}:
        raise ParameterError(
            f"{name} has shape {shape}; it must be one number or have one value for each of "
            f"{agents} agents"
        )


def _average_neighbours(network: Network, opinions: Float64) -> tuple[Float64, Float64]:
    rows = np.arange(network.agents)
    total = network.total(np.ones(network.agents), rows)
    return network.mean(opinions, rows)[:, None], total[:, None]
