"""Rest, company and satisfaction in a street, and the panel that asks of them."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.scenarios.ubi.street import Street, give, live, set_status, street, value

from memopolis.analysis.run.run import load_run
from memopolis.scenarios.ubi.blocks import publish
from memopolis.scenarios.ubi.blocks.publish import AskPanel, score_panel
from memopolis.scenarios.ubi.blocks.rate_life import RateLife
from memopolis.scenarios.ubi.household_settings import (
    MonthSettings,
    PanelSettings,
    WellbeingSettings,
)
from memopolis.sim.errors import ParameterError
from memopolis.sim.survey.asking import ask_survey
from memopolis.sim.survey.named import CES_D, LIFE_SATISFACTION, find_survey

ALIKE = WellbeingSettings(disposition=0.0, spread=0.0, setpoint=6.0)


def published(society: Street, name: str) -> float:
    return value(society, "statistics_bureau", name)


def town() -> Street:
    made = street()
    give(made, "citizen", RateLife(ALIKE, MonthSettings(needs=1.0)))
    return made


def test_needs_depend_on_work_strain_and_company() -> None:
    made = town()
    set_status(made, "citizen", hours=[30, 0, 0, 0, 0])
    set_status(made, "household", consumption=[60_000, 1, 1], deposit=[0, 900_000, 900_000])
    live(made, 2)
    status = made.citizens.cohort()
    tight = 1 - 60_000 / (12_490 / 12 * 100)
    assert status["energy"][0] == pytest.approx(0.85 - 0.25 / 2 - 0.3 * tight, abs=1e-5)
    assert status["energy"][1] == pytest.approx(0.85)
    # Alone with work; two others, with work and without; alone without.
    assert status["social"][[0, 1, 2, 4]].tolist() == pytest.approx([0.6, 0.8, 0.7, 0.5])
    assert status["energy"][3] == np.float32(0.9), "children are not asked"


def test_an_income_gain_raises_satisfaction_and_mostly_fades() -> None:
    made = town()
    live(made)
    before = value(made, "citizen", "life_satisfaction")
    set_status(made, "household", disposable=[500_000, 400_000, 300_000])
    live(made)
    just = value(made, "citizen", "life_satisfaction")
    live(made, 60)
    after = value(made, "citizen", "life_satisfaction")
    assert just - before == pytest.approx(0.5 * np.log(2), abs=1e-4)
    assert after - before == pytest.approx(0.2 * np.log(2), abs=2e-3)


def test_unemployment_lowers_satisfaction_beyond_income() -> None:
    made = town()
    live(made)
    working, seeking = (value(made, "citizen", "life_satisfaction", row) for row in (1, 2))
    assert working - seeking == pytest.approx(0.7, abs=1e-5)


def test_individual_differences_are_permanent() -> None:
    made = street()
    give(made, "citizen", RateLife())
    live(made)
    first = made.citizens.cohort()["life_satisfaction"].copy()
    live(made)
    np.testing.assert_allclose(made.citizens.cohort()["life_satisfaction"], first)
    assert len(set(first[[0, 4]].tolist())) == 2


def test_published_panel_scores_equal_the_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publish, "CES_D", replace(CES_D, disposition=0.0, noise=0.0))
    made = street()
    give(made, "statistics_bureau", AskPanel(PanelSettings(every=3)))
    set_status(made, "citizen", emotion__sadness=[10, 5, 5, 5, 5], emotion__fear=[10, 5, 5, 5, 5])
    live(made)
    # At rest each of the four good items counts 1. The first one: six sad and three fearful
    # items count 3 more each, 27 in all.
    assert published(made, "depression") == pytest.approx((4 + 27 + 3 * 4) / 4)
    assert published(made, "cases") == 0.25
    set_status(made, "citizen", emotion__sadness=[5] * 5, emotion__fear=[5] * 5)
    live(made, 2)
    assert published(made, "cases") == 0.25, "until the next panel the last one stands"
    live(made)
    assert (published(made, "cases"), published(made, "depression")) == (0, 4)


def test_the_panel_changes_nothing_and_its_answers_are_recorded(tmp_path: Path) -> None:
    made = street(days=120)
    give(made, "citizen", RateLife())
    give(made, "statistics_bureau", AskPanel())
    other = street(days=120)
    give(other, "citizen", RateLife())
    run = load_run(made.run(tmp_path / "one"))
    live(other, 4)
    for name in made.citizens.attributes:
        np.testing.assert_array_equal(made.citizens[name], other.citizens[name], name)
    answers = run.table("survey")
    assert sorted(set(answers["tick"])) == [0, 3]
    assert set(answers["survey"].astype(str)) == {"ces_d", "life_satisfaction"}
    assert len(answers) == 2 * 4 * 21
    scores = run.survey_scores
    last = scores[scores["tick"] == 3]["value"]
    assert last.mean() == pytest.approx(published(made, "depression"))


def test_a_panel_has_about_its_size() -> None:
    made = street()
    block = AskPanel(PanelSettings(size=2))
    give(made, "statistics_bureau", block)
    assert block._compute_share() == 0.5


def test_a_survey_cannot_be_redefined() -> None:
    made = street(survey={"ask": "ces_d"})
    with pytest.raises(ParameterError, match=r"survey\.ask names ces_d.*panel\.every"):
        give(made, "statistics_bureau", AskPanel())


def test_without_respondents_there_is_no_score() -> None:
    assert score_panel([]) == (0.0, 0.0)


def test_satisfaction_is_rounded_to_whole_points() -> None:
    made = street()
    made.citizens.cohort()["life_satisfaction"] = np.array([7.4, 7.6, 0, 5, 10])
    (answers,) = ask_survey(made, LIFE_SATISFACTION)
    assert answers.value.tolist() == [7, 8, 0, 10]
    assert find_survey("life_satisfaction") is LIFE_SATISFACTION
    assert find_survey("ces_d") is CES_D
