"""Rows of two tables are paired by key, and every kind of value is compared."""

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memopolis.analysis.compare.row_pairs import Pairs, pairs_of


def table(**columns: Any) -> pa.Table:
    return pa.table(columns)


def keyed(pairs: Pairs, name: str = "key") -> list[tuple[Any, Any, bool]]:
    """Key in A and in B (None for none), and whether the pair differs."""
    values = pairs.joint[name].to_pylist()
    sides = [[None if row < 0 else values[row] for row in rows] for rows in (pairs.a, pairs.b)]
    return list(zip(*sides, pairs.differ.tolist(), strict=True))


def test_rows_are_paired_by_key_in_any_order() -> None:
    a = table(key=[1, 2, 3], value=[0.1, 0.2, 0.3])
    b = table(key=[3, 4, 1], value=[0.3, 0.4, 9.0])
    assert keyed(pairs_of(a, b, ["key"])) == [
        (1, 1, True),
        (3, 3, False),
        (2, None, True),
        (None, 4, True),
    ]


def test_rows_with_equal_keys_are_paired_in_order() -> None:
    a = table(key=["x", "x", "y"], value=[1, 2, 3])
    b = table(key=["y", "x", "x", "x"], value=[3, 1, 5, 7])
    assert keyed(pairs_of(a, b, ["key"])) == [
        ("x", "x", False),
        ("x", "x", True),
        ("y", "y", False),
        (None, "x", True),
    ]


def test_rows_without_a_key_are_paired_by_position() -> None:
    pairs = pairs_of(table(key=[1, 2, 3]), table(key=[1, 5]), [])
    assert keyed(pairs) == [(1, 1, False), (2, 5, True), (3, None, True)]


@pytest.mark.parametrize(
    ("one", "other", "differ"),
    [
        ([1.0, float("nan"), 2.0], [1.0, float("nan"), float("nan")], [False, False, True]),
        ([1, None, 3], [1, None, None], [False, False, True]),
        (["a", None, "c"], ["a", None, "d"], [False, False, True]),
        ([True, False, True], [True, True, True], [False, True, False]),
        ([[1], [1, 2], []], [[1], [2, 1], [0]], [False, True, True]),
        ([[], [], [7]], [[], [], [7]], [False, False, False]),
        ([1, 2, 3], ["1", "2", "4"], [False, False, True]),
    ],
)
def test_values_of_every_kind_are_compared(
    one: list[Any], other: list[Any], differ: list[bool]
) -> None:
    keys = [1, 2, 3]
    pairs = pairs_of(table(key=keys, value=one), table(key=keys, value=other), ["key"])
    assert pairs.changed["value"].tolist() == differ


def test_dictionary_texts_equal_plain_texts() -> None:
    plain = pa.array(["b", "a", "b"])
    coded = pa.array(["b", "a", "c"]).dictionary_encode()
    pairs = pairs_of(table(key=[1, 2, 3], t=plain), table(key=[1, 2, 3], t=coded), ["key"])
    assert pairs.changed["t"].tolist() == [False, False, True]


def test_a_column_of_one_table_differs_where_it_has_values() -> None:
    pairs = pairs_of(table(key=[1, 2]), table(key=[1, 2], more=[None, 5]), ["key"])
    assert pairs.changed["more"].tolist() == [False, True]


ROWS = st.lists(st.tuples(st.integers(0, 3), st.sampled_from("xyz"), st.integers(0, 2)), max_size=9)


@given(ROWS, ROWS)
@settings(max_examples=60, deadline=None)
def test_pairs_equal_a_pandas_merge(
    one: list[tuple[int, str, int]], other: list[tuple[int, str, int]]
) -> None:
    names = ["tick", "who", "value"]
    frames = [pd.DataFrame(rows, columns=names) for rows in (one, other)]
    for frame in frames:
        frame["nth"] = frame.groupby(["tick", "who"]).cumcount()
    merged = frames[0].merge(frames[1], on=["tick", "who", "nth"], how="outer")
    same = int((merged["value_x"] == merged["value_y"]).sum())
    schema = pa.schema([("tick", pa.int32()), ("who", pa.string()), ("value", pa.int32())])
    tables = [pa.Table.from_pandas(frame[names], schema=schema) for frame in frames]
    pairs = pairs_of(tables[0], tables[1], ["tick", "who"])
    assert len(pairs.a) == len(merged)
    assert int((~pairs.differ).sum()) == same
    for rows, count, first in ((pairs.a, len(one), 0), (pairs.b, len(other), len(one))):
        assert sorted(rows[rows >= 0]) == list(np.arange(first, first + count))
