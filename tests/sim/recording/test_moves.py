"""Moves record changes only, and agents that join or leave."""

from typing import Any

import numpy as np
from tests.dashboard.own_towns import Town

from memopolis.sim.recording.moves import GONE, START, record_moves


def test_joining_and_leaving_agents_are_recorded() -> None:
    town = Town(agents=10, rng=1)
    (people, *_) = town.populations
    recorded: list[dict[str, Any]] = []

    def append(table: str, rows: int, columns: dict[str, Any]) -> None:
        assert table == "moves"
        assert len(columns["zone"]) == rows
        recorded.append(columns)

    moves = record_moves(town, append, is_continued=False)
    assert moves is not None
    moves.step(0)
    joined = people.add(2)
    moves.step(1)
    people.objects(np.array([3]))[0].remove()
    moves.step(2)
    zone = (people["place"][5] + 1) % 3
    people.at(np.array([5]))["place"] = zone
    moves.step(3)
    start, nothing, born, gone, moved = recorded
    assert start["tick"].tolist() == [START] * 10
    assert len(nothing["agent"]) == 0
    assert born["agent"].tolist() == joined.ids.tolist()
    assert (gone["agent"].tolist(), gone["zone"].tolist()) == ([people.ids[3]], [GONE])
    assert (moved["agent"].tolist(), moved["zone"].tolist()) == ([people.ids[5]], [zone])
