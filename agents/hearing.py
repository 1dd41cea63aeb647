"""When something said in public reaches each person."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from memopolis.sim.society import Society

_NIGHT_ENDS = 6.0


def heard_at(
    society: "Society[Any]",
    purpose: str,
    rows: NDArray[np.intp],
    tick: int,
    *,
    number: int,
    delay: float,
) -> NDArray[np.int64]:
    """Tick at which each of some people hears what is made public at a tick.

    The delay is exponential and drawn for the piece of news, not for the tick, so nobody has
    to keep who has heard; what would be heard in deep night is heard in the morning.

    Args:
        society: Whose clock and luck.
        purpose: Name of the draw.
        rows: Who, shape (agents,).
        tick: When it is made public.
        number: Number of the piece, which tells its draws from others'.
        delay: Mean delay in hours, > 0.

    Returns:
        Ticks, shape (agents,).
    """
    clock = society.clock
    u = society.chance.uniform(purpose, rows, tick, number)
    hours = -np.log1p(-u) * delay
    heard = tick + np.floor(hours / clock.hours).astype(np.int64)
    midnight = clock.date_of(0).hour
    hour = (midnight + heard * clock.hours) % 24
    # Those asleep hear it within two hours of waking.
    later = np.ceil(np.maximum(_NIGHT_ENDS - hour + 2 * u, 0) / clock.hours).astype(np.int64)
    return np.where((hour < _NIGHT_ENDS) & (clock.hours < _NIGHT_ENDS), heard + later, heard)


def longest(delay: float, hours: float) -> int:
    """Ticks after which everybody has heard: beyond ten mean delays and a night.

    Args:
        delay: Mean delay in hours.
        hours: Length of a tick in hours.
    """
    return int(np.ceil((40 * delay + 10) / hours))
