"""The frames of a sweep have the columns that docs/tables.md describes, in this order."""

from collections.abc import Callable
from typing import Any

from memopolis.analysis.sweep.results import SweepResults
from memopolis.sim.recording.schema import SWEEP_POINTS, SWEEP_RUNS, TableSchema
from memopolis.sim.sweep.design import Design


def spread(described: TableSchema, factors: list[str], outcomes: list[str]) -> list[str]:
    """Columns by name, the factors and the outcomes in place of what stands for them."""
    instead = {"FACTOR": factors, "OUTCOME": outcomes}
    return [name for one in described.columns for name in instead.get(one, [one])]


def test_frames_of_a_sweep_are_described(
    made: Callable[..., SweepResults], ishigami: type[Any]
) -> None:
    factors: dict[str, Any] = {"x1": [0.0, 1.0], "x2": [0.5]}
    results = made(Design(ishigami, factors=factors, outcomes=["value"]), lambda _: 1.0)
    assert list(results.runs) == spread(SWEEP_RUNS, ["x1", "x2"], ["value"])
    assert list(results.points) == spread(SWEEP_POINTS, ["x1", "x2"], ["value"])
    kinds = results.runs.dtypes
    assert kinds["seed"] == kinds["tries"] == kinds["point"] == "int64"
    assert kinds["seconds"] == kinds["value"] == "float64"
