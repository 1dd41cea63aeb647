"""Figures of friends by opinion, and of messages read by side."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure
from numpy.typing import NDArray

from memopolis.analysis.figures.lines import in_order, lines
from memopolis.analysis.figures.opinions import opinions_of
from memopolis.analysis.figures.style import INK, PALE, canvas, look, percent
from memopolis.analysis.figures.times import days_of, mark_dates, span, time_axis
from memopolis.analysis.labels import a_step, words

if TYPE_CHECKING:
    import networkx as nx
    from matplotlib.axes import Axes

    from memopolis.analysis.run.run import Run

MOST = 400
"""Maximum number of nodes, so that they stay distinguishable."""
OPINIONS = LinearSegmentedColormap.from_list("opinions", ["#FDBB5B", "#B9A4A0", "#0A3F78"])
"""Colours of opinions from 0 to 10: from light orange to dark blue."""

_MARKERS = ("o", "^", "s", "D")
_SEED = 1
_BUREAU = "statistics_bureau"
_EI = {"ei_exposure": "messages read", "ei_follows": "follows", "ei_friends": "friends"}


def opinion_network(run: "Run", attitude: str = "gun_control") -> Figure:
    """Draw friends, coloured by their opinions at the start and at the end.

    Both panels have the same people at the same places. Where there are more than 400 people,
    those next to the first one are drawn, and what ties them.

    Args:
        run: A run that recorded `party`, the attitude, and the static table `ties`.
        attitude: Key of the attitude.
    """
    graph = _nearby(_friends(run))
    opinions = opinions_of(run, attitude)
    drawn = opinions[opinions["agent"].isin(list(graph))]
    ticks = (int(opinions["tick"].min()), int(opinions["tick"].max()))
    people = int(run.manifest["populations"]["citizen"])
    whom = f"{len(graph)} of {people:,} citizens" if len(graph) < people else "all citizens"
    figure, panels = canvas(
        f"Friends and opinions: {words(attitude).lower()}",
        f"{whom}; lines: friends; shape: party; colour: attitude from 0 to 10",
        columns=2,
        height=4.6,
    )
    places = _places(graph)
    for axes, tick in zip(panels, ticks, strict=True):
        now = drawn[drawn["tick"] == tick]
        _draw(axes, graph, places, now)
        when = pd.Timestamp(now["time"].iloc[0])
        axes.set_title(f"end of {when:%d %b %Y}", size=10, loc="left")
    scale = ScalarMappable(Normalize(0, 10), OPINIONS)
    figure.colorbar(scale, ax=panels, shrink=0.6, pad=0.01, label="attitude")
    panels[0].legend(frameon=False, fontsize=8.5, loc="lower left", handletextpad=0.1)
    return figure


def exposure(run: "Run") -> Figure:
    """Draw the messages read over time by side of the author, and their E-I index.

    Args:
        run: A run that recorded `read`, `read_like` and `read_cross` of its citizens.

    Source:
        E-I index (ties across sides minus ties within, divided by both): Krackhardt and Stern 1988,
        doi:10.2307/2786835.
    """
    seen = run.agents_of("citizen", "read", "read_like", "read_cross").groupby("time")
    total = seen[["read", "read_like", "read_cross"]].sum().astype(np.float64)
    figure, (parts, index) = canvas(
        "Messages read in the feed",
        "above: shares of messages by the author's side; below: E-I index, from -1 (own side "
        "only) to 1 (other side only)",
        rows=2,
        height=2.5,
    )
    _shares(parts, total)
    parts.set_ylabel(f"of messages {a_step(run.hours)}")
    index.set_ylim(-1.05, 1.05)
    lines(index, _ei(run, total))
    index.axhline(0, color="#555555", lw=1, ls=":")
    index.set_ylabel("E-I index")
    for axes in (parts, index):
        time_axis(axes, *span(run))
    mark_dates(parts, run)
    return figure


def _ei(run: "Run", total: pd.DataFrame) -> dict[str, pd.Series]:
    names = [name for name in _EI if run.has(f"agents_{_BUREAU}", name)]
    if names:
        figures = run.agents_of(_BUREAU, *names).set_index("time")
        return {_EI[name]: figures[name].astype(np.float64) for name in names}
    both = (total["read_cross"] + total["read_like"]).replace(0, np.nan)
    return {_EI["ei_exposure"]: (total["read_cross"] - total["read_like"]) / both}


def _shares(axes: "Axes", total: pd.DataFrame) -> None:
    neutral = total["read"] - total["read_like"] - total["read_cross"]
    parts = {
        "like-minded": total["read_like"],
        "other side": total["read_cross"],
        "neither": neutral,
    }
    share = {name: part / total["read"].replace(0, np.nan) for name, part in parts.items()}
    x, bottom = days_of(total.index), np.zeros(len(total))
    for number, (name, values) in enumerate(share.items()):
        top = bottom + values.to_numpy()
        axes.fill_between(x, bottom, top, **look(number).area(alpha=0.75))
        axes.plot(x, top, color="white", lw=1)
        _inside(axes, name, bottom, top)
        bottom = top
    axes.set_ylim(0, 1)
    axes.yaxis.set_major_formatter(percent)


def _inside(axes: "Axes", name: str, bottom: NDArray[np.float64], top: NDArray[np.float64]) -> None:
    """Label a band at its right end."""
    present = np.flatnonzero(~np.isnan(top))
    if len(present) and top[present[-1]] - bottom[present[-1]] > 0.02:
        middle = float(bottom[present[-1]] + top[present[-1]]) / 2
        axes.annotate(
            name,
            (1, middle),
            xycoords="axes fraction",
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            color=INK,
            size=9.5,
        )


def _friends(run: "Run") -> "nx.Graph[int]":
    import networkx as nx

    graph: nx.Graph[int] = nx.Graph()
    ties = run.table("ties")
    graph.add_nodes_from(sorted(run.agents_of("citizen", "party")["agent"].unique().tolist()))
    graph.add_edges_from(ties[["source", "target"]].astype(int).itertuples(index=False))
    return graph


def _nearby(graph: "nx.Graph[int]") -> "nx.Graph[int]":
    """At most 400 people: who is reached first from the first of the largest component."""
    import networkx as nx

    if len(graph) <= MOST:
        return graph
    largest = max(nx.connected_components(graph), key=lambda part: (len(part), -min(part)))
    start = min(largest)
    reached = [start, *(node for _, node in nx.bfs_edges(graph, start, sort_neighbors=sorted))]
    return graph.subgraph(sorted(reached[:MOST]))


def _places(graph: "nx.Graph[int]") -> dict[int, NDArray[np.float64]]:
    import networkx as nx

    ordered: nx.Graph[int] = nx.Graph()
    ordered.add_nodes_from(sorted(graph))
    ordered.add_edges_from(sorted(tuple(sorted(edge)) for edge in graph.edges))
    spread = 2.2 / np.sqrt(max(len(ordered), 1))
    return dict(nx.spring_layout(ordered, k=spread, iterations=120, seed=_SEED))


def _draw(
    axes: "Axes",
    graph: "nx.Graph[int]",
    places: dict[int, NDArray[np.float64]],
    now: pd.DataFrame,
) -> None:
    ends = [np.array([places[one], places[other]]) for one, other in sorted(graph.edges)]
    axes.add_collection(LineCollection(ends, colors=PALE, linewidths=0.4, alpha=0.25, zorder=1))
    for party, marker in zip(in_order(list(now["party"].unique())), _MARKERS, strict=False):
        held = now[now["party"] == party]
        xy = np.array([places[agent] for agent in held["agent"]])
        axes.scatter(
            xy[:, 0],
            xy[:, 1],
            s=24,
            c=OPINIONS(held["opinion"].to_numpy() / 10),
            marker=marker,
            edgecolors="#444444",
            linewidths=0.4,
            label=party,
            zorder=2,
        )
    axes.set_axis_off()
    axes.set_aspect("equal", adjustable="datalim")
    axes.margins(0.03)
