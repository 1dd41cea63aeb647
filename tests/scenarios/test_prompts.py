"""Prompts state the truth: every line of every kind of prompt is compared with the run."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

from memopolis import Run, load_run
from memopolis.scenarios.hurricane.scenario import Hurricane
from memopolis.scenarios.polarization.scenario import Polarization
from memopolis.scenarios.ubi.scenario import BasicIncome
from memopolis.sim.memory.layers.summaries import ELLIPSIS
from memopolis.sim.memory.retrieval.recollection import FORGOTTEN
from memopolis.sim.mind.mind import Answer, Decisions, Mind, Question
from memopolis.sim.mind.prompting import SHIPPED, Prompts, word_question
from memopolis.sim.society import Society

if TYPE_CHECKING:
    from pathlib import Path

SOCIETIES: Mapping[str, tuple[type[Society[Any]], dict[str, Any]]] = {
    "hurricane": (
        Hurricane,
        {
            "agents": 100,
            "start": "2019-09-01",
            "days": 2.5,
            "social": {"ask": True},
            "plans": {"choose_blocks": True},
        },
    ),
    "polarization": (Polarization, {"agents": 60, "days": 6, "talk": {"ask": True}}),
    "ubi": (BasicIncome, {"agents": 100, "days": 6 * 30, "start": 2}),
}
KINDS = {
    "hurricane": {
        "plan",
        "stay_or_go",
        "attitude",
        "thought",
        "opening",
        "stock",
        "order",
        "message",
        "step",
    },
    "polarization": {"attitude", "thought", "speak_up", "subject", "headline", "message"},
    "ubi": {"labour_supply", "consumption", "attitude", "thought"},
}
AGENTS = 10
RENDERED = (1, 4, 20)
"""Which questions of a kind, population and subject are rendered, counted from 1."""

FORBIDDEN = re.compile(
    r"\bNaN\b|\bundefined\b|\bnull\b|\bNone\b|: \"\"|: \{\}|\b\d{5}\"|The question is \"|Infinity"
)
"""Signs of values that are missing, empty or unexplained."""
_DATA = re.compile(r"<data>\n(\{.*?\})\n</data>", re.DOTALL)
_AMOUNT = re.compile(r"about ([\d,.]+) (USD a year|USD an hour|USD|hours a week)")
_COUNT = re.compile(r" \(\d+ times since [^)]*\)")
_SPEAKER = re.compile(r"^[^:.]{1,60} (told me|answered): ")
AMOUNTS = {"household_income": "income", "hours_of_work": "hours", "hourly_wage": "skill"}
ATTRIBUTES = {
    "residence": "home",
    "current_place": "place",
    "party_identification": "pid",
    "labour_market_status": "labour",
    "covered_by_basic_income": "eligible",
}


@dataclass(frozen=True)
class Rendered:
    """One prompt, and the status of its agent at that moment."""

    kind: str
    population: str
    agent: int
    tick: int
    data: dict[str, Any]
    text: str
    status: dict[str, Any]
    named: list[str]
    zones: dict[int, str]
    housemates: list[str]
    employer: str


class Listening(Mind):
    """Answers by rule, but is asked whatever a model is asked."""

    def answer(self, question: Question) -> Answer:
        return question.rule(question)


@dataclass
class Case:
    """A recorded run and the prompts of its questions."""

    name: str
    run: Run
    prompts: list[Rendered]


@pytest.fixture(scope="module", params=list(SOCIETIES))
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Case:
    name: str = request.param
    society_class, changes = SOCIETIES[name]
    society = society_class(rng=3, **changes)
    prompts = Prompts(context_tokens=200)
    rendered: list[Rendered] = []
    asked: Counter[tuple[str, ...]] = Counter()
    answer = society.questions.answer

    def watched(question: Question, *, block: str) -> Decisions:
        key = (question.kind, question.cohort.population.name, question.about)
        asked[key] += 1
        if asked[key] in RENDERED:
            rendered.extend(_render(society, prompts, question))
        return answer(question, block=block)

    society.mind = Listening()
    society.questions.answer = watched  # type: ignore[method-assign]
    folder: Path = tmp_path_factory.mktemp("runs") / name
    return Case(name, load_run(society.run(folder)), rendered)


def _render(society: Society[Any], prompts: Prompts, question: Question) -> Iterator[Rendered]:
    some = np.arange(len(question.cohort)) < AGENTS
    part = replace(question.select(some), tick=society.clock.tick)
    population, rows = part.cohort.population, part.cohort.rows.tolist()
    attributes = population.attributes
    for row, prompt in zip(rows, prompts.of(part), strict=True):
        agent = population.at(np.array([row]))
        status = {name: agent[name][0] for name in attributes}
        labels = {name: a.labels for name, a in attributes.items() if a.labels}
        status |= {n: labels[n][int(status[n])] for n in labels if n in status}
        firms = [p for p in society.populations if p.name == "firm"]
        hired = int(status.get("employer", -1))
        house = population["household"] if "household" in attributes else np.arange(0)
        members = np.flatnonzero(house == house[row]).tolist() if len(house) else []
        text = prompt.messages[-1].text
        yield Rendered(
            part.kind,
            population.name,
            int(population.ids[row]),
            society.clock.tick,
            json.loads(_DATA.search(text)[1]),  # type: ignore[index]
            text,
            status,
            list(population.agent_class.portrait),
            {} if society.place is None else dict(enumerate(map(str, society.place.names))),
            [society.name_of(int(population.ids[m])) for m in members if m != row],
            _name_of_firm(society, int(firms[0].ids[hired])) if firms and hired >= 0 else "",
        )


def _name_of_firm(society: Society[Any], number: int) -> str:
    return society.name_of(number) or f"firm {number}"


def test_every_kind_of_question_was_rendered(case: Case) -> None:
    assert KINDS[case.name] <= {one.kind for one in case.prompts}
    assert len({one.agent for one in case.prompts}) >= AGENTS


def test_every_line_can_be_understood_without_the_model(case: Case) -> None:
    """No line has a missing value, an empty one, or the bare name of a kind of question."""
    for one in case.prompts:
        for line in one.text.splitlines():
            sign = FORBIDDEN.search(line)
            assert sign is None, (one.kind, one.population, line)


def test_every_kind_of_question_says_what_it_asks(case: Case) -> None:
    for one in case.prompts:
        own_template = (SHIPPED / f"{one.kind}.jinja").is_file()
        wording = word_question(one.kind)
        assert own_template or wording.ask, one.kind
        if not own_template and '"rating"' in one.text:
            assert wording.unit, one.kind
            assert wording.low, one.kind
            assert wording.high, one.kind


def test_an_institution_is_called_one(case: Case) -> None:
    for one in case.prompts:
        is_person = "kind" not in one.data["person"]
        assert one.text.startswith(f"This is the {'person' if is_person else 'institution'}")


def test_dates_are_those_of_the_run(case: Case) -> None:
    for one in case.prompts:
        (time,) = case.run.time_of(pd.Series([one.tick]))
        assert one.data["now"] == _date(case, time)
        parts = {"night": (22, 6), "morning": (6, 12), "afternoon": (12, 18), "evening": (18, 22)}
        if case.run.hours >= 24:
            assert "time_of_day" not in one.data
        else:
            first, last = parts[one.data["time_of_day"]]
            is_within = first <= time.hour < last
            assert is_within or (first > last and (time.hour >= first or time.hour < last))


def test_the_profile_states_the_attributes_of_the_agent(case: Case) -> None:
    for one in case.prompts:
        for key, value in one.data["person"].items():
            _check_attribute(one, key, value)


def test_a_prompt_contains_every_informative_attribute(case: Case) -> None:
    wanted = {
        "hurricane": {"name", "age", "residence", "lives_with", "vehicle", "household_income"},
        "polarization": {"name", "age", "party", "ideology", "gun_owner", "urbanity"},
        "ubi": {"name", "age", "lives_with", "labour_market_status", "household_income"},
    }[case.name]
    for one in case.prompts:
        if one.population == "citizen":
            missing = wanted - set(one.data["person"])
            assert missing <= ({"household_income"} if not one.status["income"] else set())
        else:
            assert one.data["person"]["kind"] == one.population.replace("_", " ")


def test_attributes_without_information_are_left_out(case: Case) -> None:
    for one in case.prompts:
        for key, value in one.data["person"].items():
            assert value not in ("", "none", None, [], "zone 0"), key
            assert not str(value).startswith("about 0 "), key
    if case.name == "polarization":
        for one in case.prompts:
            keys = set(one.data["person"])
            assert keys.isdisjoint({"residence", "current_place", "hours_of_work"})
            assert "needs_0_unmet_to_1_satisfied" not in one.data


def test_needs_are_those_of_the_agent(case: Case) -> None:
    for one in case.prompts:
        needs = one.data.get("needs_0_unmet_to_1_satisfied", {})
        for name, value in needs.items():
            assert value == pytest.approx(one.status[name], abs=0.006)
        if case.name == "hurricane" and one.population == "citizen":
            assert set(needs) == {"hunger", "energy", "safety", "social"}


def test_feelings_are_those_that_differ_from_a_calm_state(case: Case) -> None:
    for one in case.prompts:
        levels = {n[8:]: v for n, v in one.status.items() if n.startswith("emotion.")}
        levels = {n: v for n, v in levels.items() if not np.isnan(v)}
        strong = {n: round(float(v), 2) for n, v in levels.items() if abs(round(v, 2) - 5) > 0.5}
        emotion = one.status.get("emotion_word", "")
        expected = strong or ("calm" if levels and not emotion else {})
        assert one.data.get("feelings_0_to_10", {}) == expected
        assert one.data.get("emotion", "") == one.status.get("emotion_word", "")


def test_attitudes_are_those_of_the_agent(case: Case) -> None:
    for one in case.prompts:
        ratings = {n[9:]: v for n, v in one.status.items() if n.startswith("attitude.")}
        # Small children have none.
        ratings = {n: v for n, v in ratings.items() if not np.isnan(v)}
        assert one.data.get("attitudes_0_oppose_to_10_support", {}) == pytest.approx(
            ratings, abs=0.006
        )


def test_memories_are_recorded_and_without_repeats(case: Case) -> None:
    memories = case.run.memories.copy()
    memories["date"] = [_date(case, time) for time in memories["time"].dt.to_pydatetime()]
    # Later repeats change the count of a memory.
    lines = memories["text"].str.replace(_COUNT, "", regex=True)
    memories["line"] = lines.str.split().str.join(" ")
    entries = memories["date"] + "|" + memories["topic"].astype(str) + "|" + memories["line"]
    by_agent = entries.groupby(memories["agent"]).agg(set).to_dict()
    checked = 0
    for one in case.prompts:
        own = by_agent.get(one.agent, set())
        recalled = one.data["recalled_for_this_question_best_first"]
        texts = [line.split(": ", 1)[1] for line in recalled]
        recent = one.data.get("recent_memories", [])
        # The date has a colon only if it has an hour.
        after = [line.split(": ", 1)[1] for line in recent]
        gists = [_SPEAKER.sub("", text) for text in (*texts, *after)]
        assert len(set(gists)) == len(gists)
        for line, text in zip(recalled, texts, strict=True):
            date, topic = line[: -len(text) - 2].rsplit(", ", 1)
            assert _is_among(own, f"{date}|{topic}|{_COUNT.sub('', text)}"), line
        for line, text in zip(recent, after, strict=True):
            date = line[: -len(text) - 2]
            same = {f"{entry.split('|')[0]}|{entry.split('|', 2)[2]}" for entry in own}
            assert _is_among(same, f"{date}|{_COUNT.sub('', text)}"), line
        checked += len(recalled) + len(recent)
    assert checked > AGENTS


def _is_among(entries: set[str], entry: str) -> bool:
    """Return whether an entry was recorded, where a cause may be cut off or forgotten since."""
    is_cut = entry.endswith(ELLIPSIS)
    start, forgotten, end = entry.removesuffix(ELLIPSIS).partition(FORGOTTEN)
    if forgotten:
        return any(one.startswith(start) and (is_cut or one.endswith(end)) for one in entries)
    return any(one.startswith(start) for one in entries) if is_cut else entry in entries


def test_the_latest_thought_is_recorded(case: Case) -> None:
    for one in case.prompts:
        if "latest_thought" in one.data:
            memories = case.run.life(one.agent).memories
            text = str(memories.loc[int(one.status["thought"]), "text"])
            assert text.startswith(one.data["latest_thought"].removesuffix(ELLIPSIS))


def _check_attribute(one: Rendered, key: str, value: Any) -> None:
    if key == "kind":
        assert value == one.population.replace("_", " ")
    elif key == "lives_with":
        assert value == (one.housemates[:8] or "alone") or str(value[-1]).endswith(" more")
    elif key == "employer":
        assert value == one.employer
    elif key in AMOUNTS and (match := _AMOUNT.fullmatch(str(value))):
        name = AMOUNTS[key]
        name = "wage" if name == "skill" and "wage" in one.named else name
        assert float(match[1].replace(",", "")) == pytest.approx(one.status[name], rel=6e-4)
    elif key in {"residence", "current_place", "zone"}:
        number = int(one.status[ATTRIBUTES.get(key, key)])
        assert value == (one.zones[number] if number >= 0 else "away from the region")
    else:
        name = ATTRIBUTES.get(key, key)
        assert name in one.named
        actual = one.status[name]
        if isinstance(value, str) and not isinstance(actual, str):
            assert float(value.split(" (")[0]) == pytest.approx(actual, abs=0.006)
        else:
            assert value == actual


def _date(case: Case, time: datetime) -> str:
    return f"{time:%A %d %B %Y %H:%M}" if case.run.hours < 24 else f"{time:%A %d %B %Y}"
