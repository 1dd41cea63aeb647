"""Facts of polarization on hand-made tables, with numbers worked out by hand."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.analysis.facts.hand_made import HandMade, panel

from memopolis.analysis.facts.fact import judge_arms
from memopolis.analysis.facts.polarization import (
    FACTS,
    activity,
    cut_exposure,
    echo_chambers,
    model_facts_table,
    null_arms,
    other_side,
    persistence,
    sorting,
    stability,
    start_shares,
    treatments_of_feeds,
)
from memopolis.analysis.metrics.persistence import correlate_answers

ARMS = (
    "control", "echo", "cross", "random", "neutral", "none", "flat feed", "cut", "symmetric",
    "no feed", "full cut", "counter",
)  # fmt: skip


def run(
    *,
    variance: float = 4.0,
    extreme: float = 0.3,
    follows: tuple[float, float] = (-0.2, -0.5),
    like: int = 6,
    attitudes: tuple[tuple[float, float], ...] = ((8.0, 8.0), (2.0, 2.0)),
    democrats: float = 7.0,
    party_gap: float = 4.0,
    posted: tuple[tuple[int, int], ...] = ((1, 1), (0, 0)),
) -> Any:
    bureau: Any = {
        "variance": [[4.0, variance]],
        "extreme_share": [[0.3, extreme]],
        "ei_follows": [list(follows)],
        "party_gap": [[4.0, party_gap]],
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
        "posted": [list(posts) for posts in posted],
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
    # Two days, so half a run is one day; answers have the error of the survey: 9 / (9 + 1.05^2).
    repeated = same.pop("correlation of answers, half a run apart")
    assert repeated == (pytest.approx(9 / (9 + 1.05**2)), True)
    assert all(holds for _, holds in same.values())
    moved = numbers(stability(arms(control=run(variance=3.0, attitudes=((8.0, 4.0), (2.0, 2.0))))))
    assert moved["change of the share of Democrats above 5"] == (-1.0, False)
    assert moved["change of the share of Republicans above 5"] == (0.0, True)
    assert moved["change of the variance of all"] == (-0.25, False)


def test_correlations_fall_with_time_and_with_the_error_of_answers() -> None:
    paths = pd.DataFrame([[2.0, 2.0, 4.0], [8.0, 8.0, 6.0]])
    assert correlate_answers(paths, days=1) == pytest.approx(1)
    # Variances 9, 9 and 1; covariances 9 and 3, each over 1 more by error.
    expected = (9 / 10 + 3 / (10 * 2) ** 0.5) / 2
    assert correlate_answers(paths, days=1, error=1.0) == pytest.approx(expected)
    assert np.isnan(correlate_answers(paths, days=3))
    crossing = run(attitudes=((8.0, 4.0), (2.0, 2.0)))
    result = numbers(persistence(arms(control=crossing)))
    assert result["share that ever crosses the middle"] == (0.5, False)
    assert result["change of an attitude in a day, mean"][0] == 2.0
    assert numbers(persistence(arms()))["share that ever crosses the middle"] == (0.0, True)


def test_posts_are_counted_over_the_run() -> None:
    result = numbers(activity(arms()))
    assert result["share that never posts"] == (0.5, False)
    assert result["share of posts by the most active tenth"] == (1.0, False)


def test_treatments_of_the_feed_are_compared_with_control() -> None:
    changed = arms(**{"no feed": run(party_gap=3.8), "flat feed": run(party_gap=3.8)})
    result = numbers(treatments_of_feeds(changed))
    # 0.2 points are a tenth of a standard deviation of 2.
    strong = result["gap between parties, no feed minus control"]
    weak = result["gap between parties, flat feed minus control"]
    assert strong == (pytest.approx(-0.1), True)
    assert weak == (pytest.approx(-0.1), False)
    assert result["gap between parties, cut minus control"] == (0.0, True)
    assert numbers(treatments_of_feeds(arms()))["gap between parties, no feed minus control"] == (
        0.0,
        False,
    )


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
