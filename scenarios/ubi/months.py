"""What of a month is worth remembering: texts, and how much each event matters.

Texts hold no names and no numbers, so that many people share them. What an event means to
somebody is its valence; how much it matters its importance, which grows with the relative
change behind it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.agents.economy.wellbeing import noticed
from memopolis.scenarios.ubi.living import MonthSettings
from memopolis.scenarios.ubi.people import Labour

type Floats = NDArray[np.floating[Any]]
type Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class PrivateEvent:
    """Something that the economy has no part in.

    Attributes:
        texts: What it may be.
        scale: Mean importance, before it is cut off at 1 (illustrative).
        valence: Whether it is good or bad, in [-1, 1] (illustrative).
    """

    texts: tuple[str, ...]
    scale: float
    valence: float


TROUBLES = PrivateEvent(
    (
        "Somebody close to me fell ill.",
        "There was a quarrel in the family.",
        "I did not feel well for weeks.",
    ),
    scale=0.4,
    valence=-0.9,
)
JOYS = PrivateEvent(
    (
        "I spent good days with friends.",
        "There was a celebration in the family.",
        "Something I had worked for went well.",
    ),
    scale=0.3,
    valence=0.8,
)

MOST_PAY, MOST_POLICY, MOST_TAX = 0.6, 0.15, 0.2
"""Greatest importance of a change of pay, of basic income and of the surtax (illustrative)."""

LEAST = 0.05
"""Importance below which nothing is remembered (illustrative)."""

LEAST_RISE = 0.01
"""Logarithm of what a rise of the surtax takes, from which it is noticed (illustrative)."""

SEARCH_EVERY = 3
"""Months of search after which looking for work is remembered again (illustrative)."""


@dataclass(frozen=True, eq=False)
class Event:
    """Something that happened to some of those who live through a month.

    Attributes:
        topic: Topic of the memory.
        text: The text, the same for all.
        who: To whom it happened, shape (agents,).
        importance: In [0, 1], shape (agents,).
        valence: In [-1, 1].
        actor: Whose doing it was: "firm", "government" or "".
    """

    topic: str
    text: str
    who: Mask
    importance: Floats
    valence: float
    actor: str = ""


@dataclass(frozen=True, eq=False)
class Month:
    """What each of those asked knows of the last month; arrays of shape (agents,).

    Attributes:
        pay: Wages, in cents.
        last_pay: Wages of the month before.
        labour: Standing on the labour market, of `Labour`.
        was: The same of the month before.
        employer: Row of the employer, -1 for none.
        was_employer: The same of the month before.
        spell: Months in this job or without one.
        wage: Hourly wage.
        wage_then: The one a year ago, NaN where unknown.
        anniversary: Who compares this month with a year ago.
        strain: How far means fell short of needs, in [0, 1].
        strained: Who was short of money the month before.
        income: Usual disposable income of the household, in cents.
        basic_income: What was paid to it, in cents.
        paid: Months in which it was paid so far, this one included.
        benefits: Benefits of the household, in cents.
        benefits_then: The same of the month before.
        known_surtax: Surtax one has noticed so far.
        price: Price level.
        price_then: That of a year ago, NaN where unknown, shape (agents,).
        surtax: Rate of the surtax.
    """

    pay: Floats
    last_pay: Floats
    labour: NDArray[np.integer[Any]]
    was: NDArray[np.integer[Any]]
    employer: NDArray[np.integer[Any]]
    was_employer: NDArray[np.integer[Any]]
    spell: NDArray[np.integer[Any]]
    wage: Floats
    wage_then: Floats
    anniversary: Mask
    strain: Floats
    strained: Mask
    income: Floats
    basic_income: Floats
    paid: NDArray[np.integer[Any]]
    benefits: Floats
    benefits_then: Floats
    known_surtax: Floats
    price: float
    price_then: Floats
    surtax: float
    settings: MonthSettings = field(default_factory=MonthSettings)

    def events(self) -> Iterator[Event]:
        """What happened, kind by kind."""
        yield from self.pay_events()
        yield from self.job_events()
        yield from self.price_events()
        yield from self.money_events()
        yield from self.policy_events()
        yield from self.tax_events()

    def pay_events(self) -> Iterator[Event]:
        """Pay that rose or fell with the same employer."""
        same = (self.employer >= 0) & (self.employer == self.was_employer)
        change = log_ratio(self.pay, self.last_pay)
        weight = noticed(change, scale=self.settings.scale, most=MOST_PAY)
        least = self.settings.least_change
        yield Event("pay", "My pay rose.", same & (change > least), weight, 0.7, "firm")
        yield Event("pay", "My pay fell.", same & (change < -least), weight, -0.7, "firm")

    def job_events(self) -> Iterator[Event]:
        """Work found, lost and given up, and a search that goes on."""
        worked, works = self.was == Labour.EMPLOYED, self.labour == Labour.EMPLOYED
        seeks = self.labour == Labour.UNEMPLOYED
        one = np.ones(len(self.pay), np.float32)
        yield Event("job", "I lost my job.", worked & seeks, 0.8 * one, -0.8, "firm")
        yield Event("job", "I found work.", ~worked & works, 0.6 * one, 0.7, "firm")
        long = seeks & (self.was == Labour.UNEMPLOYED) & (self.spell > 0)
        long &= self.spell % SEARCH_EVERY == 0
        yield Event("job", "I am still looking for work.", long, 0.5 * one, -0.6)
        left = (self.was == Labour.EMPLOYED) & (self.labour == Labour.AT_HOME)
        yield Event("job", "I stopped working.", left, 0.4 * one, 0.1)
        retired = (self.was != Labour.RETIRED) & (self.labour == Labour.RETIRED) & worked
        yield Event("job", "I retired.", retired, 0.5 * one, 0.3)

    def price_events(self) -> Iterator[Event]:
        """Once a year, what prices did beside pay."""
        scale = self.settings.scale
        prices = np.log(self.price / np.where(self.price_then > 0, self.price_then, np.nan))
        wages = log_ratio(self.wage, self.wage_then)
        due = self.anniversary & np.isfinite(prices)
        works = due & (self.wage > 0) & (self.wage_then > 0) & (self.labour == Labour.EMPLOYED)
        real = np.nan_to_num(wages - prices)
        weight = noticed(real, scale=scale, most=MOST_PAY)
        behind, ahead = works & (real < -0.01), works & (real > 0.01) & (prices > 0)
        yield Event("prices", "Prices rose faster than my pay.", behind, weight, -0.7)
        yield Event("pay", "My pay rose faster than prices.", ahead, weight, 0.6, "firm")
        others = due & (self.labour != Labour.EMPLOYED) & (prices > self.settings.least_change)
        weight = noticed(np.nan_to_num(prices), scale=scale, most=MOST_PAY)
        yield Event("prices", "Prices rose again.", others, weight, -0.5)

    def money_events(self) -> Iterator[Event]:
        """Money that does not last for all that is needed, and help."""
        weight = noticed(self.strain, scale=self.settings.scale, most=self.settings.strain)
        short = self.strain > 0
        yield Event("money", "We could not pay for all we needed.", short, weight, -0.9)
        again = np.full(len(short), 0.4, np.float32)
        over = self.strained & ~short
        yield Event("money", "We could pay for all we needed again.", over, again, 0.6)
        more = np.maximum(self.benefits - self.benefits_then, 0) / np.maximum(self.income, 1)
        helped = more > self.settings.least_change
        weight = noticed(np.log1p(more), scale=self.settings.scale, most=0.5)
        yield Event("help", "Help from the government came.", helped, weight, 0.5, "government")

    def policy_events(self) -> Iterator[Event]:
        """The basic income, which matters less the longer it is paid."""
        came = self.basic_income > 0
        share = self.basic_income / np.maximum(self.income, 1)
        weight = noticed(np.log1p(share), scale=self.settings.scale, most=MOST_POLICY)
        fading = weight * np.exp2(-np.maximum(self.paid - 1, 0) / self.settings.adaptation)
        first = came & (self.paid == 1)
        yield Event("policy", "The first basic income came.", first, weight, 0.9, "government")
        more = came & (self.paid > 1)
        yield Event("policy", "The basic income came.", more, fading, 0.8, "government")

    @property
    def surtax_rise(self) -> Floats:
        """Logarithm of what a dollar kept before the surtax one knows and after it."""
        return np.log((1 - self.known_surtax) / max(1 - self.surtax, 0.01))

    def tax_events(self) -> Iterator[Event]:
        """The surtax: when it is new or higher, and once a year."""
        pays = (self.pay > 0) & (self.surtax > 0)
        more = self.surtax_rise
        weight = noticed(np.maximum(more, 0), scale=self.settings.scale, most=MOST_TAX)
        new = pays & (more > LEAST_RISE)
        text = "The new surtax took part of my pay."
        yield Event("tax", text, new, weight, -0.7, "government")
        usual = noticed(
            np.full(len(self.pay), -np.log(max(1 - self.surtax, 0.01))),
            scale=self.settings.scale,
            most=MOST_TAX / 2,
        )
        again = pays & ~new & self.anniversary
        yield Event("tax", "The surtax took part of my pay.", again, usual, -0.6, "government")


def log_ratio(now: Floats, then: Floats) -> NDArray[np.float64]:
    """Logarithm of new over old, 0 where either is not above 0, shape (agents,)."""
    known = (now > 0) & (then > 0)
    return np.log(np.where(known, now, 1.0) / np.where(known, then, 1.0))
