"""Thoughts agree with the situation: no old forecasts, and no plans to leave when it is over."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.scenarios.remembered import read_memories

from memopolis.agents.activities import Activity
from memopolis.agents.ages import AGE_OF_REASON
from memopolis.agents.thoughts import INTENTIONS
from memopolis.scenarios.hurricane.blocks.think import Think
from memopolis.scenarios.hurricane.scenario import Hurricane
from memopolis.sim.population import Cohort

DOING = {"leaving": Activity.PACK, "away": Activity.AWAY}
FORECAST = "Forecasters expect a storm in about {} days."


def build() -> tuple[Hurricane, Think, Cohort]:
    """Return a society, its block of thoughts, and 30 adults at home."""
    society = Hurricane(agents=60, rng=5, days=5, storm="none", social={"tell": 0.0})
    citizens = society.population("citizen")
    (block,) = (one for one in citizens.blocks if isinstance(one, Think))
    society.run_for(2)
    grown = np.flatnonzero(citizens.cohort()["age"] >= 18)[:30]
    return society, block, citizens.cohort().at(grown)


def tell(people: Cohort, topic: str, text: str, **values: Any) -> None:
    people.memory.stream.add(topic, text, **values)


def evidence(block: Think, people: Cohort) -> list[set[str]]:
    """Return the texts of the memories that a thought of each adult is based on."""
    question = block.perceive(people)
    assert question is not None
    stream = people.memory.observed.stream
    return [{one.text for one in row} for row in stream.read(question.known["evidence"])]


def test_the_newest_forecast_replaces_older_ones() -> None:
    society, block, people = build()
    for days, importance in ((5, 0.9), (4, 0.7)):
        tell(people, "disaster", FORECAST.format(days), importance=importance, valence=-0.5)
    late = f"{{actor}} told me: {FORECAST.format(5)}"
    tell(people, "disaster", late, actor=people.ids, importance=0.95, valence=-0.5)
    society.step()
    for texts in evidence(block, people):
        forecasts = {text for text in texts if "Forecasters" in text}
        assert forecasts == {FORECAST.format(4)}


def intentions(block: Think, people: Cohort) -> set[str]:
    question = block.perceive(people)
    assert question is not None
    return {INTENTIONS[one] for one in question.known["intention"].tolist()}


@cache
def intended(situation: str) -> set[str]:
    """Return the intentions of adults that hear a forecast in a situation."""
    society, block, people = build()
    if situation == "over":
        tell(people, "relief", "The danger has passed.", importance=0.2, valence=0.6)
    tell(people, "disaster", FORECAST.format(2), importance=0.9, valence=-0.5)
    society.step()
    people["prepared"] = situation == "ready"
    if situation in DOING:
        people["doing"] = int(DOING[situation])
    return intentions(block, people)


@pytest.mark.parametrize(
    ("situation", "never"),
    [
        ("over", {"leave", "prepare"}),
        ("ready", {"prepare"}),
        ("leaving", {"leave", "prepare"}),
        ("away", {"leave", "prepare"}),
    ],
)
def test_intentions_depend_on_the_situation(situation: str, never: set[str]) -> None:
    assert intended("usual") >= {"leave", "prepare", "listen"}
    assert not intended(situation) & never


def test_small_children_have_no_minds_and_no_conversations() -> None:
    society = Hurricane(agents=200, rng=5, days=9)
    citizens = society.population("citizen")
    age = citizens.cohort()["age"]
    small = age < AGE_OF_REASON
    assert small.sum() > 5
    assert not (citizens.ties["friend"].count(np.arange(len(age)))[small]).any()
    society.run_for(24 * 9)
    for name in ("attitude.government_trust", "emotion.fear"):
        assert np.isnan(citizens[name][small]).all()
        assert not np.isnan(citizens[name][~small]).any()
    assert 5 < society.measured["fear"][""] < 10
    heard = {"order", "relief", "social", "evacuation", "cognition"}
    for agent, is_small in zip(citizens.agents, small, strict=True):
        if is_small:
            memories = read_memories(agent)
            assert not {one.topic for one in memories} & heard
            assert not [one.text for one in memories if "told me" in one.text]
