"""Settings of attitude change: the model and its parameters."""

from typing import Annotated, Any, Literal, Self

import numpy as np
import pydantic
from numpy.typing import NDArray

from memopolis.sim.declarations import FROM_TABLE, read_declarations
from memopolis.sim.settings import SettingsGroup, Share

TABLE = read_declarations(__file__, "settings.toml")

type Model = Literal[
    "leaning",
    "deffuant",
    "hegselmann_krause",
    "friedkin_johnsen",
    "degroot",
    "baumann",
    "biased_assimilation",
    "repulsion",
]

type Backfire = Annotated[float, pydantic.Field(ge=0, le=1)]


class OpinionSettings(SettingsGroup, table=TABLE["opinion"]):
    """How memories change attitudes."""

    model: Model = FROM_TABLE
    bound: float = FROM_TABLE
    rate: Share = FROM_TABLE
    reject: float = FROM_TABLE
    backfire: Share = FROM_TABLE
    backfire_by_group: dict[str, Backfire] = FROM_TABLE
    susceptibility: Share = FROM_TABLE
    ambivalence: float = FROM_TABLE
    bias: float = FROM_TABLE
    own_weight: float = FROM_TABLE
    coupling: float = FROM_TABLE
    controversy: float = FROM_TABLE
    step: float = FROM_TABLE

    @property
    def is_anchored(self) -> bool:
        """Whether attitudes stay attached to the initial ones, by `susceptibility`."""
        return self.model not in ("leaning", "degroot")

    @pydantic.model_validator(mode="after")
    def _check_reject(self) -> Self:
        if self.model == "repulsion" and self.reject < self.bound:
            raise ValueError(
                f"reject is {self.reject:g}, below bound, {self.bound:g}: the same opinion "
                f"cannot attract and repel; set reject to at least the bound"
            )
        return self


def compute_backfire(labels: NDArray[Any], settings: OpinionSettings) -> NDArray[np.float32]:
    """Return the backfire of each agent by its group.

    Args:
        labels: Name of the group of each agent, shape (agents,).
        settings: General backfire, and backfire of single groups.

    Returns:
        Shape (agents,).
    """
    backfire = np.full(len(labels), settings.backfire, np.float32)
    for label, value in settings.backfire_by_group.items():
        backfire[labels == label] = value
    return backfire
