"""Published models of attitude change, as pure functions of arrays.

All models except Deffuant's have the same form: own opinions, shape (agents,), the opinions of
others and their weights, both of shape (agents, k). In a network, these are all opinions and the
rows of a weight matrix; in a society with memory, they come from recalled memories.
`memopolis.agents.opinion` runs the same functions in the setting of each publication. The functions
`check_*` validate parameters.
"""

import numpy as np

from memopolis.sim.arrays import Floats
from memopolis.sim.errors import ParameterError


def deffuant(own: Floats, heard: Floats, *, bound: float, rate: float) -> Floats:
    """Move towards one other opinion if it is near.

    x' = x + mu (y - x) if |x - y| < eps, else x.

    The result has shape (agents,). Raises ParameterError if a parameter is out of range.

    Args:
        own: x, shape (agents,).
        heard: y, the opinion of the agent met, NaN without one, shape (agents,).
        bound: eps >= 0, distance below which an opinion counts.
        rate: mu in [0, 1], share of the gap that is closed; at 0.5 both agents meet in the middle.

    Source: Deffuant, Neau, Amblard, Weisbuch 2000, doi:10.1142/S0219525900000078 (recalled).
    """
    check_confidence(bound, rate)
    gap = heard - own
    return np.asarray(np.where(np.abs(gap) < bound, own + rate * gap, own))


