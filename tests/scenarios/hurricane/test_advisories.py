"""Reports of a storm stay true when they are passed on later."""

from datetime import datetime

import pytest

from memopolis.scenarios.hurricane.advisories import CERTAIN_HOURS, FORECASTERS, name_time
from memopolis.scenarios.hurricane.scenario import Hurricane


@pytest.mark.parametrize(
    ("hours", "words"),
    [
        (100, "around Thursday"),
        (CERTAIN_HOURS, "on Tuesday morning"),
        (30, "on Monday afternoon"),
        (18, "early on Monday"),
        (12, "on Sunday evening"),
    ],
)
def test_the_time_of_a_storm_is_named_by_its_day(hours: float, words: str) -> None:
    assert name_time(datetime(2019, 9, 1, 8), hours) == words


def test_no_report_counts_days_from_when_it_was_issued() -> None:
    made = Hurricane(agents=20, rng=1)
    texts = [news.text for _, news in made.timeline if hasattr(news, "text")]
    expected = [text for text in texts if text.startswith(FORECASTERS)]
    assert len(expected) > 3
    assert all("day" in " ".join(text.split()[-3:]) for text in expected)
    assert len(set(expected)) == len(expected)  # no two reports have the same words
    assert not any("in about" in text or "within" in text for text in expected)
