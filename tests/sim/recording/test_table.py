"""One table: its columns of texts, however many texts there are."""

from pathlib import Path

import numpy as np

from memopolis.analysis.run.reader import TableReader
from memopolis.sim.recording.table import Coded, Lists, Table

MANY = 40_000
"""More texts than 16-bit numbers can represent."""


def test_a_column_may_have_many_texts(tmp_path: Path) -> None:
    table = Table(tmp_path, "reasons")
    table.append(2, {"reason": Coded(np.array([1, 0]), ("so", "hence"))})
    table.flush()
    labels = tuple(f"because of {n}" for n in range(MANY))
    table.append(MANY, {"reason": Coded(np.arange(MANY), labels)})
    table.flush()
    read = TableReader(tmp_path).read("reasons")["reason"].to_pylist()
    assert read == ["hence", "so", *labels]


def waiting_table(folder: Path) -> Table:
    table = Table(folder, "rows")
    for tick in range(3):
        agents = np.array([7, 8], np.int32)
        table.append(
            2,
            {
                "tick": np.full(2, tick, np.int32),
                "agent": agents,
                "mood": Coded(np.array([tick % 2, 0]), ("calm", "tense")),
                "evidence": Lists(
                    np.array([tick, 1], np.int32), np.arange(tick + 1, dtype=np.int32)
                ),
            },
        )
    return table


def test_buffered_rows_equal_the_part_written_later(tmp_path: Path) -> None:
    table = waiting_table(tmp_path)
    waiting = table.waiting().rows()
    assert list((tmp_path / "tables").glob("*/*")) == []
    table.flush()
    assert waiting.equals(TableReader(tmp_path).read("rows"))
    assert table.waiting().columns == ()


def test_buffered_rows_keep_their_values(tmp_path: Path) -> None:
    table = waiting_table(tmp_path)
    waiting = table.waiting()
    before = waiting.rows()
    table.append(
        1,
        {
            "tick": np.array([3], np.int32),
            "agent": np.array([7], np.int32),
            "mood": Coded(0, ("glad",)),
            "evidence": Lists(np.zeros(1, np.int32), np.zeros(0, np.int32)),
        },
    )
    table.flush()
    assert waiting.rows().equals(before)
    assert "glad" not in waiting.labels["mood"]


def test_buffered_rows_of_one_agent_are_found(tmp_path: Path) -> None:
    waiting = waiting_table(tmp_path).waiting()
    own = waiting.rows(["tick", "mood", "evidence"], agent=7).to_pydict()
    assert own == {
        "tick": [0, 1, 2],
        "mood": ["calm", "tense", "calm"],
        "evidence": [[], [0], [0, 1]],
    }
    assert waiting.rows(agent=8).to_pydict()["evidence"] == [[0], [1], [2]]
    no_rows = waiting.rows(agent=9)
    assert len(no_rows) == 0
    assert no_rows.schema.equals(waiting.rows().schema)
