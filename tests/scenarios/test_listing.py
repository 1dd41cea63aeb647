"""Scenarios are listed by name, summary and settings, without importing their models."""

import subprocess
import sys
from importlib import import_module

import pytest

from memopolis.sim.scenario_names import find_scenario, scenario_names

LISTING = """
import sys
from memopolis.commands.options.runs import ScenariosOptions
from memopolis.commands.scenarios import list_scenarios
list_scenarios(ScenariosOptions())
assert not {"mesa", "numba", "pandas", "scipy"} & set(sys.modules)
"""


def test_listing_imports_no_model() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LISTING], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "Basic income: A society of households and firms" in done.stdout


@pytest.mark.parametrize("name", ["hurricane", "polarization", "ubi"])
def test_a_package_and_its_scenario_have_the_same_summary_and_settings(name: str) -> None:
    package = import_module(scenario_names()[name].module)
    scenario = find_scenario(name)
    assert (package.__doc__ or "").partition("\n")[0] == (scenario.__doc__ or "").partition("\n")[0]
    assert getattr(package, f"{scenario.__name__}Settings") is scenario.settings_class
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        package.Nothing  # noqa: B018
