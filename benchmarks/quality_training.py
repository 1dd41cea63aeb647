"""Read the material from which the weights of the learned profiles are fitted.

Six conversations of two friends, five people of a harbour, and three streams of other kinds: one
of a group chat, work notes, a diary and news, one of a Chinese group chat and one of a German one.
They are written for this purpose in the formats of `quality_talks.py` and `quality_material.py`, by
writers who had not seen the test sets.
"""

from datetime import datetime
from functools import cache

from quality_material import Place, read_place
from quality_shapes import FOLDER, Material
from quality_talks import read_streams, read_talks

TRAINING = FOLDER / "training"
TALKS = ("dele_ines", "greta_paul", "hanna_victor", "ken_sofia", "omar_lucy", "ruben_marta")
PEOPLE = ("Agnes", "Bastian", "Chloe", "Dmitri", "Elif")


@cache
def training_talks() -> Material:
    """Read the conversations, in the order of TALKS."""
    files = [TRAINING / "talks" / f"{name}.txt" for name in TALKS]
    return read_talks("training talks", files, datetime(2022, 6, 1), datetime(2024, 10, 31, 22))


MIXED = (
    ("flat_chat", "work_notes", "diary", "news_feed"),
    ("chinese_group",),
    ("german_workshop",),
)


@cache
def mixed() -> Material:
    """Read the streams of other kinds, each of one or more files, in the order of MIXED."""
    start, end = datetime(2023, 3, 1), datetime(2024, 3, 31, 22)
    files = [[TRAINING / "mixed" / f"{name}.txt" for name in names] for names in MIXED]
    return read_streams("mixed texts", files, start, end)


@cache
def harbour() -> Material:
    """Read the people of the harbour, in the order of PEOPLE."""
    start, end = datetime(2023, 9, 1), datetime(2024, 10, 31, 22)
    return read_place(
        Place("harbour", TRAINING, PEOPLE, TRAINING / "everyday.txt", None, start, end)
    )
