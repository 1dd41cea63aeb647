import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from memopolis.sim.mind.group_answers import group_schema, read_group_answers
from memopolis.sim.mind.mind import Answer, Question
from memopolis.sim.mind.reading import Unreadable


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
