"""A chat server that sends prepared answers, and a real one with a small model."""

from collections.abc import Iterator

import pytest
from tests.chat_server import ChatServer
from tests.local_server import local_server


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    """A scripted server, without a key in the environment."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    server = ChatServer()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def local_model() -> Iterator[str]:
    """URL of a chat server on this machine with a model of 135 million parameters."""
    with local_server("chat", context=4096) as url:
        yield url
