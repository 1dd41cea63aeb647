"""Outlets, persuaders and the statistics bureau decide by remembered response."""

from typing import Any

import numpy as np
import pytest

from memopolis.scenarios.polarization.blocks.choose_subject import (
    PERSUADED,
    READ,
    rate_subject,
    response_texts,
)
from memopolis.scenarios.polarization.blocks.report_figures import HEADLINES, choose_headline
from memopolis.scenarios.polarization.scenario import Polarization
from memopolis.scenarios.polarization.subjects import GUNS
from memopolis.sim.mind.mind import Question


def question(**known: Any) -> Question:
    return Question("test", None, "rating", rate_subject, known=known)  # type: ignore[arg-type]


def subject(gun_laws: float, checks: float, outlook: float = 5.0, **options: float) -> float:
    asked = question(response=np.array([[gun_laws, checks]]), outlook=np.array([outlook]))
    weights = {"usual": 0.25, "weight": 1.0} | options
    answer = rate_subject(asked, names=GUNS.names, **weights)
    return float(answer.value[0])


def test_the_better_received_subject_gets_more_room() -> None:
    assert subject(0, 0) == pytest.approx(0.25)
    assert subject(0, 0.5) > 0.25 > subject(0.5, 0)
    assert subject(0, 0.5, weight=0.0) == pytest.approx(0.25)


def test_a_poor_outlook_makes_for_larger_changes() -> None:
    assert subject(0, 0.5, outlook=2.0) > subject(0, 0.5) > subject(0, 0.5, outlook=8.0) > 0.25
    assert subject(0, 0, outlook=2.0) == pytest.approx(0.25)


@pytest.mark.parametrize("usual", [0.0, 1.0])
def test_a_subject_that_is_never_or_always_chosen_stays(usual: float) -> None:
    assert subject(-1, 1, usual=usual) == usual


def test_the_most_unusual_figure_becomes_news() -> None:
    change = np.array([[0.5, -0.9, 0.0], [0.1, 0.1, 0.1], [0.5, -0.9, 0.0]])
    usual = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.8, 0.0]])
    headline = choose_headline(question(change=change, usual=usual)).value.astype(int)
    assert [HEADLINES[one] for one in headline] == ["party_gap", "none", "support"]


def test_texts_name_the_subject() -> None:
    for patterns in (READ, PERSUADED):
        texts = response_texts(patterns, GUNS.names)
        assert len(set(texts)) == 6
        assert all("gun laws" in text for text in texts[:3])


@pytest.mark.parametrize("arm", ["control", "echo"])
def test_institutions_remember_decide_and_think(arm: str) -> None:
    society = Polarization(agents=60, days=5, rng=1, arm=arm)
    society.run_for(5 * 24)
    named = ["outlet", "statistics_bureau", *(["persuader"] if arm == "echo" else [])]
    for name in named:
        population = society.population(name)
        for agent in population.agents:
            kinds = {one.kind for one in agent.memory.observed.stream.read(range(99))}
            assert kinds == {"event", "thought"}, name
        assert (population["thought"] >= 0).all()
    shares = society.population("outlet")["checks_share"]
    assert len(set(shares.round(4).tolist())) > 1


def test_outlets_without_recall_stay_closer_to_their_usual_subjects() -> None:
    moved = {}
    for recall in ("none", "scored"):
        society = Polarization(agents=80, days=5, rng=1, recall=recall, media={"outlets": 40})
        society.run_for(5 * 24)
        shares = society.population("outlet")["checks_share"]
        moved[recall] = float(np.abs(shares - 0.25).mean())
    assert moved["scored"] > moved["none"]
