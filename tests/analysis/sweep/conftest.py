"""Sweeps as their folders would look, without a run: their outcomes are worked out here."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memopolis.analysis.sweep.results import SweepResults, load_sweep
from memopolis.sim.scenario_names import find_scenario
from memopolis.sim.sweep.design import Design, PlannedRun
from memopolis.sim.sweep.rows import RunRow, make_rows, write_row
from memopolis.sim.sweep.saved_design import write_design

FUNCTIONS = Path(__file__).with_name("ishigami.py").resolve()

type Value = Callable[[PlannedRun], float | None]
"""Outcome of a run; None for one that failed."""
type Made = Callable[[Design, Value], SweepResults]


@pytest.fixture
def ishigami() -> type[Any]:
    return find_scenario(f"{FUNCTIONS}:Ishigami")


@pytest.fixture
def made(tmp_path: Path) -> Made:
    def make(design: Design, value: Value) -> SweepResults:
        planned = design.planned()
        write_design(tmp_path, design, planned)
        make_rows(tmp_path)
        for run in planned:
            result = value(run)
            row = RunRow("failed", 1, error="ZeroDivisionError: a mistake")
            if result is not None:
                row = RunRow("succeeded", 1, 0.5, 0.25, {"value": result})
            write_row(tmp_path, run.name, row)
        return load_sweep(tmp_path)

    return make
