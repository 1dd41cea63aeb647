"""Surveys as plain data: what is refused, and that they come back from plain values."""

import json
from typing import Any

import pytest

from memopolis.sim.errors import ParameterError
from memopolis.sim.survey.named import SURVEYS
from memopolis.sim.survey.survey import Item, Score, Survey

ASKED = Item("calm", "Are you calm?", low=1, high=5)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": " "}, "needs a name"),
        ({"text": ""}, "needs a name"),
        ({"form": "essay"}, "rating, choice, text"),
        ({"form": "choice"}, "at least two"),
        ({"form": "choice", "options": ("yes",)}, "at least two"),
        ({"form": "choice", "options": ("yes", "no", "yes")}, "twice"),
        ({"options": ("yes", "no")}, "at least two"),
        ({"low": 3, "high": 3}, "low < high"),
        ({"step": -1}, "step >= 0"),
        ({"least": 2, "most": 2}, "least and most"),
        ({"sign": 0.5}, "1 or -1"),
    ],
)
def test_an_item_that_cannot_be_answered_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Item(**{"name": "a", "text": "A?", **changes})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": ""}, "needs a name"),
        ({"items": ()}, "at least one item"),
        ({"items": (ASKED, ASKED)}, "twice: calm"),
        ({"scores": (Score("sum"), Score("sum"))}, "twice: sum"),
        ({"scores": (Score("sum", ("fear",)),)}, "adds up fear"),
        ({"memories": 0}, "memories must be >= 1"),
        ({"share": 0.0}, r"share is 0; .* share in \(0, 1\]"),
        ({"share": 1.5}, r"share is 1.5; .* share in \(0, 1\]"),
    ],
)
def test_an_invalid_survey_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Survey(**{"name": "mood", "items": (ASKED,), **changes})


@pytest.mark.parametrize("name", SURVEYS)
def test_surveys_survive_json(name: str) -> None:
    survey = SURVEYS[name]
    assert Survey.from_dict(json.loads(json.dumps(survey.to_dict()))) == survey


@pytest.mark.parametrize(
    "values",
    [
        {"name": "a", "items": [{"name": "b", "text": "B?", "colour": "red"}]},
        {"name": "a", "items": [{"name": "b"}]},
        {"name": "a", "items": ["b"]},
        {"name": "a", "items": [{"name": "b", "text": "B?"}], "scores": [{"cut": 1}]},
        {"name": "a", "items": [{"name": "b", "text": "B?"}], "when": "now"},
    ],
)
def test_unknown_or_missing_fields_are_refused(values: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="cannot make"):
        Survey.from_dict(values)


def test_an_item_has_its_lead_and_a_rating_its_scale() -> None:
    why = Item("why", "Why?", form="text")
    survey = Survey("mood", (ASKED, why), lead="Today:", scale="(1 no, 5 yes)")
    assert survey.wording(ASKED) == "Today: Are you calm? (1 no, 5 yes)"
    assert survey.wording(why) == "Today: Why?"
