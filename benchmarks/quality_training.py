"""Read the material from which the weights of the learned profiles are fitted.

Six conversations of two friends and five people of a harbour, written by hand for this purpose in
the formats of `quality_talks.py` and `quality_material.py`, by writers who had not seen the test
sets.
"""

from datetime import datetime
from functools import cache

from quality_material import Place, read_place
from quality_shapes import FOLDER, Material
from quality_talks import read_talks

TRAINING = FOLDER / "training"
TALKS = ("dele_ines", "greta_paul", "hanna_victor", "ken_sofia", "omar_lucy", "ruben_marta")
PEOPLE = ("Agnes", "Bastian", "Chloe", "Dmitri", "Elif")


@cache
def training_talks() -> Material:
    """Read the conversations, in the order of TALKS."""
    files = [TRAINING / "talks" / f"{name}.txt" for name in TALKS]
    return read_talks("training talks", files, datetime(2022, 6, 1), datetime(2024, 10, 31, 22))


@cache
def harbour() -> Material:
    """Read the people of the harbour, in the order of PEOPLE."""
    start, end = datetime(2023, 9, 1), datetime(2024, 10, 31, 22)
    return read_place(
        Place("harbour", TRAINING, PEOPLE, TRAINING / "everyday.txt", None, start, end)
    )
