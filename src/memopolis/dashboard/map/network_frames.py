"""The network of a run for the browser: its ties once, and its colours at each moment."""

from typing import Any

import numpy as np

from memopolis.analysis.figures.network_now import NetworkNow
from memopolis.analysis.figures.shades import limits
from memopolis.analysis.figures.style import OPINION_COLOURS
from memopolis.analysis.labels import short
from memopolis.commands.shown_text import one_line
from memopolis.dashboard.map.packing import pack, shares

_MOST, _ABSENT = 250, 254
_NAME = 24


def describe_ties(now: NetworkNow) -> dict[str, Any]:
    """Describe agents, their places and ties as `js/network.js` expects them."""
    layout = now.layout
    return {
        "agents": pack(layout.agents, "i4"),
        "places": pack(layout.places.ravel(), "f4"),
        "ties": pack(layout.ties.ravel(), "i2"),
    }


def describe_colours(now: NetworkNow) -> dict[str, Any]:
    """Describe the colour and the group of each agent at a moment."""
    rows = now.rows
    own = np.full(len(rows), np.nan)
    own[rows >= 0] = now.amounts[rows[rows >= 0]]
    low, high = limits(now.amounts, now.facts)
    values = shares(own, low, high, _MOST)
    if len(now.people):
        values[rows < 0] = _ABSENT
    groups, group = now.groups
    return {
        "values": pack(values, "u1"),
        "lowest": low,
        "highest": high,
        "low": short(low),
        "high": short(high),
        "title": now.called if now.column in now.people else "",
        "colours": OPINION_COLOURS,
        "groups": [one_line(name, most=_NAME) for name in groups],
        "group": pack(group, "u1"),
        "note": now.counts,
    }
