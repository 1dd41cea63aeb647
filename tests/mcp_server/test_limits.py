"""Every tool returns a limited number of rows and says how many were left out."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from memopolis import BasicIncome, Hurricane, Polarization, fork

mcp = pytest.importorskip("mcp")
pytestmark = [pytest.mark.extras, pytest.mark.anyio]

USUAL, MOST = 20_000, 250_000  # bytes of an answer, with usual arguments and at all
LEFT_OUT = r"([\d,]+) of ([\d,]+) (\w+) were left out: "

LONGEST: dict[str, dict[str, Any]] = {
    "list_runs": {"limit": 500},
    "describe_run": {},
    "read_table": {"table": "memories", "limit": 500},
    "read_measures": {"group": "*", "limit": 500},
    "list_citizens": {"limit": 500},
    "citizen_life": {"agent": 3, "decisions": 100},
    "search_memory": {"agent": 3, "query": "home and work", "k": 100},
    "context_search": {"agent": 3, "query": "home and work", "k": 100},
    "assess_knowledge": {"agent": 3, "topic": "home and work"},
    "knowledge_map": {"agent": 3, "topic": "home and work", "least": 0, "depth": 5},
    "review_list": {"agent": 3, "k": 100},
    "interview": {"agent": 3, "question": "What do you remember?", "memories": 50},
    "compare_runs": {"a": "first", "b": "fork", "groups": True},
    "query_sql": {"sql": "select * from memories", "limit": 500},
}
"""The arguments that give the longest answer of each tool that reads runs."""

TEXT = "Der Zug nach Łódź fährt um halb acht, „pünktlich“, sagt Zoë.\n" * 30
ALL = list(range(100))
LONGEST_OF_MEMORY: dict[str, dict[str, Any]] = {
    "store_memory": {"text": TEXT},
    "store_thought": {"text": TEXT, "evidence": ALL},
    "update_memory": {"id": 1, "text": TEXT},
    "read_memories": {"ids": ALL},
    "list_memories": {"limit": 500},
    "search_memory": {"query": "Zug nach Łódź", "k": 100},
    "context_search": {"query": "Zug nach Łódź", "k": 100},
    "recommend_memories": {"k": 100},
    "related_memories": {"ids": ALL},
    "assess_knowledge": {"topic": "Zug nach Łódź"},
    "knowledge_map": {"topic": "Zug nach Łódź", "least": 0, "depth": 5},
    "review_list": {"k": 100},
    "describe_memory": {},
    "forget_memories": {"ids": [0]},
}
"""The same of a memory; `forget_memories` is the last one."""


def number(text: str) -> int:
    return int(text.replace(",", ""))


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module", params=["hurricane", "polarization", "ubi"])
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run of a scenario and a fork of it."""
    folder = tmp_path_factory.mktemp(request.param)
    scenario: Any = {"hurricane": Hurricane, "polarization": Polarization, "ubi": BasicIncome}
    days = {"hurricane": 3, "polarization": 21, "ubi": 400}[request.param]
    own = {"start": 2} if request.param == "ubi" else {}
    society = scenario[request.param](agents=60, days=days, rng=5, checkpoint={"every": 5}, **own)
    fork(society.run(folder / "first"), folder / "fork", at=5)
    return folder


async def size_of(client: Any, tool: str, **arguments: Any) -> tuple[int, dict[str, Any]]:
    """Return the size of an answer in bytes, and the answer."""
    answer = await client.call_tool(tool, arguments)
    (only,) = answer.content
    assert not answer.is_error, only.text
    assert json.loads(only.text) == answer.structured_content
    return len(only.text.encode()), answer.structured_content


async def test_every_tool_of_runs_answers_within_limits(served: Path) -> None:
    pytest.importorskip("duckdb")
    from memopolis.mcp_server.server import make_server

    counted = []
    async with mcp.Client(make_server(served)) as client:
        for tool in (await client.list_tools()).tools:
            takes_run = "run" in tool.input_schema["properties"]
            run = {"run": "first"} if takes_run else {}
            size, answer = await size_of(client, tool.name, **LONGEST[tool.name] | run)
            assert size <= MOST, tool.name
            needed = {key: LONGEST[tool.name][key] for key in tool.input_schema.get("required", ())}
            size, _ = await size_of(client, tool.name, **needed | run)
            assert size <= USUAL, tool.name
            for left_out, total, name in re.findall(LEFT_OUT, answer["note"]):
                counted.append(tool.name)
                shown = len(answer[name])
                assert number(left_out) == number(total) - shown > 0, tool.name
                assert answer.get("total", number(total)) == number(total)
    assert {"read_table", "query_sql"} <= {*counted}


async def test_every_tool_of_a_memory_answers_within_limits(tmp_path: Path) -> None:
    from memopolis.mcp_server.server import make_memory_server

    async with mcp.Client(make_memory_server(tmp_path / "notes")) as client:
        for memory in ALL:
            text = f"{memory}: {TEXT}"
            await client.call_tool("store_memory", {"text": text, "topic": f"Thema {memory}"})
        tools = {tool.name for tool in (await client.list_tools()).tools}
        assert tools == set(LONGEST_OF_MEMORY)
        for tool, asked in LONGEST_OF_MEMORY.items():
            size, answer = await size_of(client, tool, **asked)
            assert size <= MOST, tool
            if tool in {"read_memories", "list_memories", "search_memory"}:
                ((left_out, total, name),) = re.findall(LEFT_OUT, answer["note"])
                assert number(left_out) == number(total) - len(answer[name]) > 0, tool


async def test_an_answer_that_is_too_long_is_refused_in_one_line(
    served: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memopolis.mcp_server import server

    monkeypatch.setattr(server, "MOST_ANSWER", 1_000)
    async with mcp.Client(server.make_server(served)) as client:
        answer = await client.call_tool("describe_run", {"run": "first"})
    assert answer.is_error
    assert answer.content[0].text.startswith("describe_run: the answer is too long; lower limit")


@pytest.mark.parametrize("part", ["settings", "shocks", "measures", "tables", "attributes"])
async def test_a_part_of_a_run_is_described_in_detail(served: Path, part: str) -> None:
    from memopolis.mcp_server.server import make_server

    parts = {"settings", "shocks", "measures", "tables", "attributes"}
    async with mcp.Client(make_server(served)) as client:
        _, overview = await size_of(client, "describe_run", run="first")
        _, detailed = await size_of(client, "describe_run", run="first", part=part)
    assert [one for one in parts if detailed.get(one)] == [part]
    assert list(detailed[part]) == list(overview[part]) if part != "shocks" else True
    if part == "measures":
        for name, one in detailed[part].items():
            assert set(one) == {"description", "unit", "groups", "last"}
            assert one["last"] == overview[part][name]
    if part == "tables":
        assert "text" in detailed[part]["memories"]["columns"]
        assert detailed[part]["memories"]["rows"] == overview[part]["memories"]


@pytest.mark.parametrize("make", ["make_server", "make_memory_server"])
async def test_the_two_searches_name_each_other(tmp_path: Path, make: str) -> None:
    from memopolis.mcp_server import server

    async with mcp.Client(getattr(server, make)(tmp_path)) as client:
        listed = (await client.list_tools()).tools
    tools = {tool.name: " ".join(tool.description.split()) for tool in listed}
    assert "use context_search" in tools["search_memory"]
    assert "use search_memory" in tools["context_search"]
