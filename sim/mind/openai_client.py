"""Models behind a server with an OpenAI-compatible chat route: hosted, vLLM, Ollama, llama.cpp.

The key comes only from the environment variable OPENAI_API_KEY; most local servers need none.
Responses of a server are limited and masked in `sim/model_server/`.

    calls -> workers, one per call in flight -> pace -> server -> reading -> replies
                         ^------- pause, if it may succeed later -------'
"""

import asyncio
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memopolis.sim.errors import ParameterError, ServerError
from memopolis.sim.extras import require
from memopolis.sim.mind.allow import check_allowed
from memopolis.sim.mind.call import Call, Reply, ReplyListener, canonical
from memopolis.sim.mind.chat_request import LARGEST, Dialect, Pace, Sent, asked_to_wait, pause, read
from memopolis.sim.model_server.connection import Connection
from memopolis.sim.model_server.key import KEY, PUBLIC, KeyMask, read_key

if TYPE_CHECKING:
    from openai import APIStatusError

A_POOL = 16  # connections of one pool: each request searches all connections of its pool

_FOR_NOW = frozenset({"timeout", "rate", "server", "connection"})
"""Failures after which a repeated call may succeed."""
_LONG = re.compile(r"context[ _](length|size|window)|too (long|large|many tokens)")
_DENIED = frozenset({401, 403, 404})
_USED_UP = frozenset({
    "insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "quota_exceeded",
    "insufficient_balance", "insufficient_credits",
})  # fmt: skip
"""Codes and types of errors after which no call is answered until the account is topped up."""
_MAY_BE_USED_UP = frozenset({400, 403, 429})
_REDIRECTS = range(300, 400)


