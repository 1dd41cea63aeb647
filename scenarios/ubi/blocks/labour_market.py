"""The labour market: quits, job search, hiring, production and wages."""

from dataclasses import dataclass

import numpy as np

from memopolis.agents.economy.earnings import (
    choose_pay_period,
    month_factor,
    payday_factor,
    review_wage,
)
from memopolis.agents.economy.firms import (
    MONTH_WEEKS,
    adapt_hours,
    compute_labour,
    produce,
    select_workers,
)
from memopolis.agents.economy.labour_supply import application_probability, weigh_tenure
from memopolis.agents.experience import Experience
from memopolis.scenarios.ubi.blocks.goods_market import Market
from memopolis.scenarios.ubi.firm_settings import FirmSettings, LabourMarketSettings
from memopolis.scenarios.ubi.household_settings import EarningsSettings
from memopolis.scenarios.ubi.money import Money, sum_by_group
from memopolis.scenarios.ubi.people import ADULT, Labour
from memopolis.scenarios.ubi.person_traits import FUTURE_WAGE
from memopolis.sim.arrays import Bools, Float64, Int64, Intp
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort, Population

MOST_HOURS = 80.0  # maximum weekly hours worked, overtime included (choice)
_YEAR = 12
HINT_MONTHS = 1  # age in months up to which a vacancy that one heard of counts (illustrative)


