"""Measure the speedup by simultaneous requests to a server.

A server in its own process answers each request after 50 ms. Needs the extra `llm`.

    .venv/bin/python benchmarks/in_flight.py
"""

import asyncio
import json
import subprocess
import sys
import time

from memopolis.sim.errors import ExtraError
from memopolis.sim.mind.call import Call, Message
from memopolis.sim.mind.openai_client import OpenAIClient

LATENCY = 0.05
SCHEMA = {"type": "object", "properties": {"rating": {"type": "number"}}, "required": ["rating"]}
ANSWER = json.dumps(
    {
        "choices": [{"finish_reason": "stop", "message": {"content": '{"rating": 5}'}}],
        "usage": {"prompt_tokens": 1_000, "completion_tokens": 5},
    }
).encode()
RESPONSE = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"


async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer every request of one connection after 50 ms."""
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            await reader.readexactly(int(head.split("content-length: ")[1].split("\r\n")[0]))
            await asyncio.sleep(LATENCY)
            writer.write(RESPONSE % (len(ANSWER), ANSWER))
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def serve() -> None:
    server = await asyncio.start_server(talk, "127.0.0.1", 0, backlog=1_000)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def calls(many: int) -> list[Call]:
    """Create calls of the usual length, about 1,000 tokens."""
    messages = (Message("system", "You are one person. " * 75), Message("user", "I saw it. " * 300))
    return [Call(agent, "think", 1, 0, 0, messages, SCHEMA, 60, seed=1) for agent in range(many)]


def milliseconds(url: str, in_flight: int, many: int) -> float:
    """Time calls over open connections, milliseconds each; the best of three."""
    client = OpenAIClient("m", base_url=url, in_flight=in_flight)
    client.complete(calls(in_flight))
    best = float("inf")
    for _ in range(3):
        started = time.perf_counter()
        client.complete(calls(many))
        best = min(best, (time.perf_counter() - started) / many * 1e3)
    client.close()
    return best


def main() -> None:
    command = [sys.executable, __file__, "serve"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603
        assert server.stdout is not None
        url = f"http://127.0.0.1:{server.stdout.readline().strip()}/v1"
        try:
            print("Calls of a server that takes 50 ms, by how many are in flight\n")
            print(f"{'in flight':>10} {'ms a call':>10} {'times faster':>13}")
            alone = 0.0
            for in_flight, many in ((1, 20), (16, 320), (128, 2_048)):
                spent = milliseconds(url, in_flight, many)
                alone = alone or spent
                print(f"{in_flight:>10} {spent:>10.2f} {alone / spent:>13.1f}")
        except ExtraError as missing:
            print(missing)
        finally:
            server.terminate()


if __name__ == "__main__":
    if sys.argv[1:] == ["serve"]:
        asyncio.run(serve())
    else:
        main()
