"""When something said in public reaches each person."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from memopolis.sim.society import Society

_NIGHT_ENDS = 6.0


def delays(u: NDArray[np.float64], hour: float, *, mean: float) -> NDArray[np.float64]:
    """Hours until something made public is heard.

    Args:
        u: Uniform draws in [0, 1), shape (agents,).
        hour: Hour of the day at which it is made public.
        mean: Mean delay in hours, > 0.

    Returns:
        Hours, shape (agents,): exponential; who would hear it in deep night hears it within
        two hours of six in the morning.

    Source:
        This project; exponential diffusion of warnings as in Rogers and Sorensen 1988 (recalled).
    """
    hours = -np.log1p(-u) * mean
    of_day = (hour + hours) % 24
    return np.where(of_day < _NIGHT_ENDS, hours + _NIGHT_ENDS - of_day + 2 * u, hours)


class Hearing:
    """Who hears which piece of news in which tick.

    Delays are drawn for the piece, not for the tick, so nobody has to keep who has heard:
    what is kept here is only worked out once instead of in every tick.

    Args:
        society: Whose clock and luck.
        purpose: Name of the draws.
        mean: Mean delay in hours, > 0.
    """

    def __init__(self, society: "Society[Any]", purpose: str, mean: float) -> None:
        self.society = society
        self.purpose = purpose
        self.mean = mean
        self._known: dict[int, tuple[int, NDArray[np.int64], NDArray[np.intp]]] = {}

    def now(self, number: int, tick: int, agents: int) -> NDArray[np.intp]:
        """Rows of those who hear, in this tick, what was made public at a tick.

        Args:
            number: Number of the piece, which tells its draws from others'.
            tick: When it was made public.
            agents: Number of agents there are.

        Returns:
            Rows, ascending.
        """
        known = self._known.get(number)
        if known is None or known[0] != agents:
            known = self._known[number] = (agents, *self._worked_out(number, tick, agents))
        _, heard, rows = known
        first, last = np.searchsorted(heard, [self.society.clock.tick, self.society.clock.tick + 1])
        return np.sort(rows[first:last])

    def _worked_out(
        self, number: int, tick: int, agents: int
    ) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
        clock = self.society.clock
        u = self.society.chance.uniform(self.purpose, np.arange(agents), tick, number)
        published = clock.date_of(tick)
        hours = delays(u, published.hour + published.minute / 60, mean=self.mean)
        heard = tick + np.floor(hours / clock.hours).astype(np.int64)
        order = np.argsort(heard, kind="stable")
        return heard[order], order
