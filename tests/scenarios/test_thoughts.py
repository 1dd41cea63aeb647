"""The thoughts of each scenario are distinct and varied, and follow from what they quote."""

import re
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

from memopolis import load_run
from memopolis.agents.blocks import cognition
from memopolis.agents.thoughts import PLEASANT, read_phrases
from memopolis.analysis.run.run import Run
from memopolis.scenarios.hurricane.scenario import Hurricane
from memopolis.scenarios.polarization import attitudes as opinions
from memopolis.scenarios.polarization.scenario import Polarization
from memopolis.scenarios.ubi import attitudes as livelihoods
from memopolis.scenarios.ubi.scenario import BasicIncome
from memopolis.sim.society import Society

if TYPE_CHECKING:
    from pathlib import Path

DISTINCT = 0.95
"""Minimum share of an agent's thoughts that differ from its other thoughts."""
MOST_FREQUENT_OPENING = 0.05
"""Maximum share of the thoughts of a run that begin with the same three words."""
MOST_FREQUENT_SENTENCE = 0.02
"""Maximum share of the thoughts of a run that contain the same sentence."""
MOST_SENTENCES = 3
"""Maximum number of sentences of a thought, where the quoted memory is part of one."""

SPEECH = r"^(?P<lead>.{1,60}? (?:told me|posted|answered|told .{1,40}?)): (?P<words>.*)$"
"""Matches a memory of speech."""

SOCIETIES: Mapping[str, tuple[type[Society[Any]], dict[str, Any]]] = {
    "hurricane": (Hurricane, {"agents": 60, "days": 8, "start": "2019-08-31"}),
    "polarization": (Polarization, {"agents": 80, "days": 14}),
    "ubi": (BasicIncome, {"agents": 100, "days": 14 * 30, "start": 2}),
}


ATTITUDES = {
    "hurricane": cognition.ATTITUDES,
    "polarization": opinions.ATTITUDES,
    "ubi": livelihoods.ATTITUDES,
}


@pytest.fixture(scope="module", params=list(SOCIETIES))
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    society_class, changes = SOCIETIES[request.param]
    folder: Path = tmp_path_factory.mktemp("thoughts") / request.param
    return load_run(society_class(rng=5, **changes).run(folder))


@pytest.fixture(scope="module")
def memories(run: Run) -> pd.DataFrame:
    return run.memories


@pytest.fixture(scope="module")
def thoughts(memories: pd.DataFrame) -> pd.DataFrame:
    return memories[memories["kind"] == "thought"]


@pytest.fixture(scope="module")
def quotes(run: Run, memories: pd.DataFrame) -> pd.DataFrame:
    """Thoughts with the memory that each quotes, and its words without those of the thought."""
    thoughts = run.thoughts[run.thoughts["kind"] == "thought"]
    thoughts = thoughts.assign(id=[ids[0] for ids in thoughts["evidence"]])
    columns = ["population", "agent", "id", "topic", "valence"]
    quoted = thoughts.merge(memories[columns], on=["population", "agent", "id"])
    own = [text.replace(quote, "QUOTE.") for text, quote in
           zip(quoted["text"], quoted["evidence_text"], strict=True)]  # fmt: skip
    return quoted.assign(own=own)


def split_sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.!?])\s+", text)


def test_the_thoughts_of_an_agent_are_distinct(thoughts: pd.DataFrame) -> None:
    by_agent = thoughts.groupby("agent")["text"]
    share = by_agent.nunique() / by_agent.size()
    assert len(thoughts) > 400
    assert share.mean() >= DISTINCT
    assert (by_agent.nunique().sum() / len(thoughts)) >= DISTINCT


def test_no_opening_of_three_words_is_frequent(thoughts: pd.DataFrame) -> None:
    opening = thoughts["text"].str.split().str[:3].str.join(" ")
    assert opening.value_counts(normalize=True).iloc[0] <= MOST_FREQUENT_OPENING


def test_no_sentence_is_frequent(quotes: pd.DataFrame) -> None:
    with_quote = [
        text.replace("QUOTE.", quote) if ":" in text else text
        for text, quote in zip(quotes["own"], quotes["evidence_text"].str.split(". ").str[0],
                               strict=True)
    ]  # fmt: skip
    sentences = Counter(one for text in with_quote for one in set(split_sentences(text)))
    del sentences["QUOTE."]
    sentence, count = sentences.most_common(1)[0]
    assert count / len(quotes) <= MOST_FREQUENT_SENTENCE, sentence


