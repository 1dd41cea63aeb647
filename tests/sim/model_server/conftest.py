"""Servers that send prepared answers."""

from collections.abc import Iterator

import pytest
from tests.chat_server import ChatServer


@pytest.fixture
def servers() -> Iterator[tuple[ChatServer, ChatServer]]:
    """Two of them, the second for redirects."""
    both = ChatServer(), ChatServer()
    yield both
    for server in both:
        server.stop()
