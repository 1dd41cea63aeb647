"""Models behind a server with an OpenAI-compatible embeddings route.

The key comes from the environment variable OPENAI_API_KEY and from nowhere else; servers of
one's own mostly need none. No message here repeats what a server answers, since servers
quote keys.
"""

import os
import re
from collections.abc import Sequence
from functools import cached_property
from itertools import batched
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError, ServerError
from memopolis.sim.memory.vectors.embedders.extras import require
from memopolis.sim.memory.vectors.thresholds import Thresholds, measured

if TYPE_CHECKING:
    from openai import APIError

KEY = "OPENAI_API_KEY"
PUBLIC = "https://api.openai.com/v1"
BATCH = 64
"""Most texts in a request."""
SECONDS = 60.0
"""Longest wait for an answer."""
RETRIES = 4
"""Tries after the first, each after a longer pause (0.5 to 8 seconds)."""

_WHERE = re.compile(r"(?P<model>[^\s].*?)(?:@(?P<url>https?://\S+))?")


class OpenAI:
    """A model behind a server.

    Args:
        where: MODEL@URL, where the URL goes up to the version (http://127.0.0.1:8080/v1), or
            MODEL alone for OpenAI itself.

    Raises:
        ExtraError: If the package openai is not installed.
        ParameterError: If `where` is anything else, or the URL holds a password.
    """

    def __init__(self, where: str) -> None:
        check_openai()
        self._model, self._url = parse(where)
        self.name = f"openai:{self._model}@{self._url}"

    @cached_property
    def _client(self) -> Any:
        import openai

        key = os.environ.get(KEY)
        if key is None and self._url == PUBLIC:
            raise ServerError(f"{self._url} needs a key in the environment variable {KEY}")
        return openai.OpenAI(
            base_url=self._url, api_key=key or "none", timeout=SECONDS, max_retries=RETRIES
        )

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Ask the server for the vectors of texts, in batches.

        Args:
            texts: Any texts, none of them blank.

        Returns:
            float32, shape (texts, dimensions).

        Raises:
            ServerError: If the server cannot be reached, refuses, or gives something else.
        """
        rows: list[Any] = []
        for batch in batched(texts, BATCH):
            rows += self._asked(list(batch))
        try:
            return np.array(rows, np.float32)
        except ValueError:
            raise ServerError(f"{self._url} gave vectors of different lengths") from None

    def _asked(self, texts: list[str]) -> list[Any]:
        import openai

        try:
            answer = self._client.embeddings.create(
                model=self._model, input=texts, encoding_format="float"
            )
            data = sorted(answer.data, key=lambda one: one.index)
            rows = [one.embedding for one in data]
        except openai.APIError as error:
            raise ServerError(self._complaint(error)) from None
        except (AttributeError, TypeError, ValueError):
            raise ServerError(f"{self._url} gave no embeddings; is it the right URL?") from None
        if len(rows) != len(texts):
            raise ServerError(f"{self._url} gave {len(rows)} vectors for {len(texts)} texts")
        return rows

    def _complaint(self, error: "APIError") -> str:
        status = getattr(error, "status_code", None)
        if status is None:
            return f"no answer from {self._url} after {RETRIES + 1} tries; is the server running?"
        advice = f"; see {KEY}" if status in (401, 403) else ""
        return f"{self._url} refused to embed with the model {self._model}: HTTP {status}{advice}"

    @cached_property
    def thresholds(self) -> Thresholds:
        """Cosines that mean as much as the published ones, measured when first asked."""
        return measured(self)


def check_openai() -> None:
    """Refuse a computer without the package openai.

    Raises:
        ExtraError: If it is missing.
    """
    require("openai", "openai", what="an embedder openai:MODEL@URL")


def parse(where: str) -> tuple[str, str]:
    """Split MODEL@URL.

    Raises:
        ParameterError: If it is anything else, or the URL holds a user or password.
    """
    found = _WHERE.fullmatch(where)
    url = PUBLIC if found is None else found["url"] or PUBLIC
    if "@" in url or "?" in url:
        # Not repeated: it may be a key, and what is given here stands in the run's folder.
        raise ParameterError(f"a URL is given without user, password and query; put keys in {KEY}")
    if found is None or "@http" in found["model"]:
        raise ParameterError(f"openai:{where} is given; openai:MODEL@URL is needed")
    return found["model"], url.rstrip("/")
