"""Tables of this scenario's README; see `tools/odd/tables.py`."""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import numpy as np

from memopolis.agents.economy.taxes import FILING, Brackets
from memopolis.scenarios.ubi.attitudes import ATTITUDES, PROFILE, PROFILES
from memopolis.scenarios.ubi.household_settings import GOODS, ConsumptionSettings, MonthSettings
from memopolis.scenarios.ubi.microdata import DATA
from memopolis.scenarios.ubi.months import JOYS, TROUBLES, Event, Month
from memopolis.scenarios.ubi.scenario import BasicIncome
from memopolis.scenarios.ubi.start import SECTOR_SHARES
from tools.odd.tables import SCENARIOS, Odd, markdown

BRACKET_YEAR = 2019


def brackets() -> str:
    """Table of federal brackets of 2019 by taxable income per year."""
    known = Brackets.read(DATA / "brackets.csv", BRACKET_YEAR)
    rows = (
        (f"{rate / 100:g} %", *(f"{cents // 100:,}" for cents in lower))
        for rate, lower in zip(known.rate[0].tolist(), known.lower.T.tolist(), strict=True)
    )
    deduction = ("standard deduction", *(f"{cents // 100:,}" for cents in known.deduction.tolist()))
    head = ("rate on income above, USD/year", *FILING)
    return markdown(head, (*rows, deduction))


def goods() -> str:
    """Table of spending shares by kind of goods, and of initial shares in output."""
    shares = ConsumptionSettings()
    rows = zip(GOODS, shares.basic, shares.marginal, shares.beyond, SECTOR_SHARES, strict=True)
    head = ("goods", "up to subsistence", "up to comfort", "beyond", "output at the start")
    return markdown(head, ((kind, *(f"{share:g}" for share in some)) for kind, *some in rows))


def memories() -> str:
    """Table of memories of a month."""
    head = ("topic", "text", "valence", "actor")
    events = [(one.topic, f"`{one.text}`", f"{one.valence:g}", one.actor) for one in _events()]
    private = [
        ("family", f"`{text}`", f"{kind.valence:g}", "")
        for kind in (TROUBLES, JOYS)
        for text in kind.texts
    ]
    return markdown(head, events + private)


def _events() -> Iterator[Event]:
    """Return all kinds of events, from a month without any."""
    nothing: dict[str, Any] = {one.name: np.zeros(1, np.int64) for one in fields(Month)}
    nothing |= {"price": 1.0, "surtax": 0.0, "settings": MonthSettings()}
    return Month(**nothing).events()


ODD = Odd(
    BasicIncome,
    SCENARIOS / "ubi" / "README.md",
    ATTITUDES,
    (brackets, goods, memories),
    profile=(PROFILE, PROFILES[PROFILE]),
    small={"agents": 100},
    steps=13,  # some decisions are made once a year
)
"""The README and all its tables."""
