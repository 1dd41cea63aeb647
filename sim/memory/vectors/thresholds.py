"""Thresholds of an embedder: cosines of related texts, of one cluster, and of duplicates.

They are measured on the labelled notes of `embedders/notes.txt`: 48 subjects with four notes each,
of which the second paraphrases the first. A threshold is the least cosine at or above which a share
of the 18,336 pairs of notes is right:

    related     a quarter of the pairs are of one subject, of which there are 1.6 % in all
    cluster     three quarters are of one subject
    duplicate   99 % are a note and its paraphrase

Pairs of different subjects may be related too, so the true shares are higher. The thresholds of the
shipped table are stored with it, and those of other embedders are measured on first use; MiniLM's
are the published ones.

Source: the published cosines, a memory tool built on MiniLM; notes and shares, this project.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from memopolis.sim.arrays import Bools, Float64
from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.vectors.embedders.protocol import Embedder, embed, name_of
from memopolis.sim.memory.vectors.embedders.rounding import unit

_FOLDER = Path(__file__).parent / "embedders"
NOTES = 4  # notes of a subject
# Share of the pairs that are right: related, of one cluster, and duplicates.
SHARES = (0.25, 0.75, 0.99)


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
    """Return sentences on which the rounding of vectors is measured."""
    return tuple((_FOLDER / "sample.txt").read_text(encoding="utf-8").splitlines())


@cache
def notes() -> tuple[str, ...]:
    """Return the labelled notes, `NOTES` of each subject: a note, its paraphrase, related ones."""
    lines = (_FOLDER / "notes.txt").read_text(encoding="utf-8").splitlines()
    return tuple(line for line in lines if line and not line.startswith("#"))


def measure_thresholds(embedder: Embedder) -> Thresholds:
    """Find the least cosines at or above which a share of the pairs of notes is right."""
    units = unit(embed(embedder, notes()))
    first, second = np.triu_indices(len(units), 1)
    cosines = (units @ units.T)[first, second]
    related = first // NOTES == second // NOTES
    duplicate = related & (second % NOTES == 1)
    related_least, cluster, duplicate_least = (
        _least(cosines, right, share)
        for right, share in zip((related, related, duplicate), SHARES, strict=True)
    )
    cluster = max(cluster, related_least)
    return Thresholds(related_least, cluster, max(duplicate_least, cluster))


def _least(cosines: Float64, right: Bools, share: float) -> float:
    """Return the least cosine at or above which at least a share of the pairs is right."""
    order = np.argsort(-cosines, kind="stable")
    (enough,) = (np.cumsum(right[order]) >= share * np.arange(1, len(order) + 1)).nonzero()
    last = int(enough[-1]) if len(enough) else 0
    return float(np.clip(cosines[order][last : last + 2].mean(), -1.0, 1.0))


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
