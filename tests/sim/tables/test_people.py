"""Profiles of people from tables: who is meant, what fits, and nothing by halves."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from memopolis.sim.distributions import Uniform
from memopolis.sim.errors import DataFileError
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.status.schema import Schema
from memopolis.sim.tables.people import read_profiles


def memory(agents: int = 3, *, closed: bool = False) -> Memory:
    schema = Schema(closed=closed)
    schema.declare("name", "")
    schema.declare("age", 40, "i2", low=0, high=110)
    schema.declare("income", 1_000.0)
    schema.declare("vehicle", default=True)
    schema.declare("mood", {"joy": 5.0, "fear": 5.0}, low=0, high=10)
    schema.declare("friends", ["nobody"])
    schema.declare("bag", {"a"})
    schema.declare("facts", {})
    schema.declare("stage", 0, "u1", labels=("home", "away"))
    return Memory(agents, schema=schema)


def named(*names: str) -> Memory:
    made = memory(len(names))
    made.status["name"] = np.array(names, object)
    return made


def write(folder: Path, text: str, name: str = "people.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def column(of: Memory, name: str) -> list[Any]:
    values: list[Any] = of.status[name].tolist()
    return values


# Who is meant


def test_rows_without_a_key_are_the_agents_in_order(tmp_path: Path) -> None:
    kept = memory()
    read_profiles(kept, write(tmp_path, "name,age\nAnn,31\nBob,32\n"))
    assert column(kept, "name") == ["Ann", "Bob", ""]
    assert column(kept, "age") == [31, 32, 40]


def test_rows_name_agents_by_id() -> None:
    kept = memory()
    kept.unique_ids = np.array([5, 7, 9])
    read_profiles(kept, pd.DataFrame({"agent": [9, 5], "age": [30, 20], "name": ["C", "A"]}))
    assert column(kept, "age") == [20, 40, 30]
    assert column(kept, "name") == ["A", "", "C"]


def test_rows_name_agents_by_name() -> None:
    kept = named("Ann", "Bob", "Bob")
    read_profiles(kept, pd.DataFrame({"name": ["Ann"], "age": [20]}))
    assert column(kept, "age") == [20, 40, 40]
    with pytest.raises(DataFileError, match="row 1, column name: 2 agents are called 'Bob'"):
        read_profiles(kept, pd.DataFrame({"name": ["Bob"], "age": [20]}))


def test_agents_of_several_populations_are_found() -> None:
    people, firms = memory(2), Memory(1)
    people.unique_ids, firms.unique_ids = np.array([1, 2]), np.array([3])
    firms.status.declare("money", 0)
    read_profiles((people, firms), pd.DataFrame({"agent": [3, 2], "money": [7, None]}))
    assert column(firms, "money") == [7]
    assert "money" not in people.status.attributes


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"agent": [0, 9]}, "row 2, column agent: 9, expected the id of an agent; ids run from 0"),
        ({"agent": ["0", "Ann"]}, "row 2, column agent: 'Ann', expected the id"),
        ({"agent": [0, None]}, "row 2, column agent: empty, expected the id"),
        ({"agent": [0, 1.5]}, "row 2, column agent: 1.5, expected the id"),
        ({"agent": [True, 0]}, "row 1, column agent: True, expected the id"),
        ({"agent": [1, 0, 1]}, "row 3, column agent: the same agent as in row 1"),
        ({"name": ["Ann", "Eve"]}, "row 2, column name: 'Eve', expected the name"),
        ({"age": [1, 2, 3, 4]}, "row 4: there are only 3 agents"),
    ],
)
def test_an_unknown_agent_is_named_with_its_row(table: dict[str, list[Any]], message: str) -> None:
    with pytest.raises(DataFileError, match=f"the table, {message}"):
        read_profiles(named("Ann", "Bob", "Joe"), pd.DataFrame(table).astype(object))


# What they are


def test_cells_are_converted_to_the_type_of_the_attribute(tmp_path: Path) -> None:
    kept = memory()
    text = (
        "age,income,vehicle,mood.fear,friends,bag,facts,stage\n"
        '31,12.5,no,9,"[""Ann"", ""Bob""]","[1, 2]","{""a"": 1}",away\n'
        "32.0, 7 ,TRUE,,,,,0\n"
    )
    read_profiles(kept, write(tmp_path, text))
    assert column(kept, "age") == [31, 32, 40]
    assert column(kept, "income") == [12.5, 7, 1000]
    assert column(kept, "vehicle") == [False, True, True]
    assert column(kept, "mood.fear") == [9, 5, 5]
    assert column(kept, "friends") == [["Ann", "Bob"], ["nobody"], ["nobody"]]
    assert column(kept, "bag") == [{1, 2}, {"a"}, {"a"}]
    assert column(kept, "facts") == [{"a": 1}, {}, {}]
    assert column(kept, "stage") == [1, 0, 0]


def test_all_formats_give_the_same_result(tmp_path: Path) -> None:
    rows = [
        {"age": 31, "friends": ["Ann"], "mood": {"joy": 1.0, "fear": None}, "new": 7},
        {"age": None, "friends": None, "mood": {"joy": None, "fear": 9.0}, "new": None},
    ]
    sources: list[Any] = [
        pd.DataFrame(rows),
        write(tmp_path, json.dumps(rows), "a.json"),
        write(tmp_path, "\n".join(map(json.dumps, rows)), "b.json"),
        write(tmp_path, "\n".join(map(json.dumps, rows)), "b.jsonl"),
        write(
            tmp_path, 'age,friends,mood.joy,mood.fear,new\n31,"[""Ann""]",1,,7\n,,,9,\n', "c.csv"
        ),
    ]
    pd.DataFrame(rows).to_parquet(tmp_path / "d.parquet")
    for source in (*sources, tmp_path / "d.parquet"):
        kept = memory()
        read_profiles(kept, source, new_columns=True)
        assert column(kept, "age") == [31, 40, 40]
        assert column(kept, "friends") == [["Ann"], ["nobody"], ["nobody"]]
        assert column(kept, "mood.joy") == [1, 5, 5]
        assert column(kept, "mood.fear") == [5, 9, 5]
        assert column(kept, "new")[0] == 7
        assert [one.status.get("new", default="none") for one in kept] == [7, "none", "none"]


def test_an_undeclared_attribute_is_added_with_its_type(tmp_path: Path) -> None:
    kept = memory()
    text = "faith,children,weight,pupil,code,late\nold,2,1.5,true,007,\n,,,false,123,\n"
    read_profiles(kept, write(tmp_path, text), new_columns=True)
    kinds = {n: a.kind for n, a in kept.status.attributes.items()}
    assert [kinds[n] for n in ("faith", "children", "weight", "pupil", "code")] == [
        "text",
        "int",
        "float",
        "bool",
        "text",
    ]
    assert column(kept, "faith") == ["old", None, None]
    assert ["faith" in one.status for one in kept] == [True, False, False]
    assert column(kept, "pupil") == [True, False, None]
    assert kept.status.attributes["faith"].record
    assert "late" not in kept.status.attributes


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (
            "agent,ages",
            "column ages: there is no such attribute; did you mean age[?] new_columns=true",
        ),
        ("Agent,age", "column Agent: .* did you mean agent[?]"),
        ("agent,mood.fera", "column mood.fera: .* did you mean mood.fear[?]"),
        ("agent age,income", "column agent age: there is no such attribute"),
        (
            "agent,late",
            "column late: there is no such attribute; there are: agent, name, age, inc",
        ),
    ],
)
def test_a_column_that_is_no_attribute_is_refused(
    tmp_path: Path, header: str, message: str
) -> None:
    kept = memory()
    for cell in ("7", ""):
        path = write(tmp_path, f"{header}\n1,{cell}\n")
        with pytest.raises(DataFileError, match=rf"people\.csv, {message}"):
            read_profiles(kept, path)


def test_an_attribute_of_another_population_is_refused() -> None:
    people, firms = memory(2), Memory(1)
    people.unique_ids, firms.unique_ids = np.array([1, 2]), np.array([3])
    firms.status.declare("money", 0)
    table = pd.DataFrame({"agent": [3, 2], "money": [7, 8]})
    with pytest.raises(DataFileError, match="column money: there is no such attribute"):
        read_profiles((people, firms), table)
    read_profiles((people, firms), table, new_columns=True)
    assert column(people, "money") == [pytest.approx(np.nan, nan_ok=True), 8]


def test_agents_without_names_may_be_given_some() -> None:
    bare = Memory(2)
    read_profiles(bare, pd.DataFrame({"name": ["Ann", "Bob"]}))
    assert column(bare, "name") == ["Ann", "Bob"]


@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_a_spreadsheet_with_decimal_commas_is_read(tmp_path: Path, separator: str) -> None:
    kept = memory()
    text = "agent; age;income \n1;71;1,75\n2;34;0,5\n"
    read_profiles(kept, write(tmp_path, text.replace(";", separator)))
    assert column(kept, "age") == [40, 71, 34]
    assert column(kept, "income") == [1000, 1.75, 0.5]


def test_values_in_a_table_take_precedence_over_draws() -> None:
    kept = memory()
    kept.status.declare("luck", Uniform(0, 1))
    before = column(kept, "luck")
    read_profiles(kept, pd.DataFrame({"agent": [1], "luck": [5.0]}))
    assert column(kept, "luck") == [before[0], 5.0, before[2]]


@pytest.mark.parametrize(
    ("header", "cell", "message"),
    [
        ("age", "old", "'old', expected a whole number, at least 0, at most 110"),
        ("age", "31.5", "'31.5', expected a whole number"),
        ("age", "111", "'111', expected a whole number"),
        ("age", "1_0", "'1_0', expected a whole number"),
        ("income", "nan", "'nan', expected a number"),
        ("income", "1e309", "'1e309', expected a number"),
        ("mood.joy", "-1", "'-1', expected a number, at least 0, at most 10"),
        ("vehicle", "maybe", "'maybe', expected true or false"),
        ("friends", "Ann", "'Ann', expected a list such as"),
        ("bag", '"{""a"": 1}"', ".*, expected a list such as"),
        ("facts", "[1]", r"'\[1\]', expected a mapping such as"),
        (
            "stage",
            "gone",
            "'gone', expected a whole number, at least 0, at most 1, or one of home, away",
        ),
    ],
)
def test_a_cell_that_does_not_fit_is_named_by_row_and_column(
    tmp_path: Path, header: str, cell: str, message: str
) -> None:
    kept = memory()
    path = write(tmp_path, f"agent,name,{header}\n0,Ann,\n2,Bob,{cell}\n")
    with pytest.raises(DataFileError, match=rf"people\.csv, row 2, column {header}: {message}"):
        read_profiles(kept, path)
    assert column(kept, "name") == ["", "", ""]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"born": [date(2000, 1, 1)]}, "row 1, column born: .* is of type date; texts, numbers"),
        ({"born": [pd.Timestamp("2000")]}, "row 1, column born: .* is of type Timestamp"),
        ({"x": [b"a"]}, "row 1, column x: b'a' is of type bytes"),
        ({"x": [1, "a"]}, "column x: the cells of a column are of one type, got int, str"),
        ({"mood": [3]}, r"row 1, column mood: 3, expected a mapping: mood is a struct"),
        ({"age.x": [3]}, r"column age\.x: 'age' cannot be an attribute and a struct"),
        ({"a..b": [3]}, r"column a\.\.b: an attribute has a name"),
        ({"alive": [0]}, "column alive: only the society sets alive"),
        (
            {"mood": [{"joy": 1}], "mood.joy": [2]},
            "column mood.joy: given twice, as a column and in mood",
        ),
    ],
)
def test_an_impossible_column_is_named(table: dict[str, list[Any]], message: str) -> None:
    with pytest.raises(DataFileError, match=f"the table, {message}"):
        read_profiles(memory(), pd.DataFrame(table), new_columns=True)


def test_a_closed_schema_accepts_declared_attributes() -> None:
    kept = memory(closed=True)
    read_profiles(kept, pd.DataFrame({"age": [1]}))
    with pytest.raises(DataFileError, match="column new: there is no such attribute"):
        read_profiles(kept, pd.DataFrame({"age": [2], "new": [1]}))
    assert column(kept, "age") == [1, 40, 40]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", b"", "the table has no rows"),
        ("a.csv", b"age\n", "the table has no rows"),
        ("a.csv", b"age,age\n1,2\n", "column age occurs twice"),
        ("a.csv", b"age,name\n1\n", "row 1: 1 cell, but the header names 2"),
        ("a.csv", "name\nZoë\n".encode("latin-1"), "not readable as a CSV file"),
        ("a.json", "[{}]".encode("utf-16"), "no UTF-8"),
        ("a.json", b"[1, 2]", "a list of objects is needed"),
        ("a.json", b"[{", "not readable"),
        ("a.parquet", b"PAR1", "not readable"),
        ("a.xlsx", b"", "tables are read from files that end in .csv, .parquet, .json, .jsonl"),
    ],
)
def test_a_file_that_is_not_a_table_is_named(
    tmp_path: Path, name: str, text: bytes, message: str
) -> None:
    path = tmp_path / name
    path.write_bytes(text)
    with pytest.raises(DataFileError, match=f"{name}.*{message}") as refused:
        read_profiles(memory(), path)
    assert "\n" not in str(refused.value)


def test_a_table_is_an_existing_file_or_a_dataframe(tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match=r"people\.csv: no such file"):
        read_profiles(memory(), tmp_path / "people.csv")
    (tmp_path / "folder.parquet").mkdir()
    with pytest.raises(DataFileError, match=r"folder\.parquet: not readable"):
        read_profiles(memory(), tmp_path / "folder.parquet")
    with pytest.raises(DataFileError, match="the table is 3; the path of a file or a DataFrame"):
        read_profiles(memory(), 3)  # type: ignore[arg-type]
