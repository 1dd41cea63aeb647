"""docs/tables.md says what the tables of all scenarios hold, column by column."""

import importlib.util
import shutil
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.manifests import record_again

from memopolis import Run, load_run
from memopolis.sim.errors import ParameterError
from memopolis.sim.recording.schema import TABLES

PAGE = Path(__file__).parents[2] / "docs" / "make_tables.py"


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_tables", PAGE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Run]]:
    made: dict[str, list[Run]] = script().small_runs(tmp_path_factory.mktemp("tables"))
    return made


def test_the_page_matches_recorded_tables(runs: dict[str, list[Run]]) -> None:
    page = PAGE.with_name("tables.md").read_text(encoding="utf-8")
    assert script().page_of(runs) == page, "out of date: run `python docs/make_tables.py`"


def test_every_table_is_recorded(runs: dict[str, list[Run]]) -> None:
    result = {name for ran in runs.values() for run in ran for name in run.tables}
    assert set(TABLES) <= result
    for ran in runs.values():
        for run in ran:
            assert all(f"agents_{name}" in run.tables for name in run.manifest["populations"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda table: table.append_column("strength", pa.array([1.0] * len(table))),
            "ties does not declare strength",
        ),
        (lambda table: table.drop_columns(["kind"]), "ties declares kind, which no run has"),
        (
            lambda table: table.set_column(0, "source", table["source"].cast("float64")),
            "ties declares source as int64, the runs have float64",
        ),
    ],
    ids=["undeclared", "missing", "type"],
)
def test_tables_that_differ_from_their_schema_are_refused(
    change: Callable[[pa.Table], pa.Table],
    message: str,
    runs: dict[str, list[Run]],
    tmp_path: Path,
) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(runs["polarization"][0].folder, broken)
    (path,) = (broken / "tables" / "ties").glob("*.parquet")
    pq.write_table(change(pq.read_table(path)), path)
    record_again(broken)
    with pytest.raises(ParameterError, match=message):
        script().tables_markdown({**runs, "polarization": [load_run(broken)]})
