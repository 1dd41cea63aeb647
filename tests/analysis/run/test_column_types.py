"""Tables whose columns are not what a run writes are refused in one line, whatever reads them."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.manifests import record_again
from typer.testing import CliRunner

from memopolis.analysis.run.reader import find_problem
from memopolis.analysis.run.run import load_run
from memopolis.cli import app
from memopolis.scenarios.polarization import Polarization
from memopolis.sim.errors import RunFolderError
from memopolis.sim.recording.schema import HELD, TABLES, schema_of

WRONG = {
    "text": pa.string(),
    "number": pa.float64(),
    "wide number": pa.int64(),
    "flag": pa.bool_(),
    "list": pa.list_(pa.int32()),
    "time": pa.timestamp("us"),
    "bytes": pa.binary(),
    "nothing": pa.null(),
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("typed") / "run"
    return Polarization(agents=10, days=3, rng=1).run(folder)


def parts(run: Path) -> list[Path]:
    return sorted([*run.glob("tables/*/*.parquet"), *run.glob("memory/*.parquet")])


def test_all_parts_of_a_run_have_the_declared_columns(whole: Path) -> None:
    assert len(parts(whole)) > 10
    for part in parts(whole):
        table = part.parent.name
        declared = HELD if table == "memory" else schema_of(table)
        assert find_problem(table, pq.read_schema(part), declared) == ""


@pytest.mark.parametrize("kind", WRONG)
@pytest.mark.parametrize("table", [name for name, schema in TABLES.items() if not schema.static])
def test_each_column_has_one_kind_of_type(table: str, kind: str) -> None:
    declared = schema_of(table)
    right = {name: _right_type(column.type) for name, column in declared.columns.items()}
    assert find_problem(table, pa.schema(right), declared) == ""
    for name, column in declared.columns.items():
        wrong = WRONG[kind]
        also_right = {"text": "text", "number": "float", "wide number": "int64", "flag": "bool"}
        if column.type.startswith(also_right.get(kind, "-")):
            continue
        if (kind, column.type) == ("wide number", "float64"):  # it has room for them
            continue
        if kind == "list" and column.type.startswith("list"):
            continue
        problem = find_problem(table, pa.schema(right | {name: wrong}), declared)
        assert problem == f"its column {name} is of type {wrong}, not {column.type}"
        del (missing := dict(right))[name]
        assert find_problem(table, pa.schema(missing), declared).endswith(f"{name} is missing")


def _right_type(declared: str) -> pa.DataType:
    if declared == "text":
        return pa.dictionary(pa.int16(), pa.string())
    if declared.startswith("list of "):
        return pa.list_(pa.int32())
    return pa.type_for_alias(declared)


def test_attributes_are_numbers_flags_or_texts() -> None:
    agents = schema_of("agents_citizen")
    keys = {name: pa.type_for_alias(column.type) for name, column in agents.columns.items()}
    for kind, wrong in WRONG.items():
        problem = find_problem("agents_citizen", pa.schema(keys | {"age": wrong}), agents)
        assert bool(problem) is (kind in {"list", "time", "bytes", "nothing"})


def _replace_column(part: Path, name: str, column: pa.Array) -> None:
    table = pq.read_table(part)
    pq.write_table(table.set_column(table.column_names.index(name), name, column), part)


READING: dict[str, Callable[[Path], list[str]]] = {
    "show": lambda run: ["show", str(run), "--agent", "3"],
    "report": lambda run: ["report", str(run)],
    "interview": lambda run: ["interview", str(run), "--agent", "3", "How are you?"],
}


@pytest.mark.parametrize(
    ("path", "column"),
    [
        ("tables/memories/part-00000.parquet", "tick"),
        ("tables/agents_citizen/part-00000.parquet", "agent"),
        ("tables/texts/part-00000.parquet", "text"),
        ("tables/decisions/part-00000.parquet", "evidence"),
        ("memory/citizen.parquet", "id"),
    ],
)
def test_commands_refuse_a_table_of_wrong_types(
    whole: Path, tmp_path: Path, path: str, column: str
) -> None:
    run = shutil.copytree(whole, tmp_path / "run")
    rows = pq.read_metadata(run / path).num_rows
    _replace_column(run / path, column, pa.array([b"x"] * rows))
    record_again(run)
    refused = 0
    for command in READING.values():
        result = CliRunner().invoke(app, command(run))
        assert result.exception is None or isinstance(result.exception, SystemExit)
        if result.exit_code:
            refused += 1
            (line,) = result.stderr.strip().splitlines()
            assert f"{path} of {run} is broken: its column {column} is of type binary" in line
    assert refused
    table = path.split("/")[1]
    if table != "citizen.parquet":
        with pytest.raises(RunFolderError, match=f"its column {column} is of type binary"):
            load_run(run).reader.read(table)
