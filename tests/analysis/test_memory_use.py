"""Memories, recalls, decisions and thoughts are counted by population."""

from pathlib import Path

import pytest

from memopolis.analysis.metrics.memory_use import COLUMNS, count_memory_use
from memopolis.analysis.run.load import load_run
from memopolis.scenarios.polarization.scenario import Polarization


def test_counts_are_per_agent_and_week(tmp_path: Path) -> None:
    run = load_run(Polarization(agents=60, days=7, rng=1).run(tmp_path / "run"))
    use = count_memory_use(run)
    assert list(use.columns) == ["agents", *COLUMNS]
    citizens = use.loc["citizen"]
    assert citizens["agents"] == 60
    memories = run.table("memories")
    events = memories[(memories["population"] == "citizen") & (memories["kind"] == "event")]
    assert citizens["memories"] == pytest.approx(len(events) / 60)
    thoughts = memories[(memories["population"] == "citizen") & (memories["kind"] == "thought")]
    assert citizens["thoughts"] == pytest.approx(len(thoughts) / 60)
    assert use.loc["outlet", "decisions"] == pytest.approx(7)
    # Without persuaders at work, there is nothing to remember.
    assert not use.loc["persuader", ["memories", "thoughts"]].any()
