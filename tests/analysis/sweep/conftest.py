"""Sweeps as their folders would look, without a run: their outcomes are worked out here."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memopolis.analysis.sweep.results import SweepResults, load_sweep
from memopolis.sim.scenario_names import find_scenario
from memopolis.sim.sweep.design import Design, PlannedRun
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
        (tmp_path / "ledger").mkdir(exist_ok=True)
        for run in planned:
            result = value(run)
            values: dict[str, Any] = {"status": "failed", "error": "ZeroDivisionError: a mistake"}
            if result is not None:
                took = {"seconds": 0.5, "step_seconds": 0.25}
                values = {"status": "succeeded", "outcomes": {"value": result}, **took}
            # As the ledger writes them, all at once.
            lines = [json.dumps(line) for line in ({"status": "running"}, values)]
            (tmp_path / "ledger" / f"{run.name}.jsonl").write_text("\n".join([*lines, ""]))
        return load_sweep(tmp_path)

    return make
