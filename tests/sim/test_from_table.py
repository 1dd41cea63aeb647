"""Start values from the column of a table: its rows, its weights, and what belongs together."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from memopolis.sim.distributions import FromTable
from memopolis.sim.errors import DataFileError, ParameterError, UnknownNameError
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.status.schema import Schema

MANY = 20_000


def drawn(distribution: FromTable, agents: int = MANY, seed: int = 1) -> Any:
    schema = Schema()
    schema.declare("x", distribution)
    return Memory(agents, schema=schema, seed=seed).status["x"]


def share_of(mask: Any) -> float:
    return float(np.mean(mask))


def test_a_table_is_drawn_from_by_row_and_by_weight(tmp_path: Path) -> None:
    table = pd.DataFrame({"age": [20, 40, None, 60], "people": [1, 2, 50, 1]})
    equal = drawn(FromTable(table, "age"))
    assert sorted(set(equal.tolist())) == [20, 40, 60]
    assert share_of(equal == 40) == pytest.approx(1 / 3, abs=0.015)
    assert share_of(drawn(FromTable(table, "age", weights="people")) == 40) == pytest.approx(
        0.5, abs=0.015
    )
    table.to_parquet(tmp_path / "ages.parquet")
    again = drawn(FromTable(tmp_path / "ages.parquet", "age"))
    assert again.tolist() == equal.tolist()


def test_columns_of_one_row_are_drawn_together() -> None:
    table = pd.DataFrame({"job": ["cook", "smith", "clerk"], "pay": [10, 20, 30]})
    schema = Schema()
    schema.declare("job", FromTable(table, "job", together="person"))
    schema.declare("pay", FromTable(table, "pay", together="person"))
    schema.declare("other", FromTable(table, "pay"))
    status = Memory(200, schema=schema).of(np.arange(200)).status
    pay_of = {"cook": 10, "smith": 20, "clerk": 30}
    assert [pay_of[job] for job in status["job"]] == status["pay"].tolist()
    assert status["other"].tolist() != status["pay"].tolist()


def test_a_missing_table_or_column_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="no column 'b'; there are: a"):
        FromTable(pd.DataFrame({"a": [1]}), "b")
    with pytest.raises(DataFileError, match=r"nowhere\.csv: no such file"):
        FromTable("nowhere.csv", "a")


def test_an_empty_table_is_refused() -> None:
    with pytest.raises(ParameterError, match="column a: all cells are empty"):
        FromTable(pd.DataFrame({"a": [None]}), "a")
    with pytest.raises(ParameterError, match="of one type, got int, str"):
        FromTable(pd.DataFrame({"a": [1, "x"]}), "a")
    for weights in ([-1, 1], [0, 0], ["much", 1]):
        with pytest.raises(ParameterError, match="column w: weights must be numbers of at least 0"):
            FromTable(pd.DataFrame({"a": [1, 2], "w": weights}), "a", weights="w")
