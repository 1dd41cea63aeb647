"""Survey figures of citizens, shipped in `data`."""

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from memopolis.scenarios.polarization.people import PARTIES, PARTY_IDENTIFICATION
from memopolis.sim.arrays import Float64

DATA = Path(__file__).parent / "data"

PARTY_OF_PID = (0, 0, 0, 1, 2, 2, 2)
"""Number of the party by party identification; leaners count as members."""

IDEOLOGIES = 7  # number of steps from extremely liberal to extremely conservative


@cache
def _read(name: str) -> pd.DataFrame:
    return pd.read_csv(DATA / f"{name}.csv", comment="#")


@cache
def read_party_identification() -> pd.DataFrame:
    """Read people, ideology_1 to 7 (people), and mean and sd of thermometers, one row per pid.

    Source: People and ideology: American National Election Study 1996, computed from the
    public-domain extract of statsmodels; thermometers: the study of 2012, computed without weights.
    """
    table = _read("party_identification")
    return table.set_index("pid").loc[list(PARTY_IDENTIFICATION)].reset_index()


def read_groups() -> pd.DataFrame:
    """Read trait, group, share of adults, owners among them (NaN if unknown), and party mix."""
    return _read("groups")


@cache
def read_owners() -> dict[tuple[str, str], float]:
    """Read shares of gun owners by party and camp; the camp "all" is the whole party."""
    table = _read("owners_by_party")
    keys = zip(table["party"], table["camp"], strict=True)
    return dict(zip(keys, table["owners"].tolist(), strict=True))


@cache
def read_by_party(trait: str) -> tuple[pd.DataFrame, Float64]:
    """Read groups of a trait ("age", "education"), and their shares by party, shape (3, groups)."""
    table = _read("by_party")
    here = table[table["trait"] == trait].reset_index(drop=True)
    return here, here[[party.lower() for party in PARTIES]].to_numpy(np.float64).T


@cache
def read_religions() -> tuple[list[str], Float64]:
    """Read the names of religions, and their shares by party, shape (3, religions)."""
    table = _read("religion")
    shares = table[[party.lower() for party in PARTIES]].to_numpy(np.float64).T
    return table["religion"].tolist(), shares


@cache
def read_attitudes(topic: str) -> Float64:
    """Read mean and standard deviation of an attitude, 0 to 10, by party, shape (3, 2)."""
    table = _read("attitudes")
    here = table[table["topic"] == topic].set_index("party").loc[list(PARTIES)]
    return here[["mean", "sd"]].to_numpy(np.float64)
