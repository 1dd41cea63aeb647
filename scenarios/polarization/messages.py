"""Messages on guns: a few texts for each topic and level of stance.

A message is a memory of its author and of those who read or hear it. Its topic is an attitude and
its valence the stance, from -1 (against stricter laws) to 1 (for them), so that it expresses the
opinion 5 + 5 times the valence. The text is one of several arguments of the level nearest the
stance.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.text.texts import Texts
from memopolis.sim.timeline import News
from memopolis.sim.world.columns import Column, read_table

DATA = Path(__file__).parent / "data"

MESSAGE_TOPICS = ("gun_control", "background_checks")
"""Topics of messages, which are also attitudes."""

NEUTRAL = "guns"
"""Topic of messages on guns without a stance on laws."""

LEVELS = 7
"""Number of levels of stance, from strongly against to strongly for."""

POSTED = "{actor} posted: "
REPORTED = "{actor} reported: "
HEARD = "{actor} told me: "
WROTE = "{actor} wrote to me: "
MINE = "I posted: "
SPOKEN = "I told {actor}: "
PREFIXES = (POSTED, REPORTED, HEARD, WROTE, MINE, SPOKEN)
"""Prefixes of memories of messages: who said it to whom."""

MIN_VALENCE = 1 / 127
"""Minimum absolute valence of a message with a stance: 0 means none."""

_COLUMNS = {
    "topic": Column("text"),
    "level": Column("number", blank=True, default=np.nan, least=-3, most=3),
    "text": Column("text"),
}
_NEWS_COLUMNS = {
    "day": Column("whole", least=0),
    "topic": Column("text"),
    "stance": Column("number", least=-1, most=1),
    "importance": Column("number", least=0, most=1),
    "text": Column("text"),
}


@dataclass(frozen=True)
class Statements:
    """Statements, one entry each, shape (m,).

    Attributes:
        topic: Position in `MESSAGE_TOPICS`, -1 for neutral statements.
        stance: From -1 to 1, 0 for neutral statements.
        text: Position of the text in the file.
    """

    topic: NDArray[np.int8]
    stance: NDArray[np.float32]
    text: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.topic)

    def at(self, rows: NDArray[np.integer]) -> "Statements":
        """Select some of the statements."""
        return Statements(self.topic[rows], self.stance[rows], self.text[rows])


class Messages:
    """All texts of messages.

    Args:
        texts: The texts, in the order of the file.
        pools: Positions of the texts by position in `MESSAGE_TOPICS` and level.
        neutral: Positions of the neutral texts.
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
        self._count = np.ones((len(MESSAGE_TOPICS), LEVELS), np.int64)
        self._texts = np.zeros((len(MESSAGE_TOPICS), LEVELS, widest), np.int32)
        for (topic, level), pool in pools.items():
            self._count[topic, level] = len(pool)
            self._texts[topic, level, : len(pool)] = pool

    @classmethod
    def read(cls, path: Path = DATA / "messages.csv") -> Self:
        """Read the texts.

        Args:
            path: CSV file with columns topic, level (-3 to 3, empty for neutral texts) and text.

        Raises:
            DataFileError: If a value is invalid.
            ParameterError: If a level of a topic, or the neutral topic, has no text.
        """
        table = read_table(path, _COLUMNS)
        topic, level = table["topic"].to_numpy(), table["level"].to_numpy(np.float64)
        pools = {}
        for number, name in enumerate(MESSAGE_TOPICS):
            for at in range(LEVELS):
                pool = np.flatnonzero((topic == name) & (level == at - LEVELS // 2))
                if not len(pool):
                    raise ParameterError(f"{path.name}: no text on {name} of level {at - 3}")
                pools[number, at] = pool.astype(np.int32)
        neutral = np.flatnonzero(topic == NEUTRAL).astype(np.int32)
        if not len(neutral):
            raise ParameterError(f"{path.name}: no text of topic {NEUTRAL}")
        return cls(tuple(table["text"]), pools, neutral)

    def write(
        self,
        stance: NDArray[np.floating],
        topic: NDArray[np.integer],
        u: NDArray[np.float64],
    ) -> Statements:
        """Convert stances to statements.

        Args:
            stance: From -1 to 1, shape (m,).
            topic: Position in `MESSAGE_TOPICS`, shape (m,).
            u: Uniform draws in [0, 1) that select arguments, shape (m,).
        """
        level = compute_level(stance)
        which = (u * self._count[topic, level]).astype(np.intp)
        return Statements(
            topic.astype(np.int8), avoid_zero(stance), self._texts[topic, level, which]
        )

    def write_neutral(self, u: NDArray[np.float64]) -> Statements:
        """Return neutral statements, one per draw."""
        return Statements(
            np.full(len(u), -1, np.int8),
            np.zeros(len(u), np.float32),
            self.neutral[(u * len(self.neutral)).astype(np.intp)],
        )

    def numbers(self, texts: Texts, opening: str) -> NDArray[np.int32]:
        """Return the number of each text in a society's texts, with a prefix."""
        return texts.intern_many([opening + text for text in self.texts])

    def intern(self, texts: Texts) -> None:
        """Intern all texts, since relevance depends on all texts of a society.

        This gives the same text the same weight in treatments with different messages.
        """
        for opening in PREFIXES:
            self.numbers(texts, opening)


@cache
def read_messages() -> Messages:
    """Return the texts shipped with the scenario."""
    return Messages.read()


def draw_stance(
    attitude: NDArray[np.floating], noise: NDArray[np.float64], *, spread: float
) -> NDArray[np.float32]:
    """Draw the stance that citizens express, given their attitude.

    Args:
        attitude: In [0, 10], shape (m,).
        noise: Standard normal draws, shape (m,).
        spread: Standard deviation of expressed around held stances, >= 0.

    Returns:
        In [-1, 1], shape (m,).

    Source:
        This project: (attitude - 5) / 5 and noise.
    """
    return np.clip((attitude - 5) / 5 + spread * noise, -1, 1).astype(np.float32)


def avoid_zero(stance: NDArray[np.floating]) -> NDArray[np.float32]:
    """Keep stances away from 0, which means none; 0 itself becomes positive."""
    least = np.where(stance < 0, -MIN_VALENCE, MIN_VALENCE)
    return np.where(np.abs(stance) < MIN_VALENCE, least, stance).astype(np.float32)


def compute_level(stance: NDArray[np.floating]) -> NDArray[np.intp]:
    """Return levels of stance, 0 (strongly against) to 6 (strongly for), by nearest third."""
    middle = LEVELS // 2
    return np.clip(np.floor(middle * stance + middle + 0.5), 0, LEVELS - 1).astype(np.intp)


def read_shooting() -> list[tuple[int, News]]:
    """Read the news of a school shooting, with the day of publication, from 0."""
    table = read_table(DATA / "shooting.csv", _NEWS_COLUMNS)
    return [
        (row["day"], News(row["text"], row["topic"], row["stance"], row["importance"]))
        for row in table.to_dict("records")
    ]