def test_a_thought_has_one_to_three_sentences(quotes: pd.DataFrame) -> None:
    counts = quotes["own"].map(lambda text: len(split_sentences(text)))
    assert counts.min() >= 1
    assert counts.max() <= MOST_SENTENCES


def test_thoughts_name_places_as_people_do(thoughts: pd.DataFrame) -> None:
    assert not thoughts["text"].str.contains(r"\b\d{5}\b").any()


@pytest.fixture(scope="module")
def speech(memories: pd.DataFrame) -> pd.DataFrame:
    """Memories of what people said to each other, wrote or posted, with the words alone."""
    parts = memories["text"].str.extract(SPEECH)
    return memories.assign(lead=parts["lead"], words=parts["words"]).dropna(subset=["words"])


def test_speech_names_places_as_people_do(run: Run, speech: pd.DataFrame) -> None:
    assert len(speech) > 100 or run.folder.name == "ubi"
    assert not speech["words"].str.contains(r"\b\d{5}\b").any()


def test_no_meeting_is_reported_to_its_partner(run: Run, speech: pd.DataFrame) -> None:
    """No agent reports to another that it met that other, by name or as a friend."""
    reports = speech[speech["lead"].str.startswith("I told ")]
    met = reports["words"].str.extract(
        r"\b(?:met|meal with|messages with) (?P<who>[A-Z]\w+ \w+|a friend)"
    )
    named = [
        isinstance(who, str) and who == run.name_of(int(actor))
        for who, actor in zip(met["who"], reports["actor"], strict=True)
    ]
    assert not any(named)
    events = run.memories[run.memories["actor"] >= 0]
    meetings = events[events["text"].str.contains(r"^I (?:met|had a .*meal with) ")]
    partners = meetings.groupby("agent")["actor"].agg(set).to_dict()
    alone = [
        partners.get(row["agent"], set()) == {row["actor"]}
        for row in reports[met["who"] == "a friend"].to_dict("records")
    ]
    assert not any(alone)


def test_speech_is_in_quotation_marks(thoughts: pd.DataFrame) -> None:
    reports = thoughts["text"].str.extract(r"\b(?:told me|answered|posted|wrote to me): (.)")[0]
    assert set(reports.dropna()) <= {'"'}


def test_a_month_is_no_day(run: Run, quotes: pd.DataFrame) -> None:
    if run.hours > 24:
        assert not quotes["own"].str.contains(r"(?i)\b(?:today|tomorrow)\b").any()


def test_the_conclusion_follows_from_the_quote(run: Run, quotes: pd.DataFrame) -> None:
    changes = read_phrases("day").sections["change"]
    people = quotes[quotes["population"] == "citizen"]
    meaning = people["topic"].astype(str), people["valence"].astype(float)
    checked = opposed = 0
    for attitude in ATTITUDES[run.folder.name]:
        effect = meaning[0].map(attitude.effect).fillna(0).astype(float) * meaning[1]
        for way, sign in (("up", 1), ("down", -1)):
            keys = (f"{attitude.name} {way}", f"{attitude.name} {way} despite")
            phrases = [phrase for key in keys for phrase in changes.get(key, ())]
            concluded = [any(phrase in text for phrase in phrases) for text in people["own"]]
            checked += sum(concluded)
            opposed += int((effect[concluded] * sign <= 0).sum())
    assert checked > 20
    assert opposed == 0


def test_no_day_with_an_order_to_leave_is_pleasant(run: Run, memories: pd.DataFrame) -> None:
    """On the day of an order, feelings that a thought mentions are not pleasant ones."""
    orders = memories[(memories["topic"] == "order") & (memories["population"] == "citizen")]
    days = set(zip(orders["agent"], orders["time"].dt.date, strict=True))
    feelings = read_phrases("day").sections["feeling"]
    pleasant = {phrase for word in PLEASANT for phrase in feelings[word] if phrase}
    thoughts = memories[memories["kind"] == "thought"]
    on_days = [day in days for day in zip(thoughts["agent"], thoughts["time"].dt.date, strict=True)]
    assert (run.folder.name != "hurricane") or sum(on_days) > 10
    for text in thoughts.loc[on_days, "text"]:
        assert not any(phrase in text for phrase in pleasant), text
