"""Citizens of Charleston or Columbia experience a storm, evacuate or stay, and return.

The README describes the model in the form of ODD. Mesa is imported only with the society.
"""

from typing import TYPE_CHECKING

from memopolis.scenarios.hurricane.settings import HurricaneSettings

if TYPE_CHECKING:
    from memopolis.scenarios.hurricane.scenario import Hurricane

__all__ = ["Hurricane", "HurricaneSettings"]


def __getattr__(name: str) -> object:
    if name != "Hurricane":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from memopolis.scenarios.hurricane.scenario import Hurricane

    return Hurricane
