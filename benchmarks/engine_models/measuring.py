"""Parameters of the two models, and measures of a run, for `engines.py`.

Wealth: each agent starts with one unit; in each step, each agent that has one gives one to a
random agent. Arrays move all units at once. Objects give one after the other, so a unit may move
several times in a step.

Epidemic: agents mix at random. In each step, each susceptible agent meets `CONTACTS` random agents
and is infected by each infected one with probability `TRANSMISSION`; then each infected agent,
including a new one, recovers with probability `RECOVERY`. All agents meet before any changes.

Each engine runs this file in an environment of its own, so it needs only the standard library.
"""

import itertools
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

CONTACTS = 4
TRANSMISSION = 0.1
DURATION = 5.0
"""Mean steps of an infection, exponentially distributed and rounded up."""
RECOVERY = 1 - math.exp(-1 / DURATION)
ESCAPE = [(1 - TRANSMISSION) ** infected for infected in range(CONTACTS + 1)]
"""Probability to escape infection, by the number of infected agents among the contacts."""
SEEDED = 0.01
"""Probability that an agent is infected at the start."""

Result = dict[str, float]
Run = Callable[[int, int, int], Result]
"""Build a model of so many agents, run so many steps with a seed, and measure it."""


@dataclass(frozen=True)
class Form:
    """One way to write the models in an engine.

    Attributes:
        name: Name in the tables.
        order: When agents act: "at once", or one after the other "in order" or "in random order".
        wealth: The transfer of wealth.
        epidemic: The epidemic, None if another form of the engine is the same for it.
    """

    name: str
    order: str
    wealth: Run
    epidemic: Run | None


def seconds_of(run: Callable[[], object]) -> float:
    """Return the processor time of a call, of all threads of the process."""
    start = time.process_time()
    run()
    return time.process_time() - start


def seconds_of_steps(step: Callable[[], object], steps: int) -> float:
    """Return the processor time of so many steps."""

    def run() -> None:
        for _ in range(steps):
            step()

    return seconds_of(run)


def measure_wealth(seconds: float, wealth: Sequence[float]) -> Result:
    """Return the time of a transfer of wealth, and the wealth of all agents at its end."""
    return {
        "seconds": seconds,
        "total": sum(wealth),
        "least": min(wealth),
        "poor": sum(1 for one in wealth if one == 0) / len(wealth),
    }


def measure_epidemic(seconds: float, agents: int, susceptible: Sequence[float]) -> Result:
    """Return the time of an epidemic, its final size and the peak of new infections, as shares.

    Args:
        seconds: Time of the steps.
        agents: Number of agents.
        susceptible: Number of susceptible agents after each step.
    """
    new = [before - after for before, after in itertools.pairwise(susceptible)]
    return {
        "seconds": seconds,
        "steps": len(susceptible),
        "final": 1 - susceptible[-1] / agents,
        "peak": max(new) / agents,
    }
