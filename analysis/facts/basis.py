"""What a fact of a validation is evidence of: the model, its calibration, an input or the code.

The labels are rows of `basis.csv`, each with its reason. Only independent numbers test a model.
"""

import csv
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path


class Basis(StrEnum):
    """What a number that passes is evidence of."""

    INDEPENDENT = "independent"  # no setting was fitted to it, and it does not follow from an input
    CALIBRATED = "calibrated"  # a setting was fitted to it, or to a number that determines it
    IMPOSED = "imposed"  # it is an input, or follows from one
    VERIFICATION = "verification"
    """It tests the program: published models, null arms, accounting, use of memory."""
    NONE = ""  # not labelled: a fact that is not in `basis.csv`


def basis_of(fact: str, what: str) -> Basis:
    """Return what a number is evidence of, given its fact, such as "H-P1", and its name.

    A row of `basis.csv` may apply to all numbers of a fact.
    """
    known = _read()
    return known.get((fact, what), known.get((fact, ""), Basis.NONE))


@cache
def _read() -> Mapping[tuple[str, str], Basis]:
    with Path(__file__).with_name("basis.csv").open(encoding="utf-8", newline="") as file:
        return {(row["fact"], row["what"]): Basis(row["basis"]) for row in csv.DictReader(file)}
