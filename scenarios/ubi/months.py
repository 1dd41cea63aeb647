"""Memorable events of a month, their texts and importances, and feelings before the first month.

Texts contain neither names nor numbers, so that many agents share them. Valence expresses what an
event means to the agent; importance increases with the relative change behind the event.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from memopolis.agents.appraisal import BASELINE, update_feeling
from memopolis.agents.block_settings import CognitionSettings
from memopolis.agents.economy.wellbeing import compute_salience
from memopolis.scenarios.ubi.attitudes import MONTH_HOURS
from memopolis.scenarios.ubi.household_settings import MonthSettings
from memopolis.scenarios.ubi.people import ADULT, Labour
from memopolis.sim.arrays import Bools, Float32, Float64, Floats, Intp, Ints
from memopolis.sim.chance import Chance


@dataclass(frozen=True)
class PrivateEvent:
    """A private event, unrelated to the economy."""

    texts: tuple[str, ...]  # possible texts
    scale: float  # mean importance, before truncation at 1 (illustrative)
    valence: float  # valence, in [-1, 1] (illustrative)


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

MAX_CHANGE, MAX_MONTH = 0.6, 0.2
"""Maximum importance of a change of what people live on, and of money of one month (illustrative).

One scale serves all changes: pay, prices, benefits, basic income, surtax and unmet needs.
"""

MIN_IMPORTANCE = 0.05  # minimum importance of a memory (illustrative)

MIN_RISE = 0.01  # minimum log change of net pay by the surtax that is noticed (illustrative)

OPENING = "They are looking for people where I work."

SEARCH_EVERY = 3  # months of job search between two memories of it (illustrative)


@dataclass(frozen=True, eq=False)
class Event:
    """An event that affects some agents."""

    topic: str  # topic of the memory
    text: str  # text, the same for all
    who: Bools  # whether each agent is affected, shape (agents,)
    importance: Floats  # in [0, 1], shape (agents,)
    valence: float  # in [-1, 1]
    actor: str = ""  # responsible agent: "firm", "government" or ""


@dataclass(frozen=True, eq=False)
class Month:
    """Figures of the last month for some agents; arrays of shape (agents,)."""

    pay: Floats  # wages, in cents
    usual_pay: Floats  # mean wages of recent months, in cents
    labour: Ints  # number of `Labour`
    was: Ints  # the same of the month before
    employer: Ints  # row of the employer, -1 for none
    was_employer: Ints  # the same of the month before
    spell: Ints  # months in this job, or without one
    wage: Floats  # hourly wage
    last_wage: Floats  # hourly wage of the month before, NaN if unknown
    wage_then: Floats  # hourly wage one year before, NaN if unknown
    hiring: Bools  # whether the employer had vacancies
    anniversary: Bools  # whether the agent compares this month with the one a year ago
    strain: Floats  # shortfall of means below needs, in [0, 1]
    strained: Bools  # whether means fell short in the month before
    used_to_strain: Floats  # shortfall that the agent is used to, in [0, 1]
    income: Floats  # usual disposable income of the household, in cents
    basic_income: Floats  # basic income received, in cents
    used_to_payment: Floats  # log change of income by it that the agent is used to, NaN if unpaid
    single: bool  # whether basic income is paid once
    benefits: Floats  # benefits of the household, in cents
    benefits_then: Floats  # the same of the month before
    known_surtax: Floats  # surtax that the agent is aware of
    price: float  # price level
    price_then: Floats  # price level one year before, NaN if unknown, shape (agents,)
    surtax: float  # rate of the surtax
    settings: MonthSettings = field(default_factory=MonthSettings)

    def events(self) -> Iterator[Event]:
        """Yield all events of the month."""
        yield from self.pay_events()
        yield from self.job_events()
        yield from self.price_events()
        yield from self.money_events()
        yield from self.policy_events()
        yield from self.tax_events()

    def pay_events(self) -> Iterator[Event]:
        """Yield changes of the wage with the same employer, and months with little or much pay."""
        same = (self.employer >= 0) & (self.employer == self.was_employer)
        scale, least = self.settings.scale, self.settings.least_change
        change = log_ratio(self.wage, self.last_wage)
        weight = compute_salience(change, scale=scale, most=MAX_CHANGE)
        yield Event("pay", "My pay rose.", same & (change > least), weight, 0.7, "firm")
        yield Event("pay", "My pay fell.", same & (change < -least), weight, -0.7, "firm")
        beyond = log_ratio(self.pay, self.usual_pay)
        beyond = np.sign(beyond) * np.maximum(np.abs(beyond) - self.settings.usual_change, 0)
        weight = compute_salience(beyond, scale=scale, most=MAX_MONTH)
        yield Event("pay", "There was little work this month.", same & (beyond < 0), weight, -0.6)
        yield Event("pay", "There was much pay this month.", same & (beyond > 0), weight, 0.5)

    def job_events(self) -> Iterator[Event]:
        """Yield jobs found, lost and left, continued job search, and vacancies at the workplace."""
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
        yield Event("vacancy", OPENING, works & self.hiring, 0.06 * one, 0.2)

    def price_events(self) -> Iterator[Event]:
        """Yield changes of prices and real wages, once a year."""
        scale = self.settings.scale
        prices = np.log(self.price / np.where(self.price_then > 0, self.price_then, np.nan))
        wages = log_ratio(self.wage, self.wage_then)
        due = self.anniversary & np.isfinite(prices)
        works = due & (self.wage > 0) & (self.wage_then > 0) & (self.labour == Labour.EMPLOYED)
        real = np.nan_to_num(wages - prices)
        weight = compute_salience(real, scale=scale, most=MAX_CHANGE)
        behind, ahead = works & (real < -0.01), works & (real > 0.01) & (prices > 0)
        yield Event("prices", "Prices rose faster than my pay.", behind, weight, -0.7)
        yield Event("pay", "My pay rose faster than prices.", ahead, weight, 0.6, "firm")
        others = due & (self.labour != Labour.EMPLOYED) & (prices > self.settings.least_change)
        weight = compute_salience(np.nan_to_num(prices), scale=scale, most=MAX_CHANGE)
        yield Event("prices", "Prices rose again.", others, weight, -0.5)

    def money_events(self) -> Iterator[Event]:
        """Yield unmet needs, as far as they are worse than the agent is used to, and new benefits.

        Source: Adaptation level: Helson 1964; Frederick and Loewenstein 1999 (both recalled).
        """
        worse = np.maximum(self.strain - self.used_to_strain, 0)
        weight = compute_salience(worse, scale=self.settings.scale, most=MAX_CHANGE)
        short = self.strain > 0
        yield Event("money", "We could not pay for all we needed.", short, weight, -0.9)
        again = np.full(len(short), 0.4, np.float32)
        over = self.strained & ~short
        yield Event("money", "We could pay for all we needed again.", over, again, 0.6)
        more = np.maximum(self.benefits - self.benefits_then, 0) / np.maximum(self.income, 1)
        helped = more > self.settings.least_change
        weight = compute_salience(np.log1p(more), scale=self.settings.scale, most=MAX_CHANGE)
        yield Event("help", "Help from the government came.", helped, weight, 0.5, "government")

    def policy_events(self) -> Iterator[Event]:
        """Yield payments of basic income, compared with those that the agent is used to."""
        came, first = self.basic_income > 0, np.isnan(self.used_to_payment)
        more = np.maximum(self.payment - np.nan_to_num(self.used_to_payment), 0)
        most = MAX_MONTH if self.single else MAX_CHANGE
        weight = compute_salience(more, scale=self.settings.scale, most=most)
        text = "The first basic income came."
        yield Event("policy", text, came & first, weight, 0.9, "government")
        text = "The basic income came."
        yield Event("policy", text, came & ~first, weight, 0.8, "government")

    @property
    def payment(self) -> Floats:
        """Log change of the household's usual income by the payment, shape (agents,)."""
        return np.asarray(np.log1p(self.basic_income / np.maximum(self.income, 1)))

    @property
    def surtax_rise(self) -> Floats:
        """Log change of net pay by the change of the surtax."""
        return np.log((1 - self.known_surtax) / max(1 - self.surtax, 0.01))

    def tax_events(self) -> Iterator[Event]:
        """Yield the surtax: if new or higher, and once a year."""
        pays = (self.pay > 0) & (self.surtax > 0)
        more = self.surtax_rise
        weight = compute_salience(np.maximum(more, 0), scale=self.settings.scale, most=MAX_CHANGE)
        new = pays & (more > MIN_RISE)
        first, higher = self.known_surtax == 0, self.known_surtax > 0
        text = "The new surtax took part of my pay."
        yield Event("tax", text, new & first, weight, -0.7, "government")
        text = "The surtax took more of my pay than before."
        yield Event("tax", text, new & higher, weight, -0.7, "government")
        usual = compute_salience(
            np.full(len(self.pay), -np.log(max(1 - self.surtax, 0.01))),
            scale=self.settings.scale,
            most=MAX_MONTH,
        )
        again = pays & ~new & self.anniversary
        yield Event("tax", "The surtax took part of my pay.", again, usual, -0.6, "government")