class OpenAIClient:
    """Send calls to a server, many at once; the replies do not depend on how many.

    `base_url` is the address of the server including the version, such as http://127.0.0.1:8080/v1.
    The numbers are the settings `llm`, which check them: requests in flight, requests per minute,
    evenly spaced (None for no limit), the timeout in seconds, the tries after the first, each after
    a longer pause, and the total of seconds that the server may request to wait. `on_reply` is
    called with each call and its reply when it arrives.

    Raises ExtraError if the package openai is not installed, or ParameterError if the URL contains
    a password or the key, or the key has a character that no key has.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str = PUBLIC,
        in_flight: int = 16,
        rate: float | None = None,
        timeout: float = 60.0,
        retries: int = 4,
        max_wait: float = 600.0,
    ) -> None:
        require("llm", "openai", what="a mind that asks a server")
        if not model.strip():
            raise ParameterError("a mind that uses a server needs the name of a model")
        self.name = model
        self.url = _checked_url(base_url)
        self._in_flight = in_flight
        self._timeout = timeout
        self._retries = retries
        self._max_wait = max_wait
        self._pace = Pace(rate, max_wait=max_wait)
        self._dialects: dict[str, Dialect] = {}
        self._answered = False
        self._connection: Connection | None = None
        self.on_reply: ReplyListener | None = None

    def complete(self, calls: Sequence[Call]) -> list[Reply]:
        """Return the replies in the order of the calls; a failure is the outcome of its reply.

        Calls without a model use the model of this client. Raises ServerError if no call was ever
        answered, and the server cannot be reached or rejects the key or the model. If the quota of
        the account is used up, it is raised as soon as a call is refused, whatever was answered
        before.
        """
        check_allowed()
        if not calls:
            return []
        if self._connection is None:
            pools = -(-self._in_flight // A_POOL)
            self._connection = Connection(self.url, largest=LARGEST, pools=pools)
        replies: dict[int, Reply] = {}
        self._pace.stopped = ""
        working = self._answer_all(self._connection.clients, calls, replies)
        denied = self._connection.loop.run(working)
        stopped = self._pace.stopped
        if stopped or (denied and not self._answered):
            raise ServerError(f"{stopped or denied} (model {self.name})")
        return [replies[at] for at in range(len(calls))]

    def close(self) -> None:
        """Close connections and thread; the next call creates new ones."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    async def _answer_all(
        self, clients: Sequence[Any], calls: Sequence[Call], replies: dict[int, Reply]
    ) -> str:
        """Add the replies; return why all calls were denied, or "" if one was not."""
        waiting = iter(enumerate(calls))
        async with asyncio.TaskGroup() as workers:
            working = [
                workers.create_task(
                    self._answer_waiting(clients[number // A_POOL], waiting, replies)
                )
                for number in range(min(self._in_flight, len(calls)))
            ]
        denied = [why for worker in working for why in worker.result()]
        return denied[0] if len(denied) == len(calls) else ""

    async def _answer_waiting(
        self, client: Any, waiting: Iterator[tuple[int, Call]], replies: dict[int, Reply]
    ) -> list[str]:
        """Answer waiting calls one by one; return why calls were denied."""
        denied: list[str] = []
        for at, call in waiting:
            started = time.perf_counter()
            sent, tries = await self._answer(client, call)
            seconds = time.perf_counter() - started
            replies[at] = sent.reply(tries, seconds)
            if self.on_reply is not None and sent.text is not None:
                self.on_reply(call, replies[at])
            self._answered |= sent.text is not None
            denied += [sent.denied] if sent.denied else []
            if sent.is_final:
                self._pace.stopped = sent.denied
            if self._pace.stopped:  # requests on their way may still be answered, no other is sent
                break
        return denied

    async def _answer(self, client: Any, call: Call) -> tuple[Sent, int]:
        """Send a call until it is answered, finally refused, or the tries are used up."""
        form = canonical(call.schema)
        dialect = self._dialects.get(form, Dialect())
        tries = failures = 0
        while True:
            await self._pace.turn()
            if self._pace.stopped:
                return Sent("refused", fault=self._pace.stopped), tries
            sent = await self._send(client, call, dialect)
            tries += 1
            if sent.outcome in _FOR_NOW and failures < self._retries:
                failures += 1
                if not await self._wait(call, failures, sent):
                    sent = replace(sent, fault=f"{sent.fault}; {self._too_long_a_wait(sent)}")
                    break
            elif sent.complaint is not None and (simpler := dialect.simpler(sent.complaint)):
                dialect = simpler
            else:
                break
        if sent.text is not None:
            # By schema and only on success, so that one failed call does not affect others.
            self._dialects[form] = dialect
        return sent, tries

    async def _wait(self, call: Call, failures: int, sent: Sent) -> bool:
        """Wait before the next try; return False if the server requests too long a wait."""
        if sent.wait is not None:
            return self._pace.hold(sent.wait)
        await asyncio.sleep(pause(call.hash, failures))
        return True

    def _too_long_a_wait(self, sent: Sent) -> str:
        return (
            f"it requests to wait {sent.wait:,g} s, and llm.max_wait allows "
            f"{self._max_wait:,g} s in all"
        )

    async def _send(self, client: Any, call: Call, dialect: Dialect) -> Sent:
        import openai

        try:
            async with asyncio.timeout(self._timeout):
                return await self._exchange(client, dialect.body(call, call.model or self.name))
        except (TimeoutError, openai.APITimeoutError):
            return Sent("timeout", fault=f"the server did not answer within {self._timeout:g} s")
        except openai.APIStatusError as error:
            return self._refused(error)
        except Exception as error:  # noqa: BLE001 - whatever the transport raises is one call's failure
            fault = "the connection to the server failed"
            if type(error.__cause__).__name__ == "ConnectError":
                denied = f"no answer from {self.url}; is it running?"
                return Sent("connection", denied=denied, fault=fault)
            return Sent("connection", fault=fault)

    async def _exchange(self, client: Any, body: dict[str, Any]) -> Sent:
        from memopolis.sim.model_server.guarded import is_too_long

        # In extra_body: otherwise openai checks the types of every message, which takes as long as
        # the rest of the request.
        answer = await client.chat.completions.with_raw_response.create(
            model=body["model"], messages=[], extra_body=body
        )
        response = answer.http_response
        if is_too_long(response):
            return Sent("too_long", fault=f"the answer has more than {LARGEST // 1024} KiB")
        return read(answer.content, response.headers.get("Content-Type", ""))

    def _refused(self, error: "APIStatusError") -> Sent:
        status = error.status_code
        fault = f"the server answered HTTP {status}"
        is_used_up = status == 402 or (status in _MAY_BE_USED_UP and _is_used_up(error))
        if denied := self._denial(status, is_used_up=is_used_up):
            return Sent("refused", denied=denied, is_final=is_used_up, fault=fault)
        headers = error.response.headers
        wait = asked_to_wait(headers.get("Retry-After"), headers.get("Date"))
        if status == 429:
            return Sent("rate", wait=wait, fault=fault)
        if status >= 500 or status in (408, 409):
            return Sent("server", wait=wait, fault=fault)
        complaint = str(error.body)
        if _LONG.search(complaint.lower()):
            return Sent("too_long", fault="the prompt is too long for the model")
        return Sent("refused", complaint=complaint, fault=fault)

    def _denial(self, status: int, *, is_used_up: bool) -> str:
        """Return why the server will probably accept no call, "" if it may accept others."""
        if is_used_up:
            return f"{self.url} refused to answer: HTTP {status}, the quota is used up"
        if status in _REDIRECTS:
            return (
                f"{self.url} redirects to another address (HTTP {status}), which is not "
                "followed; give the final address as base URL"
            )
        if status in _DENIED:
            advice = f"; see {KEY}" if status != 404 else ""
            return f"{self.url} refused to answer: HTTP {status}{advice}"
        return ""


def _is_used_up(error: "APIStatusError") -> bool:
    """Whether a server refuses a call because the quota of the account is used up."""
    body = error.body if isinstance(error.body, dict) else {"error": error.body}
    named = [body.get(name) for name in ("code", "type", "status", "error")]
    return any(isinstance(name, str) and name.lower() in _USED_UP for name in named)


def _checked_url(url: str) -> str:
    if not re.fullmatch(r"https?://[^\s@?#]+", url) or KeyMask(read_key())(url) != url:
        # The URL is not quoted, since it may contain a key.
        raise ParameterError(
            f"a base URL looks like http://127.0.0.1:8080/v1, without user, password, query and "
            f"key; put keys in {KEY}"
        )
    return url.rstrip("/")
