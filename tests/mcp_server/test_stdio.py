"""The server as clients start it: `memopolis mcp` over standard input and output."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

mcp = pytest.importorskip("mcp")
pytestmark = [pytest.mark.extras, pytest.mark.anyio]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


COMMAND = (sys.executable, "-c", "from memopolis.cli import app; app()", "mcp")


async def test_a_client_starts_the_server_and_calls_tools(runs: Path) -> None:
    started = mcp.StdioServerParameters(command=COMMAND[0], args=[*COMMAND[1:], str(runs)])
    async with (
        mcp.stdio_client(started) as (read, write),
        mcp.ClientSession(read, write) as session,
    ):
        answer = await session.initialize()
        assert answer.server_info.name == "memopolis"
        assert "list_runs" in answer.instructions
        tools = await session.list_tools()
        assert len(tools.tools) == 14
        answer = await session.call_tool(
            "search_memory", {"run": "storm", "agent": 3, "query": "the storm", "k": 2}
        )
        assert len(answer.structured_content["memories"]) == 2
        wrong = await session.call_tool("describe_run", {"run": "../x"})
        assert wrong.is_error


def test_a_missing_folder_is_reported_in_one_line(tmp_path: Path) -> None:
    result = subprocess.run(
        [*COMMAND, str(tmp_path / "nothing")], capture_output=True, text=True, check=False
    )
    assert result.returncode == 2
    assert result.stdout == ""
    assert "there is no folder" in result.stderr
    assert result.stderr.count("\n") == 1


def test_an_unknown_mind_is_reported_in_one_line(runs: Path) -> None:
    result = subprocess.run(
        [*COMMAND, str(runs), "--mind", "oracle"], capture_output=True, text=True, check=False
    )
    assert result.returncode == 2
    assert "mind" in result.stderr


def test_a_lone_surrogate_is_refused_and_the_next_request_answered(runs: Path) -> None:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": CLIENT}
    lines = [
        request(1, "initialize", **hello),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        request(2, "tools/call", name="describe_run", arguments={"run": "\ud800"}),
        request(3, "tools/call", name="list_runs", arguments={"limit": 1}),
        "no JSON",
        request(4, "prompts/get", name="ask_a_citizen", arguments={"question": "\udc00"}),
    ]
    with subprocess.Popen(
        [*COMMAND, str(runs)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as served:
        assert served.stdin is not None
        assert served.stdout is not None
        served.stdin.write("\n".join(lines) + "\n")
        served.stdin.flush()
        answers = [json.loads(served.stdout.readline()) for _ in range(4)]
        served.stdin.close()
    values = {one["id"]: one for one in answers}
    assert set(values) == {1, 2, 3, 4}
    for number in (2, 4):
        assert "a lone surrogate" in values[number]["error"]["message"]
    assert values[3]["result"]["structuredContent"]["total"] == 7


CLIENT = {"name": "test", "version": "1"}


def request(number: int, method: str, **params: Any) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


def test_the_server_ends_with_its_client(runs: Path) -> None:
    result = subprocess.run(
        [*COMMAND, str(runs)], input="", capture_output=True, text=True, timeout=60, check=False
    )
    assert (result.returncode, result.stdout) == (0, "")
