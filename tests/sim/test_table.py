"""One table: its columns of texts, however many texts there are."""

from pathlib import Path

import numpy as np

from memopolis.analysis.tables import read_table
from memopolis.sim.table import Coded, Table

MANY = 40_000
"""More texts than a number of 16 bits can tell apart."""


def test_a_column_may_have_many_texts(tmp_path: Path) -> None:
    table = Table(tmp_path, "reasons")
    table.append(2, {"reason": Coded(np.array([1, 0]), ("so", "hence"))})
    table.flush()
    labels = tuple(f"because of {n}" for n in range(MANY))
    table.append(MANY, {"reason": Coded(np.arange(MANY), labels)})
    table.flush()
    read = read_table(tmp_path, "reasons")["reason"].to_pylist()
    assert read == ["hence", "so", *labels]
