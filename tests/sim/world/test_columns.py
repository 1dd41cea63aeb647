from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from memopolis.sim.errors import DataFileError
from memopolis.sim.world.columns import Column, check_table, read_table

RULES = {
    "zone": Column("text"),
    "lat": Column("number", least=-90, most=90),
    "when": Column("date", required=False, blank=True),
    "ordered": Column("flag", required=False, blank=True, default=0),
    "kind": Column("text", required=False, blank=True, default="none", options=("a", "none")),
    "count": Column("whole", required=False, blank=True, default=3),
}


def table(**columns: list[object]) -> pd.DataFrame:
    return pd.DataFrame({"zone": ["x", "y"], "lat": ["1", "2.5"], **columns})


def test_columns_get_their_types_and_defaults() -> None:
    checked = check_table(table(when=["2019-09-01 18:30", ""]), RULES, source="t")
    assert checked["lat"].tolist() == [1.0, 2.5]
    assert checked["when"][0] == pd.Timestamp("2019-09-01 18:30")
    assert pd.isna(checked["when"][1])
    assert checked["ordered"].tolist() == [False, False]
    assert checked["kind"].tolist() == ["none", "none"]
    assert checked["count"].dtype == np.int64


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"lat": ["1", "abc"]}, r"t, row 2, column lat: 'abc', expected a number, at least -90"),
        ({"lat": ["1", "91"]}, r"row 2, column lat: '91', .* at most 90"),
        ({"lat": ["", "2"]}, r"row 1, column lat: empty, expected a number"),
        ({"lat": ["inf", "2"]}, r"row 1, column lat: 'inf'"),
        ({"when": ["tomorrow", ""]}, r"row 1, column when: 'tomorrow', expected a date"),
        ({"ordered": ["1", "2"]}, r"row 2, column ordered: '2', expected 0 or 1"),
        ({"kind": ["b", ""]}, r"row 1, column kind: 'b', expected one of a, none"),
        ({"count": ["1", "1.5"]}, r"row 2, column count: '1.5', expected a whole number"),
    ],
)
def test_an_invalid_cell_is_named(columns: dict[str, list[object]], message: str) -> None:
    with pytest.raises(DataFileError, match=message):
        check_table(table(**columns), RULES, source="t")


def test_a_missing_column_and_an_empty_table_are_refused() -> None:
    with pytest.raises(DataFileError, match="column lat is missing"):
        check_table(pd.DataFrame({"zone": ["x"]}), RULES, source="t")
    with pytest.raises(DataFileError, match="no rows"):
        check_table(table().iloc[:0], RULES, source="t")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"zone": ["x"], "lat": ["1"], "ordred": ["1"]},
            "unknown column 'ordred'; did you mean ord",
        ),
        ({"zone": ["x"], "Lat": ["1"]}, "unknown column 'Lat'; did you mean lat[?]"),
        (
            {"zone": ["x"], "lat": ["1"], "xyz": ["1"]},
            "unknown column 'xyz'; allowed are zone, lat",
        ),
        ({"zone": ["x"], "xyz": ["1"]}, "column lat is missing; the columns are zone, xyz"),
    ],
)
def test_an_unknown_column_is_refused_unless_others_are_kept(
    columns: dict[str, list[object]], message: str
) -> None:
    with pytest.raises(DataFileError, match=message):
        check_table(pd.DataFrame(columns), RULES, source="t")
    if "lat" in columns:
        checked = check_table(pd.DataFrame(columns), RULES, source="t", others_kept=True)
        assert set(columns) < set(checked.columns)


def test_a_missing_file_is_reported_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match="no such file"):
        read_table(tmp_path / "none.csv", RULES)
    binary = tmp_path / "binary.csv"
    binary.write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(DataFileError):
        read_table(binary, RULES)


def test_a_repeated_column_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "twice.csv"
    path.write_text("zone,lat,zone\nx,1,y\n", encoding="utf-8")
    with pytest.raises(DataFileError, match="column zone occurs twice"):
        read_table(path, RULES)
