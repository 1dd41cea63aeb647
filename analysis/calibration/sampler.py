"""Approximate Bayesian computation by sequential Monte Carlo, on sweeps.

Parameters are scores, whose prior is a standard normal distribution (see `Prior`). All simulations
of all generations count: each is weighted by the prior relative to the mixture of the distributions
from which the generations were drawn. The nearest ones are accepted and corrected for their
distance.
"""

# The steps are written here, since no library's sampler fits: those of black-it and scipy.optimize
# search for the best values and have no posterior; pyABC, sbi and ELFI run the simulations
# themselves, so results would depend on workers and interruptions. Kernels are scipy's.

import math
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.analysis.calibration.design import Array, CalibrationDesign
from memopolis.analysis.calibration.report import (
    LEVELS,
    Calibration,
    check_folder,
    coverage_table,
    effective_size,
    ends_of,
    quantiles,
    summarise,
)
from memopolis.analysis.sweep.results import SweepResults
from memopolis.analysis.sweep.sweep import sweep
from memopolis.sim.errors import ParameterError
from memopolis.sim.executors.named import check_executor
from memopolis.sim.progress import RunProgress
from memopolis.sim.sweep.seeds import Generator, Purpose, generation_seed, points_generator

LEAST_ACCEPTED = 0.05
"""A generation of which fewer simulations are closer than the last tolerance is the last one."""
DRAWS = 1_000  # number of equally weighted draws of the posterior
_LEAST_VARIANCE = 1e-6  # added to squared residuals, whose logarithm is taken

type Execute = Callable[..., SweepResults]
"""Runs a design in a folder, as `sweep`."""


def calibrate(
    design: CalibrationDesign,
    folder: str | Path,
    *,
    coverage: int = 0,
    executor: Executor | str = "processes",
    workers: int | None = None,
    progress: RunProgress | None = None,
    force: bool = False,
) -> Calibration:
    """Calibrate settings by approximate Bayesian computation, and write tables to a folder.

    Finished runs in the folder are reused, so the same call continues an interrupted calibration.
    Results depend only on the design, not on workers, executor or interruptions. Returns the
    results.

    Args:
        design: The design.
        folder: Folder of the calibration.
        coverage: Number of simulations of the first generation that serve as data, to check the
            intervals; 0 for no check.
        executor: See `sweep`.
        workers: Number of processes; None for one per core.
        progress: Called after each run with the numbers of succeeded, failed and all runs of one
            arm of a generation.
        force: Whether to run even if the workers may need more memory than this machine has.

    Raises:
        MemopolisError: If the design is impossible, the folder contains something else, or too
            few simulations have all summary statistics.
        KeyboardInterrupt: If the user stopped it; finished runs are kept.

    Source: Adaptive tolerances with a fixed number of simulations per generation: Lenormand, Jabot
    and Deffuant 2013, doi:10.1007/s00180-012-0428-3. Kernel: Beaumont et al. 2009,
    doi:10.1093/biomet/asp052.
    """
    check_executor(executor, workers)
    if coverage and not 0 < coverage <= design.samples:
        raise ParameterError(
            f"coverage is {coverage}; use at most samples = {design.samples}, since each "
            "simulation of the first generation serves as data once"
        )
    folder = Path(folder).resolve()
    check_folder(folder, design)
    check_outcomes(design)
    execute = partial(sweep, executor=executor, workers=workers, progress=progress, force=force)
    sampler = Sampler(design)
    for generation in range(design.generations):
        scores = sampler.propose()
        sampler.add(scores, simulate(design, scores, generation, folder, execute))
        if sampler.is_converged:
            break
    result = _report(sampler, folder, execute, coverage)
    result.save()
    return result


