"""Basic income: households, firms, government and bank in monthly steps, with a policy."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from memopolis.agents.appraisal import read_attitudes
from memopolis.agents.blocks.cognition import Think
from memopolis.agents.blocks.institution import Reflect, ReviewAttitudes
from memopolis.agents.blocks.sleep import SleepByHour
from memopolis.agents.blocks.social import FollowNews
from memopolis.scenarios.places.place_files import find_title
from memopolis.scenarios.synthesis.counties import list_data
from memopolis.scenarios.synthesis.microdata import NATIONAL_FILE
from memopolis.scenarios.synthesis.social_life import draw_ties
from memopolis.scenarios.synthesis.taken_over import NATION
from memopolis.scenarios.synthesis.taken_over import list_taken_over as list_from_elsewhere
from memopolis.scenarios.ubi.attitudes import ATTITUDES
from memopolis.scenarios.ubi.blocks.bank import ExpectInflation, RememberCredit, SetRate, Settle
from memopolis.scenarios.ubi.blocks.collect_taxes import CollectTaxes
from memopolis.scenarios.ubi.blocks.expect_sales import ExpectSales, RememberBusiness
from memopolis.scenarios.ubi.blocks.firms import Enter, PayDividends, PlanProduction
from memopolis.scenarios.ubi.blocks.goods_market import ConsumeGoods, Market
from memopolis.scenarios.ubi.blocks.household_budget import (
    DEMAND,
    MAX_DEMAND,
    Borrow,
    DecideConsumption,
    RankHouseholds,
)
from memopolis.scenarios.ubi.blocks.labour_market import FindWork, Work
from memopolis.scenarios.ubi.blocks.live_on import LiveOn
from memopolis.scenarios.ubi.blocks.meet import Meet
from memopolis.scenarios.ubi.blocks.public_spending import PayBasicIncome, PayBenefits, Purchase
from memopolis.scenarios.ubi.blocks.publish import (
    AskPanel,
    ChooseHeadline,
    Publish,
    RememberFigures,
)
from memopolis.scenarios.ubi.blocks.rate_life import Feel, RateLife, UpdateAttitudes
from memopolis.scenarios.ubi.blocks.remember_month import RememberMonth
from memopolis.scenarios.ubi.blocks.remember_shopping import RememberShopping
from memopolis.scenarios.ubi.blocks.review_support import RememberPublic, ReviewSupport
from memopolis.scenarios.ubi.blocks.set_terms import SetTerms
from memopolis.scenarios.ubi.blocks.supply_labour import SupplyLabour
from memopolis.scenarios.ubi.microdata import DATA, read_town
from memopolis.scenarios.ubi.months import draw_initial_feelings
from memopolis.scenarios.ubi.people import (
    Bank,
    Citizen,
    Firm,
    Government,
    Household,
    StatisticsBureau,
)
from memopolis.scenarios.ubi.policy import RULES, Policy
from memopolis.scenarios.ubi.settings import BasicIncomeSettings
from memopolis.scenarios.ubi.social_life import describe_social_life
from memopolis.scenarios.ubi.start import Firms, make_firms, open_accounts
from memopolis.scenarios.ubi.synthesis import Inhabitants, draw_initial_households
from memopolis.sim import timeline
from memopolis.sim.clock import Clock, MonthClock
from memopolis.sim.errors import ParameterError
from memopolis.sim.files import hash_of_file, hash_of_shipped, shipped_tables
from memopolis.sim.footprint import Footprint
from memopolis.sim.measures import read_measures
from memopolis.sim.society import Society
from memopolis.sim.timeline import Shock
from memopolis.sim.world.place import Place

FIRST_DAY = datetime(2019, 1, 1)  # start of the calendar; money is in dollars of 2019


class BasicIncome(Society[BasicIncomeSettings]):
    """A society of households and firms in which a basic income is introduced."""

    measures = read_measures(Path(__file__).with_name("measures.csv"))
    footprint: ClassVar[Footprint] = Footprint(3.87e8, 1_080, 2_270, 208, 2.07e-5, 1.94e-5)
    outcomes: ClassVar[tuple[str, ...]] = (
        "income", "consumption", "hours", "participation", "unemployment", "gini",
        "price_level", "depression", "life_satisfaction",
    )  # fmt: skip
    order: ClassVar[tuple[str, ...]] = (
        "firm", "citizen", "government", "household", "bank", "statistics_bureau",
    )  # fmt: skip
    built: ClassVar[tuple[str, ...]] = ("household", "employer", "account")
    arms: ClassVar[Mapping[str, Mapping[str, object]]] = {
        "no_ubi": {"amount": 0},
        "tax": {"funding": "tax"},
        "created": {"funding": "created"},
        "none": {"funding": "none"},
        "once": {"schedule": "once"},
        "low_income": {"who": "low_income"},
        "unemployed": {"who": "unemployed"},
    }

    @classmethod
    def starts(cls, settings: BasicIncomeSettings) -> datetime:
        """Return the first day of 2019; the setting `start` is the month of the policy."""
        del settings
        return FIRST_DAY

    @classmethod
    def make_clock(cls, settings: BasicIncomeSettings) -> Clock:
        """Return a clock of calendar months."""
        return MonthClock(cls.starts(settings), timedelta(hours=settings.tick))

    def build(self, settings: BasicIncomeSettings) -> None:
        """Create people, firms and money, then assign blocks."""
        self.town = read_town(settings.place)
        if self.town is not None:
            self.place = self.town.place
        people = draw_initial_households(settings.agents, self.chance, self.town)
        persons = people.persons
        labour, hours, skill = (persons[name] for name in ("labour", "wanted_hours", "skill"))
        firms = make_firms(labour, hours, skill, settings.firms, self.chance)
        self._populate(people, firms)
        self.money, self.fund = open_accounts(
            people, firms, settings, households=self.households, companies=self.firms
        )
        self.ledger, self.loans = self.money.ledger, self.money.loans
        self.policy = read_policy(settings)
        self.policies = {name: getattr(settings, name) for name in RULES} | {DEMAND: 1.0}
        self._assign_blocks()
        announcement = self.policy.announce()
        if settings.news == "default" and announcement is not None:
            month, news = announcement
            self.at(self.clock.date_of(month), news)

    def _populate(self, people: Inhabitants, firms: Firms) -> None:
        persons = people.persons | {"employer": firms.employer}
        feelings = draw_initial_feelings(
            persons["age"],
            persons["quintile"],
            self.settings.months,
            self.settings.cognition,
            self.chance,
            trivia=self.settings.sleep.trivia,
        )
        self.citizens = self.populate(
            Citizen,
            len(people),
            status=persons | feelings,
            ties=draw_ties(describe_social_life(persons, self.place), self.chance),
        )
        count = len(firms.sector)
        self.firms = self.populate(
            Firm,
            count,
            status={
                "sector": firms.sector,
                "expected": firms.expected,
                "productivity": np.full(count, firms.productivity),
                "inventory": self.settings.firms.stock * firms.expected,
                "employees": np.bincount(firms.employer[firms.employer >= 0], minlength=count),
                "target_months": np.full(count, self.settings.firms.stock),
                "age": np.full(count, 120, np.int16),
            },
        )
        self.government = self.populate(Government, 1)
        homes = people.households
        self.households = self.populate(Household, len(homes["size"]), status=homes)
        self.bank = self.populate(Bank, 1)
        self.bureau = self.populate(StatisticsBureau, 1)

    def _assign_blocks(self) -> None:
        s, money, firms, bureau = self.settings, self.money, self.firms, self.bureau
        people = (self.citizens, self.households)
        market = Market(money, firms)
        goods = ConsumeGoods(s.goods_market, s.shocks, market, self.government)
        self.give(
            firms,
            Enter(s.firms, money, self.citizens, bureau, fund=self.fund, target=len(firms)),
            RememberBusiness(self.citizens),
            ExpectSales(s.firms),
            SetTerms(s.firms, s.labour_market),
            PlanProduction(s.firms, s.labour_market, s.shocks, self.citizens),
            PayDividends(s.firms, money, self.households, fund=self.fund),
        )
        self.give(
            self.citizens,
            FollowNews(),
            RememberMonth(s.months),
            RememberShopping(goods),
            Meet(s.talk),
            Feel(s.cognition, trivia=s.sleep.trivia),
            UpdateAttitudes(s.cognition, ATTITUDES),
            Think(s.cognition),
            SleepByHour(s.sleep),
            RateLife(s.wellbeing, s.months),
            SupplyLabour(s.labour_supply),
            FindWork(s.labour_market, firms),
            Work(s.firms, s.earnings, money, market, self.households),
        )
        self.give(
            self.government,
            RememberPublic(self.citizens, bureau),
            ReviewSupport(s.review),
            CollectTaxes(s.taxes, self.policy, money, *people),
            PayBenefits(s.benefits, money, *people),
            PayBasicIncome(self.policy, money, *people),
            Purchase(s.purchases, money),
        )
        self.give(
            self.households,
            RankHouseholds(self.citizens),
            Borrow(s.bank, money, subsistence=s.consumption.subsistence),
            DecideConsumption(s.consumption, s.bank, s.shocks),
            goods,
            LiveOn(s.demography, s.benefits, money, self.citizens, bureau, self.town),
        )
        self.give(
            self.bank,
            RememberCredit(bureau),
            ExpectInflation(s.bank, bureau),
            SetRate(s.bank, bureau),
            Settle(s.bank, money, firms, self.households, self.government, fund=self.fund),
        )
        self.give(
            bureau,
            Publish(self.citizens, self.households, firms),
            AskPanel(s.panel),
            RememberFigures(),
            ChooseHeadline(s.bureau),
        )
        for institutions in (firms, self.bank, self.government, bureau):
            attitudes = read_attitudes(__file__, institutions.name)
            self.give(institutions, ReviewAttitudes(s.cognition, attitudes), Reflect(s.cognition))

    def check_shock(self, shock: Shock) -> None:
        """Refuse shocks that cannot act here, such as a rule with a value no setting may have."""
        super().check_shock(shock)
        if isinstance(shock, timeline.Policy) and shock.key in RULES:
            rules = {name: self.policies[name] for name in RULES} | {shock.key: shock.value}
            self.settings.with_changes(rules)
        elif isinstance(shock, timeline.Policy) and not 0 <= float(shock.value or 0) <= MAX_DEMAND:
            raise ParameterError(
                f"rule {shock.key} must be a factor from 0 to {MAX_DEMAND:g}, got {shock.value}"
            )

    def facts(self) -> dict[str, Any]:
        """Return facts for the manifest: place, policy, initial counts of households and firms."""
        return {
            "place": find_title(self.settings.place),
            "taken_over": "; ".join(list_taken_over(self.settings, self.place)),
            "policy": self.policy.amount > 0,
            "policy_month": self.settings.start,
            "policy_start": self._policy_start(),
            "households": len(self.households),
            "firms": len(self.firms),
        }

    def _policy_start(self) -> str | None:
        """Return the first date of payment, None without a policy."""
        pays = self.policy.amount > 0
        return self.clock.date_of(self.settings.start).isoformat() if pays else None

    def data_hashes(self) -> dict[str, str]:
        """Return hashes of shipped tables and of user files."""
        tables = (NATIONAL_FILE, *shipped_tables(DATA))
        shipped = {path.name: hash_of_shipped(path) for path in tables}
        own = {path.name: hash_of_file(path) for path in list_data(self.settings.place)}
        return shipped | own | super().data_hashes()


def read_policy(settings: BasicIncomeSettings) -> Policy:
    """Build the policy from the settings."""
    return Policy(
        amount=round(100 * settings.amount),
        funding=settings.funding,
        who=settings.who,
        schedule=settings.schedule,
        start=settings.start,
        share=settings.policy.share,
        low_income=round(100 * settings.policy.low_income),
        enrolment=settings.policy.enrolment,
    )


def list_taken_over(settings: BasicIncomeSettings, place: Place | None) -> list[str]:
    """List what a run in a place uses that was measured elsewhere; nothing without a place."""
    if place is None:
        return []
    return [
        *list_from_elsewhere(settings.place, place, survey=NATION),
        f"taxes, benefits and spending of {NATION}",
        f"births and deaths of {NATION}",
    ]
