"""How attitudes change by what others hold: published models, as pure functions of arrays.

All but Deffuant's have one form: one's own opinion of shape (agents,), the opinions one hears
of, and their weights, both of shape (agents, k). In a network these are everybody's opinions and
the rows of a matrix of ties; in a society with memory they are what recalled memories say.
`memopolis.agents.opinion` runs the same functions in the setting of each publication.
"""

import numpy as np
from numpy.typing import NDArray

from memopolis.agents.attitude_checks import (
    check_bias,
    check_confidence,
    check_reinforcement,
    check_rejection,
    check_susceptibility,
)
from memopolis.sim.errors import ParameterError

Floats = NDArray[np.floating]


def deffuant(own: Floats, heard: Floats, *, bound: float, rate: float) -> Floats:
    """Move towards the one opinion heard, where it is near.

    x' = x + mu (y - x) if |x - y| < eps, else x.

    Args:
        own: x, shape (agents,).
        heard: y, the opinion of whom each meets, NaN where there is nobody, shape (agents,).
        bound: eps >= 0, distance below which an opinion counts.
        rate: mu in [0, 1], part of the way that is gone; at 0.5 two who meet agree.

    Returns:
        Shape (agents,).

    Raises:
        ParameterError: If a number is out of range.

    Source:
        Deffuant, Neau, Amblard, Weisbuch 2000, doi:10.1142/S0219525900000078 (recalled).
    """
    check_confidence(bound, rate)
    gap = heard - own
    return np.asarray(np.where(np.abs(gap) < bound, own + rate * gap, own))


def hegselmann_krause(
    own: Floats, heard: Floats, weight: Floats, *, bound: float, own_weight: float = 1.0
) -> Floats:
    """Take the mean of all opinions that are near, one's own among them.

    Args:
        own: Shape (agents,).
        heard: Opinions of others, shape (agents, k).
        weight: >= 0, 0 for what does not count, shape (agents, k); all 1 in the publication.
        bound: Greatest distance at which an opinion counts, >= 0.
        own_weight: Weight of one's own opinion, > 0; 1 in the publication.

    Returns:
        Shape (agents,).

    Raises:
        ParameterError: If a number is out of range.

    Source:
        Hegselmann and Krause 2002, JASSS 5(3) 2 (recalled); weights are this project's.
    """
    check_confidence(bound, 1.0)
    if own_weight <= 0:
        raise ParameterError(f"own weight {own_weight}: one above 0 is needed")
    gap = heard - own[:, None]
    near = weight * (np.abs(gap) <= bound)
    # The mean as a step away from one's own, so that who hears nothing stays exactly there.
    return np.asarray(own + (near * gap).sum(axis=1) / (near.sum(axis=1) + own_weight))


def repulsion(
    own: Floats,
    heard: Floats,
    weight: Floats,
    *,
    bound: float,
    reject: float,
    rate: float,
    backfire: float | Floats = 0.0,
) -> Floats:
    """Move towards opinions that are near, and past those that are far.

    x' = x + mu (mean of y - x where |x - y| < u - b * mean of y - x where |x - y| > t).

    Args:
        own: x, shape (agents,).
        heard: y, shape (agents, k).
        weight: Weights of both means, >= 0, 0 for what does not count, shape (agents, k).
        bound: u >= 0, distance below which an opinion convinces.
        reject: t >= u, distance above which it repels.
        rate: mu in [0, 1], part of the way that is gone.
        backfire: b >= 0, how much of that way is gone from what repels; for all, or shape
            (agents,). There is little evidence for any (Casas 2023), so it is 0 unless set.

    Returns:
        Shape (agents,); it may leave the scale, so clip it to its ends.

    Raises:
        ParameterError: If a number is out of range.

    Source:
        Latitudes of acceptance and rejection, one opinion at a time: Jager and Amblard 2005,
        doi:10.1007/s10588-005-6282-2 (recalled), where b is 1. Means of several and b are this
        project's.
    """
    check_confidence(bound, rate)
    check_rejection(bound, reject, backfire)
    gap = heard - own[:, None]
    distance = np.abs(gap)
    towards = _mean(gap, weight * (distance < bound))
    past = _mean(gap, weight * (distance > reject))
    return np.asarray(own + rate * (towards - np.asarray(backfire) * past))


