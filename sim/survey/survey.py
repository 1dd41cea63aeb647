"""A survey: its items, the agents that are asked, the scores, and the answers."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.mind.mind import Decisions, Form

type Float = NDArray[np.float64]


_FORMS = ("rating", "choice", "text")


class _Plain:
    """A dataclass that converts to and from plain values."""

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as plain values."""
        return {field.name: _to_plain(getattr(self, field.name)) for field in fields(self)}  # type: ignore[arg-type]

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Create an object from the result of `to_dict` or the content of a file."""
        try:
            return cls(**values)
        except (TypeError, AttributeError) as error:
            kind = cls.__name__.lower()
            raise ParameterError(f"cannot make a {kind} from {values!r}: {error}") from None


def _to_plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_to_plain(entry) for entry in value]
    return value.to_dict() if isinstance(value, _Plain) else value


@dataclass(frozen=True)
class Item(_Plain):
    """One question of a survey, as plain data.

    Raises ParameterError if the declaration is inconsistent.

    Attributes:
        name: Short name, unique in its survey.
        text: Wording of the question.
        form: A rating in [low, high], a choice among options, or a free text.
        low: Lowest rating.
        high: Highest rating.
        step: Distance between possible ratings, 0 if any number is possible.
        options: Names of the choices, in ascending order if the rule reads a status attribute.
        reads: Status attribute that the rule reads, such as "attitude.gun_control"; "" to answer
            from memories only.
        least: Value of the attribute for the lowest rating or the first option.
        most: Value for the highest rating or the last option; it may be below `least`.
        sign: Without that attribute, whether good memories lead to a high rating (1) or a low
            one (-1).
        reversed: Whether a score counts low + high - rating.
        query: Query by which memories are recalled; "" for the query of the survey.
    """

    name: str
    text: str
    form: Form = "rating"
    low: float = 0.0
    high: float = 10.0
    step: float = 1.0
    options: tuple[str, ...] = ()
    reads: str = ""
    least: float = 0.0
    most: float = 10.0
    sign: float = 1.0
    reversed: bool = False
    query: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", tuple(self.options))
        if not self.name.strip() or not self.text.strip():
            raise ParameterError("an item of a survey needs a name and a text")
        if self.form not in _FORMS:
            raise ParameterError(
                f"item {self.name!r} has the form {self.form!r}; allowed are {', '.join(_FORMS)}"
            )
        if (self.form == "choice") != (len(set(self.options)) >= 2):
            raise ParameterError(
                f"item {self.name!r} is a {self.form} with the options {self.options}; "
                "a choice has at least two different ones, other forms have none"
            )
        if len(set(self.options)) != len(self.options):
            raise ParameterError(f"item {self.name!r} names an option twice: {self.options}")
        if not self.low < self.high or self.step < 0:
            raise ParameterError(
                f"item {self.name!r} is rated from {self.low:g} to {self.high:g} in steps of "
                f"{self.step:g}; low < high and step >= 0 are needed"
            )
        if self.least == self.most:
            raise ParameterError(
                f"item {self.name!r}: least and most are both {self.least:g}; they must differ"
            )
        if self.sign not in (-1, 1):
            raise ParameterError(f"item {self.name!r}: sign is {self.sign:g}; 1 or -1 is needed")


@dataclass(frozen=True)
class Score(_Plain):
    """The sum of the points of several items.

    Attributes:
        name: Name of the score, such as "total".
        items: Names of the items; () for all ratings.
        cut_off: Smallest sum that counts as a case; None if there is no such limit.
    """

    name: str
    items: tuple[str, ...] = ()
    cut_off: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "items", tuple(self.items))
        if not self.name.strip():
            raise ParameterError("a score needs a name")


def points(rating: Float, low: Float, high: Float, turned: NDArray[np.bool_]) -> Float:
    """Compute points of ratings: low + high - rating where `turned`, shape (answers,).

    Source: As for the CES-D: Radloff 1977, doi:10.1177/014662167700100306.
    """
    return np.where(turned, low + high - rating, rating)


def total(points: Float) -> Float:
    """Sum points of shape (agents, items) for each agent; NaN if an answer is missing."""
    return np.asarray(points.sum(axis=1), np.float64)


SURVEY_ITEM = "survey_item"  # kind of the questions of surveys; `about` is the wording of the item

SURVEY_FILE = ".toml"  # extension of files of surveys


@dataclass(frozen=True)
class Survey(_Plain):
    """Questions for several agents, as plain data.

    Raises ParameterError if it has no item, a name is used twice, or a number is out of range.

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
        disposition: Standard deviation of a person's fixed tendency to high scores, in points of
            an item; applies to ratings that the rule reads from a status attribute.
        noise: Standard deviation of the error of such a rating, drawn for each item and time.
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
    disposition: float = 0.0
    noise: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "items", tuple(self.items))
        object.__setattr__(self, "scores", tuple(self.scores))
        if not self.name.strip() or not self.items:
            raise ParameterError("a survey needs a name and at least one item")
        for what in (self.items, self.scores):
            names = [entry.name for entry in what]
            twice = sorted({name for name in names if names.count(name) > 1})
            if twice:
                raise ParameterError(f"survey {self.name!r} uses a name twice: {', '.join(twice)}")
        if self.memories < 1 or not 0 < self.share <= 1:
            raise ParameterError(
                f"survey {self.name!r}: memories is {self.memories} and share is {self.share:g}; "
                f"memories must be >= 1 and share in (0, 1]"
            )
        if not (0 <= self.disposition < math.inf and 0 <= self.noise < math.inf):
            raise ParameterError(
                f"survey {self.name!r}: disposition is {self.disposition:g} and noise is "
                f"{self.noise:g}; both must be finite and >= 0"
            )
        for score in self.scores:
            self.counted(score)

    def counted(self, score: Score) -> tuple[Item, ...]:
        """Return the items of a score; ParameterError if one is not a rating of this survey."""
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
        scale = self.scale if item.form == "rating" else ""
        return " ".join(part for part in (self.lead, item.text, scale) if part)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Create a survey from the result of `to_dict` or the content of a file."""
        items = tuple(map(Item.from_dict, values.get("items", ())))
        scores = tuple(map(Score.from_dict, values.get("scores", ())))
        return super().from_dict({**values, "items": items, "scores": scores})


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers of agents to one item."""

    survey: Survey
    item: Item
    decisions: Decisions  # decisions of the mind
    # Ratings on their scale, numbers of options, NaN for texts, shape (agents,)
    value: NDArray[np.float32]
    text: tuple[str, ...]  # text of each answer, "" for other forms, length agents
