"""Questions that are answered from the status and the memories of an agent."""

import re
from pathlib import Path

import pandas as pd
import pytest

from memopolis import Run
from memopolis.analysis import load_run
from memopolis.analysis.interview.record_answers import answer_from_record, list_questions
from memopolis.analysis.interview.restored_agent import restore_agent
from memopolis.analysis.interview.status_answers import format_value
from memopolis.scenarios.polarization.scenario import Polarization
from memopolis.scenarios.ubi.scenario import BasicIncome


def ask(run: Run, agent: int, question: str) -> str:
    answer = answer_from_record(run, run.life(agent), question)
    assert answer is not None, question
    for one in answer.memories:
        assert one in run.life(agent).memories.index
    assert answer.text
    return answer.details or answer.text


@pytest.fixture(scope="module")
def divided(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("runs") / "divided"
    return load_run(Polarization(agents=60, rng=5, days=6).run(folder))


@pytest.fixture(scope="module")
def paid(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("runs") / "paid"
    return load_run(BasicIncome(agents=60, rng=5, days=270, start=3).run(folder))


def first(run: Run, population: str) -> int:
    return int(run.agents_of(population)["agent"].iloc[0])


@pytest.fixture(scope="module")
def returned(stormy: Run) -> pd.Series:
    """An adult who left and came home."""
    people = stormy.people("citizen")
    return people[(people["returned_at"] > 0) & (people["age"] >= 18)].iloc[0]


@pytest.mark.parametrize(
    "question", ["Where did you go?", "When did you come home?", "Did you leave?"]
)
def test_leaving_is_answered_from_the_status(
    stormy: Run, returned: pd.Series, question: str
) -> None:
    text = ask(stormy, int(returned["agent"]), question)
    left, back = stormy.time_of(pd.Series([returned["left_at"], returned["returned_at"]]))
    assert f"Left at: {left:%d %b %H:%M}." in text
    assert f"Returned at: {back:%d %b %H:%M}." in text
    assert f"Destination: {returned['destination']}." in text


def test_those_who_stayed_did_not_leave(stormy: Run) -> None:
    people = stormy.people("citizen")
    stayed = int(people[people["left_at"] < 0]["agent"].iloc[0])
    assert ask(stormy, stayed, "Where did you go?").startswith("Left at: never.")


def test_fear_is_the_recorded_level_with_the_highest_one(stormy: Run, returned: pd.Series) -> None:
    agent = int(returned["agent"])
    levels = stormy.life(agent).status["emotion.fear"]
    text = ask(stormy, agent, "How afraid are you?")
    assert text.startswith(f"Emotion fear: {levels.iloc[-1]:.2f} of 10")
    assert f"highest {levels.max():.1f} on {levels.idxmax():%d %b %Y %H:%M}" in text
    assert "joy" not in text


def test_questions_about_a_person(stormy: Run) -> None:
    people = stormy.people("citizen")
    working = people[people["occupation"] == "professional"].iloc[0]
    agent = int(working["agent"])
    assert "Occupation: professional." in ask(stormy, agent, "What is your job?")
    assert f"Age: {working['age']} years." in ask(stormy, agent, "How old are you?")
    life = stormy.life(agent)
    thought = life.memories[life.memories["kind"] == "thought"]["text"].iloc[-1]
    assert str(thought).rstrip(".") in ask(stormy, agent, "How are you?")
    pupil = int(people[people["pupil"]]["agent"].iloc[0])
    assert "Pupil: yes." in ask(stormy, pupil, "What is your job?")
    house = people[people["household"] == working["household"]]["agent"]
    for other in house[house != agent]:
        assert stormy.name_of(int(other)) in ask(stormy, agent, "Who do you live with?")


@pytest.mark.parametrize(
    ("population", "question", "part"),
    [
        ("firm", "Are you open?", "Open: "),
        ("firm", "How many people work for you?", "Employees: "),
        ("government", "Are the shelters open?", "Shelters: "),
        ("government", "When did you order people to leave?", "announced: "),
        ("citizen", "Do you trust the officials?", "government trust"),
    ],
)
def test_questions_in_the_hurricane(stormy: Run, population: str, question: str, part: str) -> None:
    assert part in ask(stormy, first(stormy, population), question)


@pytest.mark.parametrize(
    ("population", "question", "part"),
    [
        ("citizen", "Which party do you vote for?", "Party: "),
        ("citizen", "Do you own a gun?", "Gun owner: "),
        ("citizen", "What do you think of gun laws?", "My attitude to gun control is "),
        ("citizen", "Where did you go?", "You can ask about "),
        ("outlet", "What do you write about?", "Subject: "),
        ("persuader", "What do you stand for?", "Stance: "),
        ("statistics_bureau", "What is the party gap?", "Party gap: "),
    ],
)
def test_questions_in_polarization(divided: Run, population: str, question: str, part: str) -> None:
    assert part in ask(divided, first(divided, population), question)


@pytest.mark.parametrize(
    ("population", "question", "part"),
    [
        ("citizen", "What is your job?", "Labour: "),
        ("citizen", "Are you satisfied with your life?", "Life satisfaction: "),
        ("firm", "What is your price?", "Price: "),
        ("firm", "Why do you keep so much in stock?", "I decided on target stock"),
        ("bank", "What is the interest rate?", "Rate: "),
        ("bank", "Why did you raise the rate?", "I decided on expected inflation"),
        ("government", "How high is the deficit?", "Deficit: "),
        ("statistics_bureau", "What is the unemployment?", "Unemployment: "),
    ],
)
def test_questions_in_basic_income(paid: Run, population: str, question: str, part: str) -> None:
    assert part in ask(paid, first(paid, population), question)


def test_who_has_no_answer_states_what_can_be_asked(stormy: Run) -> None:
    answer = restore_agent(stormy, 1).interview("Xyzzy plugh?")
    about = list_questions(stormy, stormy.life(1))
    assert {"who I am", "how I feel", "leaving and coming home"} <= set(about)
    assert not {"our business and money", "our subject and side"} & set(about)
    assert answer.text.startswith("I remember nothing about that; ask me, for example, ")
    questions = re.findall(r'"(.*?)"', answer.text)
    assert len(questions) == 3
    for question in questions:
        assert "remember nothing" not in restore_agent(stormy, 1).interview(question).text
    assert "\n" not in answer.text


def test_values_are_formatted_with_their_units() -> None:
    assert format_value(True, {}) == "yes"  # noqa: FBT003 - a value
    assert format_value(123456, {"unit": "cents"}) == "1,235 USD"
    assert format_value(12.5, {"unit": "USD/h"}) == "12.50 USD/h"
    assert format_value("gun_control", {}) == "gun control"


def test_the_table_is_part_of_the_package() -> None:
    import memopolis.analysis.interview as package

    assert Path(str(package.__file__)).with_name("questions.toml").is_file()
