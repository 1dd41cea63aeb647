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
EXAMPLES = [block for block in BLOCKS if "tool" in block]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def test_every_example_gets_a_result(made: Path, tmp_path: Path) -> None:
    from memopolis.mcp_server.server import make_server

    pytest.importorskip("duckdb")
    place = shutil.copytree(made, tmp_path / "runs")
    async with mcp.Client(make_server(place, write=True)) as client:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        assert {example["tool"] for example in EXAMPLES} == tools
        for example in EXAMPLES:
            answer: Any = await client.call_tool(example["tool"], example["arguments"])
            assert not answer.is_error, answer.content[0].text


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
