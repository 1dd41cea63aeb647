"""Surveys of a run as a panel: a row an answer, and the scores of everyone each time."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from memopolis.sim.survey.score import Score, points, total
from memopolis.sim.survey.survey import Survey

if TYPE_CHECKING:
    from memopolis.analysis.load import Run

WHO = ["tick", "time", "survey", "population", "agent"]
"""Columns that say whose answers they are, and when."""


def panel_of(run: "Run", answers: pd.DataFrame) -> pd.DataFrame:
    """Add the points to the answers of a run.

    Args:
        run: Whose manifest says how items are scored.
        answers: The table `survey` with its times.

    Returns:
        A row an answer: when, who, item, value (rating or number of the choice), choice, text,
        points (the rating, turned round where the item is reversed; NaN for other forms),
        reason, evidence (ids of memories), mind.
    """
    panel = answers.copy()
    items = pd.DataFrame(
        [
            {"survey": survey.name, **item.to_dict()}
            for survey in surveys_of(run)
            for item in survey.items
        ]
    ).set_index(["survey", "name"])
    keys = pd.MultiIndex.from_arrays([panel["survey"].astype(str), panel["item"].astype(str)])
    asked = items.reindex(keys)
    low, high = (asked[name].to_numpy(np.float64) for name in ("low", "high"))
    turned = asked["reversed"].to_numpy(np.bool_)
    given = points(panel["value"].to_numpy(np.float64), low, high, turned)
    rated = (asked["form"] == "rating").to_numpy()
    panel.insert(list(panel).index("text") + 1, "points", np.where(rated, given, np.nan))
    panel["evidence"] = [ids.tolist() for ids in panel["evidence"]]
    return panel


def scores_of(run: "Run", panel: pd.DataFrame) -> pd.DataFrame:
    """Score everyone each time they were asked.

    Args:
        run: Whose manifest says what is scored.
        panel: As `panel_of` gives it.

    Returns:
        A row a score: when, who, score, value (NaN where an answer is missing) and case
        (whether it reaches the cut-off; missing where there is none or no value).
    """
    parts = [_scored(panel, survey, score) for survey in surveys_of(run) for score in survey.scores]
    empty = pd.DataFrame(columns=[*WHO, "score", "value", "case"])
    return pd.concat(parts, ignore_index=True) if parts else empty


def surveys_of(run: "Run") -> list[Survey]:
    """The surveys of a run, as its manifest describes them."""
    return [Survey.from_dict(values) for values in run.manifest.get("surveys", ())]


def _scored(panel: pd.DataFrame, survey: Survey, score: Score) -> pd.DataFrame:
    names = [item.name for item in survey.counted(score)]
    rows = panel[(panel["survey"] == survey.name) & panel["item"].isin(names)]
    rows = rows.astype({"item": str, "survey": str, "population": str})
    wide = rows.pivot(index=WHO, columns="item", values="points")  # noqa: PD010 - keeps NaN
    values = total(wide[names].to_numpy(np.float64))
    scored = wide.index.to_frame(index=False).assign(score=score.name, value=values)
    missing = np.isnan(values)
    reached = values >= (np.inf if score.cut_off is None else score.cut_off)
    scored["case"] = pd.array(np.where(missing, False, reached), "boolean")  # noqa: FBT003
    scored.loc[missing | (score.cut_off is None), "case"] = pd.NA
    return scored