def hegselmann_krause(
    own: Floats, heard: Floats, weight: Floats, *, bound: float, own_weight: float = 1.0
) -> Floats:
    """Take the mean of all opinions within a bound, own opinion included.

    The result has shape (agents,). Raises ParameterError if a parameter is out of range.

    Args:
        own: Shape (agents,).
        heard: Opinions of others, shape (agents, k).
        weight: >= 0, 0 for what does not count, shape (agents, k); all 1 in the publication.
        bound: Greatest distance at which an opinion counts, >= 0.
        own_weight: Weight of the agent's own opinion, > 0; 1 in the publication.

    Source: Hegselmann and Krause 2002, JASSS 5(3) 2 (recalled); the weights are this project's.
    """
    check_confidence(bound, 1.0)
    if own_weight <= 0:
        raise ParameterError(f"own_weight is {own_weight}; it must be greater than 0")
    gap = heard - own[:, None]
    near = weight * (np.abs(gap) <= bound)
    # Written as a step from the own opinion, so that agents without neighbours do not move at all.
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
    """Move towards near opinions and away from distant ones.

    x' = x + mu (mean of y - x where |x - y| < u - b * mean of y - x where |x - y| > t).

    The result has shape (agents,); may leave the scale, so clip it. Raises ParameterError if a
    number is out of range.

    Args:
        own: x, shape (agents,).
        heard: y, shape (agents, k).
        weight: Weights of both means, >= 0, 0 for what does not count, shape (agents, k).
        bound: u >= 0, distance below which an opinion attracts.
        reject: t >= u, distance above which an opinion repels.
        rate: mu in [0, 1], share of the gap that is closed.
        backfire: b >= 0, strength of repulsion relative to attraction; one value or shape
            (agents,). There is little evidence of any (Casas 2023), so the default is 0.

    Source: Latitudes of acceptance and rejection, one opinion at a time: Jager and Amblard 2005,
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
    """Move to a weighted mean of the opinions of others and the initial opinion.

    x(t+1) = A W x(t) + (I - A) x(0), with the rows of W normalized to sum to 1.

    The result has shape (agents,); agents without neighbours use their own opinion as the social
    mean. Raises ParameterError if a parameter is out of range.

    Args:
        own: x(t), shape (agents,).
        start: x(0), shape (agents,).
        heard: Opinions of others at t, shape (agents, k).
        weight: >= 0, shape (agents, k).
        susceptibility: Diagonal of A, in [0, 1], one value or shape (agents,); 1 gives DeGroot's
            model.
        own_weight: Weight of the agent's own opinion among the others, >= 0.

    Source: Friedkin and Johnsen 1990, doi:10.1080/0022250X.1990.9990069; DeGroot 1974,
    doi:10.1080/01621459.1974.10480137 (both recalled).
    """
    social = degroot(own, heard, weight, own_weight=own_weight)
    return attach(social, start, susceptibility=susceptibility)


def degroot(own: Floats, heard: Floats, weight: Floats, *, own_weight: float = 0.0) -> Floats:
    """Move to a weighted mean of all opinions; arguments, errors and source: `friedkin_johnsen`."""
    check_susceptibility(1.0, own_weight)
    total = weight.sum(axis=1) + own_weight
    summed = (weight * heard).sum(axis=1) + own_weight * own
    return np.asarray(np.where(total > 0, summed / np.where(total > 0, total, 1), own))


def attach(moved: Floats, start: Floats, *, susceptibility: float | Floats) -> Floats:
    """Attach opinions to initial ones: a moved + (1 - a) start with a the susceptibility.

    Raises ParameterError if the susceptibility is out of range. `moved`, the opinions after social
    influence, and `start` have shape (agents,); the susceptibility is in [0, 1], one value or shape
    (agents,).

    Source: Friedkin and Johnsen 1990, doi:10.1080/0022250X.1990.9990069 (recalled).
    """
    check_susceptibility(susceptibility, 0.0)
    part = np.asarray(susceptibility)
    return np.asarray(part * moved + (1 - part) * start)


def friedkin_johnsen_limit(start: Floats, ties: Floats, susceptibility: Floats) -> Floats:
    """Return the limit of opinions under Friedkin and Johnsen's model.

    Returns (I - A W)^-1 (I - A) x(0), shape (agents,).

    Args:
        start: x(0), shape (agents,).
        ties: W, rows summing to 1, shape (agents, agents).
        susceptibility: Diagonal of A, in [0, 1), shape (agents,).

    Source: Friedkin and Johnsen 1990, doi:10.1080/0022250X.1990.9990069 (recalled).
    """
    tied = np.eye(len(start)) - susceptibility[:, None] * ties
    return np.asarray(np.linalg.solve(tied, (1 - susceptibility) * start))


def biased_assimilation(
    own: Floats, heard: Floats, weight: Floats, *, bias: float | Floats, own_weight: float = 1.0
) -> Floats:
    """Move to a mean that gives more weight to opinions that support one's own.

    With s = sum w y, the sum of weights d, and b the bias,
    x' = (w0 x + x^b s) / (w0 + x^b s + (1 - x)^b (d - s)).

    The result is in [0, 1], shape (agents,). Raises ParameterError if a parameter is out of range.

    Args:
        own: x, in [0, 1], shape (agents,).
        heard: y, in [0, 1], shape (agents, k).
        weight: w >= 0, shape (agents, k).
        bias: b >= 0, one value or shape (agents,): 0 gives DeGroot's model; from 1 on, opinions
            can polarize.
        own_weight: w0 > 0, weight of the agent's own opinion.

    Source: Dandekar, Goel, Lee 2013, doi:10.1073/pnas.1217220110 (recalled).
    """
    check_bias(bias, own_weight)
    support = (weight * heard).sum(axis=1)
    against = (weight * (1 - heard)).sum(axis=1)
    for_it = own**bias * support
    against_it = (1 - own) ** bias * against
    return np.asarray((own_weight * own + for_it) / (own_weight + for_it + against_it))


def baumann(
    own: Floats, heard: Floats, weight: Floats, *, coupling: float, controversy: float, step: float
) -> Floats:
    """Move towards the extreme in proportion to other opinions of the same sign.

    dx/dt = -x + K sum w tanh(alpha y), integrated by one Euler step.

    The result has shape (agents,). Raises ParameterError if a parameter is out of range.

    Args:
        own: x, any number, 0 is neutral, shape (agents,).
        heard: y, shape (agents, k).
        weight: w >= 0, shape (agents, k).
        coupling: K >= 0, strength of social influence.
        controversy: alpha >= 0, how strongly a mild opinion influences, relative to an extreme one.
        step: dt in (0, 1].

    Source: Baumann, Lorenz-Spreen, Sokolov, Starnini 2020, PRL 124, 048301,
    doi:10.1103/PhysRevLett.124.048301.
    """
    check_reinforcement(coupling, controversy, step)
    push = (weight * np.tanh(controversy * heard)).sum(axis=1)
    return np.asarray(own + step * (coupling * push - own))


def _mean(values: Floats, weight: Floats) -> Floats:
    """Return the weighted mean of each row, 0 for rows without weight."""
    total = weight.sum(axis=1)
    return np.asarray((weight * values).sum(axis=1) / np.where(total > 0, total, 1))


def check_confidence(bound: float, rate: float) -> None:
    """Raise ParameterError unless the bound is at least 0 and the rate in [0, 1]."""
    if not bound >= 0 or not 0 <= rate <= 1:
        raise ParameterError(
            f"bound is {bound} and rate is {rate}; bound must be >= 0 and rate in [0, 1]"
        )


def check_rejection(bound: float, reject: float, backfire: float | Floats) -> None:
    """Raise ParameterError unless reject is at least the bound and backfire at least 0."""
    if not reject >= bound or not np.all(np.asarray(backfire) >= 0):
        raise ParameterError(
            f"reject is {reject} with bound {bound}, backfire is {backfire}; reject must be at "
            f"least bound, and backfire must be >= 0"
        )


def check_susceptibility(susceptibility: float | Floats, own_weight: float) -> None:
    """Raise ParameterError unless susceptibility is in [0, 1] and own_weight at least 0."""
    part = np.asarray(susceptibility)
    if not np.all((part >= 0) & (part <= 1)) or not 0 <= own_weight < np.inf:
        raise ParameterError(
            f"susceptibility is {susceptibility} and own_weight is {own_weight}; susceptibility "
            f"must be in [0, 1] and own_weight finite and >= 0"
        )


def check_bias(bias: float | Floats, own_weight: float) -> None:
    """Raise ParameterError unless the bias is at least 0 and own_weight above 0."""
    if not np.all(np.asarray(bias) >= 0) or not 0 < own_weight < np.inf:
        raise ParameterError(
            f"bias is {bias} and own_weight is {own_weight}; bias must be >= 0 and own_weight > 0"
        )


def check_reinforcement(coupling: float, controversy: float, step: float) -> None:
    """Raise ParameterError unless coupling and controversy are >= 0 and the step in (0, 1]."""
    if not coupling >= 0 or not controversy >= 0 or not 0 < step <= 1:
        raise ParameterError(
            f"coupling is {coupling}, controversy is {controversy} and step is {step}; coupling "
            f"and controversy must be >= 0, and step in (0, 1]"
        )
