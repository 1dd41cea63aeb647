"""The comparison of engines: the models of this one, the checks and the table. No network."""

import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
MODELS = ROOT / "benchmarks" / "engine_models"
AGENTS = 1_000
STEPS = 60
SEEDS = 5


@pytest.fixture(scope="module")
def engines() -> Iterator[Any]:
    paths = [str(ROOT / "benchmarks"), str(MODELS)]
    sys.path[:0] = paths
    try:
        module = importlib.import_module("engines")
        setattr(module, "CHECKED", AGENTS)  # noqa: B010
        yield module
    finally:
        for path in paths:
            sys.path.remove(path)


@pytest.fixture(scope="module")
def models(engines: Any) -> ModuleType:  # noqa: ARG001 - which sets the path
    return importlib.import_module("in_memopolis")


def arms(engines: Any, models: Any, model: str, **change: Any) -> list[Any]:
    """Run all forms in this process."""
    made = []
    for form in models.FORMS:
        arm = engines.Arm("Memopolis", form.name, form.order, process=None)
        arm.results[AGENTS] = [
            {**getattr(form, model)(AGENTS, STEPS, seed), "bytes": 1e8, **change}
            for seed in range(SEEDS)
        ]
        made.append(arm)
    return made


def test_both_forms_of_an_epidemic_follow_the_deterministic_limit(
    engines: Any, models: Any
) -> None:
    made = arms(engines, models, "epidemic")
    checks = engines.check_epidemic(made)
    assert [check[-1] for check in checks] == ["yes", "yes"]
    assert engines.epidemic_limit(STEPS) == pytest.approx(0.7323, abs=1e-4)
    table = engines.table_of("epidemic", made, checks)
    assert table.row_count == 2
    assert "0.7323" in str(table.columns[-3].header)


def test_an_epidemic_of_another_law_is_rejected(
    engines: Any, models: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "RECOVERY", models.RECOVERY * 1.3)
    assert [check[-1] for check in engines.check_epidemic(arms(engines, models, "epidemic"))] == [
        "NO",
        "NO",
    ]


def test_no_wealth_is_lost_and_a_loss_is_noticed(engines: Any, models: Any) -> None:
    checks = engines.check_wealth(arms(engines, models, "wealth"))
    assert [check[-1] for check in checks] == ["yes", "yes"]
    lost = engines.check_wealth(arms(engines, models, "wealth", total=AGENTS - 1))
    assert [check[-1] for check in lost] == ["NO", "NO"]


def test_wealth_is_compared_between_forms_of_the_same_order(engines: Any, models: Any) -> None:
    made = arms(engines, models, "wealth")
    for arm in made:
        arm.order = "at once"  # which gives another share without wealth
    assert [check[-1] for check in engines.check_wealth(made)] == ["yes", "NO"]


def test_a_run_that_would_take_too_long_is_left_out_and_shown(engines: Any) -> None:
    class Slow(engines.Arm):  # type: ignore[misc]
        def run(self, agents: int, seed: int) -> dict[str, float]:
            return {"seconds": agents / 10 + seed, "bytes": 1e6}

    slow = Slow("Slow", "objects", "in order", process=None)
    engines.run_rounds([slow], {10: 3, 100: 3}, limit=15.0)
    assert list(slow.results) == [10]
    fast = Slow("Fast", "arrays", "at once", process=None)
    engines.run_rounds([fast], {10: 3, 100: 3}, limit=25.0)
    table = engines.table_of("wealth", [slow, fast], [("0.4", "yes"), ("0.4", "yes")])
    cells = list(table.columns[4].cells)
    assert cells[0] == "- (20 s a run)"
    assert cells[1] == f"{100 * STEPS / 11 / 1e6:.3g}"
    assert list(table.columns[5].cells) == ["1 at 10", "1"]


def test_a_worker_answers_with_measures_of_its_process() -> None:
    done = subprocess.run(
        [sys.executable, MODELS / "worker.py", "in_memopolis", "arrays, `step`", "wealth"],
        input=json.dumps([50, 4, 1]) + "\n",
        capture_output=True,
        text=True,
        check=True,
    )
    answer = json.loads(done.stdout)
    assert answer["total"] == 50
    assert answer["seconds"] > 0
    assert answer["bytes"] > 5e7


def test_the_page_names_the_versions_that_are_compared(engines: Any) -> None:
    text = (ROOT / "docs/performance.md").read_text(encoding="utf-8")
    for engine in engines.ENGINES[1:]:
        assert f"{engine.name} {engine.requirement.split('==')[-1]}" in text
