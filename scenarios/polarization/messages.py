"""What is said about guns: few texts, each for a topic and a level of stance.

A message is a memory of who says it and of who hears it. Its topic is an attitude, its valence
the stance, from -1 (against stricter laws) to 1 (for them), so that the opinion heard is
5 + 5 times the valence. The text is one of several arguments of the level nearest the stance.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.text.texts import Texts
from memopolis.sim.world.columns import Column, read_table

DATA = Path(__file__).parent / "data"

TALKED_OF = ("gun_control", "background_checks")
"""Topics of messages, which are attitudes too."""

NEUTRAL = "guns"
"""Topic of messages on guns that say nothing for or against laws."""

LEVELS = 7
"""Levels of stance, from strongly against to strongly for."""

POSTED = "{actor} posted: "
REPORTED = "{actor} reported: "
TOLD = "{actor} told me: "
WROTE = "{actor} wrote to me: "
MINE = "I posted: "
TELLING = "I told {actor}: "
OPENINGS = (POSTED, REPORTED, TOLD, WROTE, MINE, TELLING)
"""How a memory of a message begins: who said it to whom."""

LEAST_VALENCE = 1 / 127
"""Smallest valence of a message with a stance: what has none at all is no opinion."""

_COLUMNS = {
    "topic": Column("text"),
    "level": Column("number", blank=True, default=np.nan, least=-3, most=3),
    "text": Column("text"),
}


@dataclass(frozen=True)
class Said:
    """Messages that are said, one entry each, shape (m,).

    Attributes:
        topic: Place in `TALKED_OF`, -1 for neutral messages.
        stance: From -1 to 1, 0 for neutral messages.
        text: Place of the text in the order of the file.
    """

    topic: NDArray[np.int8]
    stance: NDArray[np.float32]
    text: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.topic)

    def at(self, rows: NDArray[np.integer]) -> "Said":
        """Some of the messages."""
        return Said(self.topic[rows], self.stance[rows], self.text[rows])


class Messages:
    """All texts of messages.

    Args:
        texts: The texts, in the order of the file.
        pools: Places of the texts of a (topic, level), by place in `TALKED_OF` and level.
        neutral: Places of the neutral texts.
    """

    def __init__(
        self,
        texts: tuple[str, ...],
        pools: dict[tuple[int, int], NDArray[np.int32]],
        neutral: NDArray[np.int32],
    ) -> None:
        self.texts = texts
        self.neutral = neutral
        widest = max(len(pool) for pool in pools.values())
        self._count = np.ones((len(TALKED_OF), LEVELS), np.int64)
        self._texts = np.zeros((len(TALKED_OF), LEVELS, widest), np.int32)
        for (topic, level), pool in pools.items():
            self._count[topic, level] = len(pool)
            self._texts[topic, level, : len(pool)] = pool

    @classmethod
    def read(cls, path: Path = DATA / "messages.csv") -> Self:
        """Read the texts.

        Args:
            path: CSV with the columns topic, level (-3 to 3, empty for neutral texts) and text.

        Raises:
            DataFileError: If a cell does not fit.
            ParameterError: If a level of a topic, or the neutral topic, has no text.
        """
        table = read_table(path, _COLUMNS)
        topic, level = table["topic"].to_numpy(), table["level"].to_numpy(np.float64)
        pools = {}
        for number, name in enumerate(TALKED_OF):
            for at in range(LEVELS):
                pool = np.flatnonzero((topic == name) & (level == at - LEVELS // 2))
                if not len(pool):
                    raise ParameterError(f"{path.name}: no text on {name} of level {at - 3}")
                pools[number, at] = pool.astype(np.int32)
        neutral = np.flatnonzero(topic == NEUTRAL).astype(np.int32)
        if not len(neutral):
            raise ParameterError(f"{path.name}: no text of topic {NEUTRAL}")
        return cls(tuple(table["text"]), pools, neutral)

    def say(
        self,
        stance: NDArray[np.floating],
        topic: NDArray[np.integer],
        u: NDArray[np.float64],
    ) -> Said:
        """Put stances into words.

        Args:
            stance: From -1 to 1, shape (m,).
            topic: Place in `TALKED_OF`, shape (m,).
            u: Uniform draws in [0, 1), which of the arguments it is, shape (m,).
        """
        level = level_of(stance)
        which = (u * self._count[topic, level]).astype(np.intp)
        return Said(topic.astype(np.int8), with_stance(stance), self._texts[topic, level, which])

    def say_nothing(self, u: NDArray[np.float64]) -> Said:
        """Neutral messages, one a draw."""
        return Said(
            np.full(len(u), -1, np.int8),
            np.zeros(len(u), np.float32),
            self.neutral[(u * len(self.neutral)).astype(np.intp)],
        )

    def numbers(self, texts: Texts, opening: str) -> NDArray[np.int32]:
        """Number of each text in a society's texts, with an opening before it."""
        return texts.intern_many([opening + text for text in self.texts])

    def intern(self, texts: Texts) -> None:
        """Let a society know every text: relevance hangs on all texts there are.

        So arms in which other things are said still weigh the same text alike.
        """
        for opening in OPENINGS:
            self.numbers(texts, opening)


@cache
def shipped() -> Messages:
    """The texts that come with the scenario."""
    return Messages.read()


def stance_of(
    attitude: NDArray[np.floating], noise: NDArray[np.float64], *, spread: float
) -> NDArray[np.float32]:
    """What somebody says who holds an attitude.

    Args:
        attitude: In [0, 10], shape (m,).
        noise: Standard normal draws, shape (m,).
        spread: Standard deviation of what is said about what is held, >= 0.

    Returns:
        In [-1, 1], shape (m,).

    Source:
        This project: (attitude - 5) / 5 and noise.
    """
    return np.clip((attitude - 5) / 5 + spread * noise, -1, 1).astype(np.float32)


def with_stance(stance: NDArray[np.floating]) -> NDArray[np.float32]:
    """Keep stances away from 0, which means that none is taken; 0 itself becomes positive."""
    least = np.where(stance < 0, -LEAST_VALENCE, LEAST_VALENCE)
    return np.where(np.abs(stance) < LEAST_VALENCE, least, stance).astype(np.float32)


def level_of(stance: NDArray[np.floating]) -> NDArray[np.intp]:
    """Level of stance, 0 (strongly against) to 6 (strongly for): the nearest third of [-1, 1]."""
    middle = LEVELS // 2
    return np.clip(np.floor(middle * stance + middle + 0.5), 0, LEVELS - 1).astype(np.intp)
