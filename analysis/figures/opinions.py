"""Figures of opinions over time and by party, and of the messages that people read."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from memopolis.analysis.figures.lines import Panel, days_of, in_order, label_ends, looks_of, stack
from memopolis.analysis.figures.over_time import date_axes, span, time_axis
from memopolis.analysis.figures.style import INK, canvas, grid, percent
from memopolis.analysis.labels import words
from memopolis.analysis.run.run import Run

_PATHS = 60  # number of citizens per party whose opinions are drawn
_ARMS = 3  # maximum number of arms side by side
_BINS = np.linspace(0, 10, 21)
_BUREAU = "statistics_bureau"
_EI = {"ei_exposure": "messages read", "ei_follows": "follows", "ei_friends": "friends"}


def opinion_paths(run: Run, attitude: str = "gun_control") -> Figure:
    """Draw the opinions of a sample of citizens over time, and the mean of each party."""
    opinions = opinions_of(run, attitude)
    parties = in_order(list(opinions["party"].unique()))
    looks = looks_of(parties)
    figure, (axes,) = canvas(
        f"Opinions over time: {words(attitude).lower()}",
        f"Attitude from 0 to 10; thin: {_PATHS} citizens of each party; thick: mean of the party",
        height=4.2,
    )
    ends = []
    for party, style in looks.items():
        wide = opinions[opinions["party"] == party].pivot(  # noqa: PD010 - keeps NaN
            index="time", columns="agent", values="opinion"
        )
        chosen = np.linspace(0, wide.shape[1] - 1, min(wide.shape[1], _PATHS))
        x, some = days_of(wide.index), wide.to_numpy()[:, np.unique(chosen.astype(np.intp))]
        ways = [np.column_stack([x, path]) for path in some.T]
        axes.add_collection(LineCollection(ways, colors=style.colour, lw=0.6, alpha=0.3))
        mean = wide.mean(axis=1)
        axes.plot(x, mean, color="white", lw=4.5)
        axes.plot(x, mean, **style.line(width=2.6))
        ends.append((float(mean.iloc[-1]), party, style))
    _scale(axes)
    label_ends(axes, ends)
    date_axes(run, axes)
    return figure


def opinion_distributions(run: Run, attitude: str = "gun_control") -> Figure:
    """Draw opinions by party at the start, in the middle and at the end."""
    opinions = opinions_of(run, attitude)
    parties = in_order(list(opinions["party"].unique()))
    ticks = np.sort(opinions["tick"].unique())
    chosen = dict.fromkeys((int(ticks[0]), int(ticks[len(ticks) // 2]), int(ticks[-1])))
    figure, panels = canvas(
        f"Opinions by party: {words(attitude).lower()}",
        "Share of each party's citizens by attitude, from 0 to 10; triangle: the party's mean",
        columns=len(chosen),
        height=3.2,
    )
    for axes, tick in zip(panels, chosen, strict=True):
        now = opinions[opinions["tick"] == tick]
        _histograms(axes, now, parties)
        axes.set_title(f"end of {now['time'].iloc[0]:%d %b %Y}", size=10, loc="left", pad=14)
        axes.set_xlabel(f"Attitude to {words(attitude).lower()}, 0 to 10")
    panels[0].yaxis.set_major_formatter(percent)
    panels[0].set_ylim(0, 1.05 * max(axes.dataLim.y1 for axes in panels))
    _name_below(figure, panels[0])
    return figure


def distributions_by_arm(
    runs_by_arm: Mapping[str, Sequence[Run]], attitude: str = "gun_control"
) -> Figure:
    """Draw the distribution of opinions over time by arm and party, pooled over seeds."""
    many = max(len(runs) for runs in runs_by_arm.values())
    figure, panels = grid(
        f"Opinions by arm: {words(attitude).lower()}",
        "Thick: median of each party's citizens; band: interquartile range; "
        f"{many} {'seeds pooled' if many > 1 else 'seed'}",
        panels=len(runs_by_arm),
        columns=_ARMS,
        height=3.3,
    )
    engine = figure.get_layout_engine()
    if isinstance(engine, ConstrainedLayoutEngine):
        engine.set(w_pad=0.12)  # keep dates of neighbouring panels apart
    for axes, (arm, runs) in zip(panels, runs_by_arm.items(), strict=True):
        _bands(axes, pd.concat([opinions_of(run, attitude) for run in runs]))
        axes.set_title(arm, size=10, loc="left", weight="bold")
        time_axis(axes, *span(runs[0]), most=4)
    for axes in panels[::_ARMS]:
        axes.set_ylabel("Attitude, 0 to 10")
    _name_below(figure, panels[0])
    return figure


def exposure(run: Run) -> Figure:
    """Draw the messages read over time by side of the author, and their E-I index.

    Source: E-I index (ties across sides minus ties within, divided by both): Krackhardt and Stern
    1988, doi:10.2307/2786835.
    """
    seen = run.agents_of("citizen", "read", "read_like", "read_cross").groupby("time")
    total = seen[["read", "read_like", "read_cross"]].sum().astype(np.float64)
    figure, (parts, index) = canvas(
        "Messages read in the feed",
        "Above: shares of messages by the author's side; below: E-I index, from -1 (own side "
        "only) to 1 (other side only)",
        rows=2,
        height=2.5,
    )
    neutral = total["read"] - total["read_like"] - total["read_cross"]
    sides = {
        "like-minded": total["read_like"],
        "other side": total["read_cross"],
        "neither": neutral,
    }
    read = total["read"].replace(0, np.nan)
    stack(parts, {name: side / read for name, side in sides.items()}, high=1)
    parts.yaxis.set_major_formatter(percent)
    parts.set_ylabel("Share of messages")
    Panel(_ei(run, total), "E-I index", reference=0, limits=(-1.05, 1.05)).draw(index)
    date_axes(run, parts, index)
    return figure


def opinions_of(run: Run, attitude: str) -> pd.DataFrame:
    """Return all recorded opinions: tick, time, agent, party, opinion.

    Raises UnknownNameError if the run did not record them.
    """
    name = f"attitude.{attitude}"
    frame = run.agents_of("citizen", "party", name).rename(columns={name: "opinion"})
    return frame.astype({"party": str})


def _scale(axes: Axes) -> None:
    axes.set_ylim(-0.2, 10.2)
    axes.set_yticks(range(0, 11, 2))


def _histograms(axes: Axes, now: pd.DataFrame, parties: Sequence[str]) -> None:
    for party, style in looks_of(list(parties)).items():
        held = now.loc[now["party"] == party, "opinion"].dropna().to_numpy()
        share = np.histogram(held, _BINS)[0] / max(len(held), 1)
        colour = style.colour
        axes.stairs(share, _BINS, color=colour, alpha=0.16, fill=True)
        axes.stairs(share, _BINS, color=colour, lw=1.8, ls=style.dash, label=party)
        if len(held):
            mean = float(held.mean())
            above = axes.get_xaxis_transform()
            axes.scatter(mean, 1.04, marker="v", color=colour, clip_on=False, transform=above)
    axes.set_xlim(0, 10)


def _bands(axes: Axes, frame: pd.DataFrame) -> None:
    parties = in_order(list(frame["party"].unique()))
    for party, style in looks_of(parties).items():
        held = frame[frame["party"] == party].groupby("time")["opinion"]
        low, middle, high = (held.quantile(share) for share in (0.25, 0.5, 0.75))
        x = days_of(middle.index)
        axes.plot(x, middle, label=party, **style.line())
        axes.fill_between(x, low, high, color=style.colour, alpha=0.16, lw=0)
        # Bands overlap, so edges distinguish them even in greyscale.
        for edge in (low, high):
            axes.plot(x, edge, **style.line(width=0.8))
    _scale(axes)


def _name_below(figure: Figure, axes: Axes) -> None:
    """Add one legend for all panels, below them."""
    names, labels = axes.get_legend_handles_labels()
    figure.legend(
        names, labels, frameon=False, ncols=len(labels), loc="outside lower center", labelcolor=INK
    )


def _ei(run: Run, total: pd.DataFrame) -> dict[str, pd.Series]:
    names = [name for name in _EI if run.has(f"agents_{_BUREAU}", name)]
    if names:
        figures = run.agents_of(_BUREAU, *names).set_index("time")
        return {_EI[name]: figures[name].astype(np.float64) for name in names}
    both = (total["read_cross"] + total["read_like"]).replace(0, np.nan)
    return {_EI["ei_exposure"]: (total["read_cross"] - total["read_like"]) / both}
