"""Keys of runs: the same for the same run, another for whatever could change its tables."""

import subprocess
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memopolis.scenarios.hurricane import Hurricane
from memopolis.scenarios.polarization import Polarization
from memopolis.sim.run_folder import code_version as code_versions
from memopolis.sim.run_folder.code_version import code_version
from memopolis.sim.scenario_names import find_scenario
from memopolis.sim.sweep.design import run_keys

type Cell = Callable[[str], type[Any]]

TOWN = """
from memopolis.sim.society import Society
from memopolis.sim.settings import Settings
from memopolis.agents.citizen import Citizen
from memopolis.sim.block import Block

HOUR = 1.0


def later(hour):
    return hour + HOUR


class Walk(Block):
    def step(self, cohort):
        self.total = sum(later(x) for x in {"a": 1.0, "b": 2.0}.values())


class Town(Society[Settings]):
    def build(self, settings):
        self.populate(Citizen, settings.agents, blocks=[Walk()])
"""


def settings_of(**changes: Any) -> Any:
    return Hurricane.settings_class(**changes)


def run_key(scenario: type[Any], settings: Any, seed: int) -> str:
    return run_keys(scenario, settings, [seed])[0]


def test_a_key_depends_on_scenario_settings_and_seed() -> None:
    key = run_key(Hurricane, settings_of(), 1)
    assert len(key) == 12
    assert int(key, 16) >= 0
    assert run_keys(Hurricane, settings_of(), [1, 2]) == [
        key,
        run_key(Hurricane, settings_of(), 2),
    ]
    others = [
        run_key(Hurricane, settings_of(agents=7), 1),
        run_key(Hurricane, settings_of(), 2),
        run_key(Polarization, Polarization.settings_class(), 1),
        run_key(Hurricane, settings_of(record={"tables": "measures"}), 1),
    ]
    assert len({key, *others}) == 5


