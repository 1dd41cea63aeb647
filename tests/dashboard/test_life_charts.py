"""The charts of a life and the map of its knowledge, as they are sent to the browser."""

import networkx as nx
import pytest

from memopolis import Run

pytest.importorskip("nicegui")

from memopolis.dashboard.life.citizen import map_options
from memopolis.dashboard.life.curves import change_of, labels_of
from memopolis.dashboard.life.opened import open_life


def test_lines_end_at_the_last_record_and_only_new_points_are_sent(odd_run: Run) -> None:
    labels = labels_of(odd_run, "citizen", "needs")
    assert [*labels.values()] == ["hunger", "energy", "safety", "social"]
    rows = odd_run.agent_rows(1)
    change = change_of(open_life(odd_run, 1), "needs", rows, labels, 0)
    (hunger,) = (line for line in change["lines"] if line["name"] == "hunger")
    assert hunger["points"][1::2] == pytest.approx(rows["hunger"].tolist())
    assert "over time; now hunger 90%, " in change["words"]
    later = change_of(open_life(odd_run, 1), "needs", rows, labels, len(rows))
    assert [line["points"] for line in later["lines"]] == [[]] * 4


def test_a_moment_before_the_first_record_shows_the_start(odd_run: Run) -> None:
    start = odd_run.until(0)
    labels = labels_of(start, "citizen", "attitudes")
    change = change_of(open_life(start, 1), "attitudes", start.agent_rows(1), labels, 0)
    assert all(len(line["points"]) == 2 for line in change["lines"])


def test_a_map_shows_each_memory_and_labels_the_most_relevant() -> None:
    graph: nx.Graph[int] = nx.Graph()
    for number in range(40):
        text = f"The storm of {number} tore off a roof and cost $x_ and {{b|5}} <b>."
        graph.add_node(number, text=text, score=1 - number / 100, cluster=(number % 3) - 1)
    graph.add_weighted_edges_from((one, one // 2, 0.6) for one in range(1, 40))
    (series,) = map_options(graph)["series"]
    assert [one["id"] for one in series["data"]] == [str(number) for number in range(40)]
    assert sum(one["label"]["show"] for one in series["data"]) == 18
    looks = {(one["itemStyle"]["color"], one["symbol"]) for one in series["data"]}
    assert len(looks) == 3
    assert len(series["links"]) == 39
