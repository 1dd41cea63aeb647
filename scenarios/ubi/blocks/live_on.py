"""Births, deaths, ageing, retirement, household formation and migration."""

from dataclasses import dataclass

import numpy as np

from memopolis.agents.economy import demography
from memopolis.agents.economy.benefits import max_snap
from memopolis.agents.economy.taxes import HEAD_OF_HOUSEHOLD, JOINT, SINGLE
from memopolis.agents.names import draw_names, replace_family_names
from memopolis.scenarios.synthesis.persons import GIRLS
from memopolis.scenarios.ubi.families import Estates, choose_heads, find_partners
from memopolis.scenarios.ubi.government_settings import BenefitSettings
from memopolis.scenarios.ubi.household_settings import DemographySettings
from memopolis.scenarios.ubi.microdata import Town
from memopolis.scenarios.ubi.money import Money, sum_by_group
from memopolis.scenarios.ubi.people import ADULT, DEPENDANT, HEAD, SPOUSE, Labour
from memopolis.scenarios.ubi.person_traits import LAST_STUDENT, potential_wage
from memopolis.scenarios.ubi.synthesis import Inhabitants, draw_newcomers
from memopolis.sim.arrays import Array, Bools, Float64, Int64, Intp
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort, Population

FULL_TIME = 40.0


