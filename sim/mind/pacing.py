"""When a request may leave: a rate for all, holds that a server asks for, pauses after failures.

Nothing here is random: the jitter of a pause is a hash of the call and the try.
"""

import asyncio
from hashlib import blake2b

SHORTEST = 0.5
LONGEST = 8.0
"""Least and greatest pause after a failure, seconds, before jitter."""
MOST_HELD = 60.0
"""Longest that a server may ask us to wait, seconds."""


def pause(call: str, tries: int) -> float:
    """How long to wait before a call is sent again.

    Doubles with each try from 0.5 to 8 seconds; of that a share between 50 % and 100 %, so
    that calls which failed together do not come back together.

    Args:
        call: Hash of the call.
        tries: How often it was sent, >= 1.

    Returns:
        Seconds.

    Source:
        Brooker, "Exponential Backoff And Jitter" (AWS Architecture Blog, 2015), equal jitter.
    """
    drawn = blake2b(f"{call}/{tries}".encode(), digest_size=4).digest()
    share = int.from_bytes(drawn, "little") / 2**32
    return min(SHORTEST * 2.0 ** (tries - 1), LONGEST) * (0.5 + 0.5 * share)


def asked_to_wait(header: str | None) -> float | None:
    """Seconds that a header Retry-After names, at most a minute; None for none, or a date."""
    try:
        seconds = float(header or "")
    except ValueError:
        return None
    return min(max(seconds, 0.0), MOST_HELD) if seconds == seconds else None  # noqa: PLR0124


class Pace:
    """One gate through which all requests of a client leave.

    Args:
        rate: Most requests a minute, evenly spaced; None for as many as come.
    """

    def __init__(self, rate: float | None) -> None:
        self._gap = 0.0 if rate is None else 60.0 / rate
        self._next = 0.0
        self._held_until = 0.0

    async def turn(self) -> None:
        """Wait until the next request may leave."""
        clock = asyncio.get_running_loop().time
        turn = max(clock(), self._next)
        self._next = turn + self._gap
        # A hold may be made longer while we sleep.
        while (wait := max(turn, self._held_until) - clock()) > 0:  # noqa: ASYNC110
            await asyncio.sleep(wait)

    def hold(self, seconds: float) -> None:
        """Send no request for a while: the server reported too many."""
        until = asyncio.get_running_loop().time() + seconds
        self._held_until = max(self._held_until, until)