def _report(sampler: "Sampler", folder: Path, execute: Execute, coverage: int) -> Calibration:
    """Infer the posterior, simulate from it, and check coverage."""
    design, last = sampler.design, sampler.design.generations
    particles = infer(sampler.scores, sampler.deviations, sampler.weights, kept=design.kept)
    start = float(generator(design, last, "resampling").random())
    predicted = np.empty((0, len(design.summaries)))
    if design.predictive:
        drawn = particles.draw(design.predictive, start)
        predicted = simulate(design, drawn, last, folder, execute)
        predicted += noise(design, last, design.predictive)
    covered = None
    if coverage:
        first = slice(0, design.samples)
        flags = find_covered(
            sampler.scores[first], sampler.targets[first], kept=design.kept, datasets=coverage
        )
        covered = coverage_table(flags, design.names)
    return Calibration(
        folder=folder,
        design=design,
        generations=pd.DataFrame(sampler.log),
        simulations=sampler.table(),
        draws=pd.DataFrame(points_of(design, particles.draw(DRAWS, start))),
        summary=summarise(design, particles.scores, particles.weights),
        predictions=pd.DataFrame(predicted, columns=[summary.name for summary in design.summaries]),
        coverage=covered,
    )


class Sampler:
    """Draws generations, and keeps all simulations so far.

    Attributes:
        design: The design.
        scores: Parameters of the simulations, shape (simulations, parameters).
        simulated: Their targets and checks without noise, NaN where missing.
        targets: Their targets with noise, shape (simulations, targets).
        log: A row per generation, see `Calibration.generations`.
    """

    def __init__(self, design: CalibrationDesign) -> None:
        count = len(design.targets)
        self.design = design
        self.scores = np.empty((0, len(design.priors)))
        self.simulated = np.empty((0, len(design.summaries)))
        self.targets = np.empty((0, count))
        self.log: list[dict[str, float]] = []
        self._observed = np.array([summary.value for summary in design.summaries[:count]])
        self._scale = np.ones(count)
        self._proposals: list[Any] = []
        self._rows = np.empty(0, np.int64)  # of the accepted simulations, nearest first
        self._tolerance = math.inf

    @property
    def is_converged(self) -> bool:
        """Whether hardly any simulation of the last generation came closer."""
        return len(self.log) > 1 and self.log[-1]["closer"] < LEAST_ACCEPTED

    @property
    def deviations(self) -> Array:
        """Deviations of targets from the data in units of `summary_scale`, shape of `targets`."""
        deviations: Array = (self.targets - self._observed) / self._scale
        return deviations

    @property
    def weights(self) -> Array:
        """Importance weights of the simulations, shape (simulations,)."""
        return importance_weights(self.scores, self._proposals)

    def propose(self) -> Array:
        """Draw the parameters of the next generation, shape (samples, parameters)."""
        shape = self.design.samples, len(self.design.priors)
        rng = generator(self.design, len(self.log), "parameters")
        if not self.log:
            first: Array = rng.standard_normal(shape)
            return first
        proposal = kernel_density(self.scores[self._rows], self.weights[self._rows])
        self._proposals.append(proposal)
        drawn: Array = proposal.resample(shape[0], seed=rng).T
        return drawn

    def add(self, scores: Array, simulated: Array) -> None:
        """Add a generation, and adapt the tolerance."""
        number, count = len(self.log), len(scores)
        noisy = (simulated + noise(self.design, number, count))[:, : len(self._observed)]
        self.scores = np.vstack([self.scores, scores])
        self.simulated = np.vstack([self.simulated, simulated])
        self.targets = np.vstack([self.targets, noisy])
        if not number:
            self._check_known()
            self._scale = summary_scale(noisy)
        distance = distances(self.deviations)
        closer = float((distance[-count:] <= self._tolerance).mean())
        self._rows = nearest(distance, self.design.kept)
        self._tolerance = float(distance[self._rows[-1]])
        self.log.append(
            {
                "generation": number,
                "simulations": count,
                "missing": int(np.isinf(distance[-count:]).sum()),
                "closer": closer,
                "tolerance": self._tolerance,
                "effective": effective_size(self.weights[self._rows]),
            }
        )

    def table(self) -> pd.DataFrame:
        """Return a row per simulation, see `Calibration.simulations`."""
        count = len(self.scores)
        generations = np.arange(count) // self.design.samples
        summaries = {
            one.name: values
            for one, values in zip(self.design.summaries, self.simulated.T, strict=True)
        }
        return pd.DataFrame({"generation": generations}).join(
            [
                pd.DataFrame(points_of(self.design, self.scores)),
                pd.DataFrame(summaries),
                pd.DataFrame(
                    {
                        "distance": distances(self.deviations),
                        "weight": self.weights,
                        "accepted": np.isin(np.arange(count), self._rows),
                    }
                ),
            ]
        )

    def _check_known(self) -> None:
        """Refuse a first generation that is too small because of failed runs."""
        known = np.isfinite(self.targets)
        complete = int(known.all(axis=1).sum())
        if complete < self.design.kept:
            counts = zip(self.design.targets, known.sum(axis=0), strict=True)
            listed = ", ".join(f"{name} in {count}" for name, count in counts)
            raise ParameterError(
                f"only {complete} of {len(known)} simulations have all targets ({listed}), fewer "
                f"than the {self.design.kept} to keep; check the outcomes, groups and failed runs"
            )


