"""Queries taken apart: names out, dates into ticks."""

from datetime import UTC, datetime, timedelta

import pytest

from memopolis import Memory
from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.text.query import NO_DATE, Query, interval, parse

NAMES = {"Ann": 3, "Bob": 4, "Ann Lee": 5, "Will": 6, "May": 7, "Jean-Luc": 8}
OTHER_NAMES = {
    "张伟": 3,
    "张伟强": 4,
    "李娜": 5,
    "明": 6,
    "민수": 7,
    "สมชาย": 8,
    "राम": 9,
    "Ann": 10,
}


@pytest.mark.parametrize(
    ("text", "actors", "rest"),
    [
        ("What did Ann say about bread?", (3,), "What did  say about bread?"),
        ("Ann Lee's bread", (5,), " bread"),
        ("Did Bob meet Ann?", (4, 3), "Did  meet ?"),
        ("Did Bob's Ann meet Ann Lee, Bob and Ann?", (4, 3, 5), "Did   meet ,  and ?"),
        ("will it rain", (), "will it rain"),
        ("Bob\u2019s shop", (4,), " shop"),
        ("Jean-Luc went home", (8,), " went home"),
        ("May went home", (7,), " went home"),
        ("", (), ""),
    ],
)
def test_actors_are_in_order_of_appearance_and_all_names_are_removed(
    text: str, actors: tuple[int, ...], rest: str
) -> None:
    query = parse(text, NAMES)
    assert (query.actors, query.text) == (actors, rest)


@pytest.mark.parametrize(
    ("text", "actors", "rest"),
    [
        ("张伟说了什么", (3,), " 说了什么"),
        ("小张伟强和李娜去哪里了", (4, 5), "小 和 去哪里了"),
        ("张伟, 李娜, 张伟?", (3, 5), ", , ?"),
        ("Ann和李娜, 后来Ann", (10, 5), "和 , 后来"),
        ("李娜见到 Ann 和张伟", (5, 10, 3), " 见到  和 "),
        ("明天", (), "明天"),
        ("明 说", (6,), " 说"),
        ("민수가 뭐라고 했어?", (7,), " 가 뭐라고 했어?"),
        ("สมชายพูดว่าอะไร", (8,), " พูดว่าอะไร"),
        ("राम ने क्या कहा", (9,), " ने क्या कहा"),
        ("张三说了什么", (), "张三说了什么"),
    ],
)
def test_names_are_found_in_scripts_without_spaces(
    text: str, actors: tuple[int, ...], rest: str
) -> None:
    query = parse(text, OTHER_NAMES)
    assert (query.actors, query.text) == (actors, rest)


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


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("on 3 March 2025", (2025, 3, 3)),
        ("the 3rd of March, 2025", (2025, 3, 3)),
        ("March 3rd", (None, 3, 3)),
        ("March 3, 2025: what happened?", (2025, 3, 3)),
        ("Sept. 2 in the evening", (None, 9, 2)),
        ("2 September", (None, 9, 2)),
        ("May the 4th 2025", (2025, 5, 4)),
        ("it may 4 times, and 5 may come", (None, None, None)),
        ("May 20,000 people", (None, 5, None)),
        ("31 February 2025", (2025, 2, None)),
        ("29 February", (None, 2, 29)),
        ("2025-03-13", (2025, 3, 13)),
        ("2025/3/13 at 10", (2025, 3, 13)),
        ("2025-03", (2025, 3, None)),
        ("2025.3", (2025, None, None)),
        ("13/3/2025", (2025, 3, 13)),
        ("3/13/2025", (2025, 3, 13)),
        ("3/3/2025", (2025, 3, 3)),
        ("3/4/2025", (2025, None, None)),
        ("3.4.2025", (2025, 4, 3)),
        ("1.2.3.2025", (2025, None, None)),
        ("99/99/2025", (2025, None, None)),
        ("2024年5月", (2024, 5, None)),
        ("2024年5月3日发生了什么", (2024, 5, 3)),
        ("他在五月去了哪里", (None, 5, None)),
        ("二〇二四年十二月二十三日", (2024, 12, 23)),
        ("十月三号", (None, 10, 3)),
        ("2024年的事", (2024, None, None)),
        ("二〇二四年", (2024, None, None)),
        ("\uff12\uff10\uff12\uff14年\uff15月", (2024, 5, None)),
        ("三个月, 5年, 9999年, 十三月", (None, None, None)),
        ("2024년 5월 3일에", (2024, 5, 3)),
    ],
)
def test_named_dates_are_found(text: str, date: tuple[int | None, int | None, int | None]) -> None:
    query = parse(text, {})
    assert (query.year, query.month, query.day) == date


