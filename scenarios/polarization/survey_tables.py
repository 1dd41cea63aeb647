"""Survey figures of citizens, shipped in `data`."""

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.scenarios.polarization.people import PARTIES, PARTY_IDENTIFICATION
from memopolis.sim.world.columns import Column, read_table

DATA = Path(__file__).parent / "data"

PARTY_OF_PID = (0, 0, 0, 1, 2, 2, 2)
"""Number of the party by party identification; leaners count as members."""

IDEOLOGIES = 7
"""Number of steps from extremely liberal to extremely conservative."""

_SHARE = Column("number", least=0, most=1)
_PARTIES = {"democrat": _SHARE, "independent": _SHARE, "republican": _SHARE}
_THERMOMETER = Column("number", least=0, most=100)
_COUNTS = {f"ideology_{step}": Column("whole", least=0) for step in range(1, IDEOLOGIES + 1)}

Floats = NDArray[np.float64]


@cache
def read_party_identification() -> pd.DataFrame:
    """Read people, ideology_1 to 7 (people), and mean and sd of thermometers, one row per pid.

    Source:
        People and ideology: American National Election Study 1996, computed from the public-domain
        extract of statsmodels; thermometers: the study of 2012, computed without weights.
    """
    table = read_table(
        DATA / "party_identification.csv",
        {
            "pid": Column("text", options=PARTY_IDENTIFICATION),
            "people": Column("whole", least=0),
            **_COUNTS,
            "warmth_mean": _THERMOMETER,
            "warmth_sd": _THERMOMETER,
            "in_warmth_mean": _THERMOMETER,
            "in_warmth_sd": _THERMOMETER,
        },
    )
    return table.set_index("pid").loc[list(PARTY_IDENTIFICATION)].reset_index()


@cache
def read_groups() -> pd.DataFrame:
    """Read trait, group, share of adults, owners among them (NaN if unknown), and party mix."""
    return read_table(
        DATA / "groups.csv",
        {
            "trait": Column("text", options=("gender", "race", "urbanity")),
            "group": Column("text"),
            "share": _SHARE,
            "owners": Column("number", least=0, most=1, blank=True),
            **_PARTIES,
        },
    )


@cache
def read_owners() -> dict[tuple[str, str], float]:
    """Read shares of gun owners by party and camp; the camp "all" is the whole party."""
    table = read_table(
        DATA / "owners_by_party.csv",
        {"party": Column("text", options=PARTIES), "camp": Column("text"), "owners": _SHARE},
    )
    keys = zip(table["party"], table["camp"], strict=True)
    return dict(zip(keys, table["owners"].tolist(), strict=True))


@cache
def read_by_party(trait: str) -> tuple[pd.DataFrame, Floats]:
    """Read groups of a trait ("age", "education"), and their shares by party, shape (3, groups)."""
    table = read_table(
        DATA / "by_party.csv",
        {
            "trait": Column("text"),
            "group": Column("text"),
            "low": Column("number", blank=True),
            "high": Column("number", blank=True),
            **_PARTIES,
        },
    )
    here = table[table["trait"] == trait].reset_index(drop=True)
    return here, here[list(_PARTIES)].to_numpy(np.float64).T


@cache
def read_attitudes(topic: str) -> Floats:
    """Read mean and standard deviation of an attitude, 0 to 10, by party, shape (3, 2)."""
    score = Column("number", least=0, most=10)
    table = read_table(
        DATA / "attitudes.csv",
        {"topic": Column("text"), "party": Column("text"), "mean": score, "sd": score},
    )
    here = table[table["topic"] == topic].set_index("party").loc[list(PARTIES)]
    return here[["mean", "sd"]].to_numpy(np.float64)
