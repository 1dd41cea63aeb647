"""Interpret the status attributes of agents: which one is a location, and which ones change."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from memopolis.analysis.run.joining import ranks

if TYPE_CHECKING:
    import pyarrow as pa

AWAY = "away"
"""Name of the zone -1."""


def is_zone(attributes: Mapping[str, Mapping[str, Any]], name: str) -> bool:
    """Check by its declared role whether an attribute contains numbers of zones."""
    return attributes.get(name, {}).get("role") in {"zone", "current zone"}


def zone_attribute(attributes: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the attribute with the present zone, else the first with a zone, "" for none."""
    zones = [name for name in attributes if is_zone(attributes, name)]
    now = [name for name in zones if attributes[name]["role"] == "current zone"]
    return str((now or zones or [""])[0])


def changing_columns(rows: "pa.Table", columns: Sequence[str]) -> set[str]:
    """Return the columns that differ between two records of any agent.

    Args:
        rows: With columns tick and agent.
        columns: Columns to compare.
    """
    order = np.lexsort([rows["tick"].to_numpy(), rows["agent"].to_numpy()])
    same = np.diff(rows["agent"].to_numpy()[order]) == 0
    values = ((c, ranks(rows[c])[order]) for c in columns)
    return {c for c, by_agent in values if (same & (np.diff(by_agent) != 0)).any()}
