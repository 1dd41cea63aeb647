"""Settings of attitude change: the model and its parameters."""

from typing import Annotated, Any, Literal, Self

import numpy as np
import pydantic
from numpy.typing import NDArray

from memopolis.sim.settings import Field, SettingsGroup, Share

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


class OpinionSettings(SettingsGroup, origin="illustrative"):
    """How memories change attitudes."""

    model: Model = Field("leaning", "Model by which attitudes change", origin="choice")
    bound: float = Field(
        2.5,
        "Deffuant, Hegselmann-Krause, repulsion: distance below which opinions attract",
        ge=0,
        le=10,
        unit="points",
        acts_with={"model": ("deffuant", "hegselmann_krause", "repulsion")},
    )
    rate: Share = Field(
        0.5,
        "Deffuant, repulsion: share of the gap closed in one update",
        origin="found",
        acts_with={"model": ("deffuant", "repulsion")},
    )
    reject: float = Field(
        5.0,
        "Repulsion: distance above which a memory repels; at least the bound",
        ge=0,
        le=10,
        unit="points",
        acts_with={"model": ("repulsion",)},
    )
    backfire: Share = Field(
        0.0,
        "Repulsion: strength of repulsion relative to attraction",
        origin="choice",
        acts_with={"model": ("repulsion",)},
    )
    backfire_by_group: dict[str, Backfire] = Field(
        {},
        "Repulsion: backfire of single groups, by name of the group",
        names="word",
        origin="choice",
        acts_with={"model": ("repulsion",)},
    )
    susceptibility: Share = Field(
        0.5,
        "Friedkin-Johnsen: weight of memories relative to the initial attitude",
        acts_with={"model": ("friedkin_johnsen",)},
    )
    bias: float = Field(
        1.0, "Biased assimilation: bias", ge=0, le=20, acts_with={"model": ("biased_assimilation",)}
    )
    own_weight: float = Field(
        3.0,
        "Hegselmann-Krause, Friedkin-Johnsen, DeGroot, biased assimilation: weight "
        "of the attitude itself",
        gt=0,
        le=1_000,
        acts_with={
            "model": ("hegselmann_krause", "friedkin_johnsen", "degroot", "biased_assimilation")
        },
    )
    coupling: float = Field(
        3.0,
        "Baumann: weight of memories",
        ge=0,
        le=100,
        origin="found",
        acts_with={"model": ("baumann",)},
    )
    controversy: float = Field(
        3.0,
        "Baumann: influence of mild opinions relative to extreme ones",
        ge=0,
        le=100,
        origin="found",
        acts_with={"model": ("baumann",)},
    )
    step: float = Field(
        0.05,
        "Baumann: length of a time step",
        gt=0,
        le=1,
        origin="found",
        acts_with={"model": ("baumann",)},
    )

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
