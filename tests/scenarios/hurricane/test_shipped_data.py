from pathlib import Path

import pytest

from memopolis.scenarios.hurricane.track import DATA
from memopolis.scenarios.places.place_files import SHIPPED_PLACES
from memopolis.scenarios.synthesis.counties import DATA as SURVEY
from memopolis.scenarios.synthesis.microdata import read_sample


@pytest.mark.parametrize("folder", [DATA, SHIPPED_PLACES, SURVEY])
def test_every_table_is_documented_and_all_are_small(folder: Path) -> None:
    readme = (folder / "README.md").read_text()
    files = sorted(folder.rglob("*.csv"))
    assert files
    assert sum(file.stat().st_size for file in files) < 1_000_000
    for file in files:
        assert file.relative_to(folder).as_posix() in readme


def test_the_survey_matches_the_state() -> None:
    sample = read_sample()
    weight = sample.weight / sample.weight.sum()
    people = weight[sample.household] / (weight @ sample.size)
    assert 2.2 < weight @ sample.size < 2.6
    assert 0.20 < people @ (sample.oldest < 18) < 0.24
    assert 0.14 < people @ (sample.youngest >= 65) < 0.18
    adults = sample.sum_persons(sample.youngest >= 18)
    assert adults.min() >= 1
    assert (sample.youngest[sample.first[:-1]] >= 16).mean() > 0.99
