"""How attitudes change by what others hold: published models, as pure functions of arrays.

All have one form: one's own opinion of shape (agents,), the opinions one hears of, and their
weights, both of shape (agents, k). In a network these are everybody's opinions and the rows of
a matrix of ties; in a society with memory they are what recalled memories say.
"""

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError

Floats = NDArray[np.floating]


def bounded_confidence(
    own: Floats,
    heard: Floats,
    weight: Floats,
    *,
    bound: float,
    rate: float,
    backfire: float = 0.0,
) -> Floats:
    """Move towards opinions that are near one's own, and towards no others.

    Args:
        own: Shape (agents,).
        heard: Shape (agents, k).
        weight: >= 0, 0 for what does not count, shape (agents, k).
        bound: Distance below which an opinion is considered, >= 0.
        rate: Part of the way to their mean that is gone, in [0, 1].
        backfire: Part of the way that one moves away from the mean of all others, >= 0; there
            is little evidence for any (Casas 2023), so it is 0 unless set.

    Returns:
        Shape (agents,).

    Raises:
        ParameterError: If a number is out of range.

    Source:
        One opinion at a time: Deffuant, Neau, Amblard, Weisbuch 2000,
        doi:10.1142/S0219525900000078 (recalled). All at once, one's own among them, at rate 1:
        Hegselmann and Krause 2002, JASSS 5(3) 2 (recalled). Moving away is an option of
        bounded confidence with repulsion; its form is this project's.
    """
    if bound < 0 or not 0 <= rate <= 1 or backfire < 0:
        raise ParameterError(
            f"bound {bound}, rate {rate}, backfire {backfire}: a bound and a backfire of at "
            f"least 0 and a rate in [0, 1] are needed"
        )
    gap = heard - own[:, None]
    near = np.abs(gap) < bound
    move = _mean(gap, weight * near)
    if backfire > 0:
        move = move - backfire * _mean(gap, weight * ~near)
    return np.asarray(own + rate * move)


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
        susceptibility: Diagonal of A, in [0, 1]; 1 is DeGroot's model.
        own_weight: Weight of one's own opinion among the others, >= 0.

    Returns:
        Shape (agents,); who hears nothing counts its own opinion as what is held.

    Raises:
        ParameterError: If a number is out of range.

    Source:
        Friedkin and Johnsen 1990, doi:10.1080/0022250X.1990.9990069 (recalled).
    """
    part = np.asarray(susceptibility)
    if ((part < 0) | (part > 1)).any() or own_weight < 0:
        raise ParameterError(
            f"susceptibility {susceptibility} and own weight {own_weight}: one in [0, 1] and "
            f"one of at least 0 are needed"
        )
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
    own: Floats, heard: Floats, weight: Floats, *, bias: float, own_weight: float = 1.0
) -> Floats:
    """Count what others hold the more, the more it supports what one holds already.

    With s = sum w y, the sum of weights d, and b the bias,
    x' = (w0 x + x^b s) / (w0 + x^b s + (1 - x)^b (d - s)).

    Args:
        own: x, in [0, 1], shape (agents,).
        heard: y, in [0, 1], shape (agents, k).
        weight: w >= 0, shape (agents, k).
        bias: b >= 0: 0 averages as DeGroot does, from 1 on opinions part.
        own_weight: w0 > 0, weight of one's own opinion.

    Returns:
        In [0, 1], shape (agents,).

    Raises:
        ParameterError: If a number is out of range.

    Source:
        Dandekar, Goel, Lee 2013, doi:10.1073/pnas.1217220110 (recalled).
    """
    if bias < 0 or own_weight <= 0:
        raise ParameterError(
            f"bias {bias} and own weight {own_weight}: one of at least 0 and one above 0 are needed"
        )
    support = (weight * heard).sum(axis=1)
    against = (weight * (1 - heard)).sum(axis=1)
    for_it = own**bias * support
    against_it = (1 - own) ** bias * against
    return np.asarray((own_weight * own + for_it) / (own_weight + for_it + against_it))


def reinforcement(
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
    if coupling < 0 or controversy < 0 or not 0 < step <= 1:
        raise ParameterError(
            f"coupling {coupling}, controversy {controversy}, step {step}: two of at least 0 "
            f"and a step in (0, 1] are needed"
        )
    push = (weight * np.tanh(controversy * heard)).sum(axis=1)
    return np.asarray(own + step * (coupling * push - own))


def _mean(values: Floats, weight: Floats) -> Floats:
    """Weighted mean of each row, 0 where nothing has weight."""
    total = weight.sum(axis=1)
    return np.asarray((weight * values).sum(axis=1) / np.where(total > 0, total, 1))