@dataclass(eq=False, repr=False)
class LiveOn(Block):
    """Apply one month of demographic events to persons and households.

    In this order: birthdays (coming of age, retirement), deaths, departures, births, adult
    dependants leaving home, arrivals. The estate of a household repays its debts, then goes to a
    random household and to the state; orphans join that household. Couples form only when adult
    dependants move in with a partner, and never separate: a simplification.
    """

    reads = (
        "account", "size", "adults", "filing", "quintile", "capital", "pension", "assistance",
        "alive", "zone",
    )  # fmt: skip
    writes = (*reads, "deposit", "debt")

    settings: DemographySettings
    benefits: BenefitSettings
    money: Money
    citizens: Population
    bureau: Population
    town: Town | None = None

    def setup(self) -> None:
        """Open the account of the outside world."""
        elsewhere = int(self.money.ledger.open("elsewhere")[0])
        self.estates = Estates(self.money, elsewhere, self.settings.inherit)
        self.first_households = len(self.population)

    def step(self, households: Cohort) -> None:
        """Apply all events, one kind after the other."""
        self._celebrate_birthdays(self.citizens.cohort())
        deaths = self._remove_dead(self.citizens.cohort())
        departures = self._move_away(households.where(households["alive"]))
        births = self._add_births(self.citizens.cohort())
        self._leave_home(self.citizens.cohort())
        # If the head died this month, the last adult may have left since.
        self._close_households()
        arrivals = self._move_in()
        self._update_households()
        for name, count in (
            ("births", births),
            ("deaths", deaths),
            ("arrivals", arrivals),
            ("departures", departures),
        ):
            self.bureau[name] = count

    # Events of persons

    def _celebrate_birthdays(self, people: Cohort) -> None:
        """Increase the age of persons born in this month of the year; some retire."""
        month = self.clock.tick % 12
        born_now = people["birth_month"] == month
        if not born_now.any():
            return
        who = people.where(born_now)
        age = np.minimum(who["age"] + 1, 110)
        who["age"] = age
        self._look_for_work(who)
        working = np.isin(who["labour"], (Labour.EMPLOYED, Labour.UNEMPLOYED, Labour.AT_HOME))
        leaves = working & (
            self.chance.uniform(who, "retire") < demography.retirement_probability(age)
        )
        unable = (who["labour"] == Labour.UNABLE) & (age >= 65)
        if leaves.any():
            self._add_pensions(who.where(leaves))
        if (leaves | unable).any():
            _retire(who.where(leaves | unable))

    def _look_for_work(self, who: Cohort) -> None:
        """Let some persons that come of age or finish education look for full-time work."""
        age, labour = who["age"], who["labour"]
        finishes = (labour == Labour.AT_HOME) & (who["usual_hours"] == 0)
        finishes &= (age > ADULT) & (age <= LAST_STUDENT)
        share = np.where(age == ADULT, self.settings.seek_work, 0.0)
        share = np.where(finishes, self.settings.finish, share)
        grown = age == ADULT
        seeks = self.chance.uniform(who, "seek") < share
        if grown.any():
            who.where(grown)["labour"] = Labour.AT_HOME
        if seeks.any():
            new = who.where(seeks)
            new["labour"] = Labour.UNEMPLOYED
            new["usual_hours"] = FULL_TIME
            new["wanted_hours"] = FULL_TIME
            new["spell"] = 0

    def _add_pensions(self, who: Cohort) -> None:
        """Add the pensions of persons that retire to their households."""
        pension = demography.compute_pension(who["insured"])
        new = sum_by_group(pension, who["household"], len(self.population))
        self.population["pension"] = self.population["pension"] + new

    def _remove_dead(self, people: Cohort) -> int:
        """Remove persons that die, and update their households."""
        female = people["gender"] == "female"
        rate = self.settings.deaths * demography.death_rate(people["age"], female)
        dies = self.chance.uniform(people, "death") < demography.monthly_probability(rate)
        if not dies.any() or not (people["age"][~dies] >= ADULT).any():
            return 0  # at least one adult must survive
        self._end_pensions(people, dies)
        self._remove(people.where(dies))
        self._close_households()
        return int(np.count_nonzero(dies))

    def _end_pensions(self, people: Cohort, dies: Bools) -> None:
        """Reduce household pensions in proportion to the number of pensioners."""
        pensioner = np.isin(people["labour"], (Labour.RETIRED, Labour.UNABLE))
        house, groups = people["household"], len(self.population)
        before = sum_by_group(pensioner, house, groups)
        after = sum_by_group(pensioner & ~dies, house, groups)
        fewer = np.flatnonzero(after < before)
        homes = self.population.at(fewer)
        homes["pension"] = homes["pension"] * after[fewer] // before[fewer]

    def _remove(self, who: Cohort) -> None:
        _retire(who)
        for name in ("pay", "basic_income"):
            who[name] = 0
        for agent in who:
            agent.remove()

    def _add_births(self, people: Cohort) -> int:
        """Add newborn children."""
        female = people["gender"] == "female"
        rate = self.settings.births * demography.birth_rate(people["age"], female)
        bears = self.chance.uniform(people, "birth") < demography.monthly_probability(rate)
        count = int(np.count_nonzero(bears))
        if not count:
            return 0
        mothers = people.where(bears)
        own = {name: mothers[name] for name in ("household", "quintile", "income", "name")}
        children = self.citizens.add(count)
        draw = self.society.chance.uniform("person sex", children.rows)
        gender = np.where(draw < GIRLS, "female", "male").astype(object)
        names = draw_names(
            gender, own["household"], self.society.chance, first_row=children.rows[0]
        )
        children["name"] = replace_family_names(names, own["name"])
        children["gender"] = gender
        for name in ("household", "quintile", "income"):
            children[name] = own[name]
        children["age"] = 0
        children["birth_month"] = self.clock.tick % 12
        children["relation"] = DEPENDANT
        children["labour"] = Labour.CHILD
        children["skill"] = potential_wage(np.zeros(count), children.rows, self.society.chance)
        return count

    # Events of households

    def _close_households(self) -> None:
        """End households without adults; an heir takes children and the estate."""
        house, _, adults = self._count_members()
        homes = self.population
        ended = np.flatnonzero(homes["alive"] & (adults == 0))
        if not len(ended):
            return
        living = np.flatnonzero(homes["alive"] & (adults > 0))
        draw = self._draw_by_row("heir", ended)
        heirs = living[(draw * len(living)).astype(np.intp)]
        self.estates.pass_on(homes["account"][ended], homes["account"][heirs])
        capital = homes["capital"].copy()
        np.add.at(capital, heirs, capital[ended])
        homes["capital"] = capital
        alive = self.citizens.cohort().rows
        for old, new in zip(ended.tolist(), heirs.tolist(), strict=True):
            orphans = self.citizens.at(alive[house == old])
            orphans["household"] = new
            orphans["relation"] = DEPENDANT
            orphans["quintile"] = homes["quintile"][new]
        self._end_households(Cohort(self.population, ended))

    def _move_away(self, households: Cohort) -> int:
        """Remove households that leave the society, and return the number of persons."""
        chance = float(demography.monthly_probability(self.settings.moves))
        leaves = self.chance.uniform(households, "move") < chance
        if not leaves.any() or leaves.all():
            return 0
        movers = households.where(leaves)
        self.estates.move_away(movers["account"].astype(np.intp))
        people = self.citizens.cohort()
        gone = people.where(np.isin(people["household"], movers.rows))
        self._remove(gone)
        self._end_households(movers)
        return len(gone)

    def _end_households(self, households: Cohort) -> None:
        for name in ("capital", "pension", "assistance", "size", "adults", "deposit", "debt"):
            households[name] = 0
        for agent in households:
            agent.remove()

    def _leave_home(self, people: Cohort) -> None:
        """Let employed adult dependants leave home, for a partner or to live alone."""
        chance = float(demography.monthly_probability(self.settings.leave_home))
        free = (people["relation"] >= DEPENDANT) & (people["employer"] >= 0)
        founds = free & (self.chance.uniform(people, "found") < chance)
        if not founds.any():
            return
        who = people.where(founds)
        partners = self._find_partners(people, who)
        paired = partners >= 0
        if paired.any():
            self._move_in_with_partners(who.where(paired), partners[paired])
        if not paired.all():
            self._live_alone(who.where(~paired))

    def _find_partners(self, people: Cohort, who: Cohort) -> Intp:
        """Return the household of each person's partner, without repeats, -1 for none."""
        homes = self.population
        house, age, female = people["household"], people["age"], people["gender"] == "female"
        alone = (homes["size"][house] == 1) & (people["relation"] == HEAD)
        wants = self.chance.uniform(who, "pair") < self.settings.pair
        draw = self.chance.uniform(who, "partner")[wants]
        seekers = np.searchsorted(people.rows, who.rows[wants])
        matched = find_partners(seekers, alone, age=age, female=female, draw=draw)
        households = np.full(len(who), -1, np.intp)
        households[wants] = np.where(matched >= 0, house[matched], -1)
        return households

    def _move_in_with_partners(self, who: Cohort, new: Intp) -> None:
        """Move in with partners and file taxes jointly."""
        homes = self.population
        old = who["household"].astype(np.intp)
        share = self.settings.take_along
        self.estates.transfer_share(homes["account"][old], homes["account"][new], share)
        homes.at(new)["filing"] = JOINT
        who["household"] = new
        who["relation"] = SPOUSE

    def _live_alone(self, who: Cohort) -> None:
        """Create single-person households."""
        homes = self.population
        old = who["household"].astype(np.intp)
        quintile, zone = homes["quintile"][old], homes["zone"][old]
        accounts_before = homes["account"][old]
        accounts = self.money.ledger.open("household", len(who))
        self.estates.transfer_share(accounts_before, accounts, self.settings.take_along)
        new = self.population.add(len(who))
        takes = self.society.chance.uniform("household help", new.rows) < self.benefits.take_up
        new["account"] = accounts
        new["quintile"] = quintile
        new["zone"] = zone
        new["filing"] = SINGLE
        new["assistance"] = np.where(takes, max_snap(np.ones(len(who))), 0)
        who["household"] = new.rows
        who["relation"] = HEAD

    def _move_in(self) -> int:
        """Add households of the survey, as many as leave on average."""
        mean = float(demography.monthly_probability(self.settings.moves)) * self.first_households
        count = int(mean + float(self._draw_by_row("arrivals", np.zeros(1, np.intp))[0]))
        if not count:
            return 0
        people = draw_newcomers(
            count,
            self.society.chance,
            self.town,
            first_household=len(self.population),
            first_row=len(self.citizens),
        )
        self._add_newcomers(people)
        return len(people)

    def _add_newcomers(self, people: Inhabitants) -> None:
        homes = self.population.add(len(people.deposits))
        for name, values in people.households.items():
            homes[name] = values
        homes["account"] = self.estates.move_in(people.deposits)
        citizens = self.citizens.add(len(people))
        for name, values in people.persons.items():
            citizens[name] = values
        # Newcomers have neither a job nor a claim to unemployment compensation.
        labour = people.persons["labour"]
        labour = np.where(labour == Labour.EMPLOYED, Labour.UNEMPLOYED, labour)
        citizens["labour"] = labour
        for name in ("wage", "hours", "insured", "spell"):
            citizens[name] = 0

    def _update_households(self) -> None:
        """Count members, choose heads, update the filing status of widowed persons and homes."""
        _, size, adults = self._count_members()
        homes = self.population
        homes["size"] = size
        homes["adults"] = adults
        people = self.citizens.cohort()
        house, relation = people["household"], people["relation"]
        headless = homes["alive"] & (sum_by_group(relation == HEAD, house, len(size)) == 0)
        relation[choose_heads(relation, house, people["age"], headless)] = HEAD
        people["relation"] = relation
        people["home"] = people["place"] = homes["zone"][house]
        coupled = sum_by_group(relation == SPOUSE, house, len(size)) > 0
        parted = homes["alive"] & (homes["filing"] == JOINT) & ~coupled
        alone = np.where(size > adults, HEAD_OF_HOUSEHOLD, SINGLE)
        homes.at(np.flatnonzero(parted))["filing"] = alone[parted]

    def _count_members(self) -> tuple[Array, Int64, Int64]:
        """Return the household of each citizen, and members and adults of each household."""
        people = self.citizens.cohort()
        house, groups = people["household"], len(self.population)
        return house, np.bincount(house, minlength=groups), sum_by_group(
            people["age"] >= ADULT, house, groups
        )  # fmt: skip

    def _draw_by_row(self, purpose: str, rows: Intp) -> Float64:
        name = f"{self.population.name}.{self.name}.{purpose}"
        return self.society.chance.uniform(name, rows, self.clock.tick)


def _retire(who: Cohort) -> None:
    """Remove persons from the labour market permanently."""
    who["labour"] = Labour.RETIRED
    who["employer"] = -1
    who["notice"] = False
    for name in ("usual_hours", "wanted_hours", "hours", "wage", "insured"):
        who[name] = 0
