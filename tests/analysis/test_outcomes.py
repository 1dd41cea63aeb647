import numpy as np
import pandas as pd
import pytest

from memopolis.analysis.outcomes import Outcome, read_outcomes
from memopolis.sim.errors import UnknownNameError

DECLARED = [
    {"name": "gini", "of": "mean", "chart": "Inequality"},
    {"name": "births", "of": "sum", "chart": "People"},
    {"name": "quiet", "of": "mean", "chart": ""},
]


def test_flows_count_in_all_and_everything_else_at_the_end() -> None:
    assert read_outcomes([], DECLARED, title="Town") == [
        Outcome("gini", "gini", "end"),
        Outcome("births", "births", "sum"),
    ]


def test_ways_and_groups_can_be_named() -> None:
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
    assert Outcome("x", "x", way).of(pd.Series([1.0, np.nan, 4.0])) == value


def test_no_steps_give_no_number() -> None:
    for way in ("end", "mean", "sum"):
        assert np.isnan(Outcome("x", "x", way).of(pd.Series([], dtype=float)))
        assert np.isnan(Outcome("x", "x", way).of(pd.Series([np.nan, np.nan])))
