"""What people came to remember about something over time, from the tables of a run."""

from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
import pandas as pd

from memopolis.sim.errors import ParameterError, UnknownNameError
from memopolis.sim.memory.text.relevance import FULL

if TYPE_CHECKING:
    from memopolis.analysis.run.run import Run

type By = Literal["tick", "hour", "day", "week"]

BAR = 0.3
"""Share of a query that a text must hold to match it, as in the assessment of knowledge.

The soft lexical index weighs the query's pieces by how rare they are among the run's texts:
a text with the one rare word passes, one with a word only somewhat like it does not.
"""

_STEPS = {"hour": "h", "day": "D", "week": "W-MON"}


def memory_trend(
    run: "Run", query: str, topic: str | None = None, by: By = "day", *, bar: float = BAR
) -> pd.DataFrame:
    """Count and weigh the memories about something that were made in each span of time.

    Args:
        run: A run that recorded memories.
        query: What they are about, in words.
        topic: Only memories of this topic; None for all.
        by: Span of time: "tick", "hour", "day" or "week" (from Monday on).
        bar: Share of the query that a text must hold, 0..1.

    Returns:
        A row for each span of the run, those without a match included: `time` at which it
        begins, `count` of matching memories, their `weight` (sum of importance 0..1, so a
        memory that matters fully counts as one), all `memories` of the topic made in it, and
        the `share` of them that match, nan where there are none. What people remembered
        before the run began is left out.

    Raises:
        ParameterError: If `by` is none of these, or `bar` does not lie in 0..1.
        UnknownNameError: If the run recorded no memories, or none of that topic.
    """
    if by not in get_args(By.__value__):
        raise ParameterError(f"by is {by!r}; allowed are 'tick', 'hour', 'day' and 'week'")
    if not 0 <= bar <= 1:
        raise ParameterError(f"bar is {bar}; a share between 0 and 1 is needed")
    memories = _memories(run, topic)
    matching = memories["text"].map(text_relevance(run, query)).to_numpy(float) >= bar
    begins = _begins(run, by)
    # The last to begin at or before a memory was made is its span.
    span = np.searchsorted(begins, run.time_of(memories["tick"]), side="right") - 1
    spans = len(begins)
    count = np.bincount(span[matching], minlength=spans)
    weight = np.bincount(
        span[matching], weights=memories["importance"].to_numpy(float)[matching], minlength=spans
    )
    every = np.bincount(span, minlength=spans)
    return pd.DataFrame(
        {
            "time": begins,
            "count": count,
            "weight": weight,
            "memories": every,
            "share": np.where(every > 0, count / np.maximum(every, 1), np.nan),
        }
    )


def text_relevance(run: "Run", query: str) -> pd.Series:
    """Share of a query that each text of a run holds.

    Args:
        run: A run.
        query: In words.

    Returns:
        0..1 by the text's hash: relevance by the soft lexical index over all texts of the
        run, templates as they are.
    """
    from memopolis.sim.memory.text.lexical import LexicalIndex
    from memopolis.sim.memory.text.texts import Texts

    texts = Texts()
    numbers = texts.intern_many(run.texts.tolist())
    table, rows = LexicalIndex(texts).table([query])
    return pd.Series(table[rows[0], numbers] / FULL, index=run.texts.index, name="relevance")


def _memories(run: "Run", topic: str | None) -> pd.DataFrame:
    """Memories made during the run, as recorded."""
    memories = run.table("memories")[["tick", "topic", "text", "importance"]]
    if topic is not None:
        topics = sorted(memories["topic"].astype(str).unique())
        if topic not in topics:
            raise UnknownNameError(
                f"the run has no memory of topic {topic!r}; it has {', '.join(topics)}"
            )
        memories = memories[memories["topic"] == topic]
    return memories[memories["tick"] >= 0]


def _begins(run: "Run", by: By) -> pd.DatetimeIndex:
    """Where the spans of a run begin; the first may begin before the run does."""
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
