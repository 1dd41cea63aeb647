"""Surveys of a run as a panel, with scores worked out by hand."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from memopolis import Run, Settings, Society, load_run
from memopolis.agents.citizen import Citizen
from memopolis.errors import UnknownNameError
from memopolis.sim.mind.mind import Answer, Mind, Question
from memopolis.sim.survey.named import CES_D
from memopolis.sim.survey.survey import Item, Score, Survey

MOOD = Survey(
    "mood",
    (
        Item("glad", "Glad?", low=1, high=5, reversed=True),
        Item("low", "Low?", low=1, high=5),
        Item("side", "Which?", form="choice", options=("left", "right")),
        Item("why", "Why?", form="text"),
    ),
    scores=(Score("sum", cut_off=6), Score("glad_only", ("glad",))),
)


class ConstantMind(Mind):
    """Answers by the number of the agent: 1 for the first, 2 for the second, 3 for the third."""

    def answer(self, question: Question) -> Answer:
        row = question.cohort.rows.astype(np.float32)
        if question.form == "text":
            texts = question.cohort.population.memory.texts
            numbers = texts.intern_many([f"Because of {int(one)}." for one in row])
            return Answer(np.full(len(row), np.nan), text=numbers)
        if question.form == "choice":
            return Answer(row % 2)
        return Answer(np.where(row == 2, np.nan, row + 1))


class Three(Society[Settings]):
    """Three people."""

    def build(self, settings: Settings) -> None:
        self.populate(Citizen, settings.agents)
        self.mind = ConstantMind()
        self.survey("2026-01-01 05:00", MOOD)
        self.survey("2026-01-02 05:00", MOOD)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return load_run(Three(rng=1, agents=3, days=2).run(tmp_path_factory.mktemp("runs") / "three"))


def column(frame: pd.DataFrame, name: str, **where: Any) -> list[Any]:
    for key, value in where.items():
        frame = frame[frame[key] == value]
    return frame[name].tolist()


def test_each_answer_is_a_row(run: Run) -> None:
    panel = run.survey
    assert len(panel) == 2 * 3 * 4
    assert set(panel["time"].astype(str)) == {"2026-01-01 05:00:00", "2026-01-02 05:00:00"}
    assert column(panel, "value", tick=5, item="low") == pytest.approx([1, 2, np.nan], nan_ok=True)
    assert column(panel, "choice", tick=5, item="side") == ["left", "right", "left"]
    assert column(panel, "text", tick=29, item="why") == [f"Because of {n}." for n in range(3)]


def test_points_are_reversed_for_reversed_items_only(run: Run) -> None:
    panel = run.survey
    assert column(panel, "points", tick=5, item="glad")[:2] == [5, 4]  # 1 + 5 - 1, 1 + 5 - 2
    assert column(panel, "points", tick=5, item="low")[:2] == [1, 2]
    assert np.isnan(column(panel, "points", tick=5, item="side")).all()


def test_scores_add_up_the_points(run: Run) -> None:
    scores = run.survey_scores
    assert len(scores) == 2 * 3 * 2
    sums = column(scores, "value", tick=5, score="sum")
    assert sums == pytest.approx([6, 6, np.nan], nan_ok=True)  # 5 + 1, 4 + 2
    assert column(scores, "value", tick=29, score="glad_only")[:2] == [5, 4]


def test_a_case_is_a_score_at_or_above_the_cut_off(run: Run) -> None:
    scores = run.survey_scores
    assert column(scores, "case", tick=5, score="sum") == [True, True, pd.NA]
    assert scores.loc[scores["score"] == "glad_only", "case"].isna().all()


def test_survey_texts_are_not_texts_of_the_run(run: Run) -> None:
    if "texts" in run.tables:
        assert not run.texts.str.startswith("Because").any()


def test_the_cesd_of_calm_people_is_four(tmp_path: Path) -> None:
    class Calm(Three):
        def build(self, settings: Settings) -> None:
            self.populate(Citizen, settings.agents)
            self.survey("2026-01-01", replace(CES_D, disposition=0.0, noise=0.0))

    scores = load_run(Calm(rng=1, agents=2, days=1).run(tmp_path / "run")).survey_scores
    # All feelings are 5 and no need is low, so without tendency and error 16 items are 0; joy of 5
    # says 2, turned 1 each.
    assert scores["value"].tolist() == [4, 4]
    assert scores["case"].tolist() == [False, False]


def test_a_run_without_surveys_is_reported(tmp_path: Path) -> None:
    class Quiet(Society[Settings]):
        def build(self, settings: Settings) -> None:
            self.populate(Citizen, settings.agents)

    with pytest.raises(UnknownNameError, match="survey"):
        _ = load_run(Quiet(rng=1, agents=2, days=1).run(tmp_path / "run")).survey
