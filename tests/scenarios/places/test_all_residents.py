"""`agents=all` is one agent for every resident of the place."""

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memopolis.cli import app
from memopolis.scenarios.hurricane.settings import HurricaneSettings
from memopolis.scenarios.places.zones import read_place
from memopolis.scenarios.polarization.settings import PolarizationSettings
from memopolis.scenarios.synthesis.residents import draw_adults
from memopolis.scenarios.ubi.settings import BasicIncomeSettings
from memopolis.sim.chance import Chance
from memopolis.sim.errors import SettingsError, UnknownNameError
from memopolis.sim.run_size import estimate_size
from memopolis.sim.scenario_names import find_scenario
from memopolis.sim.settings import Settings

VILLAGE = """zone,name,county,lat,lon,population
a,Upper,Charleston,32.8,-79.9,31
b,Lower,Charleston,32.7,-79.9,12
"""


def everyone(known: type[Settings], agents: str = "all", place: str | None = None) -> Settings:
    return known().with_changes({"agents": agents} | ({} if place is None else {"place": place}))


@pytest.fixture
def village(tmp_path: Path) -> Path:
    file = tmp_path / "village.csv"
    file.write_text(VILLAGE, encoding="utf-8")
    return file


def test_agents_are_the_residents_of_the_place(village: Path) -> None:
    assert everyone(HurricaneSettings, "all").agents == 612_178
    assert everyone(HurricaneSettings, "all", "columbia").agents == 667_020
    assert everyone(HurricaneSettings, "all", str(village)).agents == 43
    assert everyone(BasicIncomeSettings, "all", "charleston").agents == 612_178


def test_changes_of_settings_may_say_all() -> None:
    settings = HurricaneSettings(place="columbia").with_changes({"agents": "all", "days": 2})
    assert (settings.agents, settings.days) == (667_020, 2)
    # A number stays if the place changes later.
    assert settings.with_changes({"place": "charleston"}).agents == 667_020


def test_citizens_of_polarization_are_the_adults() -> None:
    agents = everyone(PolarizationSettings, "all", "charleston").agents
    people = draw_adults(read_place("charleston"), 20_000, Chance(1))
    # The weight is the number of real people per agent, children included.
    children = 1 - agents / 612_178
    assert 0.15 < children < 0.3
    assert people.weight * 20_000 == pytest.approx(agents, rel=0.01)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: everyone(Settings, "all"), "this scenario has no place"),
        (lambda: everyone(BasicIncomeSettings, "all"), "place=none; set a place"),
        (lambda: everyone(PolarizationSettings, "all"), "place=none; set a place"),
        (lambda: everyone(HurricaneSettings, "al"), "'al'; allowed: whole number"),
    ],
)
def test_all_needs_a_place(build: Callable[[], object], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        build()


def test_all_needs_a_place_that_exists() -> None:
    with pytest.raises(UnknownNameError, match="unknown place 'nowhere'"):
        everyone(HurricaneSettings, "all", "nowhere")


def test_a_run_of_all_has_one_agent_per_resident(village: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    arguments = [
        "run",
        "hurricane",
        "--agents",
        "all",
        "--set",
        f"place={village}",
        "--days",
        "0.1",
    ]
    done = CliRunner().invoke(
        app, [*arguments, "--days", "0.1", "--no-report", "--seed", "1", "--out", str(out)]
    )
    assert done.exit_code == 0, done.output
    assert "43 agents" in done.output


def test_a_run_of_all_is_estimated_before_it_starts() -> None:
    size = estimate_size(find_scenario("hurricane"), everyone(HurricaneSettings, "all"))
    assert size.agents == 612_178
    assert size.is_large
    assert 2e9 < size.bytes < 10e9