def test_another_process_gives_the_same_key() -> None:
    code = (
        "from memopolis import Hurricane; from memopolis.sim.sweep.design import run_keys; "
        "print(run_keys(Hurricane, Hurricane.settings_class(), [1])[0])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == run_key(Hurricane, settings_of(), 1)


def test_settings_without_effect_on_tables_do_not_change_the_key() -> None:
    key = run_key(Hurricane, settings_of(), 1)
    assert key == run_key(Hurricane, settings_of(threads=4), 1)
    assert key == run_key(Hurricane, settings_of(checkpoint={"every": 5}), 1)


def test_files_count_by_their_content(tmp_path: Path) -> None:
    def key(file: Path, text: str) -> str:
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        return run_key(Hurricane, settings_of(profiles=str(file)), 1)

    first = key(tmp_path / "people.csv", "agent,age\n1,30\n")
    assert first != key(tmp_path / "people.csv", "agent,age\n1,31\n")
    assert first == key(tmp_path / "elsewhere" / "persons.csv", "agent,age\n1,30\n")
    assert first != run_key(Hurricane, settings_of(profiles=str(tmp_path / "missing.csv")), 1)


def test_prompt_folders_count_by_their_content(tmp_path: Path) -> None:
    (tmp_path / "plan.txt").write_text("Plan.")
    settings = settings_of(llm={"prompts": str(tmp_path)})
    before = run_key(Hurricane, settings, 1)
    (tmp_path / "plan.txt").write_text("Plan well.")
    assert run_key(Hurricane, settings, 1) != before


def test_a_cassette_counts_only_if_replayed(tmp_path: Path) -> None:
    cassette = tmp_path / "answers.jsonl"
    keys: dict[bool, list[str]] = {False: [], True: []}
    for text in ("one", "two"):
        cassette.write_text(text)
        for replay, item in keys.items():
            result = settings_of(llm={"cassette": str(cassette), "replay": replay})
            item.append(run_key(Hurricane, result, 1))
    assert keys[False][0] == keys[False][1]
    assert keys[True][0] != keys[True][1]


def test_a_scenario_file_counts_by_its_code_and_not_its_path(tmp_path: Path) -> None:
    def version(folder: str, beside: str) -> str:
        home = tmp_path / folder
        home.mkdir()
        (home / "walking_for_tests.py").write_text(beside)
        (home / "town.py").write_text(f"import walking_for_tests\n{TOWN}")
        sys.path.insert(0, str(home))
        try:
            return code_version(find_scenario(f"{home / 'town.py'}:Town"))
        finally:
            sys.path.remove(str(home))
            del sys.modules["walking_for_tests"]

    first = version("a", "SPEED = 1\n")
    assert first == version("b", "SPEED = 1\n")
    assert first != version("c", "SPEED = 2\n")
    assert first != code_version(Hurricane)


def test_packages_of_an_environment_below_the_file_do_not_count(tmp_path: Path) -> None:
    present = tmp_path / "env" / "site-packages"
    present.mkdir(parents=True)
    (tmp_path / "town_with_env.py").write_text(f"import installed_for_tests\n{TOWN}")
    sys.path.insert(0, str(present))
    versions = set()
    try:
        for text in ("A = 1\n", "A = 2\n"):
            (present / "installed_for_tests.py").write_text(text)
            town = find_scenario(f"{tmp_path / 'town_with_env.py'}:Town")
            code_versions._module_files.cache_clear()
            versions.add(code_version(town))
    finally:
        sys.path.remove(str(present))
    assert len(versions) == 1


@pytest.fixture
def cell() -> Iterator[Cell]:
    """Define a town as a cell of a notebook does: in a module that has no file."""
    notebook = types.ModuleType("notebook_for_tests")
    sys.modules[notebook.__name__] = notebook

    def run(code: str) -> type[Any]:
        notebook.__dict__.pop("Town", None)
        exec(code, notebook.__dict__)  # noqa: S102 - as a notebook does
        town: type[Any] = notebook.__dict__["Town"]
        return town

    yield run
    del sys.modules[notebook.__name__]


def test_a_notebook_society_counts_by_all_code_it_uses(cell: Cell) -> None:
    first = code_version(cell(TOWN))
    assert code_version(cell(TOWN)) == first
    assert code_version(cell(TOWN.replace("class Walk", "# a comment\nclass Walk"))) == first
    changes = {
        '"b": 2.0': '"b": 3.0',
        "HOUR = 1.0": "HOUR = 2.0",
        "hour + HOUR": "hour - HOUR",
        "settings.agents, ": "settings.agents + 1, ",
        "Society[Settings]):": "Society[Settings]):\n    order = ('citizen',)",
    }
    others = {code_version(cell(TOWN.replace(*change))) for change in changes.items()}
    assert len(others | {first}) == 1 + len(changes)


ALL_SORTS = """
import functools
import numba
import numpy as np
from dataclasses import dataclass
from memopolis import Block, Citizen, Measure, Settings, Society

PRICES = np.arange(6.0).reshape(2, 3).T
RATE = 1.0
total = 1  # also the name of an attribute


@numba.njit
def fast(x):
    return x + 1.0


def some(x):
    return fast(x) + (x in {"calm", "glad", "tired"})


KINDS = {some, np.sqrt, "other"}
half = functools.partial(some, 0.5)


@dataclass(frozen=True, slots=True)
class Speed:
    up: float = 2.0

    def twice(self):
        return 2 * self.up


SPEED = Speed()


class Walk(Block):
    speed = SPEED
    total = 0

    def step(self, cohort):
        Walk.total += half() + PRICES.sum() * RATE + self.speed.twice() + len(KINDS)


class Town(Society[Settings]):
    order = ("citizen",)
    measures = (Measure("social", "social", description="Mean"),)

    @property
    def walks(self):
        return self.population("citizen").blocks

    def build(self, settings):
        self.populate(Citizen, settings.agents, blocks=[Walk()])


some(1.0)
"""
PRINTED = """
from memopolis.sim.run_folder.code_version import code_version
print(code_version(Town))"""
SENT = """
import subprocess, sys
from memopolis.sim.sweep.serialized import serialize_scenario
child = "import sys; from memopolis.sim.sweep.serialized import load_scenario as u\\n" \
    "from memopolis.sim.run_folder.code_version import code_version\\n" \
    "print(code_version(u(sys.stdin.buffer.read())))"
subprocess.run([sys.executable, "-c", child], input=serialize_scenario(Town), check=True)
"""


def test_a_notebook_society_has_the_same_version_in_all_processes() -> None:
    code = ALL_SORTS + PRINTED + SENT
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    here, present = result.stdout.split()
    assert here == present


def test_aliases_in_a_notebook_do_not_change_the_version(cell: Cell) -> None:
    first = code_version(cell(ALL_SORTS))
    assert code_version(cell(ALL_SORTS.replace("total = 1", "total = 2"))) == first


@pytest.mark.parametrize(
    "change",
    [
        ("arange(6.0)", "arange(1, 7.0)"),
        ("x + 1.0", "x + 2.0"),
        ("some, 0.5", "some, 0.6"),
        ("some, np.sqrt", "some, np.exp"),
        ("up: float = 2.0", "up: float = 3.0"),
        ("2 * self.up", "3 * self.up"),
        ('description="Mean"', 'description="A mean"'),
    ],
)
def test_each_part_of_a_notebook_counts(cell: Cell, change: tuple[str, str]) -> None:
    assert change[0] in ALL_SORTS
    assert code_version(cell(ALL_SORTS)) != code_version(cell(ALL_SORTS.replace(*change)))


@pytest.mark.parametrize(
    ("file", "counts"),
    [
        ("sim/society.py", True),
        ("sim/declarations.py", True),
        ("scenarios/ubi/measures.csv", True),
        ("sim/executors/processes.py", False),  # selects runs only
        ("scenarios/ubi/data/brackets.csv", False),  # the manifest has its hash
        ("scenarios/ubi/README.md", False),
    ],
)
def test_code_and_declarations_of_the_package_count(file: str, *, counts: bool) -> None:
    assert code_versions._affects_results(Path(file), Path()) == counts
