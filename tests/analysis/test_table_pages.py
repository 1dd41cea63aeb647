"""docs/tables.md says what the tables of all scenarios hold, column by column."""

import importlib.util
import shutil
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from memopolis import Run, load_run
from memopolis.analysis.columns import STATIC, TABLES
from memopolis.analysis.table_pages import tables_markdown
from memopolis.analysis.tables import key_of
from memopolis.sim.errors import ParameterError

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


def test_the_page_is_as_the_runs_are(runs: dict[str, list[Run]]) -> None:
    page = PAGE.with_name("tables.md").read_text(encoding="utf-8")
    assert script().page_of(runs) == page, "out of date: run `python docs/make_tables.py`"


def test_every_table_is_recorded(runs: dict[str, list[Run]]) -> None:
    found = {name for ran in runs.values() for run in ran for name in run.tables}
    assert {*TABLES, *STATIC} <= found
    for ran in runs.values():
        for run in ran:
            assert all(f"agents_{name}" in run.tables for name in run.manifest["populations"])


def test_keys_are_those_by_which_tables_are_sorted() -> None:
    for name, columns in TABLES.items():
        assert {column for column, one in columns.items() if one.key} == set(key_of(name))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda table: table.append_column("strength", pa.array([1.0] * len(table))),
            "ties has no description for strength",
        ),
        (lambda table: table.drop_columns(["kind"]), "ties describes what is not there: kind"),
    ],
    ids=["more", "fewer"],
)
def test_what_is_not_described_or_not_there_is_found(
    change: Callable[[pa.Table], pa.Table],
    message: str,
    runs: dict[str, list[Run]],
    tmp_path: Path,
) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(runs["polarization"][0].folder, broken)
    (path,) = (broken / "tables" / "ties").glob("*.parquet")
    pq.write_table(change(pq.read_table(path)), path)
    with pytest.raises(ParameterError, match=message):
        tables_markdown({**runs, "polarization": [load_run(broken)]}, {})
