"""How names of code are written for readers."""

import pytest

from memopolis.analysis.labels import words


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("evacuated_share", "Evacuated share"),
        ("attitude.gun_control", "Attitude gun control"),
        ("nominal_gdp", "Nominal GDP"),
        ("ei_follows", "E-I of follows"),
        ("esteban_ray", "Esteban-Ray"),
        ("weight", "Weight"),
    ],
)
def test_names_are_written_as_words(name: str, written: str) -> None:
    assert words(name) == written