def log_ratio(now: Floats, then: Floats) -> Float64:
    """Compute the logarithm of new over old, 0 unless both are positive, shape (agents,)."""
    known = (now > 0) & (then > 0)
    return np.log(np.where(known, now, 1.0) / np.where(known, then, 1.0))


# Initial feelings, from two simulated years of private life.


_MONTHS = 24  # simulated months before the first; feelings have a half-life of three


def trouble_probability(
    quintile: Ints, rows: Intp, settings: MonthSettings, chance: Chance
) -> Float64:
    """Compute the monthly probability of a misfortune, shape (agents,).

    It is log-normal around the value of the quintile, drawn once; 0 is an unknown quintile.

    Source: This project, illustrative; the quintiles calibrated on the prevalence of depressive
    symptoms by income (NCHS 2018, PHQ-9 in NHANES 2013-16).
    """
    # Agents without a quintile use the middle one.
    burden = np.array((settings.burden[2], *settings.burden))[quintile]
    spread = settings.unequal * chance.normal("remember_month.unequal", rows)
    often = settings.troubles * burden * np.exp(spread - settings.unequal**2 / 2)
    return np.asarray(np.minimum(often, 1))


def draw_initial_feelings(
    age: Ints,
    quintile: Ints,
    settings: MonthSettings,
    cognition: CognitionSettings,
    chance: Chance,
    *,
    trivia: float,
) -> dict[str, Float32]:
    """Draw sadness and joy of adults, so that the first panel has the level of later ones.

    Events of an importance up to `trivia` leave no feeling that lasts.
    """
    rows = np.arange(len(age))
    often = {
        "sadness": (trouble_probability(quintile, rows, settings, chance), settings.trouble_size),
        "joy": (np.full(len(age), settings.joys), JOYS.scale),
    }
    valence = {"sadness": -TROUBLES.valence, "joy": JOYS.valence}
    calm = 1 - 0.5 ** (MONTH_HOURS / cognition.calm_half_life)
    felt: dict[str, Float32] = {}
    for feeling, (share, scale) in often.items():
        level = np.full(len(age), BASELINE, np.float32)
        for month in range(_MONTHS):
            met = chance.uniform(f"past.{feeling}", rows, n=month) < share
            size = -np.log1p(-chance.uniform(f"past.{feeling}.size", rows, n=month)) * scale
            lasts = met & (size > trivia)
            impulse = (lasts * valence[feeling] * np.minimum(size, 1)).astype(np.float32)
            level = update_feeling(level, impulse, gain=cognition.gain, calm=calm)
        felt[f"emotion.{feeling}"] = np.where(age >= ADULT, level, np.float32(BASELINE))
    return felt
