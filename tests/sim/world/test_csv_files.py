"""CSV files of spreadsheets: separators, decimal commas, names of columns and encodings."""

import os
from pathlib import Path

import pytest

from memopolis.sim.errors import DataFileError
from memopolis.sim.world.csv_files import find_separator, read_csv


def read(folder: Path, text: str | bytes) -> dict[str, list[str]]:
    path = folder / "table.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    table = read_csv(path)
    return {str(name): table[name].tolist() for name in table}


PEOPLE = {"agent": ["1", "2"], "age": ["71", "34"]}


@pytest.mark.parametrize(
    "text",
    [
        "agent,age\n1,71\n2,34\n",
        "agent;age\n1;71\n2;34\n",
        "agent\tage\n1\t71\n2\t34\n",
        "agent|age\n1|71\n2|34\n",
        "agent, age\n1, 71\n2, 34\n",
        " agent ;\tage\n1;71\n2;34\n",
        "\ufeffagent;age\r\n1;71\r\n2;34\r\n",
        'sep=;\r\n"agent";"age"\r\n"1";"71"\r\n"2";"34"',
        '# saved, "with" a spreadsheet; 2026\nagent;age\n1;71\n# 2;33\n\n2;34\n',
        "agent;age;;\n1;71;;\n2;34;;\n",
    ],
)
def test_all_ways_to_write_a_table_are_read_alike(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, text) == PEOPLE


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ('time,text\n1,"a; b"\n2,"c, d"\n', {"time": ["1", "2"], "text": ["a; b", "c, d"]}),
        ("time;text\n1;a, b\n2;c\n", {"time": ["1", "2"], "text": ["a, b", "c"]}),
        ('time, text\n1, "Hello, you"\n', {"time": ["1"], "text": ["Hello, you"]}),
        ('"a,b";c\n1;2\n', {"a,b": ["1"], "c": ["2"]}),
        ("text\nno comma; here\n", {"text": ["no comma; here"]}),
        ('text\n"a\n# b"\n', {"text": ["a\n# b"]}),
        ("a,b|c\n1,2\n3,4\n", {"a": ["1", "3"], "b|c": ["2", "4"]}),
    ],
)
def test_separators_within_cells_and_names_are_kept(
    tmp_path: Path, text: str, columns: dict[str, list[str]]
) -> None:
    assert read(tmp_path, text) == columns


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("a;b\n1,75;x\n2;y\n;z\n", {"a": ["1.75", "2", ""], "b": ["x", "y", "z"]}),
        ("a\tb\n-,5\t1,0e3\n", {"a": ["-.5"], "b": ["1.0e3"]}),
        ("a;b\n12,345;0,5\n", {"a": ["12.345"], "b": ["0.5"]}),
        ("a;b\n0,125;1\n", {"a": ["0.125"], "b": ["1"]}),
        ("a;b\n1.75;2\n", {"a": ["1.75"], "b": ["2"]}),
        ("a;b\n1,75;32.7765\n", {"a": ["1.75"], "b": ["32.7765"]}),
        ("a;b\n1,2,3;x\n1,5;y\n", {"a": ["1,2,3", "1,5"], "b": ["x", "y"]}),
        ('a,b\n"1,75",x\n', {"a": ["1,75"], "b": ["x"]}),
        ("a;b\n1,5;2019-09-01 18:30\n", {"a": ["1.5"], "b": ["2019-09-01 18:30"]}),
    ],
)
def test_decimal_commas_are_read_in_columns_of_numbers(
    tmp_path: Path, text: str, columns: dict[str, list[str]]
) -> None:
    assert read(tmp_path, text) == columns


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b;c\n1,2;3\n4,5;6\n", r"separator of cells can be a comma \(columns a, b;c\) or semi"),
        ("a,a\n1;2\n", "row 1: 1 cell, but the header names 2 columns with a comma"),
        ("agent;age\n1;71;5\n", "row 1: 3 cells, .* 2 columns with a semicolon as separator"),
        ("agent;age\n1,71\n", "row 1: 1 cell, .* with a semicolon as separator"),
        ("agent\n1,71\n", "row 1: 2 cells, but the header names 1 column with a comma"),
        ("a;b\n12,345;1\n1,234;2\n", "column a: '12,345' can be 12.345 or 12345; use a decimal"),
        ("a;b\n1.234,5;1\n", r"column a: '1\.234,5' is ambiguous"),
        ("a;b\n1,234.5;1\n", r"column a: '1,234\.5' is ambiguous"),
        ("a;b\n1,75;1.500\n", r"column b: '1\.500' is ambiguous"),
        ("a;b\n1,75;1\n1.5;1\n", r"column a: '1\.5' is ambiguous"),
        ("a,,b\n1,2,3\n", "column 2 of the header has no name"),
        ('a,b\n1,"2\n', "not readable as a CSV file: unexpected end of data"),
        ("a;b\n1;Zoë\n".encode("latin-1"), r"line 2 is not UTF-8 \(byte 0xeb\); save it as CSV"),
        ("a;b\n1;2\n".encode("utf-16"), "it is UTF-16 or binary; save it as CSV UTF-8"),
        ("a;b\n1;2\n".encode("utf-16-le"), "it is UTF-16 or binary"),
    ],
)
def test_a_file_that_can_be_read_in_two_ways_or_none_is_refused(
    tmp_path: Path, text: str | bytes, message: str
) -> None:
    with pytest.raises(DataFileError, match=message) as refused:
        read(tmp_path, text)
    assert str(refused.value).startswith(str(tmp_path / "table.csv"))
    assert "\n" not in str(refused.value)


def test_a_table_without_separator_has_one_column() -> None:
    assert find_separator("agent\n1\n", "t") == find_separator("", "t") == ","


def test_an_empty_file_is_an_empty_table(tmp_path: Path) -> None:
    assert read(tmp_path, "") == read(tmp_path, "\n# nothing\n") == {}
    assert read(tmp_path, "agent;age\n") == {"agent": [], "age": []}


def test_devices_and_pipes_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    for path in (Path("/dev/zero"), tmp_path / "pipe.csv"):
        with pytest.raises(DataFileError, match="it is a device or a pipe"):
            read_csv(path)
