"""The basic income scenario; its README describes the model in the form of ODD."""

from memopolis.scenarios.ubi.scenario import BasicIncome
from memopolis.scenarios.ubi.settings import BasicIncomeSettings

__all__ = ["BasicIncome", "BasicIncomeSettings"]
