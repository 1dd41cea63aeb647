"""Questions as people word them are answered to the point, in plain and true words."""

import re
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from memopolis import Run
from memopolis.analysis import load_run
from memopolis.analysis.interview.restored_agent import restore_agent
from memopolis.scenarios.polarization.scenario import Polarization
from memopolis.scenarios.ubi.scenario import BasicIncome

TO_THE_POINT = 0.85
"""Minimum share of the questions whose answer is on what they ask."""
FORBIDDEN = re.compile(
    r"\bnan\b|None\b|_|\b\d{5}\b|\d\d:\d\d|of 10\b|probability|\bdraw\b|no effect|-1\b|\d\.\d{3}",
    re.IGNORECASE,
)
"""Signs of codes, scales and logs, which no answer may have."""

LEFT, STAYED = r"decided to leave on|left home on", r"decided to stay|not left home"
MONEY = r"USD"
QUESTIONS = (
    ("leaver", "Why did you leave?", LEFT),
    ("leaver", "What made you go?", LEFT),
    ("leaver", "How come you evacuated?", LEFT),
    ("leaver", "Why didn't you stay?", LEFT),
    ("leaver", "Where did you go?", "I went to"),
    ("leaver", "When did you leave?", LEFT),
    ("leaver", "When did you come back home?", "came home on"),
    ("leaver", "Did you evacuate?", LEFT),
    ("leaver", "What did you do last week?", r"\w+day: .*; \w+day: "),
    ("leaver", "How was your week?", r"\w+day: .*; \w+day: "),
    ("leaver", "What did you do yesterday?", r"\bI\b|\bWe\b"),
    ("leaver", "What will you do tomorrow?", r"I want to|I have no particular plan"),
    ("leaver", "What are your plans?", r"I want to|I have no particular plan"),
    ("leaver", "Who is your best friend?", "My closest friend is"),
    ("leaver", "Who are your friends?", "My closest friend is"),
    ("leaver", "Who do you live with?", "I live (with|alone)"),
    ("leaver", "How are you?", "What I feel most"),
    ("leaver", "Are you scared?", "afraid"),
    ("leaver", "Are you angry?", "angry"),
    ("leaver", "Are you hungry?", "fed|eat|hungry"),
    ("leaver", "Are you tired?", "rested|tired"),
    ("leaver", "Do you trust the government?", "the government"),
    ("leaver", "How old are you?", r"\d+ years old"),
    ("leaver", "What do you do for a living?", "work"),
    ("leaver", "Where do you live?", "I live in"),
    ("leaver", "Do you have a car?", "My household has"),
    ("leaver", "Did you board up your house?", "prepared my home"),
    ("leaver", "\u4f60\u4e3a\u4ec0\u4e48\u79bb\u5f00\uff1f", LEFT),
    ("leaver", "\u4e0a\u5468\u4f60\u505a\u4e86\u4ec0\u4e48\uff1f", r"\w+day: .*; \w+day: "),
    ("leaver", "\u4f60\u5bb3\u6015\u5417\uff1f", "afraid"),
    ("leaver", "\u4f60\u591a\u5927\u4e86\uff1f", r"\d+ years old"),
    ("stayer", "Why did you stay?", STAYED),
    ("stayer", "Why did you not leave?", STAYED),
    ("stayer", "Did you leave?", STAYED),
    ("child", "Why did you leave?", "with whom I live, decided|decided to"),
    ("child", "Do you go to school?", "go to school"),
    ("firm", "Are you open?", "We are (open|closed)"),
    ("firm", "How many people work for you?", "We have .* employees"),
    ("firm", "Why did you close your store?", "We closed on"),
    ("firm", "Why did you leave?", "; ask me, for example"),
    ("government", "Who are you?", "We are the government"),
    ("government", "Why did you leave?", "; ask me, for example"),
    ("government", "Are the shelters open?", "The shelters are"),
    ("voter", "What do you think of gun laws?", "gun laws"),
    ("voter", "Do you support stricter gun laws?", "gun laws"),
    ("voter", "Which party do you vote for?", "I am an? "),
    ("voter", "Do you own a gun?", "own a gun"),
    ("voter", "\u4f60\u652f\u6301\u63a7\u67aa\u5417\uff1f", "gun laws"),
    ("outlet", "What do you write about?", "Our last story"),
    ("outlet", "Are you biased?", "Our stories"),
    ("earner", "How much do you earn?", MONEY),
    ("earner", "Do you get a basic income?", "basic income"),
    ("earner", "Are you satisfied with your life?", "satisfied"),
    ("earner", "What do you think of the basic income?", "basic income"),
    ("bank", "What is the interest rate?", "interest rate is"),
    ("goods", "What is your price?", "Our price is"),
)  # fmt: skip


