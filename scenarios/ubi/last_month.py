"""Figures of the last month that all agents know: prices and the surtax."""

from typing import Any

from memopolis.sim.society_base import SocietyBase


def price_level(society: SocietyBase[Any]) -> float:
    """Return the price of a fixed basket in the last month, 1 at the start."""
    level = _first(society, "statistics_bureau", "price_level")
    return level if level > 0 else 1.0


def surtax(society: SocietyBase[Any]) -> float:
    """Return the surtax rate of the last month, a share of market income."""
    return _first(society, "government", "surtax")


def _first(society: SocietyBase[Any], population: str, name: str) -> float:
    return float(society.population(population).memory.columns.arrays[name][0])
