"""Figures of opinions: their paths, their distributions by party, and friends coloured by them."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter
from numpy.typing import NDArray

from memopolis.analysis.plots.lines import in_order, looks_of
from memopolis.analysis.plots.style import canvas, label_ends
from memopolis.analysis.plots.times import days_of, mark_dates, span, time_axis
from memopolis.analysis.wording import a_step, words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from memopolis.analysis.load import Run

_PATHS = 60
"""Citizens of each party whose paths are drawn."""
_BINS = np.linspace(0, 10, 21)
_SPREAD = (0.1, 0.25, 0.5, 0.75, 0.9)


def opinion_paths(run: "Run", attitude: str = "gun_control") -> Figure:
    """Paths of some citizens' opinions, coloured by party, and the mean of each party.

    Args:
        run: A run that recorded `party` and the attitude of its citizens.
        attitude: Key of the attitude.
    """
    opinions = opinions_of(run, attitude)
    parties = in_order(list(opinions["party"].unique()))
    looks = looks_of(parties)
    figure, (axes,) = canvas(
        f"Opinions over time: {words(attitude).lower()}",
        f"attitude from 0 to 10; thin: {_PATHS} citizens of each party; thick: mean of the party",
        height=4.2,
    )
    ends = []
    for party, look in looks.items():
        wide = opinions[opinions["party"] == party].pivot(  # noqa: PD010 - keeps NaN
            index="time", columns="agent", values="opinion"
        )
        x, some = days_of(wide.index), wide.to_numpy()[:, _spread_over(wide.shape[1], _PATHS)]
        ways = [np.column_stack([x, path]) for path in some.T]
        axes.add_collection(LineCollection(ways, colors=look.colour, lw=0.6, alpha=0.3))
        mean = wide.mean(axis=1)
        axes.plot(x, mean, color="white", lw=4.5)
        axes.plot(x, mean, **look.line(width=2.6))
        ends.append((float(mean.iloc[-1]), party, look))
    _scale(axes)
    label_ends(axes, ends)
    time_axis(axes, *span(run))
    mark_dates(axes, run)
    return figure


def opinion_distributions(run: "Run", attitude: str = "gun_control") -> Figure:
    """Opinions by party at the start, in the middle and at the end.

    Args:
        run: A run that recorded `party` and the attitude of its citizens.
        attitude: Key of the attitude.
    """
    opinions = opinions_of(run, attitude)
    parties = in_order(list(opinions["party"].unique()))
    ticks = np.sort(opinions["tick"].unique())
    chosen = dict.fromkeys((int(ticks[0]), int(ticks[len(ticks) // 2]), int(ticks[-1])))
    figure, panels = canvas(
        f"Opinions by party: {words(attitude).lower()}",
        "share of each party's citizens by attitude, from 0 to 10; triangle: the party's mean",
        columns=len(chosen),
        height=3.2,
    )
    for axes, tick in zip(panels, chosen, strict=True):
        now = opinions[opinions["tick"] == tick]
        _histograms(axes, now, parties)
        axes.set_title(f"end of {now['time'].iloc[0]:%d %b %Y}", size=10, loc="left", pad=14)
        axes.set_xlabel(f"attitude to {words(attitude).lower()}")
    panels[0].yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    panels[0].set_ylim(0, 1.05 * max(axes.dataLim.y1 for axes in panels))
    names, labels = panels[0].get_legend_handles_labels()
    figure.legend(names, labels, frameon=False, ncols=len(labels), loc="outside lower center")
    return figure


def distributions_by_arm(
    runs_by_arm: "Mapping[str, Sequence[Run]]", attitude: str = "gun_control"
) -> Figure:
    """How opinions are spread over time in each arm, by party, over all seeds together.

    Args:
        runs_by_arm: Runs of each arm, which recorded `party` and the attitude.
        attitude: Key of the attitude.
    """
    columns = min(3, len(runs_by_arm))
    rows = -(-len(runs_by_arm) // columns)
    figure, panels = canvas(
        f"Opinions by arm: {words(attitude).lower()}",
        "attitude from 0 to 10 by party; bands hold the middle half and the middle four fifths of "
        "citizens, lines are medians",
        rows=rows,
        columns=columns,
        height=3.1,
    )
    for axes, (arm, runs) in zip(panels, runs_by_arm.items(), strict=False):
        frame = pd.concat([opinions_of(run, attitude) for run in runs])
        _bands(axes, frame)
        axes.set_title(arm, size=10, loc="left", weight="bold")
        time_axis(axes, *span(runs[0]))
        every = max(1, -(-len(axes.get_xticks()) // 4))
        axes.set_xticks(axes.get_xticks()[::every])
    for axes in panels[len(runs_by_arm) :]:
        axes.set_visible(False)
    panels[0].set_ylabel(f"at the end of {a_step(next(iter(runs_by_arm.values()))[0].hours)}")
    return figure


def opinions_of(run: "Run", attitude: str) -> pd.DataFrame:
    """Opinions of everyone at each recorded time: tick, time, agent, party, opinion.

    Raises:
        UnknownNameError: If the run did not record them.
    """
    name = f"attitude.{attitude}"
    frame = run.columns("citizen", "party", name).rename(columns={name: "opinion"})
    return frame.astype({"party": str})


def _spread_over(many: int, few: int) -> NDArray[np.intp]:
    """Numbers of at most `few` of `many`, evenly spread: the same ones in every figure."""
    return np.unique(np.linspace(0, many - 1, min(many, few)).astype(np.intp))


def _scale(axes: "Axes") -> None:
    axes.set_ylim(-0.2, 10.2)
    axes.set_yticks(range(0, 11, 2))


def _histograms(axes: "Axes", now: pd.DataFrame, parties: "Sequence[str]") -> None:
    for party, look in looks_of(list(parties)).items():
        held = now.loc[now["party"] == party, "opinion"].dropna().to_numpy()
        share = np.histogram(held, _BINS)[0] / max(len(held), 1)
        colour = look.colour
        axes.stairs(share, _BINS, color=colour, alpha=0.16, fill=True)
        axes.stairs(share, _BINS, color=colour, lw=1.8, ls=look.dash, label=party)
        if len(held):
            mean = float(held.mean())
            above = axes.get_xaxis_transform()
            axes.scatter(mean, 1.04, marker="v", color=colour, clip_on=False, transform=above)
    axes.set_xlim(0, 10)


def _bands(axes: "Axes", frame: pd.DataFrame) -> None:
    parties = in_order(list(frame["party"].unique()))
    ends = []
    for party, look in looks_of(parties).items():
        held = frame[frame["party"] == party].groupby("time")["opinion"]
        spread = {share: held.quantile(share) for share in _SPREAD}
        x = days_of(spread[0.5].index)
        for low, high in ((0.1, 0.9), (0.25, 0.75)):
            axes.fill_between(x, spread[low], spread[high], color=look.colour, alpha=0.14, lw=0)
        axes.plot(x, spread[0.5], **look.line())
        ends.append((float(spread[0.5].iloc[-1]), party[:3], look))
    _scale(axes)
    label_ends(axes, ends)
