"""Count new memories about a subject over time, from the tables of a run."""

from typing import Literal, get_args

import numpy as np
import pandas as pd

from memopolis.analysis.run.run import Run
from memopolis.sim.errors import ParameterError, UnknownNameError
from memopolis.sim.memory.text.relevance import FULL

type By = Literal["tick", "hour", "day", "week"]

BAR = 0.3
"""Minimum relevance of a text that matches a query, as in the assessment of knowledge.

The lexical index weighs the word pieces of the query by their rarity among the run's texts. So a
text with the one rare word matches, and a text with a merely similar word does not.
"""

_STEPS = {"hour": "h", "day": "D", "week": "W-MON"}


def memory_trend(
    run: Run, query: str, topic: str | None = None, by: By = "day", *, bar: float = BAR
) -> pd.DataFrame:
    """Count the new memories about a subject in each period of a run.

    Returns a row for each period, including those without a match: `time` at which it begins,
    `count` of matching memories, their `weight` (sum of importance, 0..1 each), all new `memories`
    of the topic, and the `share` of them that match, NaN where there are none. Memories from before
    the run are not counted.

    Args:
        run: A run that recorded memories.
        query: The subject, in words.
        topic: Only memories of this topic; None for all.
        by: Length of a period: "tick", "hour", "day" or "week" (from Monday on).
        bar: Minimum relevance of a matching text, 0..1.

    Raises:
        ParameterError: If `by` is unknown, or `bar` is not between 0 and 1.
        UnknownNameError: If the run recorded no memories, or none of that topic.
    """
    if by not in get_args(By.__value__):
        raise ParameterError(f"by is {by!r}; allowed are 'tick', 'hour', 'day' and 'week'")
    if not 0 <= bar <= 1:
        raise ParameterError(f"bar is {bar}; a share between 0 and 1 is needed")
    memories = _memories(run, topic)
    matching = memories["text"].map(text_relevance(run, query)).to_numpy(float) >= bar
    begins = _begins(run, by)
    period = np.searchsorted(begins, run.time_of(memories["tick"]), side="right") - 1
    frame = pd.DataFrame(
        {
            "count": matching,
            "weight": memories["importance"].astype(float).where(matching, 0.0),
            "memories": 1,
        }
    )
    sums = frame.groupby(period).sum().reindex(range(len(begins)), fill_value=0)
    sums["share"] = sums["count"] / sums["memories"].replace(0, np.nan)
    return sums.assign(time=begins)[["time", "count", "weight", "memories", "share"]]


def text_relevance(run: Run, query: str) -> pd.Series:
    """Compute the lexical relevance, 0..1, of each text of a run to a query, by hash of the text.

    Texts are templates, compared with all texts of the run.
    """
    from memopolis.sim.memory.text.lexical import LexicalIndex
    from memopolis.sim.memory.text.texts import Texts

    texts = Texts()
    numbers = texts.intern_many(run.texts.tolist())
    table, rows = LexicalIndex(texts).table([query])
    return pd.Series(table[rows[0], numbers] / FULL, index=run.texts.index, name="relevance")


def _memories(run: Run, topic: str | None) -> pd.DataFrame:
    """Return the memories made during the run, as recorded."""
    memories = run.table("memories")[["tick", "topic", "text", "importance"]]
    if topic is not None:
        topics = sorted(memories["topic"].astype(str).unique())
        if topic not in topics:
            raise UnknownNameError(
                f"the run has no memory of topic {topic!r}; it has {', '.join(topics)}"
            )
        memories = memories[memories["topic"] == topic]
    return memories[memories["tick"] >= 0]


def _begins(run: Run, by: By) -> pd.DatetimeIndex:
    """Return the start of each period; the first may begin before the run."""
    if by == "tick":
        ticks = pd.Series(np.arange(max(run.ticks, 1)))
        return pd.DatetimeIndex(run.time_of(ticks))
    step = _STEPS[by]
    first = pd.Timestamp(run.start)
    first = first.floor("h") if by == "hour" else first.normalize()
    if by == "week":
        first -= pd.Timedelta(days=first.weekday())
    last = max(pd.Timestamp(run.end) - pd.Timedelta(hours=run.hours), first)
    begins: pd.DatetimeIndex = pd.date_range(first, last, freq=step)
    return begins
