"""Published models of attitude change, as pure functions of arrays.

All models except Deffuant's have the same form: own opinions, shape (agents,), the opinions of
others and their weights, both of shape (agents, k). In a network, these are all opinions and the
rows of a weight matrix; in a society with memory, they come from recalled memories.
`memopolis.agents.opinion` runs the same functions in the setting of each publication. Parameters
are checked there, and by the settings of scenarios.
"""

import numpy as np

from memopolis.sim.arrays import Floats


def deffuant(own: Floats, heard: Floats, *, bound: float, rate: float) -> Floats:
    """Move towards one other opinion if it is near: x' = x + mu (y - x) if |x - y| < eps, else x.

    `heard` is y, NaN without one; `bound` is eps, and `rate` mu, at 0.5 both meet in the middle.

    Source: Deffuant, Neau, Amblard, Weisbuch 2000, doi:10.1142/S0219525900000078 (recalled).
    """
    gap = heard - own
    return np.asarray(np.where(np.abs(gap) < bound, own + rate * gap, own))


def hegselmann_krause(
    own: Floats, heard: Floats, weight: Floats, *, bound: float, own_weight: float = 1.0
) -> Floats:
    """Take the mean of all opinions within a bound, own opinion included, shape (agents,).

    All weights are 1 in the publication.

    Source: Hegselmann and Krause 2002, JASSS 5(3) 2 (recalled); the weights are this project's.
    """
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
    """Move towards near opinions and away from distant ones; the result may leave the scale.

    x' = x + mu (mean of y - x where |x - y| < u - b * mean of y - x where |x - y| > t).

    `bound` is u, `reject` t >= u, and `rate` mu. `backfire`, b, is one value or has shape
    (agents,); there is little evidence of any (Casas 2023), so the default is 0.

    Source: Latitudes of acceptance and rejection, one opinion at a time: Jager and Amblard 2005,
    doi:10.1007/s10588-005-6282-2 (recalled), where b is 1. Means of several and b are this
    project's.
    """
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
    """Move to a weighted mean of the opinions of others and the initial opinion, (agents,).

    x(t+1) = A W x(t) + (I - A) x(0), with the rows of W normalized to sum to 1.

    `susceptibility` is the diagonal of A; 1 gives DeGroot's model. Agents without neighbours use
    their own opinion as the social mean.

    Source: Friedkin and Johnsen 1990, doi:10.1080/0022250X.1990.9990069; DeGroot 1974,
    doi:10.1080/01621459.1974.10480137 (both recalled).
    """
    social = degroot(own, heard, weight, own_weight=own_weight)
    return attach(social, start, susceptibility=susceptibility)


def degroot(own: Floats, heard: Floats, weight: Floats, *, own_weight: float = 0.0) -> Floats:
    """Move to a weighted mean of all opinions; see `friedkin_johnsen`."""
    total = weight.sum(axis=1) + own_weight
    summed = (weight * heard).sum(axis=1) + own_weight * own
    return np.asarray(np.where(total > 0, summed / np.where(total > 0, total, 1), own))


def attach(moved: Floats, start: Floats, *, susceptibility: float | Floats) -> Floats:
    """Attach opinions after social influence to initial ones; see `friedkin_johnsen`."""
    part = np.asarray(susceptibility)
    return np.asarray(part * moved + (1 - part) * start)


def friedkin_johnsen_limit(start: Floats, ties: Floats, susceptibility: Floats) -> Floats:
    """Return (I - A W)^-1 (I - A) x(0), the limit of Friedkin and Johnsen's model, shape (agents,).

    `ties` is W, with rows summing to 1, and `susceptibility` the diagonal of A, below 1.
    """
    tied = np.eye(len(start)) - susceptibility[:, None] * ties
    return np.asarray(np.linalg.solve(tied, (1 - susceptibility) * start))


def biased_assimilation(
    own: Floats, heard: Floats, weight: Floats, *, bias: float | Floats, own_weight: float = 1.0
) -> Floats:
    """Move to a mean, in [0, 1], that gives more weight to opinions that support one's own.

    With s = sum w y, the sum of weights d, and b the bias, x' = (w0 x + x^b s) / (w0 + x^b s + (1 -
    x)^b (d - s)).

    A bias of 0 gives DeGroot's model; from 1 on, opinions can polarize.

    Source: Dandekar, Goel, Lee 2013, doi:10.1073/pnas.1217220110 (recalled).
    """
    support = (weight * heard).sum(axis=1)
    against = (weight * (1 - heard)).sum(axis=1)
    for_it = own**bias * support
    against_it = (1 - own) ** bias * against
    return np.asarray((own_weight * own + for_it) / (own_weight + for_it + against_it))


def baumann(
    own: Floats, heard: Floats, weight: Floats, *, coupling: float, controversy: float, step: float
) -> Floats:
    """Move towards the extreme in proportion to other opinions of the same sign, (agents,).

    dx/dt = -x + K sum w tanh(alpha y), integrated by one Euler step. Opinions are any number, 0 is
    neutral; `coupling` is K, and `controversy` alpha.

    Source: Baumann, Lorenz-Spreen, Sokolov, Starnini 2020, PRL 124, 048301,
    doi:10.1103/PhysRevLett.124.048301.
    """
    push = (weight * np.tanh(controversy * heard)).sum(axis=1)
    return np.asarray(own + step * (coupling * push - own))


def _mean(values: Floats, weight: Floats) -> Floats:
    """Return the weighted mean of each row, 0 for rows without weight."""
    total = weight.sum(axis=1)
    return np.asarray((weight * values).sum(axis=1) / np.where(total > 0, total, 1))
