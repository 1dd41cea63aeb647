"""Clearance time, from hand-made measures."""

from datetime import datetime
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest

from memopolis.analysis.facts.clearing import clearance_hours, clearing, describe_clearance
from memopolis.analysis.run.run import Run


class HandMade:
    """A run of 100 hours in which ten vehicles leave, the order in force from hour 20 on."""

    def __init__(self, cleared: list[float], *, ordered: bool = True, hours: float = 1.0) -> None:
        self.start, self.hours = datetime(2026, 1, 1), hours
        self.cleared = cleared
        self.measured = {"vehicles_cleared"}
        self.facts: dict[str, Any] = {"ordered": "2026-01-01T20:00:00"} if ordered else {}

    def date_of(self, fact: str) -> datetime | None:
        return datetime.fromisoformat(self.facts[fact]) if fact in self.facts else None

    def measure(self, _name: str) -> pd.Series:
        index = pd.date_range(self.start, periods=len(self.cleared), freq=f"{self.hours}h")
        return pd.Series(self.cleared, index)


def run(cleared: list[float], **changes: Any) -> Run:
    return cast("Run", HandMade(cleared, **changes))


def test_the_clearance_time_starts_with_the_order() -> None:
    cleared = [0.0] * 30 + [5.0] * 10 + [9.0] * 10 + [10.0] * 50
    # The ninth vehicle left in the step that ends at hour 41, the last one by hour 51.
    assert clearance_hours(run(cleared), 0.9) == 21
    assert clearance_hours(run(cleared), 1.0) == 31
    assert clearance_hours(run(cleared[::2], hours=2.0), 1.0) == 32


@pytest.mark.parametrize("cleared", [[], [0.0] * 50])
def test_without_vehicles_or_an_order_there_is_none(cleared: list[float]) -> None:
    assert np.isnan(clearance_hours(run(cleared), 0.9))
    assert np.isnan(clearance_hours(run([1.0] * 50, ordered=False), 0.9))
    assert clearing(run(cleared)).passes is None


def test_the_clearance_is_described_before_and_after_the_order() -> None:
    cleared = [0.0] * 30 + [5.0] * 10 + [9.0] * 10 + [10.0] * 50
    text = "90% of the vehicles left by 21 h after the order in force, all by 31 h after"
    assert describe_clearance(run(cleared)) == text
    assert "by 10 h before the order" in describe_clearance(run([0.0] * 9 + [10.0] * 40))
    assert describe_clearance(run([])) == ""


def test_a_slow_clearance_fails() -> None:
    quick, slow = [0.0] * 30 + [10.0] * 90, [0.0] * 100 + [10.0] * 20
    assert clearing(run(quick)).passes
    assert clearing(run(slow)).passes is False