def simulate(
    design: CalibrationDesign, scores: Array, generation: int, folder: Path, execute: Execute
) -> Array:
    """Simulate all arms at scores of shape (simulations, parameters), below a folder.

    The number of the generation determines folders and random seeds. Finished runs are reused. The
    result has shape (simulations, targets and checks); NaN where a run failed or has no value.
    """
    seed = generation_seed(design.seed, generation)
    points = points_of(design, scores)
    outcomes: dict[tuple[str, str], Array] = {}
    for arm in design.arm_names:
        planned = design.sweep_of(arm, points, seed)
        if not planned.outcomes:
            continue
        results = execute(planned, folder / f"generation-{generation}" / (arm or "runs"))
        for name in planned.outcomes:
            outcomes[arm, name] = results.values_of(name).to_numpy(np.float64)
    columns = []
    for summary in design.summaries:
        values = outcomes[summary.arm, summary.outcome]
        columns.append(
            values - outcomes[summary.minus, summary.outcome] if summary.minus else values
        )
    return np.column_stack(columns)


def points_of(design: CalibrationDesign, scores: Array) -> list[dict[str, object]]:
    """Return the settings of some scores."""
    values = [prior.value(column) for prior, column in zip(design.priors, scores.T, strict=True)]
    return [
        dict(zip(design.names, map(float, row), strict=True)) for row in np.column_stack(values)
    ]


def noise(design: CalibrationDesign, generation: int, count: int) -> Array:
    """Draw the errors of observation and model, shape (count, targets and checks)."""
    rng = generator(design, generation, "noise")
    errors = np.array([summary.error for summary in design.summaries])
    drawn: Array = rng.standard_normal((count, len(errors))) * errors
    return drawn


def generator(design: CalibrationDesign, generation: int, purpose: Purpose) -> Generator:
    """Return the random generator of a generation for a purpose other than its runs."""
    return points_generator(generation_seed(design.seed, generation, purpose))


def check_outcomes(design: CalibrationDesign) -> None:
    """Refuse unknown outcomes, settings and arms before anything is simulated."""
    medians = points_of(design, np.zeros((1, len(design.priors))))
    for arm in design.arm_names:
        design.sweep_of(arm, medians, design.seed).planned()


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


def distances(deviations: Array) -> Array:
    """Return the Euclidean distance of each simulation from the data, shape (simulations,).

    `deviations` are summaries minus data, relative to `summary_scale`, shape (simulations,
    summaries). The distance is infinite where a summary is missing (NaN).
    """
    distance = np.sqrt((deviations**2).sum(axis=1))
    return np.where(np.isfinite(distance), distance, np.inf)


def nearest(distance: Array, count: int) -> NDArray[np.int64]:
    """Return the rows of the `count` smallest finite distances, nearest first."""
    order = np.argsort(distance, kind="stable")[:count]
    return order[np.isfinite(distance[order])].astype(np.int64)


def kernel_density(scores: Array, weights: Array) -> Any:
    """Return the distribution of the next generation, as `scipy.stats.gaussian_kde`.

    Accepted particles, shape (particles, parameters), are drawn by weight and perturbed by a normal
    kernel with twice their covariance.

    Source: Beaumont, Cornuet, Marin and Robert 2009, doi:10.1093/biomet/asp052; with covariances,
    Filippi et al. 2013, doi:10.1515/sagmb-2012-0069.
    """
    from scipy.stats import gaussian_kde

    return gaussian_kde(scores.T, bw_method=math.sqrt(2), weights=weights)


