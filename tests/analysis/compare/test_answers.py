"""Distances between the answers of agents that were asked in different ways."""

import numpy as np
import pandas as pd
import pytest

from memopolis.analysis.compare.answers import (
    RESAMPLED,
    STATISTICS,
    compare_answers,
    js_distance,
    summarize_answers,
)
from memopolis.sim.errors import ParameterError


def ratings(alone: list[float], other: list[float], **changes: object) -> pd.DataFrame:
    """Answers of as many agents to one question from 0 to 10."""
    columns = {
        "question": "attitude",
        "about": "",
        "form": "rating",
        "low": 0.0,
        "high": 10.0,
        "options": "",
        "agent": np.arange(len(alone)),
        "individual": alone,
        "other": other,
    }
    return pd.DataFrame(columns | changes)


def row(frame: pd.DataFrame, method: str = "other", **options: int) -> dict[str, float]:
    table = compare_answers(frame, ["other"], **options)  # type: ignore[arg-type]
    (one,) = table[table["method"] == method].to_dict("records")
    return {str(name): value for name, value in one.items()}


def test_distance_of_known_distributions() -> None:
    p = np.array([[1.0, 0.0], [1.0, 0.0], [0.5, 0.5]])
    q = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    # Divergence of (1/2, 1/2) and (1, 0): h(3/4) - h(1/2) / 2 = 0.8113 - 0.5.
    np.testing.assert_allclose(js_distance(p, q), [0, 1, np.sqrt(0.311278)], atol=1e-6)


def test_equal_answers_have_no_distance() -> None:
    values = [0.0, 2.5, 5.0, 10.0, 7.0]
    result = row(ratings(values, values))
    assert (result["js_distance"], result["same"], result["off"]) == (0, 1, 0)
    assert (result["mean_difference"], result["spread_difference"]) == (0, 0)
    assert (result["js_distance_low"], result["js_distance_high"]) == (0, 0)


def test_statistics_of_ratings() -> None:
    result = row(ratings([2.0, 4.0, 6.0, 8.0], [3.0, 5.0, 5.0, 3.0]))
    assert result["mean_difference"] == pytest.approx(-1)
    assert result["off"] == pytest.approx((1 + 1 + 1 + 5) / 4)
    assert result["spread_difference"] == pytest.approx(1 - np.std([2, 4, 6, 8]))
    assert result["same"] == 0
    assert result["mean_difference_low"] < -1 < result["mean_difference_high"]


def test_choices_have_no_mean() -> None:
    frame = ratings([0, 0, 1, 1], [0, 1, 1, 1], form="choice", options="stay|go", low=np.nan)
    result = row(frame)
    assert result["same"] == 0.75
    assert result["js_distance"] > 0.1
    assert np.isnan(result["mean_difference"])
    summary = summarize_answers(frame, ["individual", "other"]).set_index("method")
    assert summary.loc["other", "most_frequent"] == "go"
    assert summary.loc["other", "share"] == 0.75


def test_only_pairs_of_valid_answers_count() -> None:
    frame = ratings([1.0, np.nan, 3.0, 4.0], [1.0, 2.0, np.nan, 4.0])
    assert row(frame)["pairs"] == 2
    summary = summarize_answers(frame, ["individual", "other"]).set_index("method")
    assert list(summary["valid"]) == [0.75, 0.75]
    nothing = row(ratings([np.nan, np.nan], [1.0, 2.0]))
    assert nothing["pairs"] == 0
    assert np.isnan(nothing["js_distance"])


def test_the_bootstrap_draws_agents_with_all_of_their_answers() -> None:
    # One agent answers a hundred times: as many rows, but the agents' spread is that of two.
    alone, other = [0.0] * 101, [0.0] * 100 + [10.0]
    result = row(ratings(alone, other, agent=[0] * 100 + [1]))
    assert (result["agents"], result["pairs"]) == (2, 101)
    assert result["mean_difference"] == pytest.approx(10 / 101)
    assert (result["mean_difference_low"], result["mean_difference_high"]) == (0, 10)


def test_intervals_cover_the_true_difference() -> None:
    covered = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        alone = rng.normal(5, 1, 40)
        result = row(ratings(alone, alone + rng.normal(0.5, 1, 40)), resamples=300)  # type: ignore[arg-type]
        covered.append(result["mean_difference_low"] < 0.5 < result["mean_difference_high"])
    assert 0.85 <= np.mean(covered) <= 1


def test_resampled_answers_show_the_distance_of_sampling() -> None:
    rng = np.random.default_rng(3)
    floors = [
        row(ratings(list(rng.uniform(0, 10, n)), [0.0] * n), RESAMPLED)["js_distance"]
        for n in (20, 2_000)
    ]
    assert floors[0] > 0.2
    assert floors[1] < 0.06


def test_questions_are_named_by_kind_and_topic() -> None:
    both = [ratings([1.0, 2.0], [1.0, 2.0], about=about) for about in ("", "trust")]
    table = compare_answers(pd.concat(both), ["other"])
    assert list(table["question"]) == ["attitude"] * 2 + ["attitude: trust"] * 2
    assert {f"{name}_low" for name in STATISTICS} <= {*table.columns}


def test_a_confidence_out_of_range_is_refused() -> None:
    with pytest.raises(ParameterError, match="between 0 and 1"):
        compare_answers(ratings([1.0], [1.0]), ["other"], confidence=95)
