import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from memopolis.agents.ages import AGE_OF_REASON
from memopolis.scenarios.hurricane.residents import make_firms
from memopolis.scenarios.places.zones import fill_zones, read_place
from memopolis.scenarios.synthesis.counties import read_counties
from memopolis.scenarios.synthesis.residents import Residents, draw_residents, draw_ties
from memopolis.sim.chance import Chance
from memopolis.sim.errors import ParameterError
from memopolis.sim.world.place import Place

AGENTS = 5000


@pytest.fixture(scope="module", params=["charleston", "columbia"])
def people(request: pytest.FixtureRequest) -> Residents:
    return draw_residents(read_place(request.param), AGENTS, Chance(11))


def expected(people: Residents, column: str) -> float:
    """Mean of a county's marginal over the place's people."""
    counties = read_counties()[column].loc[people.place.table["county"]].to_numpy()
    return float(np.average(counties, weights=people.place.population)) / 100


def share(values: NDArray[np.bool_]) -> float:
    return float(values.mean())


def test_households_hold_the_people(people: Residents) -> None:
    persons, households = people.persons, people.households
    assert len(people) == AGENTS
    assert households["size"].sum() == AGENTS
    assert (np.bincount(persons["household"]) == households["size"]).all()
    first = persons["household"][households["first_row"]]
    assert (first == np.arange(len(first))).all()
    assert (persons["zone"] == households["zone"][persons["household"]]).all()
    assert people.weight * AGENTS == pytest.approx(people.place.population.sum())
    assert {len(column) for column in persons.values()} == {AGENTS}
    assert len({len(column) for column in households.values()}) == 1


# Tolerances are three standard errors or so at 5,000 people in 2,000 households.
@pytest.mark.parametrize(
    ("column", "marginal", "tolerance"),
    [
        ("under_18", "under_18", 0.02),
        ("aged_65", "aged_65", 0.02),
        ("female", "female", 0.02),
        ("black", "black", 0.04),
        ("hispanic", "hispanic", 0.02),
        ("disabled", "disability", 0.02),
        ("poor", "poverty", 0.03),
    ],
)
def test_people_match_the_counties(
    people: Residents, column: str, marginal: str, tolerance: float
) -> None:
    persons = people.persons
    result = {
        "under_18": persons["age"] < 18,
        "aged_65": persons["age"] >= 65,
        "female": persons["female"],
        "black": persons["race"] == 1,
        "hispanic": persons["hispanic"],
        "disabled": persons["disabled"],
        "poor": people.households["poor"][persons["household"]],
    }[column]
    wanted = 0.517 if marginal == "female" else expected(people, marginal)
    assert share(result) == pytest.approx(wanted, abs=tolerance)


def test_households_match_the_counties(people: Residents) -> None:
    households = people.households
    assert households["size"].mean() == pytest.approx(2.55, abs=0.12)
    assert share(households["vehicles"] == 0) == pytest.approx(
        expected(people, "no_vehicle"), abs=0.02
    )
    assert share(households["housing"] == 1) == pytest.approx(
        expected(people, "mobile_homes"), abs=0.025
    )
    assert share(households["housing"] == 2) == pytest.approx(
        expected(people, "large_buildings"), abs=0.025
    )
    assert share(households["owner"]) == pytest.approx(0.588, abs=0.04)
    wanted = expected(people, "median_income") * 100
    assert np.median(households["income"]) == pytest.approx(wanted, rel=0.08)


def test_zones_have_their_share(people: Residents) -> None:
    result = np.bincount(people.persons["zone"], minlength=30) / AGENTS
    wanted = people.place.population / people.place.population.sum()
    assert np.abs(result - wanted).max() < 0.02
    assert np.corrcoef(result, wanted)[0, 1] > 0.95


def test_employment_matches_the_counties(people: Residents) -> None:
    persons, place = people.persons, people.place
    employed = persons["employed"]
    force = employed | persons["unemployed"]
    assert share(persons["unemployed"][force]) == pytest.approx(
        expected(people, "unemployment"), abs=0.02
    )
    professional = share(persons["occupation"][employed] == 0)
    assert professional == pytest.approx(expected(people, "professional"), abs=0.04)
    assert ((persons["workplace"] >= 0) == employed).all()
    assert ((persons["wage"] > 0) == employed).all()
    home, work = persons["zone"][employed], persons["workplace"][employed]
    assert 20 < place.travel_minutes[home, work].mean() < 26
    assert share(place.table["central"].to_numpy()[work]) == pytest.approx(0.35, abs=0.04)


def test_mobile_homes_are_poorer_and_farther_out(people: Residents) -> None:
    mobile = people.households["housing"] == 1
    income, zone = people.households["income"], people.households["zone"]
    assert np.median(income[mobile]) < np.median(income[~mobile])
    central = people.place.table["central"].to_numpy()
    away = people.place.distance_km[:, central].min(axis=1)
    assert away[zone[mobile]].mean() > away[zone[~mobile]].mean()


def test_roles_in_a_household_are_plausible(people: Residents) -> None:
    persons = people.persons
    child = persons["age"] < 18
    assert (persons["education"][child] == 0).all()
    assert not (persons["marital"][child] == 2).any()
    assert (persons["pupil"] == ((persons["age"] >= 5) & (persons["age"] <= 17))).all()
    assert not (persons["retired"] & persons["employed"]).any()
    assert (persons["age"][persons["retired"]] >= 62).all()
    assert share(persons["age"][people.households["first_row"]] >= 18) > 0.98