def friedkin_johnsen(
    own: Floats,
    start: Floats,
    heard: Floats,
    weight: Floats,
    *,
    susceptibility: float | Floats,
    own_weight: float = 0.0,
) -> Floats:
    """Take over what others hold, but stay tied to what one held at first.

    x(t+1) = A W x(t) + (I - A) x(0), the rows of W made to sum to 1.

    Args:
        own: x(t), shape (agents,).
        start: x(0), shape (agents,).
        heard: Opinions of others at t, shape (agents, k).
        weight: >= 0, shape (agents, k).
        susceptibility: Diagonal of A, in [0, 1], for all or shape (agents,); 1 is DeGroot's
            model.
        own_weight: Weight of one's own opinion among the others, >= 0.

    Returns:
        Shape (agents,); who hears nothing counts its own opinion as what is held.

    Raises:
        ParameterError: If a number is out of range.

    Source:
        Friedkin and Johnsen 1990, doi:10.1080/0022250X.1990.9990069; DeGroot 1974,
        doi:10.1080/01621459.1974.10480137 (both recalled).
    """
    check_susceptibility(susceptibility, own_weight)
    part = np.asarray(susceptibility)
    total = weight.sum(axis=1) + own_weight
    summed = (weight * heard).sum(axis=1) + own_weight * own
    social = np.where(total > 0, summed / np.where(total > 0, total, 1), own)
    return np.asarray(part * social + (1 - part) * start)


def friedkin_johnsen_limit(start: Floats, ties: Floats, susceptibility: Floats) -> Floats:
    """Where opinions end that change by Friedkin and Johnsen's model for ever.

    Args:
        start: x(0), shape (agents,).
        ties: W, rows summing to 1, shape (agents, agents).
        susceptibility: Diagonal of A, in [0, 1), shape (agents,).

    Returns:
        (I - A W)^-1 (I - A) x(0), shape (agents,).

    Source:
        Friedkin and Johnsen 1990, doi:10.1080/0022250X.1990.9990069 (recalled).
    """
    tied = np.eye(len(start)) - susceptibility[:, None] * ties
    return np.asarray(np.linalg.solve(tied, (1 - susceptibility) * start))


def biased_assimilation(
    own: Floats, heard: Floats, weight: Floats, *, bias: float | Floats, own_weight: float = 1.0
) -> Floats:
    """Count what others hold the more, the more it supports what one holds already.

    With s = sum w y, the sum of weights d, and b the bias,
    x' = (w0 x + x^b s) / (w0 + x^b s + (1 - x)^b (d - s)).

    Args:
        own: x, in [0, 1], shape (agents,).
        heard: y, in [0, 1], shape (agents, k).
        weight: w >= 0, shape (agents, k).
        bias: b >= 0, for all or shape (agents,): 0 averages as DeGroot does, from 1 on
            opinions part.
        own_weight: w0 > 0, weight of one's own opinion.

    Returns:
        In [0, 1], shape (agents,).

    Raises:
        ParameterError: If a number is out of range.

    Source:
        Dandekar, Goel, Lee 2013, doi:10.1073/pnas.1217220110 (recalled).
    """
    check_bias(bias, own_weight)
    support = (weight * heard).sum(axis=1)
    against = (weight * (1 - heard)).sum(axis=1)
    for_it = own**bias * support
    against_it = (1 - own) ** bias * against
    return np.asarray((own_weight * own + for_it) / (own_weight + for_it + against_it))


def baumann(
    own: Floats,
    heard: Floats,
    weight: Floats,
    *,
    coupling: float,
    controversy: float,
    step: float,
) -> Floats:
    """Become the more extreme, the more others hold an opinion of the same sign.

    dx/dt = -x + K sum w tanh(alpha y), one Euler step of it.

    Args:
        own: x, any number, 0 is neutral, shape (agents,).
        heard: y, shape (agents, k).
        weight: w >= 0, shape (agents, k).
        coupling: K >= 0, how much others count.
        controversy: alpha >= 0, how soon a mild opinion is as convincing as an extreme one.
        step: dt in (0, 1].

    Returns:
        Shape (agents,).

    Raises:
        ParameterError: If a number is out of range.

    Source:
        Baumann, Lorenz-Spreen, Sokolov, Starnini 2020, PRL 124, 048301,
        doi:10.1103/PhysRevLett.124.048301.
    """
    check_reinforcement(coupling, controversy, step)
    push = (weight * np.tanh(controversy * heard)).sum(axis=1)
    return np.asarray(own + step * (coupling * push - own))


def _mean(values: Floats, weight: Floats) -> Floats:
    """Weighted mean of each row, 0 where nothing has weight."""
    total = weight.sum(axis=1)
    return np.asarray((weight * values).sum(axis=1) / np.where(total > 0, total, 1))
