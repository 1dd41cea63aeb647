"""The network at a moment: who is drawn, where, and in which colour."""

from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import LineCollection, PathCollection

from memopolis.analysis import Run
from memopolis.analysis.figures.network_layout import MOST, layout_of
from memopolis.analysis.figures.network_now import (
    NetworkNow,
    has_network,
    network_in_words,
    network_now,
)
from memopolis.analysis.figures.style import NARROW, OPINIONS, as_png

ATTITUDE = {
    "description": "Attitude",
    "role": "",
    "unit": "0-10",
    "low": 0,
    "high": 10,
    "changes": True,
}
MEASURE = {
    "name": "x",
    "chart": "",
    "group": "party",
    "population": "citizen",
    "of": "mean",
    "unit": "",
    "where": "",
    "description": "",
}


@pytest.fixture
def tied(tmp_path: Path, write: Any) -> Any:
    def make(people: int, pairs: Any, days: int = 2, **columns: Any) -> Run:
        source, target = np.asarray(pairs, np.int64).reshape(-1, 2).T
        opinion = np.linspace(0, 10, people)
        frames = [
            pd.DataFrame(
                {
                    "tick": np.int32(day),
                    "agent": np.arange(people, dtype=np.int32),
                    "party": np.where(opinion < 5, "Ada", "Bob"),
                    "attitude.tax": np.float32(opinion if day == 0 else 10 - opinion),
                    **columns,
                }
            )
            for day in range(days)
        ]
        tables = {"ties": pd.DataFrame({"source": source, "target": target, "kind": "friend"})}
        if frames:
            tables["agents_citizen"] = pd.concat(frames)
        made: Run = write(
            tmp_path / "run",
            tables,
            start=datetime(2026, 1, 1),
            hours=24,
            ticks=days,
            populations={"citizen": people},
            attributes={"citizen": {"attitude": ATTITUDE}},
            measures=[MEASURE],
        )
        return made

    return make


def parts(axes: Any, kind: type[Any]) -> list[Any]:
    return [one for one in axes.collections if type(one) is kind]


def dots(run: Run, colour: str = "") -> dict[tuple[float, float], tuple[float, ...]]:
    """Colours of the dots by place."""
    axes = network_now(run, colour).axes[0]
    return {
        (float(x), float(y)): tuple(face)
        for drawn in parts(axes, PathCollection)
        for (x, y), face in zip(drawn.get_offsets(), drawn.get_facecolor(), strict=True)
    }


def ring(people: int) -> list[tuple[int, int]]:
    return [(row, (row + 1) % people) for row in range(people)]


def test_every_agent_has_a_fixed_position_and_a_current_colour(tied: Any) -> None:
    run = tied(6, ring(6))
    first, second = dots(run.until(1)), dots(run)
    assert set(first) == set(second)
    layout = layout_of(run.ties())
    for row, place in enumerate(layout.places):
        assert first[tuple(place)] == pytest.approx(OPINIONS(row / 5))
        assert second[tuple(place)] == pytest.approx(OPINIONS(1 - row / 5))


def test_groups_have_markers_and_are_counted(tied: Any) -> None:
    run = tied(6, ring(6))
    axes = network_now(run).axes
    shapes = parts(axes[0], PathCollection)
    assert [len(one.get_offsets()) for one in shapes] == [3, 3]
    legend = [text.get_text() for part in axes for text in _legend(part)]
    assert legend == ["Ada: 3", "Bob: 3"]
    assert NetworkNow.of(run).group == "party"


def test_a_large_network_is_cut_to_a_connected_sample(tied: Any) -> None:
    run = tied(1_000, [*ring(900), (950, 951)])
    layout = layout_of(run.ties())
    assert len(layout.agents) == MOST
    assert len(layout.ties) == MOST - 1  # the ring is cut open
    (lines,) = parts(network_now(run).axes[0], LineCollection)
    assert len(lines.get_segments()) == MOST - 1
    assert "400 of 1,000 citizens" in network_in_words(run)


def test_the_legend_names_the_coloured_attribute(tied: Any) -> None:
    run = tied(6, ring(6))
    assert network_in_words(run) == (
        "Network, Sat 03 Jan 2026: 6 of 6 citizens, lines: 6 ties (friend), shape: party. "
        "Attitude: tax: mean 5.00, from 0 to 10.00. Ada 8.00, Bob 2.00."
    )


def test_agents_without_a_value_are_white(tied: Any) -> None:
    run = tied(4, ring(4), mood=[np.nan, 1.0, 2.0, 3.0])
    shown = dots(run, "mood")
    places = layout_of(run.ties()).places
    assert shown[tuple(places[0])] == (1, 1, 1, 1)
    assert shown[tuple(places[3])] == pytest.approx(OPINIONS(1.0))


def test_all_agents_are_white_before_the_first_record(tied: Any) -> None:
    run = tied(6, ring(6)).until(0)
    assert set(dots(run).values()) == {(1.0, 1.0, 1.0, 1.0)}
    assert "no records yet" in network_in_words(run)


def test_agents_who_left_are_not_drawn(tied: Any) -> None:
    run = tied(4, ring(6))
    assert len(dots(run)) == 4
    assert "4 of 4 citizens" in network_in_words(run)


@pytest.mark.parametrize("width", [9.0, NARROW])
@pytest.mark.parametrize(("people", "days"), [(2, 0), (2, 1), (1, 1)])
def test_small_networks_are_drawn(tied: Any, people: int, days: int, width: float) -> None:
    run = tied(people, [(0, 1)], days)
    assert has_network(run)
    assert as_png(network_now(run, width=width)).startswith(b"\x89PNG")


def test_a_run_without_ties_has_no_network(stormless: Run) -> None:
    assert not has_network(stormless)


@pytest.fixture
def stormless(tmp_path: Path, write: Any) -> Run:
    people = pd.DataFrame({"tick": [0], "agent": [1]}, dtype=np.int32)
    run: Run = write(
        tmp_path / "alone", {"agents_citizen": people}, start=datetime(2026, 1, 1), hours=1, ticks=1
    )
    return run


def _legend(axes: Any) -> list[Any]:
    return [] if axes.get_legend() is None else list(axes.get_legend().get_texts())