def date_of(tick: int) -> datetime:
    """Daily ticks from 20 August 2019."""
    return datetime(2019, 8, 20) + timedelta(days=tick)


@pytest.mark.parametrize(
    ("month", "year", "now", "ticks"),
    [
        (9, 2019, 100, (12, 41)),
        (9, None, 100, (12, 41)),
        (9, None, 390, (378, 390)),
        (None, 2019, 400, (-231, 133)),
        (12, 2019, 400, (103, 133)),
        (None, None, 100, NO_DATE),
    ],
)
def test_a_date_becomes_ticks(
    month: int | None, year: int | None, now: int, ticks: tuple[int, int]
) -> None:
    assert interval(Query("", month=month, year=year), now, date_of) == ticks


def test_a_date_before_the_start_has_negative_ticks_and_one_to_come_has_none() -> None:
    first, last = interval(Query("", month=1, year=2001), 100, date_of)
    assert (date_of(first), date_of(last)) == (datetime(2001, 1, 1), datetime(2001, 1, 31))
    first, last = interval(Query("", month=1, year=2101), 100, date_of)
    assert first > last
    assert interval(Query("", year=2019), 100, None) == NO_DATE


@pytest.mark.parametrize(
    ("date", "now", "ticks"),
    [
        ((2019, 9, 2), 100, (12, 14)),
        ((None, 9, 2), 100, (12, 14)),
        ((None, 9, 2), 390, (378, 380)),
        ((None, 9, 2), 370, (12, 14)),
        ((None, 12, 1), 200, (102, 104)),
        ((2019, 9, 2), 13, (12, 13)),
        ((None, 2, 29), 600, (192, 194)),
    ],
)
def test_a_named_day_has_the_ticks_of_three_days(
    date: tuple[int | None, int, int], now: int, ticks: tuple[int, int]
) -> None:
    year, month, day = date
    assert interval(Query("", year=year, month=month, day=day), now, date_of) == ticks


def test_a_named_day_has_the_tick_that_contains_it_if_ticks_are_long() -> None:
    def month_of(tick: int) -> datetime:
        return datetime(2019 + tick // 12, tick % 12 + 1, 1)

    assert interval(Query("", year=2019, month=4, day=15), 9, month_of) == (3, 3)
    assert interval(Query("", year=2019, month=10, day=15), 9, month_of) == (9, 9)
    assert interval(Query("", year=2018, month=4, day=15), 9, month_of) == (-9, -9)
    first, last = interval(Query("", year=2019, month=11, day=15), 9, month_of)
    assert first > last


def test_a_calendar_that_ends_before_a_date_reaches_back_as_far_as_it_can() -> None:
    def since_1970(tick: int) -> datetime:
        if tick < 0:
            raise OSError(22, "Invalid argument")  # as `datetime.fromtimestamp` on Windows
        return datetime(1970, 1, 1) + timedelta(days=tick)

    first, last = interval(Query("", year=1965), 100, since_1970)
    assert first > last
    assert interval(Query("", year=1970), 100, since_1970) == (0, 100)


def test_dates_with_a_time_zone_are_refused_by_the_search() -> None:
    memory = Memory(1)
    memory.date_of = lambda tick: datetime(2025, 5, 3, tzinfo=UTC) + timedelta(hours=tick)
    memory[0].stream.add("note", "Ann's birthday")
    assert memory[0].stream.search("birthday")
    for search in (memory[0].stream, memory.stream):
        with pytest.raises(ParameterError, match=r"date_of returned 2025-05-03.* time zone"):
            search.search("birthday on 3 May")
