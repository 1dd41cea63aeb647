"""A survey: its items, the agents that are asked, the scores, and the answers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.mind.mind import Decisions
from memopolis.sim.survey.item import Item

type Float = NDArray[np.float64]


@dataclass(frozen=True)
class Score:
    """The sum of the points of several items.

    Attributes:
        name: Name of the score, such as "total".
        items: Names of the items; () for all ratings.
        cut_off: Smallest sum that counts as a case; None if there is no such limit.

    Raises:
        ParameterError: If the score has no name.
    """

    name: str
    items: tuple[str, ...] = ()
    cut_off: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "items", tuple(self.items))
        if not self.name.strip():
            raise ParameterError("a score needs a name")

    def to_dict(self) -> dict[str, Any]:
        """Return the score as plain values."""
        return {"name": self.name, "items": list(self.items), "cut_off": self.cut_off}

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> "Score":
        """Create a score from the result of `to_dict` or the content of a file.

        Raises:
            ParameterError: If a field is missing or unknown.
        """
        try:
            return Score(**{**values, "items": tuple(values.get("items", ()))})
        except TypeError as error:
            raise ParameterError(f"cannot make a score from {values!r}: {error}") from None


def points(rating: Float, low: Float, high: Float, turned: NDArray[np.bool_]) -> Float:
    """Compute the points of ratings.

    Args:
        rating: Ratings in [low, high], NaN for none, shape (answers,).
        low: Lowest rating of each item, shape (answers,).
        high: Highest rating of each item, shape (answers,).
        turned: Whether the item is reversed, shape (answers,).

    Returns:
        low + high - rating for reversed items, else the rating, shape (answers,).

    Source:
        As for the CES-D: Radloff 1977, doi:10.1177/014662167700100306.
    """
    return np.where(turned, low + high - rating, rating)


def total(points: Float) -> Float:
    """Sum the points of each agent.

    Args:
        points: Points, NaN for none, shape (agents, items).

    Returns:
        Sums of shape (agents,); NaN if an answer is missing.
    """
    return np.asarray(points.sum(axis=1), np.float64)


SURVEY_ITEM = "survey_item"
"""Kind of the questions of surveys; `about` is the wording of the item."""

SURVEY_FILE = ".toml"
"""Extension of files of surveys."""


@dataclass(frozen=True)
class Survey:
    """Questions for several agents, as plain data.

    Attributes:
        name: Name in tables and settings.
        items: Its questions, in the order in which they are asked.
        lead: Text before each item, such as "During the past week:".
        scale: Explanation of the ratings.
        scores: Sums of answers.
        query: Query by which memories are recalled for the items; "" for the text of each item.
        memories: Number of memories recalled for an item, >= 1.
        population: Population that is asked; "" for the first population.
        share: Share of its agents that is asked, drawn once per run, in (0, 1].
        from_age: Minimum age of the agents, if they have an age.

    Raises:
        ParameterError: If it has no item, a name is used twice, or a number is out of range.
    """

    name: str
    items: tuple[Item, ...]
    lead: str = ""
    scale: str = ""
    scores: tuple[Score, ...] = ()
    query: str = ""
    memories: int = 5
    population: str = ""
    share: float = 1.0
    from_age: int = 18

    def __post_init__(self) -> None:
        object.__setattr__(self, "items", tuple(self.items))
        object.__setattr__(self, "scores", tuple(self.scores))
        if not self.name.strip() or not self.items:
            raise ParameterError("a survey needs a name and at least one item")
        for what in (self.items, self.scores):
            _check_names(self.name, [one.name for one in what])
        if self.memories < 1 or not 0 < self.share <= 1:
            raise ParameterError(
                f"survey {self.name!r} recalls {self.memories} memories of a share of "
                f"{self.share:g}; at least 1 and a share above 0, at most 1, are needed"
            )
        for score in self.scores:
            self.counted(score)

    def counted(self, score: Score) -> tuple[Item, ...]:
        """Return the items of a score.

        Raises:
            ParameterError: If one of them is not a rating of this survey.
        """
        ratings = {item.name: item for item in self.items if item.form == "rating"}
        unknown = sorted(set(score.items) - set(ratings))
        if unknown or not ratings:
            raise ParameterError(
                f"score {score.name!r} of {self.name!r} adds up {', '.join(unknown) or 'nothing'}; "
                f"ratings are {', '.join(ratings) or 'none'}"
            )
        return tuple(ratings[name] for name in score.items or ratings)

    def wording(self, item: Item) -> str:
        """Return the wording of an item: lead, text and scale."""
        return " ".join(part for part in (self.lead, item.text, self._scale(item)) if part)

    def _scale(self, item: Item) -> str:
        return self.scale if item.form == "rating" else ""

    def to_dict(self) -> dict[str, Any]:
        """Return the survey as plain values."""
        plain = {name: getattr(self, name) for name in _PLAIN}
        items = [item.to_dict() for item in self.items]
        return {**plain, "items": items, "scores": [score.to_dict() for score in self.scores]}

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> "Survey":
        """Create a survey from the result of `to_dict` or the content of a file.

        Raises:
            ParameterError: If a field is missing, unknown or not allowed.
        """
        fields = dict(values)
        try:
            items = tuple(Item.from_dict(item) for item in fields.pop("items", ()))
            scores = tuple(Score.from_dict(score) for score in fields.pop("scores", ()))
            return Survey(items=items, scores=scores, **fields)
        except (TypeError, AttributeError) as error:
            raise ParameterError(f"cannot make a survey from {values!r}: {error}") from None


_PLAIN = ("name", "lead", "scale", "query", "memories", "population", "share", "from_age")


def _check_names(survey: str, names: list[str]) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ParameterError(f"survey {survey!r} uses a name twice: {', '.join(twice)}")


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers of agents to one item.

    Attributes:
        survey: The survey.
        item: The item.
        decisions: Decisions of the mind.
        value: Ratings on their scale, numbers of options, NaN for texts, shape (agents,).
        text: Text of each answer, "" for other forms, length agents.
    """

    survey: Survey
    item: Item
    decisions: Decisions
    value: NDArray[np.float32]
    text: tuple[str, ...]
