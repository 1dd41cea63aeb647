"""Dispositions stay in distribution, return to what is settled, and fade with their half-life."""

import numpy as np
import pytest

from memopolis import Polarization
from memopolis.scenarios.polarization.dispositions import (
    FARTHEST,
    compute_settled_share,
    find_dispositions,
    measure_strength,
    rank_attitudes,
    renew,
    settle,
)

PEOPLE = 40_000


@pytest.mark.parametrize("unit", [1.0, 10.0])
def test_ranks_and_attitudes_are_inverse(unit: float) -> None:
    held = unit * np.array([0.5, 3.8, 5.0, 8.5])
    mean, sd, scale = np.full(4, 3.8 * unit), np.full(4, 2.15 * unit), 10 * unit
    rank = rank_attitudes(held, mean, sd, scale=scale)
    assert find_dispositions(rank, mean, sd, scale=scale) == pytest.approx(held)
    ends = rank_attitudes(np.array([0.0, scale]), mean[:2], sd[:2], scale=scale)
    assert ends.tolist() == [-FARTHEST, FARTHEST]


def test_settled_parts_and_considerations_are_independent_and_sum_to_the_rank() -> None:
    rng = np.random.default_rng(1)
    rank, share = rng.standard_normal(PEOPLE), np.full(PEOPLE, 0.4)
    settled = settle(rank, rng.standard_normal(PEOPLE), share)
    assert settled.var() == pytest.approx(0.4, rel=0.03)
    assert (rank - settled).var() == pytest.approx(0.6, rel=0.03)
    assert np.corrcoef(settled, rank - settled)[0, 1] == pytest.approx(0, abs=0.02)
    assert settle(rank, rng.standard_normal(PEOPLE), np.ones(PEOPLE)) == pytest.approx(rank)


def test_considerations_fade_and_keep_their_variance() -> None:
    rng = np.random.default_rng(2)
    share = np.full(PEOPLE, 0.4)
    start = now = np.sqrt(0.6) * rng.standard_normal(PEOPLE)
    for _ in range(10):
        now = renew(now, rng.standard_normal(PEOPLE), kept=0.9, share=share)
    assert now.var() == pytest.approx(0.6, rel=0.03)
    assert np.corrcoef(start, now)[0, 1] == pytest.approx(0.9**10, abs=0.02)


def test_strong_partisans_have_more_settled_attitudes() -> None:
    strength = measure_strength([0, 1, 2, 3, 4, 5, 6])
    assert strength == pytest.approx([1, 2 / 3, 1 / 3, 0, 1 / 3, 2 / 3, 1])
    share = compute_settled_share(strength, least=0.3, most=0.6)
    assert share[[3, 0, 6]] == pytest.approx([0.3, 0.6, 0.6])


@pytest.fixture(scope="module")
def month() -> tuple[Polarization, np.ndarray]:
    """A society and the attitudes at the start and after each of 28 days."""
    society = Polarization(agents=400, days=28, rng=2)
    held = [society.population("citizen")["attitude.gun_control"].copy()]
    for _ in range(28):
        society.step()
        held.append(society.population("citizen")["attitude.gun_control"].copy())
    return society, np.array(held, np.float64)


def correlate(held: np.ndarray, days: int) -> float:
    pairs = zip(held[1:-days], held[1 + days :], strict=True)
    return float(np.mean([np.corrcoef(now, later)[0, 1] for now, later in pairs]))


def test_attitudes_change_little_in_a_day_and_more_over_weeks(
    month: tuple[Polarization, np.ndarray],
) -> None:
    held = month[1]
    day, week, weeks = (correlate(held, days) for days in (1, 7, 26))
    assert day > 0.99
    assert day > week > weeks
    assert weeks < 0.97
    assert np.abs(np.diff(held[1:], axis=0)).mean() < 0.2
    assert held[-1].var() == pytest.approx(held[0].var(), rel=0.12)


def test_thermometers_change_like_attitudes_and_keep_their_means() -> None:
    society = Polarization(agents=400, days=28, rng=2)
    people = society.population("citizen")
    names = ("warmth", "in_warmth")
    start = {name: people[name].copy() for name in names}
    for _ in range(28):
        society.step()
    sided = people["side"] != 0
    for name in names:
        before, after = start[name][sided], people[name][sided]
        assert 0.7 < np.corrcoef(before, after)[0, 1] < 0.98
        assert after.mean() == pytest.approx(before.mean(), abs=3)
        assert (people[name][~sided] == start[name][~sided]).all()


def test_strong_partisans_change_less(month: tuple[Polarization, np.ndarray]) -> None:
    society, held = month
    strength = measure_strength(society.population("citizen")["pid"])
    block = next(
        b for b in society.population("citizen").blocks if type(b).__name__ == "UpdateAttitudes"
    )
    considerations = vars(block)["considerations"]
    spread = [np.nanvar(considerations[0][strength == s]) for s in (1.0, 1 / 3)]
    assert spread[0] < spread[1]
    assert (
        np.abs(held[-1] - held[1])[strength == 1].mean()
        < np.abs(held[-1] - held[1])[strength < 0.5].mean()
    )


def test_dispositions_do_not_depend_on_threads_or_on_who_else_lives() -> None:
    def end(agents: int) -> np.ndarray:
        society = Polarization(agents=agents, days=1, rng=3, feed={"size": 0})
        society.step()
        block = next(
            b for b in society.population("citizen").blocks if type(b).__name__ == "UpdateAttitudes"
        )
        return np.asarray(vars(block)["settled"][0])

    few, more = end(60), end(61)
    both = ~np.isnan(few) & ~np.isnan(more[:60])
    assert both.any()
    assert few[both] == pytest.approx(more[:60][both])
