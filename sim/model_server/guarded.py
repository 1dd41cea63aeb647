"""An HTTP client for servers that are not trusted: limited reading, masked key, no redirects.

    server -> raw bytes -> decompress -> at most so many bytes -> mask the key -> package openai

It replaces the HTTP client of the package openai, so nothing that a server sends, whatever the
status, gets past it unlimited or unmasked.
"""

import zlib
from typing import Any

from openai import DefaultAsyncHttpxClient

from memopolis.sim.model_server.key import KeyMask

_COMPRESSED = frozenset({"gzip", "x-gzip"})
_KEPT = ("Content-Type", "Date", "Retry-After")  # headers that are passed on


class GuardedClient(DefaultAsyncHttpxClient):
    """Read at most `largest` bytes of a decompressed answer, and mask the key in them."""

    def __init__(self, *, largest: int, mask: KeyMask) -> None:
        # Redirects are answers like others: followed, they would take prompts to another server.
        super().__init__(follow_redirects=False, headers={"Accept-Encoding": "gzip"})
        self._largest = largest
        self._mask = mask

    async def send(self, request: Any, *, stream: bool = False, **options: Any) -> Any:
        """Send a request and return an answer that was read completely; `stream` is ignored."""
        del stream
        try:
            return await self._guarded(await super().send(request, stream=True, **options))
        except Exception as error:
            self._mask.mask_error(error)
            raise

    async def _guarded(self, response: Any) -> Any:
        try:
            body, too_long = await self._read(response)
        finally:
            await response.aclose()
        headers = response.headers
        return type(response)(
            response.status_code,
            headers={name: self._mask(headers[name]) for name in _KEPT if name in headers},
            content=self._mask(body.decode("utf-8", "replace")).encode(),
            request=response.request,
            extensions={TOO_LONG: too_long},
        )

    async def _read(self, response: Any) -> tuple[bytes, bool]:
        """Return the body, or b"" if it cannot be read, and whether it is too long."""
        encoding = response.headers.get("Content-Encoding", "identity").strip().lower()
        if encoding not in _COMPRESSED | {"identity", ""}:
            return b"", False
        inflate = zlib.decompressobj(zlib.MAX_WBITS | 16) if encoding in _COMPRESSED else None
        body = bytearray()
        received = 0
        async for piece in response.aiter_raw():
            received += len(piece)
            left = self._largest + 1 - len(body)
            try:
                body += piece[:left] if inflate is None else inflate.decompress(piece, left)
            except zlib.error:
                return b"", False
            if max(len(body), received) > self._largest:
                return b"", True
        return bytes(body), False


TOO_LONG = "memopolis_too_long"  # extension of an answer that says whether it was too long


def is_too_long(response: Any) -> bool:
    """Whether an answer exceeded the limit; its content is left out then."""
    return bool(response.extensions.get(TOO_LONG))
