"""Citizens of two parties read, talk, remember, and update attitudes to gun laws daily.

The README describes the model in the form of ODD. Mesa is imported only with the society.
"""

from typing import TYPE_CHECKING

from memopolis.scenarios.polarization.settings import PolarizationSettings

if TYPE_CHECKING:
    from memopolis.scenarios.polarization.scenario import Polarization

__all__ = ["Polarization", "PolarizationSettings"]


def __getattr__(name: str) -> object:
    if name != "Polarization":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from memopolis.scenarios.polarization.scenario import Polarization

    return Polarization
