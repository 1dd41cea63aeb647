import numpy as np
import pytest

from memopolis.sim.errors import UnknownNameError
from memopolis.sim.outcomes import Outcome, read_outcomes

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
    assert Outcome("x", "x", way).of(np.array([1.0, np.nan, 4.0])) == value


def test_no_steps_give_no_number() -> None:
    for way in ("end", "mean", "sum"):
        assert np.isnan(Outcome("x", "x", way).of(np.array([], float)))
        assert np.isnan(Outcome("x", "x", way).of(np.array([np.nan, np.nan])))
