"""The figure of a knowledge map: drawn at any size, the same each time, names apart."""

import networkx as nx
import numpy as np
import pytest

from memopolis.analysis.figures import memories as plots
from memopolis.analysis.figures.style import PALE, as_png


def drawn_up(memories: int) -> "nx.Graph[int]":
    graph: nx.Graph[int] = nx.Graph(topic="storms")
    for number in range(memories):
        graph.add_node(
            number,
            text=f"The storm of {number} tore off a roof and broke every window of the house.",
            score=1 - number / 100,
            topic="disaster",
            depth=min(number // 5, 2),
            cluster=(number % 3) - 1,
        )
    graph.add_weighted_edges_from((one, one // 2, 0.6) for one in range(1, memories))
    return graph


@pytest.mark.parametrize("memories", [0, 1, 2, 40])
def test_a_map_of_any_size_is_drawn(memories: int) -> None:
    graph = drawn_up(memories)
    png = as_png(plots.knowledge_map(graph))
    assert png.startswith(b"\x89PNG")
    assert png == as_png(plots.knowledge_map(graph))


def test_clusters_have_colours_and_no_cluster_is_grey() -> None:
    colours = plots._cluster_colours(drawn_up(9))
    assert set(colours) == {-1, 0, 1}
    assert len(set(colours.values())) == 3
    assert colours[-1] == PALE


def test_the_best_memories_are_labelled_without_overlap() -> None:
    graph = drawn_up(12)
    (axes,) = plots.knowledge_map(graph).axes
    assert len(axes.texts) == 12
    places = np.array([text.xy for text in axes.texts])  # type: ignore[attr-defined]
    apart = np.abs(places[:, None] - places[None])
    wide, tall = (apart[..., i] >= size for i, size in enumerate((1.7, 0.5)))
    assert (wide | tall | np.eye(12, dtype=bool)).all()
    (axes,) = plots.knowledge_map(drawn_up(40)).axes
    assert len(axes.texts) == 18
