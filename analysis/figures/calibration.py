"""Figures of a calibration: marginals, pairs, predictive checks and coverage."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from memopolis.analysis.calibration.report import Calibration
from memopolis.analysis.figures.style import COLOURS, GREY, INK, PALE, canvas

_COLUMNS = 3
_BINS = 24
_PRIOR, _POSTERIOR = GREY, COLOURS[0]
_DEFAULT = COLOURS[1]
_MOST_PAIRS = 6  # maximum number of parameters in the figure of pairs


def calibration_figures(result: Calibration) -> dict[str, Figure]:
    """Draw all figures of a calibration, by file name without its ending."""
    figures = {"marginals": _marginals(result)}
    if len(result.design.names) > 1:
        figures["pairs"] = _pairs(result)
    if len(result.predictions):
        figures["predictive"] = _predictive(result)
    if result.coverage is not None:
        figures["coverage"] = _coverage(result.coverage)
    return figures


def _marginals(result: Calibration) -> Figure:
    names = result.design.names
    figure, panels = canvas(
        "Prior and posterior of each parameter",
        "Grey: prior. Blue: posterior, with its median and 95% interval. Orange: default value",
        rows=-(-len(names) // _COLUMNS),
        columns=min(_COLUMNS, len(names)),
        height=2.3,
        shared=False,
    )
    rows = result.summary.to_dict("records")
    for axes, prior, row in zip(panels, result.design.priors, rows, strict=False):
        drawn = prior.value(np.linspace(-2.6, 2.6, 400))
        ends = (drawn[0], drawn[-1])
        known = result.draws[prior.name].to_numpy(np.float64)
        edges = np.linspace(*ends, _BINS + 1)
        axes.hist(known, edges.tolist(), density=True, color=_POSTERIOR, alpha=0.55)
        values = np.linspace(*ends, 300)
        axes.plot(values, prior.density(values), color=_PRIOR, lw=1.6)
        height = axes.get_ylim()[1]
        axes.hlines(-0.04 * height, row["low95"], row["high95"], color=_POSTERIOR, lw=3)
        axes.plot([row["median"]], [-0.04 * height], "o", color=_POSTERIOR, mec="white", ms=6)
        axes.axvline(float(row["default"]), color=_DEFAULT, lw=1.6, ls=(0, (4, 2)))
        axes.set_xlim(*ends)
        axes.set_yticks([])
        axes.set_xlabel(prior.name)
    for axes in panels[len(names) :]:
        axes.set_visible(False)
    return figure


def _pairs(result: Calibration) -> Figure:
    names = result.design.names[:_MOST_PAIRS]
    count = len(names) - 1
    figure, panels = canvas(
        "Posterior of pairs of parameters",
        "Draws of the posterior; orange: default values; r: correlation",
        rows=count,
        columns=count,
        height=1.8,
        shared=False,
    )
    defaults = dict(zip(result.summary["parameter"], result.summary["default"], strict=True))
    for number, axes in enumerate(panels):
        row, column = divmod(number, count)
        if column > row:
            axes.set_visible(False)
            continue
        x, y = names[column], names[row + 1]
        axes.scatter(result.draws[x], result.draws[y], s=4, color=_POSTERIOR, alpha=0.25, lw=0)
        axes.plot(defaults[x], defaults[y], "D", color=_DEFAULT, ms=5)
        r = float(np.corrcoef(result.draws[x], result.draws[y])[0, 1])
        axes.set_title(f"r = {r:.2f}", size=9, loc="left", color=INK)
        axes.tick_params(labelsize=8)
        if row == count - 1:
            axes.set_xlabel(x, size=9)
        if column == 0:
            axes.set_ylabel(y, size=9)
    return figure


def _predictive(result: Calibration) -> Figure:
    checks = result.predictive_checks()
    figure, panels = canvas(
        "Predictive checks",
        "Blue: simulations with parameters from the posterior, 95% interval. Grey: prior. Orange: "
        "observed, with two standard deviations",
        rows=len(checks),
        height=0.95,
        shared=False,
    )
    first = result.simulations[result.simulations["generation"] == 0]
    for axes, row in zip(panels, checks.to_dict("records"), strict=True):
        prior = first[row["name"]].to_numpy(np.float64)
        prior = prior[np.isfinite(prior)]
        if len(prior):
            axes.hlines(0, *np.quantile(prior, [0.025, 0.975]), color=PALE, lw=3)
        axes.hlines(1, row["low95"], row["high95"], color=_POSTERIOR, lw=3)
        axes.plot([row["mean"]], [1], "o", color=_POSTERIOR, mec="white", ms=7)
        if np.isfinite(row["observed"]):
            half = 2 * row["error"]
            axes.errorbar([row["observed"]], [2], xerr=half, fmt="D", color=_DEFAULT, lw=2, ms=5)
        axes.set_ylim(-0.6, 2.6)
        axes.set_yticks([])
        axes.set_title(f"{row['name']} ({row['use']})", size=9.5, loc="left")
    return figure


def _coverage(coverage: pd.DataFrame) -> Figure:
    names = list(dict.fromkeys(coverage["parameter"]))
    figure, panels = canvas(
        "Coverage of intervals on simulated data",
        f"Share of {coverage['datasets'].iloc[0]} data sets whose interval contains the true "
        "parameter, with 95% binomial intervals; dashed: the level",
        columns=coverage["level"].nunique(),
        height=max(2.0, 0.4 * len(names)),
    )
    for axes, (level, own) in zip(panels, coverage.groupby("level"), strict=True):
        _draw_coverage(axes, float(str(level)), own)
        axes.set_yticks(range(len(names)), names)
    return figure


def _draw_coverage(axes: Axes, level: float, own: pd.DataFrame) -> None:
    at = np.arange(len(own))
    axes.axvline(level, color=PALE, ls=(0, (4, 3)))
    axes.hlines(at, own["low"], own["high"], color=_POSTERIOR, lw=2)
    axes.plot(own["coverage"], at, "o", color=_POSTERIOR, mec="white", ms=6)
    axes.set_ylim(-0.6, len(own) - 0.4)
    axes.set_xlabel(f"Coverage of {level:.0%} intervals")
