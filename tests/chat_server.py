"""A chat server in a thread that sends prepared answers."""

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Play:
    """What a server does with one request."""

    text: str = ""
    status: int = 200
    body: bytes | None = None
    delay: float = 0.0
    headers: dict[str, str] = field(default_factory=dict)
    reason: str = "Played"
    sent: float = 1.0
    """Share that is sent before the connection is dropped; all of it leaves it open."""


Script = Callable[[dict[str, Any], int], Play]
"""What to do with a request, given its JSON and how often the same came before."""


_HOLD = 1_000
"""Most times that a held reply is looked at, every 0.01 s."""


class ChatServer:
    """A server in a thread that answers according to a script.

    Attributes:
        script: What to do with each request.
        asked: The JSON of every request, in order of arrival.
        keys: Values of the header Authorization.
        most: Most requests that were open at once; tests set it back to 0.
        hold_until: Replies wait until so many requests were open at once.
    """

    def __init__(self) -> None:
        self.script: Script = lambda _asked, _times: Play("{}")
        self.asked: list[dict[str, Any]] = []
        self.keys: set[str] = set()
        self.most = 0
        self.hold_until = 0
        self._open = 0
        self._seen: Counter[str] = Counter()
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._live)
        self._thread.start()
        self._ready.wait()

    def _live(self) -> None:
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    async def _serve(self) -> None:
        self._end = asyncio.Event()
        self._talks: set[asyncio.Task[None]] = set()
        server = await asyncio.start_server(self._talk, "127.0.0.1", 0, backlog=1_000)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        self._ready.set()
        await self._end.wait()
        server.close()
        for talk in self._talks:
            talk.cancel()
        await asyncio.gather(*self._talks, return_exceptions=True)

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        talk = asyncio.current_task()
        assert talk is not None
        self._talks.add(talk)
        try:
            while await self._exchange(reader, writer):
                pass
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            pass  # the client is gone, or the test over
        finally:
            self._talks.discard(talk)
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; whether the connection stays."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        result = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:-2])
        asked = json.loads(await reader.readexactly(int(result["content-length"])))
        self.asked.append(asked)
        self.keys.add(result.get("authorization", ""))
        same = json.dumps(asked["messages"])
        play = self.script(asked, self._seen[same])
        self._seen[same] += 1
        self._open += 1
        self.most = max(self.most, self._open)
        for _ in range(_HOLD):
            if self.most >= self.hold_until:
                break
            await asyncio.sleep(0.01)
        await asyncio.sleep(play.delay)
        self._open -= 1
        response = _response(play, asked)
        writer.write(response[: int(play.sent * len(response))])
        await writer.drain()
        return play.sent == 1


def _response(play: Play, asked: dict[str, Any]) -> bytes:
    message = {"role": "assistant", "content": play.text}
    answer = {
        "id": "1", "object": "chat.completion", "created": 1, "model": asked["model"],
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": len(str(asked["messages"])) // 4, "completion_tokens": 9},
    }  # fmt: skip
    body = json.dumps(answer).encode() if play.body is None else play.body
    headers = {"Content-Type": "application/json", "Content-Length": len(body)} | play.headers
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {play.status} {play.reason}\r\n{lines}\r\n".encode() + body
