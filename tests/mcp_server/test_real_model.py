"""An interview by a client, answered by a real model on this machine: the wire, not the wisdom."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.local_server import local_server

mcp = pytest.importorskip("mcp")
pytest.importorskip("xllamacpp")
pytestmark = [pytest.mark.extras, pytest.mark.llm, pytest.mark.anyio]

QUESTIONS = ("Are you afraid?", "What did you do?", "How are you?", "Is it safe?", "Who are you?")
"""The model is very small and may speak on until it is cut off; then the rules answer."""


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def model() -> Iterator[str]:
    with local_server("chat", context=4096) as url:
        yield url


def server_of(runs: Path, url: str) -> Any:
    from memopolis.mcp_server.server import make_server

    mind = {
        "mind": "llm", "llm.model": "SmolLM2-135M", "llm.base_url": url, "llm.temperature": 0.8,
        "llm.context_tokens": 60, "llm.max_tokens": 80, "llm.timeout": 300.0, "llm.retries": 1,
    }  # fmt: skip
    return make_server(runs, mind=mind)


async def test_a_model_answers_from_memories(runs: Path, model: str) -> None:
    async with mcp.Client(server_of(runs, model)) as client:
        minds = []
        for question in QUESTIONS:
            asked = {"run": "storm", "agent": 3, "question": question, "memories": 3}
            answer = await client.call_tool("interview", asked)
            assert not answer.is_error, answer.content[0].text
            result = answer.structured_content
            assert json.loads(answer.content[0].text) == result
            assert result["answer"]
            minds.append(result["mind"])
            if result["mind"] == "model":
                break
        assert minds[-1] == "model"
        assert set(minds) <= {"model", "fallback"}
        assert 1 <= len(result["evidence"]) <= 3
        assert {"id", "time", "topic", "text"} <= set(result["evidence"][0])


async def test_an_unreachable_server_is_reported_in_one_line(runs: Path) -> None:
    async with mcp.Client(server_of(runs, "http://127.0.0.1:9/v1")) as client:
        asked = {"run": "storm", "agent": 3, "question": "Are you afraid?"}
        answer = await client.call_tool("interview", asked)
        assert answer.is_error
        text = answer.content[0].text
        assert "no answer from http://127.0.0.1:9/v1" in text
        assert "\n" not in text
        response = await client.call_tool(
            "search_memory", {"run": "storm", "agent": 3, "query": "x"}
        )
        assert not response.is_error
