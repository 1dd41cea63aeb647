"""Delay between the publication of news and its reception by each agent."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from memopolis.agents.activities import CAN_SLEEP, Activity
from memopolis.agents.joining import extend_rows
from memopolis.sim.arrays import Bools, Float64, Int32, Intp
from memopolis.sim.population import Cohort

if TYPE_CHECKING:
    from memopolis.sim.society_base import SocietyBase

_NIGHT_ENDS = 6.0
LONGEST_SLEEP = 24.0
"""Hours after which sleepers no longer receive what they missed (choice)."""


def compute_delays(u: Float64, hour: float, *, mean: float) -> Float64:
    """Compute the hours until each agent receives a piece of news, shape (agents,).

    They are exponential; delays that end at night are extended to within two hours after six in the
    morning. `hour` is that of publication.

    Source: This project; exponential diffusion of warnings as in Rogers and Sorensen 1988
    (recalled).
    """
    hours = -np.log1p(-u) * mean
    of_day = (hour + hours) % 24
    return np.where(of_day < _NIGHT_ENDS, hours + _NIGHT_ENDS - of_day + 2 * u, hours)


def compute_longest_delay(mean: float) -> float:
    """Compute the longest delay in hours: of a draw with 53 bits, and until the next morning."""
    return mean * 53 * math.log(2) + _NIGHT_ENDS + 2


def find_sleepers(citizens: Cohort) -> Bools:
    """Return who sleeps in this step, by the diary, shape (agents,).

    People who prepare, pack or drive because of a disaster stay awake; those away sleep elsewhere.
    """
    is_due = citizens["scheduled"] == Activity.SLEEP
    return np.asarray(is_due & CAN_SLEEP[citizens["doing"]])


class Hearing:
    """Rows of the agents that receive each piece of news in a step, after a mean delay in hours.

    Delays depend on the piece of news, not on the step, so no past receptions are recorded. Agents
    whose delay ends while they sleep receive the news when they wake up. Results are cached.
    `purpose` names the random stream.
    """

    def __init__(self, society: "SocietyBase[Any]", purpose: str, mean: float) -> None:
        self.society = society
        self.purpose = purpose
        self.mean = mean
        self._night = self.society.clock.ticks(LONGEST_SLEEP)
        self._last = int(compute_longest_delay(mean) / self.society.clock.hours) + 1 + self._night
        self._cache: dict[int, tuple[int, list[int], Int32]] = {}

    def listen(self, citizens: Cohort, heard: Int32) -> tuple[Int32, Bools]:
        """Return until which tick each agent has listened so far, and who listens in this step.

        Both have the shape of the population. `heard` is the former as of the step before, when the
        population may have been smaller.
        """
        now, agents = self.society.clock.tick, len(citizens.population)
        heard = extend_rows(heard, agents, now - 1)
        awake = np.zeros(agents, np.bool_)
        awake[citizens.rows] = ~find_sleepers(citizens)
        return heard, awake

    def now(
        self, number: int, tick: int, heard: Int32, awake: Bools, *, until: int | None = None
    ) -> Intp:
        """Return the rows of the agents that receive a piece of news in this step.

        `number` separates its draws from those of other pieces; `tick` is that of publication, and
        it cannot be received from tick `until` on. `heard` and `awake` are those of `listen`.
        """
        now, agents = self.society.clock.tick, len(awake)
        past = now - tick
        if past > self._last:
            self._cache.pop(number, None)
        if not 0 <= past <= self._last or (until is not None and now >= until):
            return np.empty(0, np.intp)
        cached = self._cache.get(number)
        if cached is None or cached[0] != agents:
            cached = self._cache[number] = (agents, *self._sort_by_delay(number, tick, agents))
        _, edges, rows = cached
        # Those that slept until now also receive what came in the meantime.
        oldest = max(int(heard.min(initial=now)) + 1 - tick, past - self._night, 0)
        first, last = edges[oldest], edges[past + 1]
        waited = np.repeat(np.arange(oldest, past + 1), np.diff(edges[oldest : past + 2]))
        due = rows[first:last]
        receives = awake[due] & (tick + waited > heard[due])
        if first > len(rows) // 2:  # most receptions are past
            left = [max(edge - first, 0) for edge in edges]
            self._cache[number] = (agents, left, rows[first:].copy())
        return np.sort(due[receives]).astype(np.intp)

    def _sort_by_delay(self, number: int, tick: int, agents: int) -> tuple[list[int], Int32]:
        """Return the rows of the agents in the order of reception, and where each tick begins."""
        clock = self.society.clock
        u = self.society.chance.uniform(self.purpose, np.arange(agents), tick, number)
        published = clock.date_of(tick)
        hours = compute_delays(u, published.hour + published.minute / 60, mean=self.mean)
        waited = np.floor(hours / clock.hours).astype(np.int32)
        order = np.argsort(waited, kind="stable").astype(np.int32)
        edges = np.searchsorted(waited[order], np.arange(self._last + 2))
        return edges.tolist(), order
