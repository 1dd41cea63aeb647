"""Facts of polarization on hand-made tables, with numbers worked out by hand."""

from typing import Any

import pandas as pd
import pytest
from tests.analysis.facts.hand_made import HandMade, panel

from memopolis.analysis.facts.fact import judge_arms
from memopolis.analysis.facts.polarization import (
    FACTS,
    cut_exposure,
    echo_chambers,
    model_facts_table,
    null_arms,
    other_side,
    sorting,
    stability,
    start_shares,
)

ARMS = ("control", "echo", "cross", "random", "neutral", "none", "flat feed", "cut", "symmetric")


def run(
    *,
    variance: float = 4.0,
    extreme: float = 0.3,
    follows: tuple[float, float] = (-0.2, -0.5),
    like: int = 6,
    attitudes: tuple[tuple[float, float], ...] = ((8.0, 8.0), (2.0, 2.0)),
    democrats: float = 7.0,
) -> Any:
    bureau: Any = {
        "variance": [[4.0, variance]],
        "extreme_share": [[0.3, extreme]],
        "ei_follows": [list(follows)],
        "party_gap": [[4.0, 4.0]],
        "warmth": [[30.0, 31.0]],
        "mean": [[5.5, 5.5]],
        "mean_democrat": [[7.0, democrats]],
        "mean_republican": [[3.0, 3.0]],
        "left_right": [[5.0, 5.0]],
    }
    people: Any = {
        "party": [["Democrat"] * 2, ["Republican"] * 2],
        "race": [["white"] * 2, ["black"] * 2],
        "age": [[30, 30], [40, 40]],
        "attitude.gun_control": [list(path) for path in attitudes],
        "read": [[10, 10], [10, 10]],
        "read_like": [[like, like], [like, like]],
    }
    return HandMade({"agents_statistics_bureau": panel(bureau), "agents_citizen": panel(people)})


def arms(**changed: Any) -> dict[str, Any]:
    same = {arm: run() for arm in ARMS}
    return {**same, "flat feed": run(follows=(-0.2, -0.2)), "cut": run(like=4), **changed}


def numbers(fact: Any) -> dict[str, Any]:
    judged = fact.values  # noqa: PD011 - no DataFrame
    return {value.what: (value.value, value.passes) for value in judged}


def test_shares_at_the_start_are_counted_by_party() -> None:
    result = numbers(start_shares(arms()))
    assert result["share of Democrats above 5"] == (1.0, False)
    assert result["share of Republicans above 5"] == (0.0, False)
    assert result["share of all above 5"] == (0.5, False)


def test_the_echo_effect_is_a_difference_between_arms() -> None:
    result = numbers(echo_chambers(arms(echo=run(variance=5.0, extreme=0.4))))
    assert result["variance, echo minus control"] == (1.0, True)
    assert result["extreme share, echo minus control"] == (pytest.approx(0.1), True)
    same = numbers(echo_chambers(arms()))
    assert same["variance, echo minus control"] == (0.0, False)
    assert same["variance, cross minus control"] == (0.0, None)  # listed without a tolerance


def test_sorting_is_compared_with_an_unranked_feed() -> None:
    result = numbers(sorting(arms()))
    assert result["change of the E-I index of follows"] == (pytest.approx(-0.3), True)
    assert result["change minus that with a feed that does not rank"] == (pytest.approx(-0.3), True)
    flat = numbers(sorting(arms(control=run(follows=(-0.2, -0.2)))))
    assert flat["change of the E-I index of follows"] == (0.0, False)


def test_the_other_side_may_move_opinions_only_a_little() -> None:
    same = numbers(other_side(arms()))
    assert same["mean of Democrats, cross minus control"] == (0.0, True)
    moved = numbers(other_side(arms(cross=run(democrats=6.5))))
    assert moved["mean of Democrats, cross minus control"] == (-0.5, False)
    assert moved["mean of Republicans, cross minus control"] == (0.0, True)
    assert moved["warmth, cross minus control"] == (0.0, True)


def test_opinions_that_contract_or_cross_over_are_found() -> None:
    same = numbers(stability(arms()))
    repeated = same.pop("correlation of attitudes, middle and end")
    assert repeated == (pytest.approx(1.0), False)  # opinions that never vary are no opinions
    assert all(holds for _, holds in same.values())
    moved = numbers(stability(arms(control=run(variance=3.0, attitudes=((8.0, 4.0), (2.0, 2.0))))))
    assert moved["change of the share of Democrats above 5"] == (-1.0, False)
    assert moved["change of the share of Republicans above 5"] == (0.0, True)
    assert moved["change of the variance of all"] == (-0.25, False)


def test_a_cut_reduces_like_minded_messages() -> None:
    result = numbers(cut_exposure(arms()))
    what = "like-minded share of what is read, cut minus control"
    assert result[what] == (pytest.approx(-0.2), True)


def test_null_arms_pass_and_an_effect_fails() -> None:
    assert all(holds for _, holds in numbers(null_arms(arms())).values())
    moved = numbers(null_arms(arms(none=run(attitudes=((8.0, 8.5), (2.0, 2.0))))))
    assert moved["largest change of an attitude without talk"] == (0.5, False)
    tilted = numbers(null_arms(arms(symmetric=run(democrats=7.4))))
    assert tilted["sum of both parties' distance from 5, mirrored parties"][1] is False
    assert tilted["its change since the first day"] == (pytest.approx(0.4), False)


def test_the_table_has_every_number_over_seeds() -> None:
    one, other = arms(echo=run(variance=5.0)), arms(echo=run(variance=6.0))
    table = judge_arms({arm: [one[arm], other[arm]] for arm in ARMS}, FACTS)
    assert len(table) == sum(len(fact(one).values) for fact in FACTS)
    echo = table[table["what"] == "variance, echo minus control"].iloc[0]
    assert (echo["mean"], echo["seeds"], echo["holds"]) == (1.5, 2, True)
    assert not echo["surely"]  # two seeds, 1 and 2: the interval is wide


def test_models_are_checked_by_case_over_seeds() -> None:
    table = pd.DataFrame(
        {
            "case": ["bound .3", "bound .3", "bound .1"],
            "low": [0.5, 0.5, 4.0],
            "high": [1.5, 1.5, 5.0],
            "measured": [1.0, 1.0, 7.0],
            "seed": [1, 2, 1],
        }
    )
    judged = model_facts_table({"P-P1": table})
    assert list(judged["what"]) == ["bound .3", "bound .1"]
    assert list(judged["holds"]) == [True, False]
    assert list(judged["seeds"]) == [2, 1]
