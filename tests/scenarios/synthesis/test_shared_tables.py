"""Data read once per process is equal in every run and read-only."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from memopolis.scenarios.hurricane.track import Track
from memopolis.scenarios.places.place_files import SHIPPED_PLACES
from memopolis.scenarios.places.zones import is_shipped, read_place
from memopolis.scenarios.synthesis.counties import read_counties
from memopolis.scenarios.synthesis.fitting import fit
from memopolis.scenarios.synthesis.microdata import read_national_sample, read_sample
from memopolis.scenarios.synthesis.residents import fit_place


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


def test_the_stored_fit_equals_a_new_one() -> None:
    place = read_place("charleston")
    kept, again = fit_place(place), fit(place, read_sample(), read_counties())
    np.testing.assert_array_equal(kept.weights, again.weights)
    np.testing.assert_array_equal(kept.zone_share, again.zone_share)


def test_people_of_a_place_that_is_not_shipped_are_those_of_the_nation() -> None:
    place = read_place("charleston")
    assert fit_place(place).sample is read_sample()
    own = fit_place(replace(place, name="mine"))
    assert own.sample is read_national_sample()
    assert (own.sample.weight == 1).all()
    # Dollars of 2018. The households of the nation are richer than those of the state.
    assert np.median(own.sample.income) > np.median(read_sample().income)


def test_a_custom_file_is_read_each_time(tmp_path: Path) -> None:
    file = tmp_path / "zones.csv"
    text = (SHIPPED_PLACES / "charleston" / "zones.csv").read_text(encoding="utf-8")
    file.write_text(text, encoding="utf-8")
    assert len(read_place(file)) == 30
    file.write_text("".join(text.splitlines(keepends=True)[:-1]), encoding="utf-8")
    assert len(read_place(file)) == 29