@dataclass(eq=False, repr=False)
class FindWork(Block):
    """Quit jobs, consider a few vacancies, and apply in descending order of pay.

    People without work also apply where they heard of a vacancy, if they recall it.
    """

    reads = ("labour", "employer", "wanted_hours", "skill", "spell", "notice", "alive")
    writes = ("labour", "employer", "spell", "notice", "wage")
    topics = ("vacancy",)

    settings: LabourMarketSettings
    firms: Population

    def step(self, citizens: Cohort) -> None:
        """Quit, then search in random order."""
        self._quit(citizens)
        gap = self._compute_gaps(citizens)
        hint = self._recall_vacancies(citizens)
        applies = self._select_seekers(citizens, gap) | (hint >= 0)
        if applies.any():
            self._search(citizens.where(applies), hint[applies], gap)
        self._count_vacancies(citizens, gap)

    def _quit(self, citizens: Cohort) -> None:
        """Quit without desired hours, or at random for other reasons."""
        employed = citizens["employer"] >= 0
        wants = citizens["wanted_hours"] > 0
        quits = self.settings.quits * weigh_tenure(citizens["spell"])
        leaves = employed & (~wants | (self.chance.uniform(citizens, "quit") < quits))
        labour = citizens["labour"].copy()
        can_work = (labour != Labour.CHILD) & (labour != Labour.RETIRED) & (labour != Labour.UNABLE)
        labour[leaves] = Labour.UNEMPLOYED
        labour[can_work & wants & (labour == Labour.AT_HOME)] = Labour.UNEMPLOYED
        labour[can_work & ~wants] = Labour.AT_HOME
        citizens["labour"] = labour
        citizens["employer"] = np.where(leaves, -1, citizens["employer"])
        citizens["notice"] = citizens["notice"] & ~leaves
        citizens["wage"] = np.where(leaves, 0.0, citizens["wage"])
        citizens["spell"] = np.where(leaves, 0, np.minimum(citizens["spell"] + 1, 30_000))

    def _compute_gaps(self, citizens: Cohort) -> Float64:
        """Compute unmet labour demand of each firm, shape (firms,)."""
        employer = citizens["employer"]
        work = compute_labour(citizens["wanted_hours"], citizens["skill"])
        stays = (employer >= 0) & ~citizens["notice"]
        have = np.bincount(employer[stays], work[stays], minlength=len(self.firms))
        firms = self.firms
        return np.where(firms["alive"], firms["labour"] - have, 0.0)

    def _recall_vacancies(self, citizens: Cohort) -> Intp:
        """Return the firm whose vacancies each person without work heard of, -1 for none.

        Source: Many jobs are found through acquaintances (Granovetter 1973, American Journal of
        Sociology 78:1360-1380, recalled).
        """
        firm = np.full(len(citizens), -1, np.intp)
        places = np.flatnonzero(self._searches(citizens))
        people = citizens.at(citizens.rows[places])
        past = Experience.recall_topic(people, "vacancy", k=1)
        age = self.clock.tick - past.column("time")[:, 0]
        teller = past.column("actor")[:, 0]
        ids = self.population.ids
        row = np.minimum(np.searchsorted(ids, teller), len(ids) - 1)
        heard = (past.recalled.ids[:, 0] >= 0) & (age <= HINT_MONTHS) & (ids[row] == teller)
        firm[places] = np.where(heard, self.population["employer"][row], -1)
        return firm

    @staticmethod
    def _searches(citizens: Cohort) -> Bools:
        """Return whether each is without work or under notice, and wants work."""
        searching = (citizens["labour"] == Labour.UNEMPLOYED) & (citizens["wanted_hours"] > 0)
        # Workers under notice search like the unemployed.
        return np.asarray(searching | ((citizens["employer"] >= 0) & citizens["notice"]))

    def _select_seekers(self, citizens: Cohort, gap: Float64) -> Bools:
        """Select those that apply; the more often, the more vacancies there are per seeker."""
        settings = self.settings
        draw = self.chance.uniform(citizens, "apply")
        at_work = citizens["employer"] >= 0
        must_search = self._searches(citizens)
        # Workers under notice have not searched yet.
        months = np.where(at_work, 0, citizens["spell"])
        offered = compute_labour(citizens["wanted_hours"], citizens["skill"])[must_search].sum()
        applies = application_probability(
            months,
            float(np.maximum(gap, 0).sum() / max(offered, 1.0)),
            first=settings.contact,
            matching=settings.matching,
            decline=settings.search_decline,
        )
        looks = settings.on_the_job * weigh_tenure(citizens["spell"])
        on_the_job = at_work & ~citizens["notice"] & (draw < looks)
        return np.asarray((must_search & (draw < applies)) | on_the_job)

    def _search(self, seekers: Cohort, hint: Intp, gap: Float64) -> None:
        """Apply to one vacancy after the other; reduces `gap` by hired labour.

        `hint` is the firm of whose vacancies each seeker heard, -1 for none, shape (seekers,).
        """
        drawn = self._draw_vacancies(seekers, gap)
        if drawn is None:
            return
        seen = np.column_stack([drawn, np.where(hint >= 0, hint, drawn[:, 0])])
        work = compute_labour(seekers["wanted_hours"], seekers["skill"])
        offers = self.firms["wage"].astype(np.float64)
        own = seekers["employer"]
        held = np.where(
            (own >= 0) & ~seekers["notice"], offers[own] * (1 + self.settings.better_pay), 0.0
        )
        rank = np.argsort(-offers[seen], axis=1, kind="stable")
        seen = np.take_along_axis(seen, rank, axis=1)
        employers = np.full(len(seekers), -1, np.intp)
        order = self.chance.order(seekers)
        for place in range(seen.shape[1]):
            firm = seen[:, place]
            available = (employers < 0) & (offers[firm] > held) & (firm != own)
            turn = order[available[order]]
            hired = select_workers(firm[turn], work[turn], gap, np.arange(len(turn)))
            employers[turn[hired]] = firm[turn[hired]]
            np.subtract.at(gap, firm[turn[hired]], work[turn[hired]])
        self._begin_jobs(seekers.where(employers >= 0), employers[employers >= 0])

    def _draw_vacancies(self, seekers: Cohort, gap: Float64) -> Intp | None:
        """Draw the firms whose vacancies each seeker sees, weighted by unmet demand."""
        edges = np.cumsum(np.maximum(gap, 0.0))
        if edges[-1] <= 0:
            return None
        draws = self.chance.uniforms(seekers, self.settings.vacancies_seen, "see")
        seen = np.searchsorted(edges, draws * edges[-1], side="right")
        return np.asarray(np.minimum(seen, len(edges) - 1), np.intp)

    def _begin_jobs(self, hired: Cohort, firm: Intp) -> None:
        if not len(hired):
            return
        hired["employer"] = firm
        hired["labour"] = Labour.EMPLOYED
        hired["spell"] = 0
        hired["notice"] = False

    def _count_vacancies(self, citizens: Cohort, gap: Float64) -> None:
        """Count vacancies, in workers of mean labour."""
        employed = citizens["employer"] >= 0
        work = compute_labour(citizens["wanted_hours"][employed], citizens["skill"][employed])
        mean = float(work.mean()) if len(work) else 1.0
        vacancies = np.rint(np.maximum(gap, 0) / max(mean, 1e-9)).astype(np.int32)
        self.firms["vacancies"] = vacancies


