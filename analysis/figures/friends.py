"""Figures of friends by opinion, and of messages read by side of the author."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure
from numpy.typing import NDArray

from memopolis.analysis.figures.lines import days_of, in_order
from memopolis.analysis.figures.network_layout import Layout, layout_of
from memopolis.analysis.figures.opinions import opinions_of
from memopolis.analysis.figures.over_time import Panel, date_axes
from memopolis.analysis.figures.style import INK, PALE, canvas, look, percent
from memopolis.analysis.labels import a_step, words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from memopolis.analysis.run.run import Run

OPINIONS = LinearSegmentedColormap.from_list("opinions", ["#FDBB5B", "#B9A4A0", "#0A3F78"])
"""Colours of opinions from 0 to 10: from light orange to dark blue."""

_MARKERS = ("o", "^", "s", "D")
_BUREAU = "statistics_bureau"
_EI = {"ei_exposure": "messages read", "ei_follows": "follows", "ei_friends": "friends"}


def opinion_network(run: "Run", attitude: str = "gun_control") -> Figure:
    """Draw friends, coloured by their opinions at the start and at the end.

    Both panels show the same connected sample of people at the same positions.

    Args:
        run: A run that recorded `party`, the attitude, and ties.
        attitude: Key of the attitude.
    """
    layout = layout_of(run.ties())
    opinions = opinions_of(run, attitude)
    people = int(run.manifest["populations"]["citizen"])
    count = len(layout.agents)
    whom = f"{count} of {people:,} citizens" if count < people else "all citizens"
    figure, panels = canvas(
        f"Friends and opinions: {words(attitude).lower()}",
        f"{whom}; lines: friends; shape: party; colour: attitude from 0 to 10",
        columns=2,
        height=4.6,
    )
    for axes, tick in zip(panels, (opinions["tick"].min(), opinions["tick"].max()), strict=True):
        now = opinions[(opinions["tick"] == tick) & opinions["agent"].isin(layout.agents)]
        _draw(axes, layout, now)
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
    Panel(_ei(run, total), "E-I index", reference=0, limits=(-1.05, 1.05)).draw(index)
    date_axes(run, parts, index)
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


def _draw(axes: "Axes", layout: Layout, now: pd.DataFrame) -> None:
    ends = list(layout.places[layout.ties])
    axes.add_collection(LineCollection(ends, colors=PALE, linewidths=0.4, alpha=0.25, zorder=1))
    for party, marker in zip(in_order(list(now["party"].unique())), _MARKERS, strict=False):
        members = now[now["party"] == party]
        xy = layout.places[np.searchsorted(layout.agents, members["agent"])]
        axes.scatter(
            xy[:, 0],
            xy[:, 1],
            s=24,
            c=OPINIONS(members["opinion"].to_numpy() / 10),
            marker=marker,
            edgecolors="#444444",
            linewidths=0.4,
            label=party,
            zorder=2,
        )
    axes.set_axis_off()
    axes.set_aspect("equal", adjustable="datalim")
    axes.margins(0.03)
