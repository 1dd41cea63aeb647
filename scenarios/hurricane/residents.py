"""Convert the synthetic population to initial status and firms."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from memopolis.agents.ages import AGE_OF_REASON, SHOPPING_AGE
from memopolis.agents.appraisal import BASELINE, FEELINGS
from memopolis.agents.day.work_hours import draw_part_time
from memopolis.agents.names import draw_family_names, draw_names
from memopolis.scenarios.hurricane.orders import STATUS, Orders
from memopolis.scenarios.hurricane.people import ORDERS
from memopolis.scenarios.hurricane.settings import HurricaneSettings
from memopolis.scenarios.synthesis.persons import EDUCATION, label_codes
from memopolis.scenarios.synthesis.residents import Residents
from memopolis.scenarios.synthesis.traits import HOUSING, MARITAL, OCCUPATIONS, RACES, RELIGIONS
from memopolis.sim.arrays import Int8, Int16, Int32, Int64, Ints
from memopolis.sim.chance import Chance

WORKERS_PER_FIRM = 20  # mean size of a firm (illustrative)
HOURS_A_YEAR = 52 * 40
BENEFIT_CENTS = 3_000  # daily benefit of adults without work, in cents (illustrative)
CASH_CENTS = 50_000  # minimum initial money of a citizen, in cents (illustrative)
TRAITS = ("open", "conscientious", "outgoing", "agreeable", "anxious")

Columns = dict[str, Any]


@dataclass(frozen=True)
class Firms:
    """Firms by row, and the employer of each citizen."""

    zone: Int16  # zone of each firm, shape (firms,)
    employees: Int64  # number of employees, shape (firms,)
    employer: Int32  # row of each citizen's firm, -1 for none, shape (citizens,)


def _find_strictest(orders: Orders) -> Int8:
    """Return the strictest order that each zone ever gets, also beyond the end of the run."""
    strictest = orders.effective.max(axis=0, initial=0)
    for notice in orders.announcements:
        if notice.kind in STATUS:
            strictest = np.maximum(strictest, notice.zones * np.int8(STATUS[notice.kind]))
    return strictest


def citizen_status(
    people: Residents, orders: Orders, settings: HurricaneSettings, chance: Chance
) -> Columns:
    """Return initial columns of citizens, each of shape (citizens,)."""
    persons, homes = people.persons, people.households
    house = persons["household"]
    zone = persons["zone"].astype(np.int16)
    pupil = persons["pupil"]
    table = people.place.table
    strictest = _find_strictest(orders)
    n = len(people)
    gender = label_codes(persons["female"].astype(np.intp), ("male", "female"))
    return {
        "name": draw_names(gender, house, chance),
        "gender": gender,
        "age": persons["age"],
        "race": label_codes(persons["race"], RACES),
        "religion": label_codes(persons["religion"], RELIGIONS),
        "marriage_status": label_codes(persons["marital"], MARITAL),
        "education": label_codes(persons["education"], EDUCATION),
        "occupation": label_codes(persons["occupation"], (*OCCUPATIONS, "none")),
        "personality": label_codes(chance.choice("person trait", np.arange(n), np.ones(5)), TRAITS),
        "household": house,
        "income": homes["income"][house],
        "skill": (persons["wage"] / HOURS_A_YEAR).astype(np.float32),
        "home": zone,
        "place": zone,
        "target": zone,
        # Pupils attend school in their home zone.
        "workplace": np.where(pupil, zone, persons["workplace"]).astype(np.int16),
        "vehicle": homes["vehicles"][house] > 0,
        "mobile_home": homes["housing"][house] == HOUSING.index("mobile"),
        "surge_band": table["band"].to_numpy(object)[zone],
        "order_zone": np.array(ORDERS, object)[strictest[zone]],
        "disabled": persons["disabled"],
        "part_time": draw_part_time(persons["age"], persons["female"], np.arange(n), chance)
        & np.asarray(persons["employed"], np.bool_),
        "pupil": pupil,
        **_draw_minds(persons["age"], settings, chance),
        **_draw_needs(n, chance),
    }


# Mean and standard deviation in the third week of runs without a storm, over two seeds, adults.
_SUSTAINED = {"joy": (6.2, 0.6), "sadness": (5.2, 0.2)}


def _draw_minds(age: Ints, settings: HurricaneSettings, chance: Chance) -> Columns:
    """Draw feelings and attitudes at the start, NaN for children below the age of reason.

    Feelings have the levels that everyday life sustains, so that changes are effects of the storm.
    """
    usual = {
        f"emotion.{name}": (*_SUSTAINED.get(name, (BASELINE, 0)), BASELINE) for name in FEELINGS
    }
    spread = settings.attitude_spread
    usual["attitude.government_trust"] = settings.trust_at_start, spread, 0
    usual["attitude.emergency_preparedness"] = settings.preparedness_at_start, spread, 0
    minds: Columns = {}
    for name, (mean, deviation, lowest) in usual.items():
        drawn = mean + deviation * chance.normal(f"person {name}", np.arange(len(age)))
        minds[name] = np.where(age >= AGE_OF_REASON, np.clip(drawn, lowest, 10), np.nan).astype(
            np.float32
        )
    return minds


def _draw_needs(n: int, chance: Chance) -> Columns:
    """Draw needs around the published initial values, so that meals are not synchronized."""
    rows = np.arange(n)
    level_of = {"hunger": 0.9, "energy": 0.9, "safety": 0.4, "social": 0.6}
    return {
        name: np.clip(level + 0.5 * (chance.uniform(f"person {name}", rows) - 0.5), 0.05, 1).astype(
            np.float32
        )
        for name, level in level_of.items()
    }


def household_status(people: Residents) -> Columns:
    """Return initial columns of households, each of shape (households,)."""
    homes = people.households
    return {
        name: homes[name]
        for name in ("zone", "first_row", "size", "income", "vehicles", "kin_elsewhere", "pets")
    }


def make_firms(people: Residents, chance: Chance) -> Firms:
    """Create firms at workplaces, with sizes by Zipf's law, and at least one in each zone."""
    work = people.persons["workplace"].astype(np.int64)
    employed = np.asarray(people.persons["employed"], np.bool_)
    zones = len(people.place)
    workers = np.bincount(work[employed], minlength=zones)
    count = np.maximum(np.round(workers / WORKERS_PER_FIRM), 1).astype(np.int64)
    first = np.cumsum(count) - count
    rows = np.flatnonzero(employed)
    u = chance.uniform("person firm", rows)
    # Rank r of m firms with weight 1 / r: the inverse of about ln(r) / ln(m).
    rank = np.floor(np.exp(u * np.log(count[work[rows]] + 1)) - 1).astype(np.int64)
    employer = np.full(len(people), -1, np.int32)
    employer[rows] = first[work[rows]] + np.minimum(rank, count[work[rows]] - 1)
    employees = np.bincount(employer[rows], minlength=int(count.sum()))
    return Firms(np.repeat(np.arange(zones), count).astype(np.int16), employees, employer)