@pytest.fixture(scope="module")
def agents(stormy: Run, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Agents of three scenarios by their part in the questions."""
    folder = tmp_path_factory.mktemp("runs")
    divided = load_run(Polarization(agents=60, rng=5, days=6).run(folder / "divided"))
    paid = load_run(BasicIncome(agents=60, rng=5, days=270, start=3).run(folder / "paid"))

    def pick(run: Run, population: str, meets: Callable[[pd.DataFrame], Any] = bool) -> Any:
        people = run.people(population)
        rows = people[meets(people)] if meets is not bool else people
        return restore_agent(run, int(rows["agent"].iloc[0]))

    decisions = stormy.decisions
    by_draw = decisions[decisions["kind"] == "stay_or_go"]
    went = by_draw[by_draw["draw"] < by_draw["probability"]]["agent"]
    closed = decisions[decisions["choice"] == "closed"]["agent"]
    return {
        "leaver": pick(stormy, "citizen", lambda p: p["agent"].isin(went) & (p["returned_at"] > 0)),
        "stayer": pick(
            stormy, "citizen",
            lambda p: (p["left_at"] < 0) & (p["age"] > 20) & p["agent"].isin(by_draw["agent"]),
        ),
        "child": pick(stormy, "citizen", lambda p: p["pupil"] & p["age"].between(7, 12)),
        "firm": pick(stormy, "firm", lambda p: p["agent"].isin(closed)),
        "government": pick(stormy, "government"),
        "voter": pick(divided, "citizen"),
        "outlet": pick(divided, "outlet"),
        "earner": pick(paid, "citizen", lambda p: p["labour"] == "employed"),
        "bank": pick(paid, "bank"),
        "goods": pick(paid, "firm"),
    }  # fmt: skip


@pytest.fixture(scope="module")
def answers(agents: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    return [
        (who, asked, point, agents[who].interview(asked).text) for who, asked, point in QUESTIONS
    ]


def test_most_questions_are_answered_to_the_point(answers: list[tuple[str, ...]]) -> None:
    assert len(answers) >= 50
    missed = [row for row in answers if not re.search(row[2], row[3])]
    assert 1 - len(missed) / len(answers) >= TO_THE_POINT, missed


def test_answers_are_plain(answers: list[tuple[str, ...]]) -> None:
    for who, asked, _, text in answers:
        assert text.strip(), (who, asked)
        assert not FORBIDDEN.search(text), (who, asked, text)


def test_answers_have_at_most_three_sentences(answers: list[tuple[str, ...]]) -> None:
    for who, asked, _, text in answers:
        own = re.sub(r'"[^"]*"', '"Q"', text)
        assert len(re.split(r"(?<=[.!?])\s+", own)) <= 3, (who, asked, text)


def test_last_week_has_at_most_seven_days_in_order(agents: dict[str, Any]) -> None:
    reply = agents["leaver"].interview("What did you do last week?")
    days = reply.evidence["time"].dt.normalize()
    assert 2 <= days.nunique() <= 7
    assert days.is_monotonic_increasing
    assert (days.max() - days.min()).days < 7


@pytest.mark.parametrize("attribute", ["hunger", "energy", "safety"])
def test_levels_are_those_of_the_tables(stormy: Run, attribute: str) -> None:
    """An agent with a high level and one with a low level answer differently."""
    question = {
        "hunger": "Are you hungry?", "energy": "Are you tired?",
        "safety": "Do you feel safe?",
    }[attribute]  # fmt: skip
    people = stormy.people("citizen").dropna(subset=[attribute])
    extremes = people.sort_values(attribute)["agent"].iloc[[0, -1]].tolist()
    texts = {restore_agent(stormy, agent).interview(question).text for agent in extremes}
    assert len(texts) == 2
