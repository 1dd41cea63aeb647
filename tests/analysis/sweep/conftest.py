"""Sweeps as their folders would look, without a run: their outcomes are worked out here."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memopolis.analysis.sweep.results import SweepResults, load_sweep
from memopolis.sim.scenario_names import find_scenario
from memopolis.sim.sweep.design import Design
from memopolis.sim.sweep.design_kept import write_design
from memopolis.sim.sweep.planned import PlannedRun
from memopolis.sim.sweep.run_ledger import RunLedger

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
        ledger = RunLedger(tmp_path)
        for run in planned:
            ledger.note(run.name, "running")
            found = value(run)
            if found is None:
                ledger.note(run.name, "failed", error="ZeroDivisionError: a mistake")
            else:
                took = {"seconds": 0.5, "step_seconds": 0.25}
                ledger.note(run.name, "succeeded", outcomes={"value": found}, **took)
        return load_sweep(tmp_path)

    return make
