"""Every scenario runs in a place of its user."""

from pathlib import Path

import numpy as np
import pytest
from tests.scenarios.places.new_town import SCENARIOS, ZONES, build, write_town

from memopolis.analysis.report.summary import summary
from memopolis.analysis.run.run import load_run
from memopolis.scenarios.polarization.scenario import Polarization
from memopolis.scenarios.ubi.scenario import BasicIncome
from memopolis.sim.errors import ParameterError


@pytest.fixture
def town(tmp_path: Path) -> Path:
    return write_town(tmp_path / "town")


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_people_live_in_the_zones_of_the_place(town: Path, scenario: str) -> None:
    society = build(scenario, place=str(town), agents=4_000)
    assert society.place is not None
    assert society.place.names == ("Hyde Park", "Brandon")
    people = society.population("citizen").cohort()
    share = np.bincount(people["home"], minlength=2) / len(people["home"])
    assert share[0] == pytest.approx(0.4, abs=0.05)
    old = people["age"] >= 65
    adults = people["age"] >= 18
    expected = 0.128 if not adults.all() else 0.128 / (1 - 0.21)
    assert old.mean() == pytest.approx(expected, abs=0.03)
    _, first = np.unique(people["household"], return_index=True)
    income, home = people["income"][first], people["home"][first]
    assert np.median(income[home == 0]) > 1.15 * np.median(income[home == 1])


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_defaults_taken_over_are_in_manifest_and_summary(town: Path, scenario: str) -> None:
    changes = {"days": 60, "start": 0} if scenario == "ubi" else {"days": 1}
    run = load_run(build(scenario, place=str(town), **changes).run(town.parent / "run"))
    taken = run.manifest["facts"]["taken_over"].split("; ")
    assert "surge bands by distance to the sea" in taken
    assert any(text.startswith("households surveyed in") for text in taken)
    assert any("of South Carolina in 2 of 2 zones" in text for text in taken)
    rows = dict(summary(run))
    assert rows["Place"] == "Tampa Bay, Florida"
    assert rows["Taken over"].lower() == run.manifest["facts"]["taken_over"].lower()
    assert {"zones.csv", "place.toml"} <= run.manifest["data"].keys()
    assert run.zones["name"].tolist() == ["Hyde Park", "Brandon"]


def test_without_a_place_nothing_is_taken_over() -> None:
    for scenario in (Polarization, BasicIncome):
        facts = scenario(agents=20, rng=1).facts()
        assert (facts["place"], facts["taken_over"]) == ("", "")


def test_citizens_have_the_parties_of_the_settings_and_of_their_traits(town: Path) -> None:
    changes = {"people.democrats": 0.3, "people.republicans": 0.6}
    society = build("polarization", place=str(town), agents=4_000, **changes)
    people = society.population("citizen").cohort()
    democrat = people["party"] == "Democrat"
    assert democrat.mean() == pytest.approx(0.3, abs=0.02)
    assert (people["party"] == "Republican").mean() == pytest.approx(0.6, abs=0.02)
    assert (
        democrat[people["race"] == "black"].mean() > 2 * democrat[people["race"] == "white"].mean()
    )
    assert set(people["urbanity"]) == {"suburban", "urban"}
    assert (people["urbanity"][people["home"] == 0] == "urban").all()


def test_friends_live_near_one_another(town: Path) -> None:
    society = build("polarization", place=str(town), agents=1_000)
    people = society.population("citizen")
    home, side = (people.cohort()[name] for name in ("home", "side"))
    friends = people.ties["friend"]
    rows = np.repeat(np.arange(len(people)), friends.count(np.arange(len(people))))
    same = (home[rows] == home[friends.contacts]).mean()
    # 16 km apart: a share of 0.07 to 0.13 of the pull, against 0.52 of the people in the same zone.
    assert same > 0.85
    sided = (side[rows] != 0) & (side[friends.contacts] != 0)
    assert 0.05 < (side[rows] != side[friends.contacts])[sided].mean() < 0.2
    assert len(rows) / len(people) == pytest.approx(12, abs=1)


def test_newcomers_and_children_have_a_home_in_the_place(town: Path) -> None:
    society = build("ubi", place=str(town), agents=400)
    for _ in range(12):
        society.step()
    homes = society.population("household")
    people = society.population("citizen").cohort()
    assert len(people["home"]) > 350
    np.testing.assert_array_equal(people["home"], homes["zone"][people["household"]])


def test_impossible_marginals_name_the_zone(tmp_path: Path) -> None:
    town = write_town(tmp_path / "town", ZONES.replace("20000,9,2,1,9000", "20000,9,2,1,300"))
    with pytest.raises(ParameterError, match=r"zone Hyde Park: no weights .*persons_household 64"):
        build("ubi", place=str(town))
