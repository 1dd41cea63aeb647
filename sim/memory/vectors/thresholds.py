"""Thresholds of an embedder: cosines of related texts, of one cluster, and of duplicates.

The published thresholds, cosines of 0.5, 0.7 and 0.8, are those of one embedder, MiniLM. The
corresponding cosines of other embedders are found by quantiles. Of the 43,956 pairs of the 297
sentences in `embedders/sample.txt` (99 situations: a sentence, a paraphrase, and a
consequence), MiniLM has this many at or above each threshold:

    cosine of MiniLM      0.5       0.7       0.8
    pairs                 121       78        54
    quantile              0.99725   0.99823   0.99877
    cosine of static      0.7208    0.7499    0.8049
    of SmolLM2-135M       0.9285    0.9329    0.9353

So an embedder's thresholds are the cosines that the same number of its pairs reach: the mean of
the last pair inside and the first outside. MiniLM's are the published ones, those of the
shipped table are stored with it, and those of other embedders are measured on first use.

Source: the three cosines, a memory tool built on MiniLM; quantiles and sample, this project.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.vectors.embedders.protocol import Embedder, embed, name_of
from memopolis.sim.memory.vectors.embedders.rounding import unit

_SAMPLE = Path(__file__).parent / "embedders" / "sample.txt"
# Pairs of the sample that are related, of one cluster, and duplicates for MiniLM.
PAIRS = (121, 78, 54)


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Cosines of one embedder, each -1..1, in ascending order."""

    related: float  # least cosine of related texts
    cluster: float  # cosine above which a text joins a cluster
    duplicate: float  # least cosine of duplicates

    def __post_init__(self) -> None:
        if not -1 <= self.related <= self.cluster <= self.duplicate <= 1:
            raise ParameterError(
                f"thresholds ascend from -1 to 1, got {self.related}, {self.cluster} and "
                f"{self.duplicate}"
            )


PUBLISHED = Thresholds(0.5, 0.7, 0.8)  # thresholds of MiniLM


@cache
def sample() -> tuple[str, ...]:
    """Return the sentences that embedders are measured on; each three describe one situation."""
    return tuple(_SAMPLE.read_text(encoding="utf-8").splitlines())


def measure_thresholds(embedder: Embedder) -> Thresholds:
    """Find the cosines that as many pairs of the sample reach as with MiniLM."""
    units = unit(embed(embedder, sample()))
    pairs = (units @ units.T)[np.triu_indices(len(units), 1)]
    descending = np.sort(pairs)[::-1]
    cuts = [float(np.clip(descending[n - 1 : n + 1].mean(), -1.0, 1.0)) for n in PAIRS]
    return Thresholds(*cuts)


def thresholds_of(embedder: Any) -> Thresholds:
    """Return the thresholds an embedder declares, or measure them."""
    declared = getattr(embedder, "thresholds", None)
    if declared is None:
        return measure_thresholds(embedder)
    if isinstance(declared, Thresholds):
        return declared
    try:
        return Thresholds(declared.related, declared.cluster, declared.duplicate)
    except AttributeError:
        raise ParameterError(
            f"the thresholds of the embedder {name_of(embedder)} are {declared!r}; related, "
            f"cluster and duplicate are needed"
        ) from None
