"""A society of households and firms in which a basic income is introduced.

The README describes the model in the form of ODD. Mesa is imported only with the society.
"""

from typing import TYPE_CHECKING

from memopolis.scenarios.ubi.settings import BasicIncomeSettings

if TYPE_CHECKING:
    from memopolis.scenarios.ubi.scenario import BasicIncome

__all__ = ["BasicIncome", "BasicIncomeSettings"]


def __getattr__(name: str) -> object:
    if name != "BasicIncome":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from memopolis.scenarios.ubi.scenario import BasicIncome

    return BasicIncome
