"""Citizens and households at the start, and those who move in."""

from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

from memopolis.agents.economy.firms import MONTH_WEEKS
from memopolis.scenarios.ubi.people import RELATIONS, Citizen, Household, Labour
from memopolis.scenarios.ubi.synthesis import Inhabitants, draw_initial_households, draw_newcomers
from memopolis.sim.chance import Chance
from memopolis.sim.errors import ParameterError
from memopolis.sim.statistics.inequality import gini

HEAD, SPOUSE = RELATIONS.index("head"), RELATIONS.index("spouse")


@cache
def people(agents: int = 10_000, seed: int = 1) -> Inhabitants:
    return draw_initial_households(agents, Chance(seed))


def seeds() -> Iterator[Inhabitants]:
    yield from (people(2_500, seed) for seed in range(4))


def test_the_number_of_citizens_equals_the_setting() -> None:
    for agents in (1, 2, 7, 100, 2_500):
        assert len(people(agents)) == agents
    assert len(people(2_500).deposits) == pytest.approx(1_000, abs=30)
    with pytest.raises(ParameterError, match="agents is 0"):
        draw_initial_households(0, Chance(1))


def test_one_more_agent_leaves_others_unchanged() -> None:
    for agents in range(40, 46):
        fewer, more = people(agents), people(agents + 1)
        for name, values in fewer.persons.items():
            assert np.array_equal(values, more.persons[name][:agents]), name
        # The last household may be cut: it has one member less.
        for name, values in fewer.households.items():
            assert np.array_equal(values[:-1], more.households[name][: len(values) - 1]), name
        kept = len(fewer.deposits)
        assert np.array_equal(fewer.deposits, more.deposits[:kept])


def test_columns_equal_the_attributes_of_agents() -> None:
    persons, households = people(100).persons, people(100).households
    assert set(persons) <= set(Citizen.schema.attributes)
    assert set(households) <= set(Household.schema.attributes)
    assert {len(values) for values in persons.values()} == {100}


def test_members_are_sorted_by_household_with_one_head_each() -> None:
    persons, households = people().persons, people().households
    home = persons["household"]
    assert (np.diff(home) >= 0).all()
    assert np.array_equal(np.bincount(home), households["size"])
    adults = np.bincount(home, weights=persons["age"] >= 18)
    assert np.array_equal(adults, households["adults"])
    assert (adults > 0).all()
    heads = np.bincount(home, weights=persons["relation"] == HEAD)
    spouses = np.bincount(home, weights=persons["relation"] == SPOUSE)
    assert (heads == 1).all()
    assert (spouses <= 1).all()
    assert (spouses[households["filing"] != 1] == 0).mean() > 0.99


def test_initial_employment_matches_2019() -> None:
    persons = people().persons
    adult, labour = persons["age"] >= 18, persons["labour"]
    force = np.isin(labour, (Labour.EMPLOYED, Labour.UNEMPLOYED))
    # 63.1% took part, 3.7% of these had no work (recalled: Bureau of Labor Statistics).
    assert force[adult].mean() == pytest.approx(0.63, abs=0.02)
    assert 0.035 <= (labour == Labour.UNEMPLOYED).sum() / force.sum() <= 0.065
    assert not force[~adult].any()
    assert (labour[~adult] == Labour.CHILD).all()
    assert (labour[adult] != Labour.CHILD).all()
    employed = labour == Labour.EMPLOYED
    assert 35 <= persons["hours"][employed].mean() <= 40
    assert (persons["hours"][~employed] == 0).all()
    assert (persons["usual_hours"][force] > 0).all()
    assert (persons["usual_hours"][~force] == 0).all()


def test_hours_times_wage_equals_the_survey() -> None:
    persons = people().persons
    employed = persons["labour"] == Labour.EMPLOYED
    month = 100 * MONTH_WEEKS * persons["hours"].astype(float) * persons["wage"]
    assert month[employed] == pytest.approx(persons["insured"][employed], rel=1e-3, abs=2)
    assert persons["wage"][employed].mean() == pytest.approx(27, abs=3)
    assert gini(persons["insured"][employed]) == pytest.approx(0.49, abs=0.02)
    full = persons["hours"][employed] > 20
    assert (persons["wage"][employed][full] >= 7.2).all()
    assert (persons["skill"] > 0).all()


def test_incomes_match_the_survey_for_every_seed() -> None:
    for drawn in seeds():
        first = np.flatnonzero(np.diff(drawn.persons["household"], prepend=-1))
        # A handful of the very rich moves the coefficient of a thousand households.
        assert gini(drawn.persons["income"][first]) == pytest.approx(0.482, abs=0.03)
        shares = np.bincount(drawn.households["quintile"], minlength=6)[1:] / len(first)
        assert shares == pytest.approx([0.2] * 5, abs=0.01)


def test_seeds_differ() -> None:
    one, other = people(500, 1).persons, people(500, 2).persons
    assert not np.array_equal(one["age"], other["age"])


def test_money_grows_with_the_quintile() -> None:
    drawn = people()
    quintile = drawn.households["quintile"]
    medians = [float(np.median(drawn.deposits[quintile == q])) for q in range(1, 6)]
    assert medians == sorted(medians)
    assert medians[0] > 10_000
    assert (drawn.debts >= 0).all()
    assert 0.4 <= (drawn.debts > 0).mean() <= 0.7
    assert drawn.deposits.dtype == drawn.debts.dtype == np.int64


def test_new_residents_differ_and_are_appended() -> None:
    start = people(500)
    homes = len(start.deposits)
    new = draw_newcomers(20, Chance(1), first_household=homes, first_row=500)
    assert sorted(set(new.persons["household"].tolist())) == list(range(homes, homes + 20))
    assert len(new.deposits) == 20
    # As if more agents had been asked for, apart from what is cut.
    more = people(700)
    assert np.array_equal(new.deposits[1:15], more.deposits[homes + 1 : homes + 15])
