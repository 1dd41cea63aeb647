"""Models on a server with an OpenAI-compatible embeddings route; the key is in OPENAI_API_KEY."""

import asyncio
import re
from collections.abc import Sequence
from functools import cached_property
from itertools import batched
from typing import TYPE_CHECKING

import numpy as np

from memopolis.sim.arrays import Float32
from memopolis.sim.errors import ParameterError, ServerError
from memopolis.sim.memory.vectors.embedders.protocol import Thresholds, measure_thresholds
from memopolis.sim.model_server.connection import Connection
from memopolis.sim.model_server.key import KEY, PUBLIC, KeyMask, read_key

if TYPE_CHECKING:
    from openai import APIError
    from openai._legacy_response import LegacyAPIResponse
    from openai.types import CreateEmbeddingResponse

BATCH = 64  # most texts per request
# Most bytes of a response; 64 vectors of 4,096 numbers take about 6 million.
LARGEST = 16 * 1024 * 1024
SECONDS = 60.0  # timeout of a request
RETRIES = 4  # retries, each after a longer pause (0.5 to 8 seconds)
_WHERE = re.compile(r"(?P<model>[^\s].*?)(?:@(?P<url>https?://\S+))?")


class OpenAI:
    """A model on a server: MODEL@URL, with a URL that ends with the version, or MODEL."""

    def __init__(self, where: str) -> None:
        self._model, self._url = parse_model(where)
        self.name = f"openai:{self._model}@{self._url}"

    @cached_property
    def _connection(self) -> Connection:
        return Connection(self._url, largest=LARGEST, retries=RETRIES)

    def vectors(self, texts: Sequence[str]) -> Float32:
        """Request the vectors of texts that are not blank; ServerError if that fails."""
        rows: list[list[float]] = []
        for batch in batched(texts, BATCH):
            rows += self._request(list(batch))
        try:
            return np.array(rows, np.float32)
        except ValueError:
            raise ServerError(f"{self._url} returned vectors of different lengths") from None

    def _request(self, texts: list[str]) -> list[list[float]]:
        import openai

        from memopolis.sim.model_server.guarded import is_too_long

        try:
            response = self._connection.loop.run(self._post(texts))
            if is_too_long(response.http_response):
                raise ServerError(f"{self._url} returned more than {LARGEST:,} bytes of vectors")
            data = sorted(response.parse().data, key=lambda row: row.index)
            rows = [row.embedding for row in data]
        except (openai.APIError, TimeoutError) as error:
            raise ServerError(self._describe(error)) from None
        except (AttributeError, TypeError, ValueError, RecursionError):
            raise ServerError(f"{self._url} returned no embeddings; is it the right URL?") from None
        if len(rows) != len(texts):
            raise ServerError(f"{self._url} returned {len(rows)} vectors for {len(texts)} texts")
        return rows

    async def _post(self, texts: list[str]) -> "LegacyAPIResponse[CreateEmbeddingResponse]":
        (client,) = self._connection.clients
        async with asyncio.timeout(SECONDS * (RETRIES + 1)):
            response: LegacyAPIResponse[
                CreateEmbeddingResponse
            ] = await client.embeddings.with_raw_response.create(
                model=self._model, input=texts, encoding_format="float", timeout=SECONDS
            )
            return response

    def _describe(self, error: "APIError | TimeoutError") -> str:
        status = getattr(error, "status_code", None)
        if status is None:
            return f"no answer from {self._url} after {RETRIES + 1} tries; is the server running?"
        if 300 <= status < 400:
            return (
                f"{self._url} redirects to another address (HTTP {status}), which is not followed; "
                "give the final address"
            )
        advice = f"; see {KEY}" if status in (401, 403) else ""
        return f"{self._url} refused to embed with the model {self._model}: HTTP {status}{advice}"

    @cached_property
    def thresholds(self) -> Thresholds:
        """Measured thresholds."""
        return measure_thresholds(self)


def parse_model(where: str) -> tuple[str, str]:
    """Split MODEL@URL into model and URL, which must not contain a user or password."""
    match = _WHERE.fullmatch(where)
    url = PUBLIC if match is None else match["url"] or PUBLIC
    if "@" in url or "?" in url or KeyMask(read_key())(url) != url:
        # The URL is not printed: it may contain a key, and settings are stored with the run.
        raise ParameterError(
            f"a URL must not contain a user, password, query or key; put the key in {KEY}"
        )
    if match is None or "@http" in match["model"]:
        raise ParameterError(f"embedder is openai:{where}; openai:MODEL@URL is needed")
    return match["model"], url.rstrip("/")