def importance_weights(scores: Array, proposals: Sequence[Any]) -> Array:
    """Return the importance weights of simulations: the prior relative to the mixture.

    The first generation was drawn from the prior, and each later one, of the same size, from one of
    the `proposals`. Returns weights, shape (simulations,), > 0 and at most the number of
    generations. `scores` has shape (simulations, parameters).

    Source: Deterministic mixtures: Owen and Zhou 2000, doi:10.1080/01621459.2000.10473909;
    Cornuet, Marin, Mira and Robert 2012, doi:10.1111/j.1467-9469.2011.00756.x.
    """
    from scipy.stats import norm

    prior = norm.pdf(scores).prod(axis=1)
    mixture = (prior + sum(proposal(scores.T) for proposal in proposals)) / (1 + len(proposals))
    weights: Array = prior / mixture
    return weights


def adjust(scores: Array, deviations: Array, weights: Array) -> tuple[Array, Array]:
    """Correct accepted particles for their distance from the data, by local linear regression.

    Returns corrected scores, shape (particles, parameters), and weights that fall with the distance
    (Epanechnikov), shape (particles,). Unchanged scores if there are too few particles.
    `deviations` from the data have the shape (particles, summaries).

    Source: Beaumont, Zhang and Balding 2002, doi:10.1093/genetics/162.4.2025; with unequal
    variances, Blum and François 2010, doi:10.1007/s11222-009-9116-0.
    """
    square = (deviations**2).sum(axis=1)
    weights = weights * (1 - square / (square.max() * (1 + 1 / len(square)) + 1e-12))
    if effective_size(weights) < 2 * (deviations.shape[1] + 2):
        return scores, weights
    root = np.sqrt(weights / weights.max())[:, None]
    columns = np.column_stack([np.ones(len(deviations)), deviations])
    slopes = np.linalg.lstsq(columns * root, scores * root, rcond=None)[0]
    residuals = scores - columns @ slopes
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


@dataclass(frozen=True)
class Particles:
    """Weighted samples of a posterior."""

    scores: Array  # corrected scores, shape (particles, parameters)
    weights: Array  # weights, shape (particles,), 1 in total

    def draw(self, count: int, start: float) -> Array:
        """Draw scores systematically by weight, shape (count, parameters).

        `start` is a random number in [0, 1).

        Source: Kitagawa 1996, doi:10.1080/10618600.1996.10474692.
        """
        places = (np.arange(count) + start) / count
        ends = np.cumsum(self.weights)
        chosen = np.searchsorted(ends, places * ends[-1], side="right")
        drawn: Array = self.scores[np.minimum(chosen, len(ends) - 1)]
        return drawn


def infer(scores: Array, deviations: Array, weights: Array, *, kept: int) -> Particles:
    """Infer the posterior from simulations, of which the `kept` nearest to the data are accepted.

    `scores` are their parameters, shape (simulations, parameters), `deviations` those from the
    data, with noise, shape (simulations, summaries), and `weights` importance weights.
    """
    rows = nearest(distances(deviations), kept)
    adjusted, closer = adjust(scores[rows], deviations[rows], weights[rows])
    return Particles(adjusted, closer / closer.sum())


def find_covered(scores: Array, summaries: Array, *, kept: int, datasets: int) -> NDArray[np.bool_]:
    """Infer the parameters of simulations, and check whether intervals contain the true ones.

    Returns flags of shape (data sets, parameters, levels), without data sets that lack a summary.
    `scores` are the true parameters, drawn from the prior, shape (simulations, parameters),
    `summaries` have noise and the shape (simulations, summaries). The first `datasets` simulations
    serve as data, and for each `kept` others are accepted.

    Source: Prangle, Blum, Popovic and Sisson 2014, doi:10.1515/sagmb-2013-0014.
    """
    shares = [share for level in LEVELS for share in ends_of(level)]
    scaled, weights = summaries / summary_scale(summaries), np.ones(len(scores) - 1)
    complete = np.flatnonzero(np.isfinite(summaries[:datasets]).all(axis=1))
    covered = np.zeros((len(complete), scores.shape[1], len(LEVELS)), bool)
    for number, row in enumerate(complete):
        others = np.arange(len(scores)) != row
        inferred = infer(scores[others], scaled[others] - scaled[row], weights, kept=kept)
        for column, own in enumerate(inferred.scores.T):
            ends = quantiles(own, inferred.weights, shares).reshape(-1, 2)
            truth = scores[row, column]
            covered[number, column] = (ends[:, 0] <= truth) & (truth <= ends[:, 1])
    return covered
