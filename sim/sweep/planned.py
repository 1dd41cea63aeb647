"""One run of a sweep, planned: a point, a replication, a seed, and the settings they come to."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memopolis.sim.settings import Settings


@dataclass(frozen=True, slots=True, eq=False)
class PlannedRun:
    """A run that a design asks for, whether it was made yet or not.

    Attributes:
        name: Its key, by which ledger, folder and tables know it: 12 hexadecimal digits.
        point: Number of its design point, from 0.
        replication: Number of its replication, from 0.
        seed: The run's seed.
        settings: All settings, checked.
        factors: What the point says of each factor, by the factor's name.
    """

    name: str
    point: int
    replication: int
    seed: int
    settings: Settings
    factors: Mapping[str, Any]
