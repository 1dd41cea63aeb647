"""Calibrate settings: simulate generations, infer the posterior, and check it."""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from memopolis.analysis.calibration import smc
from memopolis.analysis.calibration.design import CalibrationDesign
from memopolis.analysis.calibration.posterior import (
    coverage_table,
    find_covered,
    infer,
    resample,
    summarise,
)
from memopolis.analysis.calibration.results import Calibration, check_folder
from memopolis.analysis.sweep.results import SweepResults
from memopolis.analysis.sweep.sweep import sweep
from memopolis.sim.errors import ParameterError
from memopolis.sim.executors.named import check_executor
from memopolis.sim.progress import RunProgress
from memopolis.sim.sweep.seeds import Generator, Purpose, generation_seed, points_generator

LEAST_ACCEPTED = 0.05
"""A generation of which fewer simulations are closer than the last tolerance is the last one."""
DRAWS = 1_000  # number of equally weighted draws of the posterior
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
    execute = partial(sweep, executor=executor, workers=workers, progress=progress, force=force)
    scores = generator(design, 0, "parameters").standard_normal(
        (design.samples, len(design.priors))
    )
    check_outcomes(design, points_of(design, scores[:1]))
    table = _Table(design)
    for generation in range(design.generations):
        table.add(scores, simulate(design, scores, generation, folder, execute))
        if table.is_converged:
            break
        scores = table.propose(generation + 1)
    result = table.result(folder, execute, coverage)
    result.save()
    return result


class _Table:
    """All simulations so far."""

    def __init__(self, design: CalibrationDesign) -> None:
        self._design = design
        self._observed = np.array([one.value for one in design.summaries])[: self._targets]
        self._mixture = smc.Mixture(design.samples)
        self._scores = np.empty((0, len(design.priors)))
        self._simulated = np.empty((0, len(design.summaries)))
        self._noisy = np.empty((0, len(design.summaries)))
        self._scale = np.ones(self._targets)
        self._generation: list[int] = []
        self._log: list[dict[str, float]] = []
        self._tolerance = np.inf

    @property
    def _targets(self) -> int:
        return len(self._design.targets)

    @property
    def is_converged(self) -> bool:
        """Whether hardly any simulation of the last generation came closer."""
        return len(self._log) > 1 and self._log[-1]["closer"] < LEAST_ACCEPTED

    def add(self, scores: smc.Array, simulated: smc.Array) -> None:
        """Add a generation, and adapt the tolerance."""
        number = len(self._log)
        self._generation += [number] * len(scores)
        self._scores = np.vstack([self._scores, scores])
        self._simulated = np.vstack([self._simulated, simulated])
        noisy = simulated + noise(self._design, number, len(scores))
        self._noisy = np.vstack([self._noisy, noisy])
        if not number:
            self._check_known()
            self._scale = smc.summary_scale(self._noisy[:, : self._targets])
        distance = self._distances()
        closer = float((distance[-len(scores) :] <= self._tolerance).mean())
        rows = smc.nearest(distance, self._design.kept)
        self._tolerance = float(distance[rows[-1]])
        self._log.append(
            {
                "generation": number,
                "simulations": len(scores),
                "missing": int(np.isinf(distance[-len(scores) :]).sum()),
                "closer": closer,
                "tolerance": self._tolerance,
                "effective": smc.effective_size(self._mixture.weights(self._scores)[rows]),
            }
        )

    def propose(self, generation: int) -> smc.Array:
        """Draw the parameters of the next generation."""
        rows = smc.nearest(self._distances(), self._design.kept)
        scores, weights = self._scores[rows], self._mixture.weights(self._scores)[rows]
        covariance = smc.kernel_covariance(scores, weights)
        rng = generator(self._design, generation, "parameters")
        proposed = smc.propose(scores, weights, covariance, rng, self._design.samples)
        self._mixture.add(self._design.samples, scores, weights, covariance)
        return proposed

    def result(self, folder: Path, execute: Execute, coverage: int) -> Calibration:
        """Infer the posterior, simulate from it, and check coverage."""
        design, targets = self._design, self._noisy[:, : self._targets]
        weights = self._mixture.weights(self._scores)
        particles = infer(
            self._scores, targets, weights, self._observed, kept=design.kept, scale=self._scale
        )
        last = design.generations
        start = float(generator(design, last, "resampling").random())
        draws = particles.scores[resample(particles, DRAWS, start)]
        predicted = np.empty((0, len(design.summaries)))
        if design.predictive:
            chosen = particles.scores[resample(particles, design.predictive, start)]
            predicted = simulate(design, chosen, last, folder, execute)
            predicted += noise(design, last, design.predictive)
        covered = None
        if coverage:
            first = slice(0, design.samples)
            flags = find_covered(
                self._scores[first], targets[first], kept=design.kept, datasets=coverage
            )
            covered = coverage_table(flags, design.names)
        names = [one.name for one in design.summaries]
        return Calibration(
            folder=folder,
            design=design,
            generations=pd.DataFrame(self._log),
            simulations=self._simulations(weights, particles.rows),
            draws=pd.DataFrame(points_of(design, draws)),
            summary=summarise(particles, design.priors, _defaults(design)),
            predictions=pd.DataFrame(predicted, columns=names),
            coverage=covered,
        )

    def _simulations(self, weights: smc.Array, accepted: np.ndarray) -> pd.DataFrame:
        names = [one.name for one in self._design.summaries]
        is_accepted = np.zeros(len(weights), bool)
        is_accepted[accepted] = True
        return pd.concat(
            [
                pd.DataFrame({"generation": self._generation}),
                pd.DataFrame(points_of(self._design, self._scores)),
                pd.DataFrame(self._simulated, columns=names),
                pd.DataFrame(
                    {"distance": self._distances(), "weight": weights, "accepted": is_accepted}
                ),
            ],
            axis=1,
        )

    def _distances(self) -> smc.Array:
        return smc.distances(self._noisy[:, : self._targets], self._observed, self._scale)

    def _check_known(self) -> None:
        """Refuse a first generation that is too small because of failed runs."""
        known = np.isfinite(self._noisy[:, : self._targets])
        complete = int(known.all(axis=1).sum())
        if complete < self._design.kept:
            names = [one.name for one in self._design.summaries]
            counts = zip(names, known.sum(axis=0), strict=False)
            listed = ", ".join(f"{name} in {count}" for name, count in counts)
            raise ParameterError(
                f"only {complete} of {len(known)} simulations have all targets ({listed}), fewer "
                f"than the {self._design.kept} to keep; check the outcomes, groups and failed runs"
            )


