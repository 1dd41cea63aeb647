"""Simulate the generations of a calibration as sweeps, one for each arm."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from memopolis.analysis.calibration import smc
from memopolis.analysis.calibration.design import CalibrationDesign
from memopolis.analysis.sweep.results import SweepResults
from memopolis.sim.sweep.seeds import Generator, Purpose, generation_seed, points_generator

type Execute = Callable[..., SweepResults]
"""Runs a design in a folder, as `sweep`."""


def simulate(
    design: CalibrationDesign, scores: smc.Array, generation: int, home: Path, execute: Execute
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
        results = execute(planned, home / f"generation-{generation}" / (arm or "runs"))
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
