"""Figures of memories: trends of a run, and the knowledge map of one agent."""

import textwrap
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from numpy.typing import NDArray

from memopolis.analysis.figures.lines import days_of
from memopolis.analysis.figures.over_time import date_axes
from memopolis.analysis.figures.style import COLOURS, INK, PALE, WIDTH, canvas
from memopolis.analysis.metrics.memory_trend import By, memory_trend
from memopolis.analysis.run.run import Run

if TYPE_CHECKING:
    import networkx as nx

_HOURS = {"hour": 1.0, "day": 24.0, "week": 168.0}
_SEED = 1
_LINE = 30
_NAMES = 18
_NAME, _DOT = (2.0, 0.62), (0.3, 0.3)
_ROUNDS = 400
_SHAPES = ("o", "s", "^", "D", "v", "P", "X")
"""Markers of memories without a cluster, then of the clusters, the largest first."""


def trend(run: Run, query: str, topic: str | None = None, by: By = "day") -> Figure:
    """Draw the number of memories about a subject over time, plain and weighted by importance.

    `topic` is None for all topics, and `by` the length of a bin of time.
    """
    points = memory_trend(run, query, topic, by)
    among = "of all topics" if topic is None else f"of topic {topic}"
    figure, (axes,) = canvas(
        f"New memories about {query}",
        f"New memories per {by}, {among}; dark: weighted by importance",
    )
    width = _HOURS.get(by, run.hours) / 24
    x = days_of(pd.DatetimeIndex(points["time"]))
    axes.bar(x, points["count"], width=width, align="edge", color=COLOURS[5], lw=0)
    axes.bar(x, points["weight"], width=width, align="edge", color=COLOURS[0], lw=0)
    axes.set_ylabel(f"Memories per {by}")
    axes.set_ylim(bottom=0)
    date_axes(run, axes)
    return figure


def knowledge_map(graph: "nx.Graph[int]") -> Figure:
    """Draw what an agent knows about a topic: a graph of `memory.knowledge.map`.

    The size of a memory is its relevance to the topic. Memories of one cluster share colour and
    shape; those without a cluster are grey dots. The 18 most relevant memories are labelled.
    """
    tall = float(np.clip(3.2 + 0.14 * len(graph), 4.0, 8.0))
    figure, (axes,) = canvas(
        f"Knowledge about {graph.graph.get('topic', 'a topic')}",
        f"{len(graph)} memories and {graph.number_of_edges()} links between related ones; "
        "size: relevance to the topic; colour and shape: cluster",
        height=tall,
    )
    axes.set_axis_off()
    axes.set_xlim(0, WIDTH)
    axes.set_ylim(0, tall)
    if not len(graph):
        axes.text(WIDTH / 2, tall / 2, "nothing", ha="center", va="center", color=PALE, size=14)
        return figure
    ids = sorted(graph)
    at = _places(graph, ids, tall)
    _draw_links(axes, graph, dict(zip(ids, at, strict=True)))
    scores = np.array([graph.nodes[one]["score"] for one in ids])
    colours = _cluster_colours(graph)
    clusters = np.array([graph.nodes[one]["cluster"] for one in ids])
    for number, (cluster, colour) in enumerate(colours.items()):
        x, y = at[clusters == cluster].T
        size = 40 + 260 * scores[clusters == cluster]
        shape = _SHAPES[number % len(_SHAPES)]
        axes.scatter(x, y, s=size, c=colour, marker=shape, edgecolors="white", lw=1.5, zorder=2)
    for place in np.flatnonzero(_named(graph, ids)):
        down = 5 + 7 * float(np.sqrt(scores[place]))
        _name(axes, graph.nodes[ids[place]]["text"], *at[place], down=down)
    return figure


def _places(graph: "nx.Graph[int]", ids: list[int], tall: float) -> NDArray[np.float64]:
    """Return positions in inches: related memories are close, and labels do not overlap."""
    import networkx as nx

    if len(ids) == 1:
        return np.array([[WIDTH / 2, tall / 2]])
    spread = nx.spring_layout(graph, k=1.6 / np.sqrt(len(ids)), seed=_SEED, weight="weight")
    at = np.array([spread[one] for one in ids])
    at = (at - at.min(axis=0)) / np.maximum(np.ptp(at, axis=0), 1e-9)
    low = np.array([_NAME[0] / 2, _NAME[1]])
    high = np.array([WIDTH - _NAME[0] / 2, tall - 0.25])
    at = low + at * (high - low)
    size = np.where(_named(graph, ids)[:, None], _NAME, _DOT)
    for _ in range(_ROUNDS):
        push = _overlaps(at, size)
        if not push.any():
            break
        at = np.clip(at + push, low, high)
    return np.asarray(at, np.float64)


def _named(graph: "nx.Graph[int]", ids: list[int]) -> NDArray[np.bool_]:
    """Return which memories are labelled: the most relevant ones."""
    scores = np.array([graph.nodes[one]["score"] for one in ids])
    rank = np.argsort(np.argsort(-scores, kind="stable"), kind="stable")
    return np.asarray(rank < _NAMES)


def _overlaps(at: NDArray[np.float64], size: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the shift of each label that separates overlapping ones, shape of `at`."""
    apart = at[:, None, :] - at[None, :, :]
    room = (size[:, None, :] + size[None, :, :]) / 2
    over = room - np.abs(apart)
    meet = (over > 0).all(axis=2) & ~np.eye(len(at), dtype=bool)
    # In units of label size: labels are wide and low, so they mostly move vertically.
    along = (over / room).argmin(axis=2)[..., None] == np.arange(2)
    # Ties are broken by id.
    order = np.sign(np.arange(len(at))[:, None] - np.arange(len(at)))[..., None]
    way = np.where(apart == 0, order, np.sign(apart))
    moved: NDArray[np.float64] = (0.3 * over * way * along * meet[..., None]).sum(axis=1)
    return moved


def _draw_links(axes: Axes, graph: "nx.Graph[int]", places: dict[int, NDArray[np.float64]]) -> None:
    """Draw lines between related memories; the width shows their similarity."""
    ends = [(places[one], places[other]) for one, other in graph.edges]
    widths = [0.5 + 3 * weight for _, _, weight in graph.edges(data="weight", default=0.5)]
    axes.add_collection(LineCollection(ends, colors=PALE, linewidths=widths, alpha=0.5, zorder=1))


def _cluster_colours(graph: "nx.Graph[int]") -> dict[int, str]:
    """Return a colour for each cluster, the largest first; grey for no cluster."""
    sizes: dict[int, int] = {}
    for _, cluster in graph.nodes(data="cluster"):
        sizes[cluster] = sizes.get(cluster, 0) + 1
    clusters = sorted((c for c in sizes if c >= 0), key=lambda c: (-sizes[c], c))
    few = COLOURS[:-1]
    return {-1: PALE} | {c: few[i % len(few)] for i, c in enumerate(clusters)}


def _name(axes: Axes, text: str, x: float, y: float, *, down: float) -> None:
    """Write the beginning of a memory below it."""
    axes.annotate(
        textwrap.fill(text, _LINE, max_lines=2, placeholder=" ..."),
        (x, y),
        xytext=(0, -down),
        textcoords="offset points",
        ha="center",
        va="top",
        size=8,
        color=INK,
        zorder=3,
        parse_math=False,  # dollar signs are not formulas
        path_effects=[withStroke(linewidth=2.5, foreground="white")],
    )