def _defaults(design: CalibrationDesign) -> list[float]:
    settings = design.society.settings_class()
    values = []
    for name in design.names:
        value: object = settings
        for part in name.split("."):
            value = getattr(value, part)
        values.append(float(str(value)))
    return values


def simulate(
    design: CalibrationDesign, scores: smc.Array, generation: int, folder: Path, execute: Execute
) -> smc.Array:
    """Simulate all arms at scores of shape (simulations, parameters), below a folder.

    The number of the generation determines folders and random seeds. Finished runs are reused. The
    result has shape (simulations, targets and checks); NaN where a run failed or has no value.
    """
    seed = generation_seed(design.seed, generation)
    points = points_of(design, scores)
    outcomes: dict[tuple[str, str], smc.Array] = {}
    for arm in design.arm_names:
        planned = design.sweep_of(arm, points, seed)
        if not planned.outcomes:
            continue
        results = execute(planned, folder / f"generation-{generation}" / (arm or "runs"))
        for name in planned.outcomes:
            outcomes[arm, name] = results.values_of(name).to_numpy(np.float64)
    columns = []
    for one in design.summaries:
        values = outcomes[one.arm, one.outcome]
        columns.append(values - outcomes[one.minus, one.outcome] if one.minus else values)
    return np.column_stack(columns)


def points_of(design: CalibrationDesign, scores: smc.Array) -> list[dict[str, object]]:
    """Return the settings of some scores."""
    values = [prior.value(column) for prior, column in zip(design.priors, scores.T, strict=True)]
    return [
        dict(zip(design.names, map(float, row), strict=True)) for row in np.column_stack(values)
    ]


def noise(design: CalibrationDesign, generation: int, count: int) -> smc.Array:
    """Draw the errors of observation and model, shape (count, targets and checks)."""
    rng = generator(design, generation, "noise")
    errors = np.array([one.error for one in design.summaries])
    drawn: smc.Array = rng.standard_normal((count, len(errors))) * errors
    return drawn


def generator(design: CalibrationDesign, generation: int, purpose: Purpose) -> Generator:
    """Return the random generator of a generation for a purpose other than its runs."""
    return points_generator(generation_seed(design.seed, generation, purpose))


def check_outcomes(design: CalibrationDesign, points: Sequence[dict[str, object]]) -> None:
    """Refuse unknown outcomes, settings and arms before anything is simulated."""
    for arm in design.arm_names:
        design.sweep_of(arm, points[:1], design.seed).planned()
