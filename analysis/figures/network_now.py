"""Draw the social network at a moment: a connected sample, coloured by an attribute."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from memopolis.analysis.figures.lines import in_order
from memopolis.analysis.figures.place_now import date_of, people_now
from memopolis.analysis.figures.shades import column_in_words, limits, number_choices
from memopolis.analysis.figures.style import OPINIONS, PALE, canvas, readable
from memopolis.analysis.labels import lower_first, plural, short, words
from memopolis.analysis.run.run import Run
from memopolis.sim.world.ties import Network, Ties

MOST = 400  # maximum number of agents drawn, so that they stay distinguishable
_SEED = 1
_ROUNDS = 80
_MARKERS = ("o", "^", "s", "D", "v")
_GROUPS = 4
_BARS = 20
_DIFFERING = 0.5  # standard deviation of an attitude, from 0 to 10, that colours show


def has_network(run: Run) -> bool:
    """Return whether a run recorded ties."""
    return run.has("ties", "source", "target") and not run.ties().empty


@dataclass(frozen=True, eq=False)
class Layout:
    """A connected sample of agents with fixed positions."""

    agents: NDArray[np.int64]  # unique_id, ascending, shape (nodes,)
    places: NDArray[np.float64]  # shape (nodes, 2)
    ties: NDArray[np.intp]  # indices of both ends, each pair once, shape (ties, 2)


def layout_of(ties: pd.DataFrame) -> Layout:
    """Choose the drawn agents and their positions."""
    return _laid_out(*(ties[name].to_numpy(np.int64).tobytes() for name in ("source", "target")))


@lru_cache(maxsize=8)
def _laid_out(source: bytes, target: bytes) -> Layout:
    import networkx as nx

    ids, ends = np.unique(np.frombuffer(source + target, np.int64), return_inverse=True)
    network = Network(len(ids), *np.split(ends, 2))
    chosen = Ties(len(ids), {"tie": network}).connected_sample(MOST)
    number = np.full(len(ids), -1, np.intp)
    number[chosen] = np.arange(len(chosen))
    rows = number[np.repeat(np.arange(len(ids)), network.count(np.arange(len(ids))))]
    both = np.stack([rows, number[network.contacts]], axis=1)
    tied = both[(both.min(axis=1) >= 0) & (both[:, 0] < both[:, 1])]
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(len(chosen)))
    graph.add_edges_from(tied.tolist())
    distance = 2.2 / np.sqrt(max(len(chosen), 1))
    positions = nx.spring_layout(graph, k=distance, iterations=_ROUNDS, seed=_SEED)
    places = np.array([positions[node] for node in range(len(chosen))], np.float64)
    return Layout(ids[chosen], places.reshape(-1, 2), tied)


@dataclass(frozen=True, eq=False)
class NetworkNow:
    """A run's network at its moment."""

    run: Run
    column: str  # recorded numeric attribute used as colour, "" for none
    people: pd.DataFrame  # latest record of its first population
    layout: Layout  # the drawn agents and their positions

    @classmethod
    def of(cls, run: Run, colour: str = "") -> "NetworkNow":
        """Load the network of a run with ties; by default coloured by `first_colour`."""
        column = colour or first_colour(run)
        return cls(run, column, people_now(run), layout_of(run.ties()))

    @property
    def facts(self) -> dict[str, Any]:
        """Declaration of the colour attribute."""
        return self.run.attributes(self.run.first_population).get(self.column, {})

    @cached_property
    def amounts(self) -> NDArray[np.float64]:
        """Values of the colour attribute of all people, NaN if unknown, shape (people,)."""
        if self.column not in self.people:
            return np.full(len(self.people), np.nan)
        numbers = pd.to_numeric(self.people[self.column], errors="coerce")
        return np.asarray(numbers, np.float64)

    @cached_property
    def rows(self) -> NDArray[np.intp]:
        """Row in `people` of each node, -1 if the agent is absent, shape (nodes,)."""
        ids = self.people["agent"].to_numpy(np.int64)
        if not len(ids):
            return np.full(len(self.layout.agents), -1, np.intp)
        at = np.minimum(np.searchsorted(ids, self.layout.agents), len(ids) - 1)
        return np.where(ids[at] == self.layout.agents, at, -1)

    @cached_property
    def group(self) -> str:
        """Grouping attribute of the run's measures with few values, "" for none."""
        for measure in self.run.manifest["measures"]:
            column = str(measure["group"])
            if column in self.people and 1 < self.people[column].nunique() <= _GROUPS:
                return column
        return ""

    @cached_property
    def groups(self) -> tuple[list[str], NDArray[np.intp]]:
        """Names of the groups, and the number of each node's group, shape (nodes,).

        Nodes that belong to no group of the legend, or all if there are none, have the number
        after the last.
        """
        if not self.group:
            return [], np.zeros(len(self.rows), np.intp)
        named = self.people[self.group].astype(str).to_numpy(object)
        names = in_order(sorted(set(named)))
        number = {name: i for i, name in enumerate(names)}
        of = [
            number.get(str(named[row]), len(names)) if row >= 0 else len(names) for row in self.rows
        ]
        return names, np.array(of, np.intp)

    @property
    def called(self) -> str:
        """Label of the colour attribute."""
        return column_in_words(self.column) if self.column else "Ties"

    @property
    def counts(self) -> str:
        """Description of the sample in one line."""
        first = self.run.populations[0] if self.run.populations else "person"
        everybody = len(self.people) or int(self.run.manifest["populations"].get(first, 0))
        present = int((self.rows >= 0).sum()) if len(self.people) else len(self.layout.agents)
        kinds = ", ".join(sorted(self.run.ties()["kind"].unique()))
        phrases = (
            f"{present:,} of {everybody:,} {plural(first)}, lines: {len(self.layout.ties):,} ties"
        )
        phrases += f" ({kinds})" if kinds else ""
        phrases += f", shape: {lower_first(words(self.group))}" if self.group else ""
        return phrases if len(self.people) else f"{phrases}; no records yet"


