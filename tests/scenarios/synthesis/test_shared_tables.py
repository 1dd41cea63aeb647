"""Data read once per process is equal in every run and read-only."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from memopolis.scenarios.hurricane.track import Track
from memopolis.scenarios.places.place_files import SHIPPED_PLACES
from memopolis.scenarios.places.zones import is_shipped, read_place
from memopolis.scenarios.synthesis.microdata import read_sample
from memopolis.scenarios.synthesis.residents import draw_residents
from memopolis.sim.chance import Chance


def test_changing_a_table_does_not_affect_other_runs() -> None:
    place = read_place("charleston")
    place.table["ordered"] = False
    assert read_place("charleston").table["ordered"].any()
    for array in (place.population, read_sample().wage, Track.read("dorian").lat):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_a_modified_place_is_not_the_shipped_one() -> None:
    place = read_place("charleston")
    assert is_shipped(place)
    assert not is_shipped(replace(place, population=place.population + 1))
    place.table["ordered"] = False
    assert not is_shipped(place)


def test_people_from_the_stored_fit_equal_those_from_a_new_fit() -> None:
    place = read_place("charleston")
    kept = draw_residents(place, 60, Chance(3))
    refitted = draw_residents(replace(place, name="mine"), 60, Chance(3))
    for name, column in kept.persons.items():
        np.testing.assert_array_equal(column, refitted.persons[name])
    for name, column in kept.households.items():
        np.testing.assert_array_equal(column, refitted.households[name])


def test_a_custom_file_is_read_each_time(tmp_path: Path) -> None:
    file = tmp_path / "zones.csv"
    text = (SHIPPED_PLACES / "charleston" / "zones.csv").read_text(encoding="utf-8")
    file.write_text(text, encoding="utf-8")
    assert len(read_place(file)) == 30
    file.write_text("".join(text.splitlines(keepends=True)[:-1]), encoding="utf-8")
    assert len(read_place(file)) == 29
