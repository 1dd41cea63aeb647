"""Keep the tables of this scenario's README as the code is.

`python -m memopolis.scenarios.ubi.odd` writes anew what stands between the markers
`<!-- table: NAME -->` and `<!-- end -->`; a test fails while a table is out of date.
"""

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields
from pathlib import Path

import numpy as np

from memopolis.agents.economy.taxes import FILING, Brackets
from memopolis.scenarios import odd
from memopolis.scenarios.odd import Odd, markdown
from memopolis.scenarios.ubi.attitudes import ATTITUDES, PROFILE, PROFILES
from memopolis.scenarios.ubi.choices import ConsumptionSettings
from memopolis.scenarios.ubi.microdata import DATA
from memopolis.scenarios.ubi.months import JOYS, TROUBLES, Event, Month
from memopolis.scenarios.ubi.people import GOODS
from memopolis.scenarios.ubi.scenario import BasicIncome
from memopolis.scenarios.ubi.start import SECTOR_SHARES

BRACKET_YEAR = 2019


def attitudes() -> str:
    """What memories of a topic say for or against an attitude."""
    return odd.attitudes(ATTITUDES)


def recall() -> str:
    """The profile by which a month's memories are recalled: what differs from the defaults."""
    profile = PROFILES[PROFILE]
    rows = (
        (f"`{one.name}`", f"{getattr(profile, one.name)}", f"{one.default}")
        for one in fields(profile)
        if one.default is not MISSING and getattr(profile, one.name) != one.default
    )
    return markdown((f"of the profile `{PROFILE}`", "value", "default"), rows)


def brackets() -> str:
    """Federal brackets of 2019, one row a rate, from the limits of taxable income a year."""
    known = Brackets.read(DATA / "brackets.csv", BRACKET_YEAR)
    rows = (
        (f"{rate / 100:g} %", *(f"{cents // 100:,}" for cents in lower))
        for rate, lower in zip(known.rate[0].tolist(), known.lower.T.tolist(), strict=True)
    )
    deduction = ("standard deduction", *(f"{cents // 100:,}" for cents in known.deduction.tolist()))
    head = ("rate on income above, USD/year", *FILING)
    return markdown(head, (*rows, deduction))


def goods() -> str:
    """How spending is split over kinds of goods, and the kinds' shares in output at the start."""
    shares = ConsumptionSettings()
    rows = zip(GOODS, shares.basic, shares.marginal, shares.beyond, SECTOR_SHARES, strict=True)
    head = ("goods", "up to subsistence", "up to comfort", "beyond", "output at the start")
    return markdown(head, ((kind, *(f"{share:g}" for share in some)) for kind, *some in rows))


def memories() -> str:
    """What of a month is remembered."""
    head = ("topic", "text", "valence", "actor")
    events = [(one.topic, one.text, f"{one.valence:g}", one.actor) for one in _events()]
    private = [
        ("family", text, f"{kind.valence:g}", "")
        for kind in (TROUBLES, JOYS)
        for text in kind.texts
    ]
    return markdown(head, events + private)


def _events() -> Iterator[Event]:
    """Every kind of event; in this month nothing happens to the one person there is."""
    no, none, number = np.zeros(1, np.bool_), np.zeros(1), np.zeros(1, np.int64)
    month = Month(
        pay=none,
        last_pay=none,
        labour=number,
        was=number,
        employer=number,
        was_employer=number,
        spell=number,
        wage=none,
        wage_then=none,
        anniversary=no,
        strain=none,
        strained=no,
        income=none,
        basic_income=none,
        paid=number,
        benefits=none,
        benefits_then=none,
        known_surtax=none,
        price=1.0,
        price_then=np.ones(1),
        surtax=0.0,
    )
    return month.events()


TABLES: Mapping[str, odd.Table] = {
    "attitudes": attitudes,
    "recall": recall,
    "brackets": brackets,
    "goods": goods,
    "memories": memories,
}
"""Tables of this scenario alone, by the name in their marker."""

ODD = Odd(BasicIncome, Path(__file__).with_name("README.md"), TABLES, small={"agents": 100})
"""The README and all its tables."""


if __name__ == "__main__":
    ODD.write()
