"""Settings of how attitudes change: which model, and its numbers."""

from typing import Annotated, Any, Literal, Self

import numpy as np
import pydantic
from numpy.typing import NDArray

from memopolis.sim.settings import Field, SettingsGroup

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


class OpinionSettings(SettingsGroup):
    """How memories change attitudes."""

    model: Model = Field("leaning", description="Model by which attitudes change")
    bound: float = Field(
        2.5,
        ge=0,
        le=10,
        unit="points",
        origin="illustrative",
        acts_with={"model": ("deffuant", "hegselmann_krause", "repulsion")},
        description="Deffuant, Hegselmann-Krause, repulsion: distance below which opinions attract",
    )
    rate: float = Field(
        0.5,
        ge=0,
        le=1,
        origin="found",
        acts_with={"model": ("deffuant", "repulsion")},
        description="Deffuant, repulsion: share of the gap closed in one update",
    )
    reject: float = Field(
        5.0,
        ge=0,
        le=10,
        unit="points",
        origin="illustrative",
        acts_with={"model": ("repulsion",)},
        description="Repulsion: distance above which a memory repels; at least the bound",
    )
    backfire: float = Field(
        0.0,
        ge=0,
        le=1,
        origin="choice",
        acts_with={"model": ("repulsion",)},
        description="Repulsion: strength of repulsion relative to attraction",
    )
    backfire_by_group: dict[str, Backfire] = Field(
        {},
        names="word",
        origin="choice",
        acts_with={"model": ("repulsion",)},
        description="Repulsion: backfire of single groups, by name of the group",
    )
    susceptibility: float = Field(
        0.5,
        ge=0,
        le=1,
        origin="illustrative",
        acts_with={"model": ("friedkin_johnsen",)},
        description="Friedkin-Johnsen: weight of memories relative to the initial attitude",
    )
    bias: float = Field(
        1.0,
        ge=0,
        le=20,
        origin="illustrative",
        acts_with={"model": ("biased_assimilation",)},
        description="Biased assimilation: bias",
    )
    own_weight: float = Field(
        3.0,
        gt=0,
        le=1_000,
        origin="illustrative",
        acts_with={
            "model": ("hegselmann_krause", "friedkin_johnsen", "degroot", "biased_assimilation")
        },
        description="Hegselmann-Krause, Friedkin-Johnsen, DeGroot, biased assimilation: weight "
        "of the attitude itself",
    )
    coupling: float = Field(
        3.0,
        ge=0,
        le=100,
        origin="found",
        acts_with={"model": ("baumann",)},
        description="Baumann: weight of memories",
    )
    controversy: float = Field(
        3.0,
        ge=0,
        le=100,
        origin="found",
        acts_with={"model": ("baumann",)},
        description="Baumann: influence of mild opinions relative to extreme ones",
    )
    step: float = Field(
        0.05,
        gt=0,
        le=1,
        origin="found",
        acts_with={"model": ("baumann",)},
        description="Baumann: length of a time step",
    )

    @pydantic.model_validator(mode="after")
    def _rejects_beyond_the_bound(self) -> Self:
        if self.model == "repulsion" and self.reject < self.bound:
            raise ValueError(
                f"reject is {self.reject:g}, below bound, {self.bound:g}: what convinces cannot "
                f"repel; set reject to at least the bound"
            )
        return self


def compute_backfire(labels: NDArray[Any], settings: OpinionSettings) -> NDArray[np.float32]:
    """The backfire of each, by the group it belongs to.

    Args:
        labels: Name of the group of each, shape (agents,).
        settings: Backfire of all, and of the groups that differ.

    Returns:
        Shape (agents,).
    """
    backfire = np.full(len(labels), settings.backfire, np.float32)
    for label, value in settings.backfire_by_group.items():
        backfire[labels == label] = value
    return backfire
