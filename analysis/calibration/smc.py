"""Equations of approximate Bayesian computation by sequential Monte Carlo, as functions of arrays.

Parameters are scores (see `priors.py`), whose prior is a standard normal distribution. All
simulations of all generations count: each is weighted by the prior relative to the mixture of the
distributions from which the generations were drawn. The first generation is drawn from the prior,
so no weight exceeds the number of simulations relative to that of the first generation.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.sweep.seeds import Generator

Array = NDArray[np.float64]

_LEAST_VARIANCE = 1e-6  # added to variances, so that a covariance has an inverse


def summary_scale(summaries: Array) -> Array:
    """Return the median absolute deviation of each summary of the first generation.

    Returns scales, shape (summaries,); the standard deviation where the deviation is 0, or 1 where
    that is 0, too. `summaries` has shape (simulations, summaries), NaN where missing.

    Source: Csilléry, François and Blum 2012 (R package abc), doi:10.1111/j.2041-210X.2011.00179.x.
    """
    known = summaries[np.isfinite(summaries).all(axis=1)]
    if not len(known):
        return np.ones(summaries.shape[1])
    scale = np.median(np.abs(known - np.median(known, axis=0)), axis=0)
    scale = np.where(scale > 0, scale, known.std(axis=0))
    return np.where(scale > 0, scale, 1.0)


def distances(summaries: Array, observed: Array, scale: Array) -> Array:
    """Return the Euclidean distance of each simulation from the data, in units of `scale`.

    The result has shape (simulations,); infinite where a summary is missing. `summaries` has shape
    (simulations, summaries), NaN where missing; `observed` and `scale`, > 0, have shape
    (summaries,).
    """
    distance = np.sqrt((((summaries - observed) / scale) ** 2).sum(axis=1))
    return np.where(np.isfinite(distance), distance, np.inf)


def nearest(distance: Array, count: int) -> NDArray[np.int64]:
    """Return the rows of the `count` smallest finite distances, nearest first."""
    order = np.argsort(distance, kind="stable")[:count]
    return order[np.isfinite(distance[order])].astype(np.int64)


def kernel_covariance(scores: Array, weights: Array) -> Array:
    """Return the covariance of the Gaussian perturbation kernel: twice that of the particles.

    `scores` of the accepted particles has shape (particles, parameters), `weights` shape
    (particles,).

    Source: Beaumont, Cornuet, Marin and Robert 2009, doi:10.1093/biomet/asp052; with covariances,
    Filippi et al. 2013, doi:10.1515/sagmb-2012-0069.
    """
    share = weights / weights.sum()
    centred = scores - share @ scores
    covariance = (centred * share[:, None]).T @ centred
    return 2.0 * covariance + _LEAST_VARIANCE * np.eye(scores.shape[1])


def propose(scores: Array, weights: Array, covariance: Array, rng: Generator, count: int) -> Array:
    """Draw particles by weight and perturb them: new scores, shape (count, parameters)."""
    chosen = rng.choice(len(scores), size=count, p=weights / weights.sum())
    steps = rng.standard_normal((count, scores.shape[1])) @ np.linalg.cholesky(covariance).T
    moved: Array = scores[chosen] + steps
    return moved


class Mixture:
    """The distributions from which all simulations so far were drawn.

    The `first` simulations were drawn from the prior.
    """

    def __init__(self, first: int) -> None:
        self._first = first
        self._kernels: list[tuple[int, Array, Array, Array]] = []

    def add(self, count: int, scores: Array, weights: Array, covariance: Array) -> None:
        """Add a generation of `count` simulations, drawn as by `propose`."""
        self._kernels.append((count, scores, weights / weights.sum(), covariance))

    def weights(self, scores: Array) -> Array:
        """Return the importance weights of simulations: the prior relative to the mixture.

        Returns weights, shape (simulations,), > 0 and at most all simulations over the first ones.
        `scores` has shape (simulations, parameters).

        Source: Deterministic mixtures: Owen and Zhou 2000, doi:10.1080/01621459.2000.10473909;
        Cornuet, Marin, Mira and Robert 2012, doi:10.1111/j.1467-9469.2011.00756.x.
        """
        prior = _density(scores, np.zeros((1, scores.shape[1])), np.eye(scores.shape[1]))[:, 0]
        total = self._first + sum(count for count, *_ in self._kernels)
        mixture = self._first * prior
        for count, centres, share, covariance in self._kernels:
            mixture = mixture + count * (_density(scores, centres, covariance) @ share)
        weights: Array = total * prior / mixture
        return weights


def effective_size(weights: Array) -> float:
    """Return the number of equally weighted particles that estimate means equally well.

    Source: Kong, Liu and Wong 1994, doi:10.1080/01621459.1994.10476469.
    """
    return float(weights.sum() ** 2 / (weights**2).sum()) if len(weights) else 0.0


def adjust(
    scores: Array, summaries: Array, observed: Array, scale: Array, weights: Array
) -> tuple[Array, Array]:
    """Correct accepted particles for their distance from the data, by local linear regression.

    Returns corrected scores, shape (particles, parameters), and weights that fall with the distance
    (Epanechnikov), shape (particles,). Unchanged scores if there are too few particles. `summaries`
    have the shape (particles, summaries), `observed` and `scale` (summaries,), and importance
    `weights` (particles,).

    Source: Beaumont, Zhang and Balding 2002, doi:10.1093/genetics/162.4.2025; with unequal
    variances, Blum and François 2010, doi:10.1007/s11222-009-9116-0.
    """
    deviation = (summaries - observed) / scale
    square = (deviation**2).sum(axis=1)
    closeness = 1 - square / (square.max() * (1 + 1 / len(square)) + 1e-12)
    weights = weights * closeness
    if effective_size(weights) < 2 * (deviation.shape[1] + 2):
        return scores, weights
    root = np.sqrt(weights / weights.max())[:, None]
    columns = np.column_stack([np.ones(len(deviation)), deviation])
    slopes = np.linalg.lstsq(columns * root, scores * root, rcond=None)[0]
    fitted = columns @ slopes
    residuals = scores - fitted
    # Residuals of a fit are too small, and its slopes uncertain (Akaike 1970,
    # doi:10.1007/BF02506337).
    size, terms = effective_size(weights), columns.shape[1]
    widened = np.sqrt((size + terms) / (size - terms))
    return slopes[0] + residuals * widened * _spread(columns, residuals, root), weights


def _spread(columns: Array, residuals: Array, root: Array) -> Array:
    """Return the standard deviation at the data relative to that at each particle.

    The logarithm of squared residuals is regressed on the summaries.
    """
    squares = np.log(residuals**2 + _LEAST_VARIANCE)
    slopes = np.linalg.lstsq(columns * root, squares * root, rcond=None)[0]
    ratio = np.exp((slopes[0] - columns @ slopes) / 2)
    limited: Array = np.clip(ratio, 0.5, 2.0)
    return limited


def quantiles(values: Array, weights: Array, shares: Sequence[float]) -> Array:
    """Return weighted quantiles, shape (shares,).

    The n-th of N equally weighted values has the share n / (N + 1), which the next value of the
    same distribution is expected to exceed, so that intervals of few particles are not too narrow.
    With unequal weights, N is the effective number.
    """
    order = np.argsort(values, kind="stable")
    weight = weights[order] / weights.sum()
    size = effective_size(weight)
    middle = np.cumsum(weight) - weight / 2
    return np.interp(shares, 0.5 + (middle - 0.5) * size / (size + 1), values[order])


def _density(at: Array, centres: Array, covariance: Array) -> Array:
    """Return the normal density around each centre, shape (points, centres)."""
    from scipy.stats import multivariate_normal

    normal = multivariate_normal(np.zeros(at.shape[1]), covariance)
    difference = at[:, None, :] - centres[None, :, :]
    return np.asarray(normal.pdf(difference)).reshape(len(at), len(centres))
