"""What models of opinion dynamics share: the start, the path, who meets and who hears whom."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.chance import Chance
from memopolis.sim.errors import ParameterError
from memopolis.sim.world.ties import Network

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]
type Ties = Network | ArrayLike
"""A network, or weights of shape (agents, agents): row i says whom i hears, and how much."""


def started(start: ArrayLike, *, low: float = -np.inf, high: float = np.inf) -> Floats:
    """Read the opinions that a model starts from.

    Args:
        start: Opinions, shape (agents,).
        low: Least opinion the model knows.
        high: Greatest opinion the model knows.

    Returns:
        Shape (agents,).

    Raises:
        ParameterError: If they are no row of numbers, or leave the scale.
    """
    try:
        opinions = np.array(start, np.float64)
    except (TypeError, ValueError):
        raise ParameterError(
            "start is a row of numbers, one an agent; given something else"
        ) from None
    if opinions.ndim != 1 or not len(opinions) or not np.isfinite(opinions).all():
        raise ParameterError(
            f"start has the shape {opinions.shape}; a row of numbers is needed, one an agent"
        )
    if opinions.min() < low or opinions.max() > high:
        raise ParameterError(
            f"start goes from {opinions.min():g} to {opinions.max():g}; this model holds opinions "
            f"from {low:g} to {high:g}"
        )
    return opinions


def path(
    start: Floats, change: Callable[[Floats, int], NDArray[np.floating]], *, steps: int
) -> Floats:
    """Follow opinions over time.

    Args:
        start: Opinions at time 0, shape (agents,).
        change: Gives the opinions after a step, from those before and its number, from 0.
        steps: Number of steps, >= 0.

    Returns:
        Shape (steps + 1, agents), the start first.

    Raises:
        ParameterError: If there are less than 0 steps.
    """
    if steps < 0:
        raise ParameterError(f"steps is {steps}; at least 0 are needed")
    paths = np.empty((steps + 1, len(start)))
    paths[0] = start
    for step in range(steps):
        paths[step + 1] = change(paths[step], step)
    return paths


def pairs(agents: int, chance: Chance, step: int) -> tuple[Rows, Rows]:
    """Draw who meets whom, each pair anew from all.

    Args:
        agents: How many there are.
        chance: Luck of the run.
        step: Which round it is.

    Returns:
        One and the other of agents // 2 pairs, so that each meets one in the mean, shape
        (agents // 2,) each; nobody meets itself.
    """
    meetings = np.arange(agents // 2)
    one = (chance.uniform("opinion.one", meetings, step) * agents).astype(np.int64)
    away = (chance.uniform("opinion.other", meetings, step) * (agents - 1)).astype(np.int64)
    return one, (one + 1 + away) % agents


def listeners(ties: Ties, agents: int) -> Callable[[Floats], tuple[Floats, Floats]]:
    """Prepare who hears whom.

    Args:
        ties: A network, or weights >= 0 of shape (agents, agents).
        agents: How many agents there are.

    Returns:
        A function of opinions, shape (agents,), to the mean opinion that each hears and the
        sum of its weights, each of shape (agents, 1): the form that models take.

    Raises:
        ParameterError: If the ties are of other agents, or a weight is below 0.
    """
    if isinstance(ties, Network):
        if ties.agents != agents:
            raise ParameterError(f"ties of {ties.agents} agents do not fit a start of {agents}")
        return lambda opinions: _heard_from(ties, opinions)
    weights = np.asarray(ties, np.float64)
    fit = weights.shape == (agents, agents) and (weights >= 0).all()
    if not fit or not np.isfinite(weights).all():
        raise ParameterError(
            f"ties of the shape {weights.shape} do not fit; finite weights >= 0 of the shape "
            f"({agents}, {agents}) are needed"
        )
    total = weights.sum(axis=1)
    shares = weights / np.where(total > 0, total, 1)[:, None]
    return lambda opinions: ((shares @ opinions)[:, None], total[:, None])


def fits(values: float | Floats, agents: int, name: str) -> None:
    """Check that a number is one for all or has a value for each agent.

    Raises:
        ParameterError: If it has another number of values.
    """
    shape = np.shape(values)
    if shape not in {(), (agents,)}:
        raise ParameterError(
            f"{name} has the shape {shape}; one number for all or one for each of {agents} agents "
            f"is needed"
        )


def _heard_from(network: Network, opinions: Floats) -> tuple[Floats, Floats]:
    rows = np.arange(network.agents)
    total = network.total(np.ones(network.agents), rows)
    return network.mean(opinions, rows)[:, None], total[:, None]
