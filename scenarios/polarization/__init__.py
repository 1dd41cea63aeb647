"""The polarization scenario; its README describes the model in the form of ODD."""

from memopolis.scenarios.polarization.scenario import Polarization
from memopolis.scenarios.polarization.settings import PolarizationSettings

__all__ = ["Polarization", "PolarizationSettings"]
