"""Turn the survey answers of a run into a panel, and score them."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from memopolis.sim.survey.survey import Score, Survey, points, total

_ANSWERED = ["tick", "time", "survey", "population", "agent"]

type Declared = Sequence[Mapping[str, Any]]
"""Surveys as the manifest of a run declares them."""


def add_points(answers: pd.DataFrame, declared: Declared) -> pd.DataFrame:
    """Add the points to the answers of a run, the table `survey` with its times.

    The column points is the rating, reversed where the item is reversed, and NaN for other forms;
    evidence becomes lists of ids of memories.
    """
    panel = answers.copy()
    items = pd.DataFrame(
        [
            {"survey": survey.name, **item.to_dict()}
            for survey in _surveys(declared)
            for item in survey.items
        ]
    ).set_index(["survey", "name"])
    keys = pd.MultiIndex.from_arrays([panel["survey"].astype(str), panel["item"].astype(str)])
    asked = items.reindex(keys)
    low, high = (asked[name].to_numpy(np.float64) for name in ("low", "high"))
    is_reversed = asked["reversed"].to_numpy(np.bool_)
    rated = points(panel["value"].to_numpy(np.float64), low, high, is_reversed)
    is_rating = (asked["form"] == "rating").to_numpy()
    panel.insert(list(panel).index("text") + 1, "points", np.where(is_rating, rated, np.nan))
    panel["evidence"] = [ids.tolist() for ids in panel["evidence"]]
    return panel


def score_answers(panel: pd.DataFrame, declared: Declared) -> pd.DataFrame:
    """Score each agent each time it was asked, from answers with their points.

    A row per score: time, agent, score, value (NaN where an answer is missing) and case (whether
    it reaches the cut-off; missing if there is none or no value).
    """
    surveys = _surveys(declared)
    parts = [_scored(panel, survey, score) for survey in surveys for score in survey.scores]
    empty = pd.DataFrame(columns=[*_ANSWERED, "score", "value", "case"])
    return pd.concat(parts, ignore_index=True) if parts else empty


def _surveys(declared: Declared) -> list[Survey]:
    return [Survey.from_dict(dict(values)) for values in declared]


def _scored(panel: pd.DataFrame, survey: Survey, score: Score) -> pd.DataFrame:
    names = [item.name for item in survey.counted(score)]
    rows = panel[(panel["survey"] == survey.name) & panel["item"].isin(names)]
    rows = rows.astype({"item": str, "survey": str, "population": str})
    wide = rows.pivot(index=_ANSWERED, columns="item", values="points")  # noqa: PD010 - keeps NaN
    values = total(wide[names].to_numpy(np.float64))
    scored = wide.index.to_frame(index=False).assign(score=score.name, value=values)
    missing = np.isnan(values)
    reached = values >= (np.inf if score.cut_off is None else score.cut_off)
    scored["case"] = pd.array(np.where(missing, False, reached), "boolean")  # noqa: FBT003
    scored.loc[missing | (score.cut_off is None), "case"] = pd.NA
    return scored