def first_colour(run: Run) -> str:
    """Return the first attitude whose values differ, or that with the largest differences.

    Returns the first attribute if there is no attitude, "" if there is none.
    """
    choices, people = number_choices(run), people_now(run)
    attitudes = [name for name in choices if name.startswith("attitude.")]
    spread = {name: float(people[name].std()) for name in attitudes}
    differing = (name for name in attitudes if spread[name] >= _DIFFERING)
    most = max(attitudes, key=lambda name: spread[name], default=next(iter(choices), ""))
    return next(differing, most)


def opinion_network(run: Run, attitude: str = "gun_control") -> Figure:
    """Draw friends, coloured by their opinions at the start and at the end."""
    first = int(run.first_rows("citizen")["tick"].iloc[0])
    moments = [NetworkNow.of(one, f"attitude.{attitude}") for one in (run.until(first + 1), run)]
    title = f"Friends and opinions: {words(attitude).lower()}"
    figure = _figure(title, "attitude from 0 to 10", moments, Normalize(0, 10))
    for axes, now in zip(figure.axes, moments, strict=False):  # the last axes are the colours
        axes.set_title(f"end of {now.people['time'].iloc[0]:%d %b %Y}", size=10, loc="left")
    return figure


def network_figure(run: Run) -> Figure:
    """Draw the network of a run with ties at its moment, coloured by the first attitude."""
    now = NetworkNow.of(run)
    scale = Normalize(*limits(now.amounts, now.facts))
    return _figure(f"Network, {date_of(run)}", lower_first(now.called), [now], scale)


def network_in_words(run: Run, colour: str = "") -> str:
    """Describe `the network in words: date, sample, and distribution of the colour attribute."""
    now = NetworkNow.of(run, colour)
    phrases = [f"Network, {date_of(run)}: {now.counts}"]
    known = np.isfinite(now.amounts)
    if known.any():
        spread = f"from {short(now.amounts[known].min())} to {short(now.amounts[known].max())}"
        phrases.append(f"{now.called}: mean {short(now.amounts[known].mean())}, {spread}")
        if now.group:
            means = pd.Series(now.amounts).groupby(now.people[now.group].astype(str)).mean()
            phrases.append(", ".join(f"{name} {short(mean)}" for name, mean in means.items()))
    return ". ".join(phrases) + "."


def _figure(title: str, colour: str, moments: Sequence[NetworkNow], scale: Normalize) -> Figure:
    """Draw one or more moments of a network side by side; `colour` describes the colours."""
    subtitle = f"{moments[-1].counts}; colour: {colour}"
    figure, panels = canvas(title, subtitle, columns=len(moments), height=4.6)
    for axes, now in zip(panels, moments, strict=True):
        handles = _draw(axes, now, scale)
        axes.set_axis_off()
    figure.colorbar(ScalarMappable(scale, OPINIONS), ax=panels, shrink=0.6, pad=0.01)
    panels[0].legend(handles=handles, frameon=False, fontsize=8.5, loc="lower left")
    return figure


def _draw(axes: Axes, now: NetworkNow, scale: Normalize) -> list[Any]:
    layout, rows = now.layout, now.rows
    drawn = rows >= 0 if len(now.people) else np.ones(len(rows), bool)
    tied = layout.ties[drawn[layout.ties].all(axis=1)]
    segments = list(layout.places[tied])
    axes.add_collection(LineCollection(segments, colors=PALE, linewidths=0.5, alpha=0.35, zorder=1))
    values = np.full(len(rows), np.nan)
    values[rows >= 0] = now.amounts[rows[rows >= 0]]
    faces = np.where(
        np.isfinite(values)[:, None], OPINIONS(scale(np.nan_to_num(values))), (1, 1, 1, 1)
    )
    handles = []
    for marker, name, members in _by_group(now):
        shown = members & drawn
        if shown.any():
            x, y = layout.places[shown].T
            edge = {"edgecolors": "#444444", "linewidths": 0.5}
            axes.scatter(x, y, s=26, c=faces[shown], marker=marker, zorder=2, **edge)  # type: ignore[arg-type]
        if name:
            handles.append(_key(readable(f"{name}: {int(shown.sum())}"), marker, "#D8D8D8"))
    if drawn.any() and not np.isfinite(values[drawn]).all():
        handles.append(_key("unknown", "o", "white"))
    axes.set_aspect("equal", adjustable="datalim")
    axes.margins(0.03)
    return handles


def _key(label: str, marker: str, face: str) -> Line2D:
    """Return a dot for the legend."""
    return Line2D([], [], label=label, ls="", marker=marker, mfc=face, mec="#444444", ms=6)


def _by_group(now: NetworkNow) -> list[tuple[str, str, NDArray[np.bool_]]]:
    """Return marker, name and members of each group; one group if there are none."""
    names, number = now.groups
    parts = [(_MARKERS[1 + i], name, number == i) for i, name in enumerate(names)]
    rest = number == len(names)
    return [*parts, ("o", "", rest)] if rest.any() else parts