def test_one_more_agent_changes_no_other_agent() -> None:
    fewer, more = (draw_residents(read_place("charleston"), n, Chance(3)) for n in (600, 601))
    for name, column in fewer.persons.items():
        assert (column == more.persons[name][:600]).all(), name
    complete = len(fewer.households["zone"]) - 1
    for name, column in fewer.households.items():
        assert (column[:complete] == more.households[name][:complete]).all(), name


def test_the_town_depends_on_the_seed() -> None:
    one, same, other = (
        draw_residents(read_place("charleston"), 300, Chance(seed)) for seed in (1, 1, 2)
    )
    assert all((one.persons[name] == same.persons[name]).all() for name in one.persons)
    assert (one.persons["age"] != other.persons["age"]).any()


def test_attributes_do_not_depend_on_the_number_of_an_agent(people: Residents) -> None:
    half = AGENTS // 2
    for name, tolerance in (("age", 2.0), ("female", 0.05), ("employed", 0.05)):
        column = people.persons[name].astype(float)
        assert column[:half].mean() == pytest.approx(column[half:].mean(), abs=tolerance)


@pytest.mark.parametrize("agents", [1, 2, 5])
def test_a_town_of_few_agents_is_valid(agents: int) -> None:
    assert len(draw_residents(read_place("columbia"), agents, Chance(0))) == agents


def test_no_agents_are_refused() -> None:
    with pytest.raises(ParameterError, match="agents is 0"):
        draw_residents(read_place("charleston"), 0, Chance(0))


def test_a_town_needs_only_five_columns() -> None:
    table = pd.DataFrame(
        {
            "zone": ["1", "2"], "name": ["North", "South"], "lat": [32.0, 32.1],
            "lon": [-81.0, -81.0], "population": [5000, 3000], "county": "Elsewhere",
            "wages_usd": np.nan, "land_km2": np.nan, "coast_km": np.nan, "band": "",
            "ordered": False, "central": False, "sea_bearing": np.nan,
        }
    )  # fmt: skip
    people = draw_residents(Place.from_table(fill_zones(table)), 400, Chance(5))
    assert people.weight == 20
    assert np.isfinite(people.households["income"]).all()


def test_all_household_members_have_ties() -> None:
    people = draw_residents(read_place("charleston"), 1000, Chance(8))
    employer = make_firms(people, Chance(8)).employer
    ties = draw_ties(people, employer, Chance(8))
    rows = np.arange(1000)
    size = people.households["size"][people.persons["household"]]
    assert (ties["household"].count(rows) == size - 1).all()
    friends, young = ties["friend"].count(rows), people.persons["age"] < AGE_OF_REASON
    assert 4.3 < friends[~young].mean() <= 5.2
    assert not friends[young].any()
    assert ties["colleague"].count(rows).max() <= 10
    assert (ties["colleague"].count(rows)[employer < 0] == 0).all()
    one = np.repeat(rows, ties["colleague"].count(rows))
    assert (employer[one] == employer[ties["colleague"].contacts]).all()
    pupil, adult = people.persons["pupil"], people.persons["age"] >= 18
    assert (ties["schoolmate"].count(rows)[~pupil] == 0).all()
    assert (ties["neighbour"].count(rows)[~adult] == 0).all()
    assert 2 < ties["kin"].count(rows).mean() < 6


def test_minors_have_friends_of_about_their_age() -> None:
    people = draw_residents(read_place("charleston"), 1000, Chance(8))
    friends = draw_ties(people, make_firms(people, Chance(8)).employer, Chance(8))["friend"]
    age = people.persons["age"].astype(np.int64)
    one, other = np.repeat(np.arange(1000), np.diff(friends.starts)), friends.contacts
    minor = age[one] < 18
    assert np.count_nonzero(minor) > 200
    assert np.abs(age[other] - age[one])[minor].max() < 6


def test_men_are_older_in_most_couples(people: Residents) -> None:
    persons = people.persons
    married = np.flatnonzero(persons["marital"] == 1)
    home = persons["household"][married]
    pair = married[np.isin(home, np.flatnonzero(np.bincount(home) == 2))].reshape(-1, 2)
    female, age = persons["female"][pair], persons["age"][pair]
    mixed = (female[:, 0] != female[:, 1]) & (age[:, 0] != age[:, 1])
    older = age[mixed].argmax(axis=1)
    is_man = ~female[mixed][np.arange(len(older)), older]
    assert len(is_man) > 500
    assert 0.63 < is_man.mean() < 0.77


def test_friends_are_as_alike_as_in_surveys() -> None:
    people = draw_residents(read_place("charleston"), 4000, Chance(8))
    friends = draw_ties(people, make_firms(people, Chance(8)).employer, Chance(8))["friend"]
    persons, moved = people.persons, people.households["kin_elsewhere"]
    one, other = np.repeat(np.arange(4000), np.diff(friends.starts)), friends.contacts
    race = persons["race"]
    by_chance = (np.bincount(race[one]) / len(one)) ** 2
    assert (race[one] == race[other]).mean() > by_chance.sum() + 0.1
    assert 0.5 < np.corrcoef(persons["age"][one], persons["age"][other])[0, 1] < 0.75
    outside = persons["zone"][one] != persons["zone"][other]
    far = moved[persons["household"][one]]
    assert outside[far].mean() > outside[~far].mean() + 0.03
