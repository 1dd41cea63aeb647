from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from memopolis.analysis import load_run
from memopolis.sim.recording.recorder import ChangeDetector
from memopolis.sim.recording.rows import status_of


def test_declared_writes_count_as_changing(village: Callable[..., Any]) -> None:
    made = village()
    assert made.citizens.written == frozenset()
    made.live()
    written = made.citizens.written
    assert {"hunger", "place", "emotion.fear"} <= written
    assert "age" not in written


def test_undeclared_changes_are_detected_between_records(
    village: Callable[..., Any],
) -> None:
    made = village()
    changing = ChangeDetector()
    changing.note(made.citizens, status_of(made.citizens, 0))
    made.citizens.at(np.array([3]))["age"] = 90
    changing.note(made.citizens, status_of(made.citizens, 1))
    assert changing.seen == {"citizen": ["age"]}
    changing.note(made.citizens, status_of(made.citizens, 2))
    assert ChangeDetector(changing.seen).seen == {"citizen": ["age"]}


def test_joining_and_leaving_agents_do_not_count_as_changes(village: Callable[..., Any]) -> None:
    made = village()
    changing = ChangeDetector()
    changing.note(made.citizens, status_of(made.citizens, 0))
    made.citizens.agents[2].remove()
    made.citizens.add(2)
    changing.note(made.citizens, status_of(made.citizens, 1))
    assert changing.seen == {"citizen": []}


def test_the_manifest_lists_changing_attributes(
    village: Callable[..., Any], tmp_path: Path
) -> None:
    made = village(days=3)
    made.live()
    inventory = load_run(made.run(tmp_path / "run")).manifest["attributes"]["firm"]["inventory"]
    assert "inventory" not in made.firms.written
    assert inventory["changes"]
