"""Remember the last month: pay, prices, work, money, the policy, and private events."""

from dataclasses import dataclass, field, replace

import numpy as np

from memopolis.agents.economy.consumption import poverty_line
from memopolis.agents.economy.wellbeing import adapt_level, compute_strain
from memopolis.agents.joining import extend_rows
from memopolis.scenarios.ubi.household_settings import MonthSettings
from memopolis.scenarios.ubi.money import read_price_level
from memopolis.scenarios.ubi.months import (
    JOYS,
    MIN_IMPORTANCE,
    MIN_RISE,
    TROUBLES,
    Event,
    Month,
    PrivateEvent,
    trouble_probability,
)
from memopolis.scenarios.ubi.people import ADULT
from memopolis.scenarios.ubi.policy import read_surtax
from memopolis.sim.arrays import Bools, Float32, Floats, Int64, Ints
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort, Population

_YEAR = 12


@dataclass(eq=False, repr=False)
class RememberMonth(Block):
    """Store memories of the last month, based on last month's columns."""

    reads = (
        "age", "household", "quintile", "labour", "employer", "spell", "wage", "pay", "insured",
        "basic_income",
    )  # fmt: skip
    writes = ()
    state = (
        "was", "was_employer", "strained", "used_to_strain", "used_to_payment", "benefits_then",
        "known_surtax", "last_wage", "wage_then", "price_then",
    )  # fmt: skip

    settings: MonthSettings = field(default_factory=MonthSettings)

    def setup(self) -> None:
        """Start without a previous month."""
        people = len(self.population)
        self.was = np.zeros(people, np.uint8)
        self.was_employer = np.full(people, -1, np.int32)
        self.strained = np.zeros(people, np.bool_)
        self.used_to_strain = np.full(people, np.nan, np.float32)
        self.used_to_payment = np.full(people, np.nan, np.float32)
        self.benefits_then = np.zeros(people, np.int64)
        self.known_surtax = np.zeros(people, np.float32)
        self.last_wage = np.full(people, np.nan, np.float32)
        self.wage_then = np.full(people, np.nan, np.float32)
        self.price_then = np.full(people, np.nan, np.float32)

    def step(self, citizens: Cohort) -> None:
        """Store the events of adults, and keep this month for comparison with the next."""
        self._widen()
        adults = citizens.where(citizens["age"] >= ADULT)
        month = self._read_month(adults)
        if self.clock.tick > 0:  # there is no month before the first
            for event in month.events():
                self._remember(adults, event)
        self._private_life(adults)
        self._store_month(adults, month)

    def _widen(self) -> None:
        """Extend the arrays for new agents."""
        unknown = ("used_to_strain", "used_to_payment", "last_wage", "wage_then", "price_then")
        blank = {"was_employer": -1, **dict.fromkeys(unknown, np.nan)}
        for name in self.state:
            more = extend_rows(getattr(self, name), len(self.population), blank.get(name, 0))
            setattr(self, name, more)

    def _read_month(self, adults: Cohort) -> Month:
        rows = adults.rows
        homes = self.society.population("household")
        house = adults["household"]
        price = read_price_level(self.society)
        basic_income = adults["basic_income"]
        # Agents that came of age or moved in have no previous month.
        known = self.was[rows] > 0
        benefits = homes["benefits"][house]
        return Month(
            pay=adults["pay"],
            usual_pay=adults["insured"],
            labour=adults["labour"],
            was=np.where(known, self.was[rows], adults["labour"]),
            employer=adults["employer"],
            was_employer=self.was_employer[rows],
            spell=adults["spell"],
            wage=adults["wage"],
            last_wage=self.last_wage[rows],
            wage_then=self.wage_then[rows],
            hiring=self._find_hiring(adults),
            anniversary=(rows + self.clock.tick) % _YEAR == 0,
            strain=self._compute_strain(homes, house, price),
            strained=self.strained[rows],
            used_to_strain=np.nan_to_num(self.used_to_strain[rows]),
            income=homes["usual"][house],
            basic_income=basic_income,
            used_to_payment=self.used_to_payment[rows],
            single=self.society.policies.get("schedule") == "once",
            benefits=benefits,
            benefits_then=np.where(
                known & (self.clock.tick > 1), self.benefits_then[rows], benefits
            ),
            known_surtax=self.known_surtax[rows],
            price=price,
            price_then=self.price_then[rows],
            surtax=read_surtax(self.society),
            settings=self.settings,
        )

    def _find_hiring(self, adults: Cohort) -> Bools:
        """Return whether the employer of each had vacancies last month."""
        firms = self.society.population("firm")
        employer = adults["employer"]
        return np.asarray((employer >= 0) & (firms["vacancies"][employer] > 0))

    def _compute_strain(self, homes: Population, house: Ints, price: float) -> Float32:
        """Compute the shortfall of last month's means below need."""
        means = homes["consumption"] + homes["deposit"]
        need = self.settings.needs * poverty_line(homes["size"], price)
        return compute_strain(means[house], need[house])

    def _remember(self, adults: Cohort, event: Event) -> None:
        selected = event.who & (event.importance >= MIN_IMPORTANCE)
        if not selected.any():
            return
        adults.where(selected).stream.add(
            event.topic,
            event.text,
            actor=self._find_actor(adults.where(selected), event.actor),
            importance=np.minimum(event.importance[selected], 1),
            valence=event.valence,
        )

    def _find_actor(self, citizens: Cohort, actor: str) -> Int64 | None:
        """Return the unique_id of the responsible agent; None without one."""
        if actor == "government":
            return np.full(len(citizens), self.society.population("government").ids[0])
        if actor == "firm":
            firms = self.society.population("firm").ids
            row = np.where(citizens["employer"] >= 0, citizens["employer"], -1)
            before = self.was_employer[citizens.rows]
            row = np.where(row >= 0, row, before)
            return np.where(row >= 0, firms[np.maximum(row, 0)], -1)
        return None

    def _private_life(self, adults: Cohort) -> None:
        """Add private misfortunes and joys, at individual rates."""
        s = self.settings
        quintile = adults["quintile"]
        often = trouble_probability(quintile, adults.rows, s, self.society.chance)
        self._add_private_events(adults, "trouble", often, replace(TROUBLES, scale=s.trouble_size))
        self._add_private_events(adults, "joy", np.full(len(adults), s.joys), JOYS)

    def _add_private_events(
        self, adults: Cohort, what: str, probability: Floats, kind: PrivateEvent
    ) -> None:
        affected = self.chance.uniform(adults, what) < probability
        if not affected.any():
            return
        some = adults.where(affected)
        size = -np.log1p(-self.chance.uniform(some, f"{what}.size")) * kind.scale
        which = (self.chance.uniform(some, f"{what}.kind") * len(kind.texts)).astype(np.intp)
        numbers = self.society.texts.intern_many(kind.texts)
        some.stream.add(
            "family", numbers[which], importance=np.minimum(size, 1), valence=kind.valence
        )

    def _store_month(self, adults: Cohort, month: Month) -> None:
        rows = adults.rows
        self.was[rows] = month.labour
        self.was_employer[rows] = month.employer
        self.last_wage[rows] = month.wage
        # There is no spending before the first month.
        self.strained[rows] = (month.strain > 0) & (self.clock.tick > 0)
        if self.clock.tick > 0:
            self.used_to_strain[rows] = adapt_level(
                self.used_to_strain[rows], month.strain, half_life=self.settings.adaptation
            )
        before = month.used_to_payment
        payment = adapt_level(
            np.nan_to_num(before), month.payment, half_life=self.settings.adaptation
        )
        paid = np.isfinite(before) | (month.basic_income > 0)
        self.used_to_payment[rows] = np.where(paid, payment, np.float32(np.nan))
        self.benefits_then[rows] = month.benefits
        more, less = month.surtax_rise > MIN_RISE, month.surtax < month.known_surtax
        noticing = (month.pay > 0) & (more | less)
        self.known_surtax[rows] = np.where(noticing, month.surtax, month.known_surtax)
        due = month.anniversary | np.isnan(month.price_then)
        self.wage_then[rows] = np.where(due, month.wage, month.wage_then)
        self.price_then[rows] = np.where(due, month.price, month.price_then)
