"""Dates in an assistant's own memory: queries over standard input, in several time zones."""

import os
import sys
import time
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from memopolis import Memory

mcp = pytest.importorskip("mcp")
pytestmark = [
    pytest.mark.extras,
    pytest.mark.anyio,
    pytest.mark.skipif(not hasattr(time, "tzset"), reason="the system reads no TZ"),
]

ZONES = ("America/New_York", "Asia/Shanghai", "UTC")
# In New York, 2025-03-09 has 23 hours and 2025-11-02 has 25; months begin at different times.
MEMORIES = {
    "2024-12-31T20:00": "Fireworks over the harbour.",
    "2025-03-01T03:00": "The oak was planted.",
    "2025-03-09T06:59": "A minute before summer time.",
    "2025-03-09T07:00": "The first minute of summer time.",
    "2025-11-01T03:59": "Pumpkins were carved.",
    "2025-11-01T04:00": "A lamp was bought.",
    "2025-11-02T05:30": "The first of two equal half hours.",
    "2025-11-02T06:30": "The second of two equal half hours.",
    "2026-05-03T12:00": "Cake on Ann's birthday.",
    "2026-05-05T12:00": "Two days after the birthday.",
}
YEAR_2025 = (date(2025, 1, 1), date(2026, 1, 1))
NOVEMBER = (date(2025, 11, 1), date(2025, 12, 1))
SECOND_OF_NOVEMBER = (date(2025, 11, 1), date(2025, 11, 4))
# Queries of assistants, and the days that they name, from the first to before the last.
QUERIES: dict[str, tuple[date, date] | None] = {
    "What happened in 2025?": YEAR_2025,
    "2025年": YEAR_2025,
    "what did I buy in November 2025": NOVEMBER,
    "2025-11": NOVEMBER,
    "2025年11月": NOVEMBER,
    "2 November 2025": SECOND_OF_NOVEMBER,
    "November 2nd, 2025": SECOND_OF_NOVEMBER,
    "2025年11月2日": SECOND_OF_NOVEMBER,
    "2.11.2025": SECOND_OF_NOVEMBER,
    "9 March 2025": (date(2025, 3, 8), date(2025, 3, 11)),
    "birthday 3 May 2026": (date(2026, 5, 2), date(2026, 5, 5)),
    "in 1965": (date(1965, 1, 1), date(1966, 1, 1)),
    "1600-01-01": (date(1599, 12, 31), date(1600, 1, 3)),
    "in 2190": (date(2190, 1, 1), date(2191, 1, 1)),
    "yesterday": None,
    "last week": None,
    "昨天": None,
    "the oak": None,
}
# These name the latest day or month of the year that has begun, so only that they are answered.
LATEST = ("birthday 3 May", "in March", "五月三日", "29 February")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory with one version, as any server of it would have written it."""
    folder = tmp_path_factory.mktemp("dates")
    memory = Memory(1)
    for when, text in MEMORIES.items():
        memory.now = int(instant(when).timestamp()) // 60
        memory[0].stream.add("note", text)
    memory.save(folder / "version-1")
    return folder


@pytest.mark.parametrize("zone", ZONES)
async def test_a_client_asks_with_dates_in_each_time_zone(saved: Path, zone: str) -> None:
    local = {text: instant(when).astimezone(ZoneInfo(zone)) for when, text in MEMORIES.items()}
    server = mcp.StdioServerParameters(
        command=sys.executable,
        args=["-c", "from memopolis.cli import app; app()", "mcp", "--memory", str(saved)],
        env={**os.environ, "TZ": zone},
    )

    async with mcp.stdio_client(server) as streams, mcp.ClientSession(*streams) as session:
        await session.initialize()

        async def ask(tool: str, **arguments: Any) -> dict[str, Any]:
            answer = await session.call_tool(tool, arguments)
            assert not answer.is_error, f"{tool} {arguments}: {answer.content[0].text}"
            content: dict[str, Any] = answer.structured_content
            return content

        for query, days in QUERIES.items():
            rows = (await ask("search_memory", query=query, k=20))["memories"]
            assert {row["text"] for row in rows} == set(local)
            in_words = {row["text"] for row in rows if row.get("date", 0) > 0}
            assert in_words == {
                text
                for text, when in local.items()
                if days is not None and days[0] <= when.date() < days[1]
            }, query
        for query in (*QUERIES, *LATEST):
            await ask("search_memory", query=query)
            await ask("context_search", query=query)
            await ask("assess_knowledge", topic=query)
            await ask("knowledge_map", topic=query)

        rows = (await ask("list_memories", limit=50))["rows"]
        assert {row["text"]: row["time"] for row in rows} == {
            text: when.isoformat(timespec="minutes") for text, when in local.items()
        }
        about = await ask("describe_memory")
        whens = sorted(local.values())
        ends = whens[0].isoformat(timespec="minutes"), whens[-1].isoformat(timespec="minutes")
        assert (about["first"], about["last"]) == ends

        async def listed(**limits: str) -> set[str]:
            return {row["text"] for row in (await ask("list_memories", **limits))["rows"]}

        # A time zone in an argument is respected, and a date without one is local.
        assert await listed(since="2025-11-02T06:30:00Z", until="2025-11-02T14:30:00+08:00") == {
            "The second of two equal half hours."
        }
        for day in (date(2025, 3, 9), date(2025, 11, 2), date(2026, 5, 3)):
            expected = {text for text, when in local.items() if when.date() == day}
            assert await listed(since=str(day), until=str(day)) == expected
        assert await listed(since="0001-01-01T00:00", until="9999-12-31T23:59") == set(local)
        assert await listed(until="0001-01-01T00:00") == await listed(since="9999-12-31") == set()
