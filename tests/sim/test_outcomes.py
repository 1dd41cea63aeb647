from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from memopolis.sim.errors import RunFolderError, UnknownNameError
from memopolis.sim.outcomes import Outcome, read, read_outcomes

DECLARED = [
    {"name": "gini", "of": "mean", "chart": "Inequality"},
    {"name": "births", "of": "sum", "chart": "People"},
    {"name": "quiet", "of": "mean", "chart": ""},
]


def test_flows_are_summed_and_other_measures_taken_at_the_end() -> None:
    assert read_outcomes([], DECLARED, title="Town") == [
        Outcome("gini", "gini", "end"),
        Outcome("births", "births", "sum"),
    ]


def test_aggregation_and_group_can_be_named() -> None:
    assert read_outcomes(
        ["quiet@mean", " births@end", "gini[north]@mean"], DECLARED, title="T"
    ) == [
        Outcome("quiet@mean", "quiet", "mean"),
        Outcome("births@end", "births", "end"),
        Outcome("gini[north]@mean", "gini", "mean", "north"),
    ]


def test_an_unknown_outcome_is_refused() -> None:
    with pytest.raises(UnknownNameError, match=r"Town has no measure 'ginni'.*did you mean gini"):
        read_outcomes(["ginni"], DECLARED, title="Town")
    with pytest.raises(UnknownNameError, match="@end, @mean, @sum"):
        read_outcomes(["gini@median"], DECLARED, title="Town")


@pytest.mark.parametrize(("way", "value"), [("end", 4.0), ("mean", 2.5), ("sum", 5.0)])
def test_steps_become_one_number(way: str, value: float) -> None:
    assert Outcome("x", "x", way).of(np.array([1.0, np.nan, 4.0])) == value


def test_no_steps_give_no_number() -> None:
    for way in ("end", "mean", "sum"):
        assert np.isnan(Outcome("x", "x", way).of(np.array([], float)))
        assert np.isnan(Outcome("x", "x", way).of(np.array([np.nan, np.nan])))


GINI = Outcome("gini", "gini", "end")
NORTH = Outcome("gini[north]@mean", "gini", "mean", "north")
BIRTHS = Outcome("births", "births", "sum")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A table of measures in two parts, the later steps first."""
    folder = tmp_path / "tables" / "measures"
    folder.mkdir(parents=True)
    parts = (
        [(2, "gini", "", 0.5), (2, "births", "", 4.0), (2, "gini", "north", np.nan)],
        [
            (1, "gini", "", 0.4),
            (1, "births", "", 1.0),
            (0, "births", "", 2.0),
            (1, "gini", "north", 0.3),
            (0, "gini", "north", 0.1),
        ],
    )
    for number, rows in enumerate(parts):
        columns = dict(
            zip(("tick", "measure", "group", "value"), zip(*rows, strict=True), strict=True)
        )
        pq.write_table(
            pa.table({name: list(column) for name, column in columns.items()}),
            folder / f"part-{number:05d}.parquet",
        )
    return tmp_path


def test_outcomes_of_a_folder_follow_the_order_of_steps(run: Path) -> None:
    assert read(run, [GINI, NORTH, BIRTHS]) == {
        "gini": 0.5,
        "gini[north]@mean": pytest.approx(0.2),
        "births": 7.0,
    }
    assert GINI.measured(run) == 0.5
    assert read(run, []) == {}


def test_an_outcome_can_be_the_value_after_one_step(run: Path) -> None:
    names = ["gini[north]@step=1", "gini@step=0", "births@step=2"]
    outcomes = read_outcomes(names, DECLARED, title="T")
    values = read(run, outcomes)
    assert values["gini[north]@step=1"] == 0.3
    assert np.isnan(values["gini@step=0"])  # not measured in that step
    assert values["births@step=2"] == 4.0
    with pytest.raises(UnknownNameError, match="or @step=N"):
        read_outcomes(["gini@step=-1"], DECLARED, title="T")


def test_an_empty_group_has_no_value(run: Path) -> None:
    assert np.isnan(Outcome("gini[south]", "gini", "end", "south").measured(run))


def test_a_measure_that_was_not_recorded_is_reported(run: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="no measure 'deaths'; it has births, gini"):
        Outcome("deaths", "deaths", "sum").measured(run)
    with pytest.raises(UnknownNameError, match="no table 'measures'"):
        GINI.measured(tmp_path / "nothing")


def test_a_broken_table_is_reported(run: Path) -> None:
    (run / "tables" / "measures" / "part-00001.parquet").write_bytes(b"broken")
    with pytest.raises(RunFolderError, match=r"'measures' of .* is broken"):
        read(run, [GINI])
