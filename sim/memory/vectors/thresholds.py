"""How alike is related, of one cluster, or the same: thresholds of an embedder.

The published thresholds, cosines of 0.5, 0.7 and 0.8, are those of one embedder, MiniLM. The
cosine that means as much elsewhere is found by quantiles. Of the 43,956 pairs of the 297
sentences in `embedders/sample.txt` (99 situations: a sentence, the same in other words, and
what follows from it), MiniLM has so many at or above each:

    cosine of MiniLM      0.5       0.7       0.8
    pairs                 121       78        54
    quantile              0.99725   0.99823   0.99877
    cosine of static      0.7208    0.7499    0.8049
    of SmolLM2-135M       0.9285    0.9329    0.9353

So an embedder's thresholds are the cosines that as many of its own pairs reach: the mean of
the last pair inside and the first outside. MiniLM's are the published ones, those of the
shipped table are kept beside it, and an embedder that has none is measured when first asked.

Source: the three cosines, a memory tool built on MiniLM; quantiles and sample, this project.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.vectors.embedders.checked import Embedder, embed, name_of
from memopolis.sim.memory.vectors.embedders.rounding import unit

_SAMPLE = Path(__file__).parent / "embedders" / "sample.txt"

PAIRS = (121, 78, 54)
"""Pairs of the sample that MiniLM finds related, of one cluster, and the same."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Cosines of one embedder, each -1..1 and none below the one before.

    Attributes:
        related: From here on texts have to do with each other.
        cluster: Above this a text joins a cluster.
        duplicate: From here on texts say the same.

    Raises:
        ParameterError: If they are out of range or out of order.
    """

    related: float
    cluster: float
    duplicate: float

    def __post_init__(self) -> None:
        if not -1 <= self.related <= self.cluster <= self.duplicate <= 1:
            raise ParameterError(
                f"thresholds rise from -1 to 1, given {self.related}, {self.cluster} and "
                f"{self.duplicate}"
            )


PUBLISHED = Thresholds(0.5, 0.7, 0.8)
"""Those of MiniLM."""


@cache
def sample() -> tuple[str, ...]:
    """The sentences that embedders are measured on, in threes that belong together."""
    return tuple(_SAMPLE.read_text(encoding="utf-8").splitlines())


def measured(embedder: Embedder) -> Thresholds:
    """Measure an embedder on the sample: as many pairs reach each threshold as with MiniLM.

    Raises:
        ParameterError: If the embedder gives no proper vectors.
    """
    units = unit(embed(embedder, sample()))
    pairs = (units @ units.T)[np.triu_indices(len(units), 1)]
    falling = np.sort(pairs)[::-1]
    cuts = [float(np.clip(falling[n - 1 : n + 1].mean(), -1.0, 1.0)) for n in PAIRS]
    return Thresholds(*cuts)


def thresholds_of(embedder: Any) -> Thresholds:
    """Thresholds an embedder says itself, else those measured.

    Raises:
        ParameterError: If it says something without `related`, `cluster` and `duplicate`.
    """
    said = getattr(embedder, "thresholds", None)
    if said is None:
        return measured(embedder)
    if isinstance(said, Thresholds):
        return said
    try:
        return Thresholds(said.related, said.cluster, said.duplicate)
    except AttributeError:
        raise ParameterError(
            f"the thresholds of the embedder {name_of(embedder)} are {said!r}; related, cluster "
            f"and duplicate are needed"
        ) from None
