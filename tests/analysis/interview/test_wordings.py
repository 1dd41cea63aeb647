"""Questions as people word them are answered to the point, in plain and true words."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd
import pytest

from memopolis import Run
from memopolis.analysis import load_run
from memopolis.analysis.interview.restored_agent import restore_agent
from memopolis.analysis.interview.speech import _read
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
    ("leaver", "Where did you stay?", "We arrived at"),
    ("leaver", "Who took you in?", "We arrived at"),
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
    ("leaver", "How old are you and who do you live with?", r"\d+ years old.* I live (with|alone)"),
    ("leaver", "Did you leave, and what made up your mind?", LEFT),
    ("leaver", "Where were you when the hurricane made landfall?", r"5 September.* I was"),
    ("leaver", "How did you first hear about the evacuation order?", "first heard of it on"),
    ("leaver", "Who warned you about the hurricane?", "first heard of it on"),
    ("leaver", "What is the worst thing you remember from these days?", "The worst that I"),
    ("leaver", "Who did you talk to last week?", r"In the last week I talked with|I last talked"),
    ("leaver", "Has your house been damaged?", r"[Hh]ome (has|is)"),
    ("leaver", "Where do you get your news?", "My news comes from"),
    ("leaver", "Have you been sleeping well?", r"rested|tired"),
    ("leaver", "What would have made you stay?", "only speak of what happened"),
    ("leaver", "飓风来的时候你在哪里?", r"9月5日.*我在|9月5日.*我不在"),
    ("leaver", "你家里有几口人?", "一起住|一个人住"),
    ("leaver", "你是从哪里听说撤离命令的?", "第一次听说是在"),
    ("leaver", "你现在心情怎么样?", "最强烈的感受"),
    ("child", "小朋友,你害怕飓风吗?", "害怕"),
    ("child", "Who looks after you?", "I live with"),
    ("voter", "What do you think about gun control, and why?", "gun laws"),
    ("voter", "Have you changed your mind about guns lately?", "changed my mind"),
    ("voter", "How do you feel about people on the other side?", "other party"),
    ("voter", "What convinced you most?", "What moved me most"),
    ("voter", "Do you believe what you read in the media?", "; ask me, for example"),
    ("voter", "Which newspaper do you read?", "My news comes from"),
    ("voter", "你对控枪怎么看?为什么?", "枪支法律"),
    ("voter", "你支持哪个政党?", "我是"),
    ("voter", "你最近改变过看法吗?", "改变看法|看法.*变了"),
    ("voter", "你平时从哪里看新闻?", "我的消息来自"),
    ("earner", "How did the basic income change your life?", r"before"),
    ("earner", "Have you lost your job?", "I have a job"),
    ("earner", "Can you save anything?", r"My household (has|owes)"),
    ("earner", "What did you spend the money on?", r"spent"),
    ("earner", "你每个月挣多少钱?", "美元"),
    ("earner", "你存了多少钱?", "我家(在银行|没有积蓄)"),
    ("earner", "你们家欠债吗?", "我家(没有债务|欠银行)"),
    ("bank", "Why did you change your interest rate?", "Our interest rate is"),
    ("treasury", "How do you pay for the basic income?", "surtax"),
    ("goods", "你们公司有多少员工?", r"我们有\d+名员工"),
    ("leaver", "你为什么离开?", "决定离开"),
    ("leaver", "上周你做了什么?", "星期.+星期.+星期"),
    ("leaver", "你害怕吗?", "害怕"),
    ("leaver", "你多大了?", r"\d+岁"),
    ("stayer", "Why did you stay?", STAYED),
    ("stayer", "Why did you not leave?", STAYED),
    ("stayer", "Did you leave?", STAYED),
    ("child", "Why did you leave?", "with whom I live, decided|decided to"),
    ("child", "Do you go to school?", "go to school"),
    ("firm", "Are you open?", "We are (open|closed)"),
    ("firm", "How many people work for you?", "We have .* employees"),
    ("firm", "Why did you close your store?", "We closed"),
    ("firm", "Why did you leave?", "; ask me, for example"),
    ("government", "Who are you?", "We are the government"),
    ("government", "Why did you leave?", "; ask me, for example"),
    ("government", "Are the shelters open?", "The shelters are"),
    ("voter", "What do you think of gun laws?", "gun laws"),
    ("voter", "Do you support stricter gun laws?", "gun laws"),
    ("voter", "Which party do you vote for?", "I am an? "),
    ("voter", "Do you own a gun?", "own a gun"),
    ("voter", "你支持控枪吗?", "枪支法律"),
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
        "treasury": pick(paid, "government"),
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


def test_institutions_do_not_speak_as_persons(answers: list[tuple[str, ...]]) -> None:
    """Nor do persons speak as institutions."""
    for who, asked, _, text in answers:
        own = re.sub(r'"[^"]*"', "", text)
        is_person = who in {"leaver", "stayer", "child", "voter", "earner"}
        assert is_person or not re.search(r"\b(?:I|[Mm]y)\b(?! post)", own), (who, asked, text)


@pytest.mark.parametrize("who", ["leaver", "voter", "earner"])
def test_recorded_reasons_have_words(agents: dict[str, Any], who: str) -> None:
    """Every reason of a decision in a run is said in words of its own."""
    decisions = agents[who].run.decisions
    own = decisions[decisions["kind"] != "attitude"]["reason"].astype(str)
    plain = own[own != ""].str.partition(" (")[0].str.rstrip(".")
    assert set(plain) <= set(_read()["reasons"])


def test_expected_inflation_is_that_of_the_tables(agents: dict[str, Any]) -> None:
    reply = agents["bank"].interview("Why did you raise the rate?")
    value = float(reply.decisions["value"].iloc[0])
    match = re.search(r"inflation of (-?[\d.,e-]+) %", reply.text)
    assert match is not None
    assert float(match[1]) == pytest.approx(value, rel=0.01)


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


def test_sentences_are_in_both_languages() -> None:
    """With the same placeholders, except for those that only one language needs."""
    optional = {"We", "I", "My", "my", "me", "name", "month", "quote", "bare", "weekday"}

    def sentences(table: object) -> Iterator[str]:
        if isinstance(table, str):
            yield table
        elif isinstance(table, dict):
            for name, value in table.items():
                yield from () if name in {"words", "silent"} else sentences(value)
        elif isinstance(table, list):
            for value in table:
                yield from sentences(value)

    for sentence in sentences(_read()):
        english, _, chinese = sentence.partition(" | ")
        assert bool(english) == bool(chinese), sentence
        fields = (set(re.findall(r"\{(\w+)\}", text)) for text in (english, chinese))
        assert not set.symmetric_difference(*fields) - optional, sentence


def test_answers_are_in_the_language_of_the_question(answers: list[tuple[str, ...]]) -> None:
    for who, asked, _, text in answers:
        own = re.sub(r"“[^”]*”", "", text)
        is_chinese = bool(re.search(r"[\u4e00-\u9fff]", asked))
        assert bool(re.search(r"[\u4e00-\u9fff]", own)) == is_chinese, (who, asked, text)
        if is_chinese:
            assert not re.search(r"\b(?:I|we|the|is|was|of)\b", own), (who, asked, text)
            assert ("“" not in text) or "引文" in text or "你可以问" in text, (who, asked, text)
