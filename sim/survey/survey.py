"""A survey: items put to some of a population together, and the scores of their answers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memopolis.sim.errors import ParameterError
from memopolis.sim.survey.item import Item
from memopolis.sim.survey.score import Score

SURVEY_ITEM = "survey_item"
"""Kind of the questions that surveys put; `about` is the wording of the item."""

SURVEY_FILE = ".toml"
"""Ending of the name of a survey that is a file."""


@dataclass(frozen=True)
class Survey:
    """Questions that are put to some agents at once, as plain data.

    Attributes:
        name: Name in tables and settings.
        items: Its questions, in the order in which they are put.
        lead: Words that stand before each item, such as "During the past week:".
        scale: Words that explain the ratings.
        scores: Sums of the answers.
        query: What memories are recalled for the items; "" for the text of each.
        memories: Memories recalled for an item, >= 1.
        population: Whom it asks; "" for the first population.
        share: Share of them who are asked, drawn once for all times, in (0, 1].
        from_age: Least age of those asked, where they have an age.

    Raises:
        ParameterError: If it has no item, names two alike, or a number is out of range.
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
        """The items that a score adds up.

        Raises:
            ParameterError: If it names one that is no rating of this survey.
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
        """An item as it is put: lead, text and scale."""
        return " ".join(part for part in (self.lead, item.text, self._scale(item)) if part)

    def _scale(self, item: Item) -> str:
        return self.scale if item.form == "rating" else ""

    def to_dict(self) -> dict[str, Any]:
        """Give the survey as plain values."""
        plain = {name: getattr(self, name) for name in _PLAIN}
        items = [item.to_dict() for item in self.items]
        return {**plain, "items": items, "scores": [score.to_dict() for score in self.scores]}

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> "Survey":
        """Make a survey from what `to_dict` gave, or a file says.

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
