"""The hurricane scenario; its README describes the model in the form of ODD."""

from memopolis.scenarios.hurricane.scenario import Hurricane
from memopolis.scenarios.hurricane.settings import HurricaneSettings

__all__ = ["Hurricane", "HurricaneSettings"]