@dataclass(eq=False, repr=False)
class Work(Block):
    """Work for pay; hours and paydays vary by month, and wages are reviewed once a year.

    Firms short of money borrow.
    """

    reads = ("employer", "wanted_hours", "skill", "household", "age", "birth_month", "labour")
    writes = ("hours", "skill", "wage", "at_work", "pay")

    settings: FirmSettings
    earnings: EarningsSettings
    money: Money
    market: Market
    households: Population

    def step(self, citizens: Cohort) -> None:
        """Review wages, produce, then pay wages in random order."""
        self._review_wages(citizens)
        employer = citizens["employer"]
        at_work = employer >= 0
        store = self.market.firms
        citizens["hours"] = np.where(at_work, self._draw_hours(citizens), 0.0)
        citizens["wage"] = np.where(at_work, citizens["skill"] * store["wage"][employer], 0.0)
        citizens["at_work"] = at_work
        self.market.reset()
        self._produce(citizens, at_work)
        pay = np.zeros(len(citizens), np.int64)
        places = np.flatnonzero(at_work)
        if len(places):
            workers = citizens.at(citizens.rows[places])
            places = places[self.chance.order(workers)]
            pay[places] = self._pay(citizens, places)
        citizens["pay"] = pay
        self._add_up_wages(citizens, pay)

    def _review_wages(self, citizens: Cohort) -> None:
        """Change the skill of persons of working age half a year after their birthday."""
        labour = citizens["labour"]
        able = np.isin(labour, (Labour.EMPLOYED, Labour.UNEMPLOYED, Labour.AT_HOME))
        due = (citizens["birth_month"] + self.clock.tick) % _YEAR == _YEAR // 2
        some = citizens.where(able & due & (citizens["age"] > ADULT) & (citizens["skill"] > 0))
        if len(some):
            median, spread = FUTURE_WAGE
            some["skill"] = review_wage(
                some["skill"],
                some["age"],
                self.chance.normal(some, "review"),
                variance=self.earnings.permanent,
                mean=float(np.log(median)),
                spread=spread,
            )

    def _draw_hours(self, citizens: Cohort) -> Float64:
        """Draw this month's hours, which also follow the labour that the firm needs."""
        variance = self.earnings.transitory * self.earnings.by_hours
        factor = month_factor(self.chance.normal(citizens, "hours"), variance=variance)
        store, employer = self.market.firms, citizens["employer"]
        works = employer >= 0
        labour = compute_labour(citizens["wanted_hours"], citizens["skill"])
        staff = np.bincount(employer[works], labour[works], minlength=len(store))
        needed = store["planned"] / np.maximum(store["efficiency"], 1e-9)
        busy = adapt_hours(needed, staff, elasticity=self.settings.overtime)
        factor = factor * np.where(works, busy[employer], 1.0)
        return np.minimum(citizens["wanted_hours"] * factor, MOST_HOURS)

    def _draw_pay(self, workers: Cohort) -> Float64:
        """Return this month's pay of an hour relative to the wage: bonuses and paydays."""
        variance = self.earnings.transitory * (1 - self.earnings.by_hours)
        bonus = month_factor(self.chance.normal(workers, "bonus"), variance=variance)
        return bonus * self._count_paydays(workers) if self.earnings.paydays else bonus

    def _count_paydays(self, workers: Cohort) -> Float64:
        """Return the paydays of this month relative to those of a mean month."""
        chance, rows = self.society.chance, workers.rows
        period = choose_pay_period(chance.uniform("person pay period", rows))
        phase = chance.uniform("person payday", rows)
        first, after = (self.clock.date_of(self.clock.tick + later).date() for later in (0, 1))
        return payday_factor(period, phase, first, after)

    def _produce(self, citizens: Cohort, at_work: Bools) -> None:
        store = self.market.firms
        work = compute_labour(citizens["hours"], citizens["skill"])[at_work]
        labour = np.bincount(citizens["employer"][at_work], work, minlength=len(self.market.firms))
        capacity = labour * store["efficiency"] / self.settings.utilisation
        store["made"] = produce(store["planned"], capacity)
        store["inventory"] = store["inventory"] + store["made"]

    def _pay(self, citizens: Cohort, places: Intp) -> Int64:
        """Pay workers at positions in the cohort, in this order, and return what each received."""
        store = self.market.firms
        employer = citizens["employer"][places]
        month = citizens["hours"].astype(np.float64) * MONTH_WEEKS * 100 * citizens["wage"]
        factor = self._draw_pay(citizens.at(citizens.rows[places]))
        due = np.rint(month[places] * factor).astype(np.int64)
        owed = sum_by_group(due, employer, len(store))
        self._borrow(owed)
        homes = self.households["account"]
        to = homes[citizens["household"][places]]
        paid = self.money.ledger.pay(store["account"][employer], to, due, "wage", short="part")
        store["payroll"] = sum_by_group(paid, employer, len(store))
        short = store["payroll"] < owed
        store["losses"] = np.where(short, store["losses"] + 1, 0)
        idle = (owed == 0) & (store["age"] > 0)
        store["idle"] = np.where(idle, store["idle"] + 1, 0)
        return paid

    def _borrow(self, owed: Int64) -> None:
        """Lend to firms short of wages, up to their limit."""
        store, money = self.market.firms, self.money
        some = np.flatnonzero(owed > 0)
        account = store["account"][some]
        missing = owed[some] - money.ledger.balance(account)
        available = np.rint(self.settings.credit * owed[some]).astype(np.int64)
        available -= money.loans.of(account)
        money.loans.lend(account, np.clip(missing, 0, np.maximum(available, 0)), "wage loan")

    def _add_up_wages(self, citizens: Cohort, pay: Int64) -> None:
        house = citizens["household"]
        self.households["wages"] = sum_by_group(pay, house, len(self.households))
