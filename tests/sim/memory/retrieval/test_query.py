"""Queries taken apart: names out, dates into ticks."""

from datetime import datetime, timedelta

import pytest

from memopolis.sim.memory.retrieval.query import NO_ACTOR, NO_DATE, Query, interval, parse

NAMES = {"Ann": 3, "Bob": 4, "Ann Lee": 5, "Will": 6, "May": 7, "Jean-Luc": 8}


@pytest.mark.parametrize(
    ("text", "actor", "rest"),
    [
        ("What did Ann say about bread?", 3, "What did  say about bread?"),
        ("Ann Lee's bread", 5, " bread"),
        ("Did Bob meet Ann?", 4, "Did  meet ?"),
        ("will it rain", NO_ACTOR, "will it rain"),
        ("Bob\u2019s shop", 4, " shop"),
        ("Jean-Luc went home", 8, " went home"),
        ("May went home", 7, " went home"),
        ("", NO_ACTOR, ""),
    ],
)
def test_the_first_name_is_the_actor_and_all_names_are_removed(
    text: str, actor: int, rest: str
) -> None:
    query = parse(text, NAMES)
    assert (query.actor, query.text) == (actor, rest)


@pytest.mark.parametrize(
    ("text", "month", "year"),
    [
        ("the storm in September 2019", 9, 2019),
        ("what happened in june", 6, None),
        ("it may rain, so we march", None, None),
        ("in May", 5, None),
        ("May's prices", 5, None),
        ("back in 1999", None, 1999),
        ("2000000 dollars and 12019", None, None),
        ("nothing of the kind", None, None),
    ],
)
def test_months_and_years_are_found(text: str, month: int | None, year: int | None) -> None:
    query = parse(text, {})
    assert (query.month, query.year) == (month, year)
    assert query.text == text, "dates stay in the text"


def date_of(tick: int) -> datetime:
    """Daily ticks from 20 August 2019."""
    return datetime(2019, 8, 20) + timedelta(days=tick)


@pytest.mark.parametrize(
    ("month", "year", "now", "ticks"),
    [
        (9, 2019, 100, (12, 41)),
        (9, None, 100, (12, 41)),
        (9, None, 390, (378, 390)),
        (None, 2019, 400, (0, 133)),
        (12, 2019, 400, (103, 133)),
        (None, None, 100, NO_DATE),
    ],
)
def test_a_date_becomes_ticks(
    month: int | None, year: int | None, now: int, ticks: tuple[int, int]
) -> None:
    assert interval(Query("", month=month, year=year), now, date_of) == ticks


def test_a_date_outside_the_run_matches_no_tick() -> None:
    first, last = interval(Query("", month=1, year=2001), 100, date_of)
    assert first > last
    assert interval(Query("", year=2019), 100, None) == NO_DATE
