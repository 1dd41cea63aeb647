"""Answers: a limited number of rows, with values as JSON knows them."""

import json
from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest

from memopolis.mcp_server.answers import MOST_SIZE, MOST_TEXT, Answer, Table, plain, rows_of


def test_rows_beyond_the_limit_are_counted_in_one_line() -> None:
    frame = pd.DataFrame({"n": range(1_234)})
    first = Table.first(frame, 3, "agent or columns", note="read as of step 4")
    assert ([row["n"] for row in first.rows], first.total) == ([0, 1, 2], 1_234)
    assert first.note == (
        "read as of step 4; 1,231 of 1,234 rows were left out: narrow the query by agent or "
        "columns, or raise limit (at most 500)"
    )
    every = Table.first(frame[:3], 3, "agent")
    assert (len(every.rows), every.total, every.note) == (3, 3, "")


def test_rows_of_a_larger_total_are_counted() -> None:
    answer = Table.first(pd.DataFrame({"n": [5, 6]}), 2, "agent", total=20)
    assert ([row["n"] for row in answer.rows], answer.total) == ([5, 6], 20)
    assert answer.note.startswith("18 of 20 rows were left out: narrow the query by agent")


def test_a_list_of_rows_has_a_maximum_length() -> None:
    long = pd.DataFrame({"text": ["é" * 100_000] * 400})
    answer = Answer.of(memories=long).model_dump()
    rows = answer["memories"]
    assert 1 < len(rows) < 400
    assert len(json.dumps(rows, ensure_ascii=False)) <= MOST_SIZE + 2 * MOST_TEXT
    assert answer["note"] == f"{400 - len(rows)} of 400 memories were left out: request fewer"


def test_a_list_has_at_least_one_row() -> None:
    wide = pd.DataFrame([{f"column {i}": "x" * 5_000 for i in range(100)}])
    assert len(rows_of(wide)) == 1


def test_an_index_with_a_name_is_a_column() -> None:
    frame = pd.DataFrame({"a": [1]}, index=pd.Index([9], name="id"))
    assert rows_of(frame) == [{"id": 9, "a": 1}]


def test_hashes_are_texts_whatever_their_size() -> None:
    frame = pd.DataFrame({"hash": [5, -(2**62), 0], "n": [1, 2, 3], "flag": [True, False, True]})
    assert [row["hash"] for row in rows_of(frame, ["hash"])] == ["5", str(-(2**62)), "0"]
    assert [type(row["hash"]) for row in rows_of(frame[:1], ["hash"])] == [str]
    assert [row["n"] for row in rows_of(frame, ["hash"])] == [1, 2, 3]
    assert [row["flag"] for row in rows_of(frame, ["hash"])] == [True, False, True]
    missing = pd.DataFrame({"hash": pd.array([2**60, None], "Int64"), "text": ["a", "b"]})
    assert rows_of(missing, ["hash", "text"]) == [
        {"hash": str(2**60), "text": "a"},
        {"hash": None, "text": "b"},
    ]


def test_a_column_with_one_number_that_javascript_rounds_is_text() -> None:
    frame = pd.DataFrame({"least": [1, 2**53], "exact": [2**53 - 1, -(2**53) + 1]})
    assert rows_of(frame) == [
        {"least": "1", "exact": 2**53 - 1},
        {"least": str(2**53), "exact": -(2**53) + 1},
    ]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.int64(3), 3),
        (2**53 - 1, 2**53 - 1),
        (2**53, str(2**53)),
        (np.uint64(2**64 - 1), str(2**64 - 1)),
        ({"seed": 2**200, "ids": [-(2**63)]}, {"seed": str(2**200), "ids": [str(-(2**63))]}),
        (np.bool_(True), True),  # noqa: FBT003 - a value
        (float(np.float32(0.1)), 0.1),
        (0.1, 0.1),
        (998_665_611.0, 998_665_611.0),
        (float(np.float32(1e9) + 64), 1_000_000_064.0),
        (np.nan, None),
        (np.inf, None),
        (pd.NaT, None),
        (pd.NA, None),
        (None, None),
        (pd.Timestamp("2019-08-28 07:00"), "2019-08-28T07:00:00"),
        ([np.int32(1), "x"], [1, "x"]),
        ({1: np.nan}, {"1": None}),
        (np.array([1.5]), [1.5]),
        ("<script>", "<script>"),
        ("half \ud800", r"half \ud800"),
        ({"\udcff": 1}, {r"\udcff": 1}),
    ],
    ids=repr,
)
def test_values_are_plain_json(value: object, message: object) -> None:
    assert plain(value) == message
    json.dumps(plain(value), allow_nan=False)


class Long(list[int]):
    """A list that raises an error if more items are read than returned."""

    def __iter__(self) -> Iterator[int]:
        yield from range(200)
        raise AssertionError


def test_a_long_list_is_not_copied() -> None:
    assert plain(Long()) == list(range(200))


def test_long_and_nested_values_are_cut() -> None:
    assert plain("a" * (MOST_TEXT + 5)) == "a" * MOST_TEXT + "... (5 more characters)"
    assert len(plain(list(range(10**5)))) == 200
    deep: list[object] = []
    for _ in range(50):
        deep = [deep]
    assert len(json.dumps(plain(deep))) < 200
