"""Which memories may be found, as a caller or a profile says it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from pydantic import ConfigDict

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.streams.encoding import KINDS

SIGNS = ("positive", "negative", "urgent")
"""Emotional signs: valence above 0, below 0, or the tag of that name."""

CONFIG = ConfigDict(extra="forbid", allow_inf_nan=False)
"""How profiles and filters are read from settings."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Filters; None is any.

    Attributes:
        topic: Name of a topic.
        days: First and last day of creation, both inclusive.
        place: Index of a place, one or one an agent.
        emotion: Emotion word.
        kind: "event" or "thought".
        only_actor: unique_id of the actor, one or one an agent.
        ticks: First and last tick of creation, both inclusive.
        tags: Names of tags, or bits; a memory has at least one of them.
        sign: "positive" (valence above 0), "negative" (below 0) or "urgent" (has that tag).

    Raises:
        ParameterError: If kind or sign is none of those.
    """

    topic: str | None = None
    days: tuple[int, int] | None = None
    place: Any = None
    emotion: str | None = None
    kind: str | None = None
    only_actor: Any = None
    ticks: tuple[int, int] | None = None
    tags: Any = None
    sign: str | None = None

    __pydantic_config__ = CONFIG

    def __post_init__(self) -> None:
        if self.kind is not None and self.kind not in KINDS:
            raise ParameterError(f"kind is {self.kind!r}; allowed are 'event' and 'thought'")
        if self.sign is not None and self.sign not in SIGNS:
            allowed = ", ".join(map(repr, SIGNS))
            raise ParameterError(f"sign is {self.sign!r}; allowed are {allowed}")
        # A value that cannot change, also where a list came from a file of settings.
        if self.tags is not None and not isinstance(self.tags, str | int | np.integer):
            object.__setattr__(self, "tags", tuple(self.tags))

    @property
    def all(self) -> bool:
        """Whether any memory may be found."""
        return all(getattr(self, name) is None for name in self.__slots__)

    def over(self, other: "Wanted") -> "Wanted":
        """These filters, and where they say nothing those of another."""
        if other.all:
            return self
        mine = {name: getattr(self, name) for name in self.__slots__}
        return Wanted(
            **{n: getattr(other, n) if value is None else value for n, value in mine.items()}
        )


ALL = Wanted()
"""No filter."""
