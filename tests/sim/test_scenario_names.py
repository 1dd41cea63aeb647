"""Scenarios by name, by module and by file."""

from pathlib import Path

import pytest

from memopolis.scenarios.hurricane import Hurricane
from memopolis.sim.errors import UnknownNameError
from memopolis.sim.scenario_names import find_scenario, scenario_names, typed_name
from memopolis.sim.scenario_reference import reference_to
from memopolis.sim.settings import Settings

VILLAGE = """
from memopolis import Citizen, Settings, Society

class Village(Society[Settings]):
    def build(self, settings):
        self.populate(Citizen, settings.agents)

class Nothing:
    pass
"""


@pytest.fixture
def village(tmp_path: Path) -> Path:
    path = tmp_path / "village.py"
    path.write_text(VILLAGE)
    return path


def test_an_installed_scenario_is_found() -> None:
    assert find_scenario("hurricane") is Hurricane
    assert "hurricane" in scenario_names()


def test_a_reference_leads_back_to_its_scenario(village: Path) -> None:
    assert find_scenario(reference_to(Hurricane)) is Hurricane
    own = find_scenario(f"{village}:Village")
    assert find_scenario(reference_to(own)) is own
    assert own.settings_class is Settings


def test_the_only_society_of_a_file_needs_no_name(village: Path) -> None:
    assert find_scenario(str(village)).__name__ == "Village"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("huricane", "did you mean hurricane"),
        ("nowhere", "there are .*hurricane"),
        ("", "there are"),
        ("nowhere.py:Village", "no file .*nowhere.py"),
        ("nowhere.really:Village", "no module is called 'nowhere'"),
        ("memopolis.scenarios.hurricane:Harricane", "no Harricane"),
        ("memopolis.scenarios.hurricane:HurricaneSettings", "is not a scenario"),
    ],
)
def test_an_unknown_scenario_is_refused(name: str, message: str) -> None:
    with pytest.raises(UnknownNameError, match=message):
        find_scenario(name)


def test_an_unknown_class_of_a_file_is_refused(village: Path) -> None:
    with pytest.raises(UnknownNameError, match="no Vilage; societies there: Village"):
        find_scenario(f"{village}:Vilage")
    with pytest.raises(UnknownNameError, match="is not a scenario"):
        find_scenario(f"{village}:Nothing")


@pytest.mark.parametrize(
    ("text", "message"),
    [("def f(:", "SyntaxError in line 1"), ("\n1 / 0", "ZeroDivisionError in line 2")],
)
def test_an_error_in_a_file_names_the_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "broken.py").write_text(text)
    with pytest.raises(UnknownNameError, match=f"broken.py does not load: {message}"):
        find_scenario(f"{tmp_path}/broken.py:Town")


def test_a_scenario_name_is_case_sensitive() -> None:
    assert typed_name("memopolis.scenarios.hurricane.scenario:Hurricane") == "hurricane"
    assert typed_name("memopolis_file_my_village_0a1b2c3d:Village") == "my_village.py:Village"
    assert typed_name("elsewhere.towns:Town") == "elsewhere.towns:Town"
