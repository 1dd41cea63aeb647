import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from memopolis.analysis.run.reader import TableReader
from memopolis.analysis.run.tables import table_digests


@pytest.fixture
def copy(stormy_folder: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "copy"
    (folder / "tables").mkdir(parents=True)
    for name in ("measures", "decisions", "texts"):
        shutil.copytree(stormy_folder / "tables" / name, folder / "tables" / name)
    return folder


def test_the_hash_ignores_parts_and_order_of_rows(copy: Path) -> None:
    before = table_digests(copy)
    for name in ("measures", "decisions"):
        table = TableReader(copy).read(name)
        shutil.rmtree(copy / "tables" / name)
        (copy / "tables" / name).mkdir()
        half = table.num_rows // 2
        for i, part in enumerate((table.slice(half), table.slice(0, half))):
            pq.write_table(part, copy / "tables" / name / f"part-{i:05}.parquet")
    assert table_digests(copy) == before


@pytest.mark.parametrize("column", ["value", "evidence", "reason", "agent"])
def test_one_changed_value_changes_the_hash(copy: Path, column: str) -> None:
    before = table_digests(copy)
    table = TableReader(copy).read("decisions")
    values = table[column].to_pylist()
    other = {"value": -7.0, "evidence": [123456], "reason": "another", "agent": 999_999}[column]
    kind = table.schema.field(column).type
    plain = kind.value_type if pa.types.is_dictionary(kind) else kind
    changed = pa.array([other, *values[1:]], plain)
    table = table.set_column(table.schema.get_field_index(column), column, changed)
    shutil.rmtree(copy / "tables" / "decisions")
    (copy / "tables" / "decisions").mkdir()
    pq.write_table(table, copy / "tables" / "decisions" / "part-00000.parquet")
    after = table_digests(copy)
    assert after.pop("decisions") != before.pop("decisions")
    assert after == before


def test_an_incomplete_part_is_ignored(copy: Path) -> None:
    (copy / "tables" / "agents_dog").mkdir()
    (copy / "tables" / "agents_dog" / "part-00000.writing").write_bytes(b"")
    assert "agents_dog" not in TableReader(copy).names()
