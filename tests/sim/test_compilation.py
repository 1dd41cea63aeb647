import logging
import time
from typing import Any

import pytest
from numba import njit

from memopolis import Block, Citizen, Settings, Society, load_run
from memopolis.sim import compilation as compilation_module
from memopolis.sim.compilation import (
    FIRST_RUN,
    Compilation,
    compilation,
    computing_seconds,
    shown_by,
    watch_compilation,
)


def compile_sum(times: int) -> None:
    """Compile two new functions, one of which calls the other."""

    @njit
    def add(a, b):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN202
        return a + b

    @njit
    def add_up(values):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN202
        total = 0.0
        for value in values:
            total = add(total, value)
        return total

    assert add_up((1.0,) * times) == times


class Compiles(Block):
    """Compile in each step."""

    name = "compiles"

    def step(self, cohort: Any) -> None:
        compile_sum(len(cohort))


class Town(Society[Settings]):
    """A town with a block that compiles."""

    def build(self, settings: Settings) -> None:
        self.give(self.populate(Citizen, settings.agents), Compiles())


@pytest.fixture(autouse=True)
def _measured() -> None:
    watch_compilation()


def test_compilation_is_counted_and_shown() -> None:
    functions, seconds, shown = compilation.functions, compilation.seconds, list[int]()
    with shown_by(shown.append):
        compile_sum(3)
    compile_sum(4)
    assert compilation.functions - functions == 4
    assert shown == [functions, functions, functions + 1, functions + 2]
    assert 0 < compilation.seconds - seconds < 60
    assert not compilation.is_active


def test_the_clock_stands_still_during_compilation() -> None:
    computed, elapsed, compiled = computing_seconds(), time.perf_counter(), compilation.seconds
    compile_sum(5)
    compiled = compilation.seconds - compiled
    elapsed = time.perf_counter() - elapsed
    assert computing_seconds() - computed == pytest.approx(elapsed - compiled, abs=0.02)
    assert compiled > elapsed / 2


def test_timings_of_a_run_exclude_compilation(tmp_path: Any) -> None:
    timings = load_run(Town(agents=2, days=1.0, tick=24.0, rng=1).run(tmp_path / "run")).timings
    assert timings["compile_seconds"] > 0.02
    assert timings["blocks"]["compiles"] < timings["compile_seconds"]
    assert timings["step_seconds"] < timings["compile_seconds"]


def test_long_compilation_is_logged_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(compilation_module, "_LOGGED_AFTER", 0.0)
    with caplog.at_level(logging.WARNING):
        measured = Compilation()
        for _ in range(3):
            measured.begin()
            measured.end()
        assert caplog.messages == [FIRST_RUN.notice]
        quiet = Compilation()
        quiet.display = list[int]().append
        quiet.begin()
        quiet.end()
    assert caplog.messages == [FIRST_RUN.notice]
