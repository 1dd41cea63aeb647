"""The network at a moment: who is drawn, where, and in which colour."""

import base64
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from memopolis.analysis import Run
from memopolis.analysis.figures.network_now import (
    MOST,
    NetworkNow,
    has_network,
    layout_of,
    network_figure,
    network_in_words,
)
from memopolis.dashboard.map.frames import describe_colours, describe_ties

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


def unpacked(text: str) -> list[float]:
    """Numbers of a packed array, as the browser reads them."""
    values: list[float] = np.frombuffer(base64.b64decode(text[3:]), f"<{text[:2]}").tolist()
    return values


def colours(run: Run, colour: str = "") -> list[float]:
    """Number of the colour of each agent: 0 to 250, 254 for absent, 255 for unknown."""
    return unpacked(describe_colours(NetworkNow.of(run, colour))["values"])


def ring(people: int) -> list[tuple[int, int]]:
    return [(row, (row + 1) % people) for row in range(people)]


def test_the_colour_of_agents_is_current_and_their_place_is_fixed(tied: Any) -> None:
    run = tied(6, ring(6))
    assert colours(run.until(1)) == [0, 50, 100, 150, 200, 250]
    assert colours(run) == [250, 200, 150, 100, 50, 0]
    layout = layout_of(run.ties())
    ties = describe_ties(NetworkNow.of(run))
    assert unpacked(ties["places"]) == pytest.approx(layout.places.ravel().tolist(), abs=1e-6)
    assert unpacked(ties["ties"]) == layout.ties.ravel().tolist()
    assert unpacked(ties["agents"]) == [*range(6)]


def test_the_scale_shows_differences_between_similar_people(tied: Any) -> None:
    mood = np.r_[np.linspace(4.9, 5.1, 199), 10]
    shown = describe_colours(NetworkNow.of(tied(200, ring(200), 1, mood=mood), "mood"))
    assert (shown["lowest"], shown["highest"]) == pytest.approx((4.9, 5.1), abs=0.02)
    assert len(set(unpacked(shown["values"]))) > 100


def test_agents_have_groups(tied: Any) -> None:
    run = tied(6, ring(6))
    shown = describe_colours(NetworkNow.of(run))
    assert shown["groups"] == ["Ada", "Bob"]
    assert unpacked(shown["group"]) == [0, 0, 0, 1, 1, 1]
    assert NetworkNow.of(run).group == "party"


def test_a_large_network_is_cut_to_a_connected_sample(tied: Any) -> None:
    run = tied(1_000, [*ring(900), (950, 951)])
    layout = layout_of(run.ties())
    assert len(layout.agents) == MOST
    assert len(layout.ties) == MOST - 1  # the ring is cut open
    assert len(unpacked(describe_ties(NetworkNow.of(run))["ties"])) == 2 * (MOST - 1)
    assert "400 of 1,000 citizens" in network_in_words(run)


def test_the_legend_names_the_coloured_attribute(tied: Any) -> None:
    run = tied(6, ring(6))
    assert network_in_words(run) == (
        "Network, Sat 03 Jan 2026: 6 of 6 citizens, lines: 6 ties (friend), shape: party. "
        "Attitude: tax: mean 5.00, from 0 to 10.00. Ada 8.00, Bob 2.00."
    )


def test_agents_without_a_value_have_no_colour(tied: Any) -> None:
    run = tied(4, ring(4), mood=[np.nan, 1.0, 2.0, 3.0])
    unknown, low, _, high = colours(run, "mood")
    assert (unknown, low, high) == (255, 0, 250)


def test_no_agent_has_a_colour_before_the_first_record(tied: Any) -> None:
    run = tied(6, ring(6)).until(0)
    assert colours(run) == [255] * 6
    assert "no records yet" in network_in_words(run)


def test_agents_who_left_are_absent(tied: Any) -> None:
    run = tied(4, ring(6))
    assert colours(run)[4:] == [254, 254]
    assert "4 of 4 citizens" in network_in_words(run)


@pytest.mark.parametrize(("people", "days"), [(2, 0), (2, 1), (1, 1)])
def test_small_networks_are_described(tied: Any, people: int, days: int) -> None:
    run = tied(people, [(0, 1)], days)
    assert has_network(run)
    assert len(colours(run)) == 2


def test_a_run_without_ties_has_no_network(stormless: Run) -> None:
    assert not has_network(stormless)


@pytest.fixture
def stormless(tmp_path: Path, write: Any) -> Run:
    people = pd.DataFrame({"tick": [0], "agent": [1]}, dtype=np.int32)
    run: Run = write(
        tmp_path / "alone", {"agents_citizen": people}, start=datetime(2026, 1, 1), hours=1, ticks=1
    )
    return run


def test_a_figure_shows_the_attitudes_of_its_moment(tied: Any) -> None:
    run = tied(6, [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5]])
    colours = []
    for moment in (run.until(1), run):
        axes = network_figure(moment).axes[0]
        dots = [one for one in axes.collections if len(np.asarray(one.get_offsets())) > 1][-2:]
        colours.append(np.concatenate([one.get_facecolor() for one in dots]))
    assert len(colours[0]) == 6
    # Opinions are mirrored in the second step.
    assert not np.allclose(colours[0], colours[1])
