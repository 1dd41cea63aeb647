"""No text of a run in a new place names a place or storm that does not belong to it."""

import re
from functools import cache
from pathlib import Path

import pandas as pd
import pytest
from tests.scenarios.places.new_town import SCENARIOS, build, write_town

from memopolis.agents.names import NAMES
from memopolis.analysis.run.run import load_run
from memopolis.scenarios.hurricane.history import find_past_storms
from memopolis.scenarios.hurricane.settings import HurricaneSettings
from memopolis.scenarios.hurricane.track import STORMS
from memopolis.scenarios.places.place_files import PLACES
from memopolis.scenarios.places.zones import read_place
from memopolis.scenarios.synthesis.counties import STATE, read_counties

END_OF_TIME = pd.Timestamp("2100-01-01").to_pydatetime()


@cache
def list_foreign_names() -> frozenset[str]:
    """Return the zones, cities, counties and storms of the shipped data, and the state's name."""
    names = {STATE, STATE.split()[-1], *(place.title() for place in PLACES)}
    names |= {storm.title() for storm in STORMS}
    for place in PLACES:
        zones = read_place(place)
        names |= {*zones.names, *zones.labels, *zones.zones}
        settings = HurricaneSettings().with_changes({"place": place})
        names |= {storm.name for storm in find_past_storms(settings, zones, END_OF_TIME)}
    return frozenset(names | set(read_counties().index))


@cache
def list_personal_names() -> frozenset[str]:
    table = pd.read_csv(NAMES, comment="#", dtype=str)
    return frozenset(pd.unique(table.astype(str).to_numpy().ravel()))


def find_foreign_names(texts: str, own: set[str]) -> set[str]:
    """Return the foreign names in texts. Names of people count after a word such as "in" only."""
    seen = set()
    for name in list_foreign_names() - own:
        word = rf"\b{re.escape(name)}\b"
        if name in list_personal_names():
            word = rf"\b(?i:hurricane|storm|in|of|at|to|from|near) {word}(?! [A-Z])|{word} County"
        if re.search(word, texts):
            seen.add(name)
    return seen


def read_texts(folder: Path) -> str:
    """Return all texts of a run: memories and thoughts with names filled in, news and reasons."""
    run = load_run(folder)
    return "\n".join([*run.texts, *run.memories["text"], *run.thoughts["text"]])


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_run_in_a_new_place_names_nothing_of_another_place(scenario: str, tmp_path: Path) -> None:
    town = write_town(tmp_path / "town")
    texts = read_texts(build(scenario, place=str(town)).run(tmp_path / "run"))
    assert len(texts.splitlines()) > 50
    # Irma passed near the town before Ian.
    assert find_foreign_names(texts, {"Ian", "Irma"}) == set()
    if scenario == "hurricane":
        assert "hurricane Ian" in texts
        assert "Brandon" in texts


def test_the_names_are_those_of_south_carolina_and_its_storms() -> None:
    names = list_foreign_names()
    assert {"Charleston", "Mount Pleasant", "Horry", "Florence", "Dorian", "29401"} <= names
    # Names of counties or storms that people have too.
    assert {"Lee", "Anderson"} <= names & list_personal_names()


def test_the_names_are_found_in_charleston_itself(tmp_path: Path) -> None:
    texts = read_texts(build("hurricane", storm="dorian", place="charleston").run(tmp_path / "run"))
    seen = find_foreign_names(texts, set())
    assert {"Charleston", "Matthew", "Florence", "Dorian"} <= seen
    zones = set(read_place("charleston").names)
    assert len(seen & zones) >= 5


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("We left Hyde Park when hurricane Florence came.", {"Florence"}),
        ("Mary Lee told me: the storm comes.", set()),
        ("I heard it in Lee County.", {"Lee"}),
        ("We stayed with kin in Columbia.", {"Columbia"}),
    ],
)
def test_names_of_people_are_no_places(text: str, seen: set[str]) -> None:
    assert find_foreign_names(text, set()) == seen