SALES_PER_ADULT = 0.55  # baskets that an adult buys per day (computed from runs without a storm)
FIRM_KINDS = ("Market", "Stores", "Supply", "Trading", "Goods", "& Sons")


def firm_status(
    firms: Firms, people: Residents, settings: HurricaneSettings, chance: Chance
) -> Columns:
    """Return initial columns of firms, each of shape (firms,)."""
    count = len(firms.zone)
    rows = np.arange(count)
    adults = np.bincount(
        people.persons["zone"][people.persons["age"] >= SHOPPING_AGE], minlength=len(people.place)
    )
    rivals = np.bincount(firms.zone, minlength=len(people.place))
    usual = SALES_PER_ADULT * (adults / np.maximum(rivals, 1))[firms.zone]
    owners = draw_family_names("firm owner", rows, chance)
    kinds = np.array(FIRM_KINDS, object)[chance.choice("firm kind", rows, np.ones(len(FIRM_KINDS)))]
    return {
        "name": owners + " " + kinds,
        "zone": firms.zone,
        "employees": firms.employees,
        "usual_sales": usual.astype(np.float32),
        "target_stock": (settings.firms.cover * usual).astype(np.float32),
        "inventory": (settings.firms.cover * usual).astype(np.float32),
    }


def initial_cents(people: Residents) -> Int64:
    """Compute each citizen's share of the household's liquid money, cents, shape (citizens,)."""
    homes, house = people.households, people.persons["household"]
    # A tenth of wealth is liquid (illustrative).
    share = homes["wealth"][house] * 0.1 / np.maximum(homes["size"][house], 1)
    return np.maximum(np.round(share * 100), CASH_CENTS).astype(np.int64)


def daily_benefits(people: Residents) -> Int64:
    """Compute the daily benefit of adults without work, cents, shape (citizens,)."""
    persons = people.persons
    idle = (persons["age"] >= 18) & ~np.asarray(persons["employed"], np.bool_)
    return np.where(idle, BENEFIT_CENTS, 0).astype(np.int64)
