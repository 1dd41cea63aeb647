"""Every example of docs/mcp.md is asked, and every tool has one."""

import json
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

mcp = pytest.importorskip("mcp")
pytestmark = [pytest.mark.extras, pytest.mark.anyio]

PAGE = Path(__file__).parents[2] / "docs" / "mcp.md"
BLOCKS = [
    json.loads(block)
    for block in re.findall(r"```json\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
]
EXAMPLES, MEMORY_EXAMPLES = (block for block in BLOCKS if isinstance(block, list))


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def check(server: Any, examples: list[dict[str, Any]]) -> None:
    """Check that a server answers the examples, one for each of its tools."""
    async with mcp.Client(server) as client:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        assert {example["tool"] for example in examples} == tools
        for example in examples:
            answer: Any = await client.call_tool(example["tool"], example["arguments"])
            assert not answer.is_error, answer.content[0].text


async def test_every_example_about_runs_gets_a_result(made: Path, tmp_path: Path) -> None:
    from memopolis.mcp_server.server import make_server

    pytest.importorskip("duckdb")
    await check(make_server(shutil.copytree(made, tmp_path / "runs"), write=True), EXAMPLES)


async def test_every_example_about_a_memory_gets_a_result(tmp_path: Path) -> None:
    from memopolis.mcp_server.server import make_memory_server

    await check(make_memory_server(tmp_path / "notes"), MEMORY_EXAMPLES)


def test_the_client_in_python_works(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    shutil.copytree(made, tmp_path / "runs")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    exec(code, {})  # noqa: S102 - code of the page
    assert len(capsys.readouterr().out) > 20


def test_the_documented_command_exists() -> None:
    (settings,) = [block for block in BLOCKS if "mcpServers" in block]
    assert settings["mcpServers"]["memopolis"]["command"] == "memopolis"
    assert settings["mcpServers"]["memopolis"]["args"][0] == "mcp"
