"""Figures of wellbeing and the labour market."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from memopolis.analysis.compare.intervals import interval_rows
from memopolis.analysis.figures.economy import published
from memopolis.analysis.figures.lines import Panel, days_of, dotted_line
from memopolis.analysis.figures.over_time import date_axes, draw_over_time
from memopolis.analysis.figures.style import COLOURS, canvas
from memopolis.analysis.run.run import Run

CES_D = "ces_d"  # name of the depression survey
_CUT_OFF = 16


def wellbeing(run: Run) -> Figure:
    """Draw the depression score of the panel and life satisfaction over time.

    The score comes from the answers of the panel where they were recorded, with its interval over
    people; else from what the statistics bureau publishes.
    """
    figure, (sad, satisfied) = canvas(
        "Depression and life satisfaction",
        "Above: mean CES-D of the panel, 0 to 60 (a case from 16 on); below: mean life "
        "satisfaction, 0 to 10",
        rows=2,
        height=2.5,
    )
    _depression(sad, run)
    satisfaction = {"life satisfaction": published(run, "life_satisfaction")}
    Panel(satisfaction, "Life satisfaction, 0 to 10", zero=False).draw(satisfied)
    date_axes(run, sad, satisfied)
    return figure


def labour_market(run: Run) -> Figure:
    """Draw unemployment, vacancies and participation."""
    return draw_over_time(
        run,
        "Labour market",
        "Above: shares of the labour force; below: share of adults in the labour force",
        Panel({name: published(run, name) for name in ("unemployment", "vacancies")}, share=True),
        Panel({"participation": published(run, "participation")}, "Participation", share=True),
        height=2.5,
    )


def depression_of(run: Run) -> pd.DataFrame:
    """Return the mean CES-D of the panel with its interval over people: mean, low, high by time.

    There are no rows if no agent was asked.
    """
    scores = run.survey_scores if "survey" in run.tables else pd.DataFrame({"survey": []})
    asked = scores[scores["survey"] == CES_D]
    by_time = {time: own["value"] for time, own in asked.groupby("time")} if len(asked) else {}
    return interval_rows(by_time.values(), pd.DatetimeIndex(list(by_time)))


def _depression(axes: Axes, run: Run) -> None:
    asked = depression_of(run)
    if asked.empty:
        # Nothing is published before the first panel.
        score = published(run, "depression")
        Panel({"depression": score[score > 0]}).draw(axes)
    else:
        x, colour = days_of(asked.index), COLOURS[0]
        axes.vlines(x, asked["low"], asked["high"], color=colour, lw=1.2, alpha=0.6)
        axes.plot(x, asked["mean"], "o-", color=colour, ms=4, lw=1.6)
    low, high = axes.get_ylim()
    if high > _CUT_OFF * 0.8:
        dotted_line(axes, _CUT_OFF)
    axes.set_ylim(low, max(high, low + 1))
    axes.set_ylabel("CES-D, 0 to 60")
