import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from memopolis.agents.citizen import Citizen
from memopolis.sim.memory.retrieval.recollection import Recalled
from memopolis.sim.memory.streams.encoding import emotion_number
from memopolis.sim.mind.group import (
    MOST_MEMORIES,
    group_schema,
    portrait,
    read_group_answers,
    repeat_in_proportion,
    shared_texts,
)
from memopolis.sim.mind.mind import Answer, Question
from memopolis.sim.mind.reading import Unreadable
from memopolis.sim.population import Cohort
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society


@pytest.fixture
def one(village: Callable[..., Any]) -> Question:
    people = village(agents=1).citizens.cohort()
    return Question("attitude", people, "rating", lambda _: Answer(np.zeros(1)))


@pytest.mark.parametrize(
    ("spread", "read"),
    [("2", 2), ("-1", 0), ("1e9", 10), ("NaN", 0), ("true", 0), ('"wide"', 0), ("null", 0)],
)
def test_a_spread_is_kept_within_the_scale(one: Question, spread: str, read: float) -> None:
    data = json.loads(f'{{"reason": "", "rating": 5, "spread": {spread}}}')
    assert read_group_answers(one, data).spread == read


@pytest.mark.parametrize("data", ['{"answers": []}', '{"answers": [1, {}]}', "[]", '{"spread": 1}'])
def test_a_text_without_an_answer_is_refused(one: Question, data: str) -> None:
    with pytest.raises(Unreadable):
        read_group_answers(one, json.loads(data))


def test_ratings_are_clamped_one_by_one(one: Question) -> None:
    data = {"answers": [{"reason": "", "rating": number} for number in (-3, 4, 30)]}
    assert [reading.value for reading in read_group_answers(one, data).readings] == [0, 4, 10]


def test_the_schema_requires_the_number_of_answers(one: Question) -> None:
    several = group_schema(one, 3)["properties"]["answers"]
    assert (several["minItems"], several["maxItems"]) == (3, 3)
    assert "spread" not in several["items"]["properties"]
    assert group_schema(one, 1)["required"] == ["reason", "rating", "spread"]


class Town(Society[Settings]):
    def build(self, settings: Settings) -> None:
        self.citizens = self.populate(Citizen, settings.agents)


@pytest.fixture
def people() -> Cohort:
    return Town(agents=20, rng=1).citizens.cohort()


def ask(people: Cohort, **known: Any) -> Question:
    ids = np.tile(np.arange(4, dtype=np.int32), (len(people), 1))
    recalled = Recalled(people.rows, ids, np.zeros(ids.shape, np.float32))
    return Question(
        "attitude", people, "rating", lambda q: Answer(np.zeros(len(q.cohort))),
        memories=recalled, known=known,
    )  # fmt: skip


def test_names_and_texts_are_described_with_their_shares(people: Cohort) -> None:
    people["gender"] = np.array(["female"] * 15 + ["male"] * 5)
    people["religion"] = np.array([""] * 20)
    people["emotion_word"] = np.array([emotion_number("Fear")] * 11 + [0] * 9)
    text = portrait(ask(people), np.empty(0, np.int32))
    assert text.profile["gender"] == "female 75%, male 25%"
    assert "occupation" not in text.profile
    assert "religion" not in text.profile
    assert "name" not in text.profile
    assert text.emotion == "Fear"
    assert text.agent == people.ids[0]


def test_numbers_are_described_by_median_and_range(people: Cohort) -> None:
    people["age"] = np.arange(10, 30)
    people["income"] = np.full(20, 5e4)
    people["attitude.government_trust"] = np.arange(20) / 10
    text = portrait(ask(people), np.empty(0, np.int32))
    # Ages 10 to 29: nine tenths of the way from first to last is 27.1.
    assert text.profile["age"] == "19.5, most from 11.9 to 27.1"
    assert text.profile["household_income"] == "50,000 USD a year"
    assert text.attitudes["government_trust"] == 0.95
    assert text.feelings == "calm"


def test_knowledge_is_described_by_mean_or_most_frequent_value(people: Cohort) -> None:
    text = portrait(
        ask(
            people,
            order=np.repeat([0.0, 1.0], 10),
            mobile_home=np.arange(20) < 5,
            need=np.repeat([3, 4], [12, 8]),
            evidence=np.zeros((20, 4)),
        ),
        np.empty(0, np.int32),
    )
    assert text.known == {"order": 0.5, "mobile_home": 0.25, "need": 3}


def test_shared_memories_are_those_that_several_members_recalled(people: Cohort) -> None:
    stream = people.memory.stream
    stream.add("news", "All heard this.")
    people.where(people.rows < 12).memory.stream.add("news", "Many heard this.")
    people.where(people.rows < 1).memory.stream.add("news", "One heard this.")
    people.population.memory.flush()
    texts = people.population.memory.texts
    assert [texts[n] for n in shared_texts(ask(people))] == ["All heard this.", "Many heard this."]
    text = portrait(ask(people), shared_texts(ask(people)))
    assert text.recalled == ["All heard this.", "Many heard this."]


def test_texts_are_repeated_as_often_as_recalled() -> None:
    often = np.array([2.0, 0.6, 0.4])
    # On a line of 3 the middles of three parts: 0.5 and 1.5 within 2, 2.5 within 2 + 0.6.
    assert repeat_in_proportion(np.array([7, 8, 9]), often).tolist() == [7, 7, 8]
    # Ten times as often: thirty, of which twenty are described, the first of two thirds and so on.
    many = repeat_in_proportion(np.array([7, 8, 9]), 10 * often).tolist()
    assert [many.count(number) for number in (7, 8, 9)] == [13, 4, 3]
    # Not even one each: still the most frequent.
    assert repeat_in_proportion(np.array([7, 8]), np.array([0.2, 0.1])).tolist() == [7]


def test_each_member_counts_once_per_text(people: Cohort) -> None:
    one = people.where(people.rows == 0).memory.stream
    for _ in range(4):
        one.add("news", "Again and again.")
    people.population.memory.flush()
    assert not len(shared_texts(ask(people)))


def test_at_most_a_page_of_memories_is_shared(people: Cohort) -> None:
    for number in range(MOST_MEMORIES + 5):
        people.memory.stream.add("news", f"News {number}.")
    people.population.memory.flush()
    ids = np.tile(np.arange(MOST_MEMORIES + 5, dtype=np.int32), (20, 1))
    question = ask(people)
    many = Recalled(people.rows, ids, np.zeros(ids.shape, np.float32))
    object.__setattr__(question, "memories", many)
    assert len(shared_texts(question)) == MOST_MEMORIES


def test_observing_records_no_access(people: Cohort) -> None:
    people.memory.stream.add("news", "All heard this.")
    people.population.memory.flush()
    before = people.memory.stream.column("accesses", np.zeros((20, 1), np.int32)).copy()
    portrait(ask(people), shared_texts(ask(people)))
    after = people.memory.stream.column("accesses", np.zeros((20, 1), np.int32))
    np.testing.assert_array_equal(after, before)
