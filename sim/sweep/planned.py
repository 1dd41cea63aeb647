"""A planned run of a sweep: its point, replication, random seed and settings."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memopolis.sim.settings import Settings


@dataclass(frozen=True, slots=True, eq=False)
class PlannedRun:
    """A run of a design, done or not.

    Attributes:
        name: Its key in ledger, folders and tables: 12 hexadecimal digits.
        point: Number of its design point, from 0.
        replication: Number of its replication, from 0.
        seed: Random seed of the run.
        settings: All settings, validated.
        factors: Values of the factors at the point, by name.
    """

    name: str
    point: int
    replication: int
    seed: int
    settings: Settings
    factors: Mapping[str, Any]
