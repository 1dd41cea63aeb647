"""A draw is a function of seed, purpose, row, tick and number, and of nothing else."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from memopolis.sim import chance_kernels
from memopolis.sim.chance import Chance, fresh_seed
from memopolis.sim.errors import ParameterError

MANY = np.arange(20_000)
ONES = 0xFFFFFFFF

rows_of_agents = hnp.arrays(np.int64, st.integers(0, 30), elements=st.integers(0, 2**31 - 1))
purposes = st.text(max_size=20)
ticks = st.integers(0, 100_000)


def philox(key: tuple[int, ...], counter: tuple[int, ...]) -> list[int]:
    words = [np.uint64(word) for word in (*key, *counter)]
    return [int(word) for word in chance_kernels.philox(*words)]


@pytest.mark.parametrize(
    ("key", "counter", "expected"),
    [
        ((0, 0), (0, 0, 0, 0), [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
        ((ONES, ONES), (ONES,) * 4, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
        (
            (0xA4093822, 0x299F31D0),
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
        ),
    ],
)
def test_philox_reproduces_published_values(
    key: tuple[int, ...], counter: tuple[int, ...], expected: list[int]
) -> None:
    assert philox(key, counter) == expected


def test_draws_equal_stored_values() -> None:
    drawn = Chance(7).uniform("needs", [0, 1, 2], tick=3, n=1)
    assert drawn.tolist() == Chance(7).uniform("needs", [0, 1, 2], 3, 1).tolist()
    key = Chance(7).key("needs")
    words = philox(key, (2, 3, 1, 0))
    assert drawn[2] == ((words[0] >> 5) * 2**26 + (words[1] >> 6)) / 2**53
    assert drawn[1] == chance_kernels.uniform_one(*key, 1, 3, 1)


@given(purposes, rows_of_agents, ticks, st.integers(0, 9))
def test_a_draw_depends_only_on_its_row(
    purpose: str, rows: NDArray[np.int64], tick: int, n: int
) -> None:
    chance = Chance(11)
    together = chance.uniform(purpose, rows, tick, n)
    alone = [chance.uniform(purpose, [row], tick, n)[0] for row in rows.tolist()]
    assert together.tolist() == alone
    assert ((together >= 0) & (together < 1)).all()
    backwards = chance.uniform(purpose, rows[::-1], tick, n)
    assert np.array_equal(backwards[::-1], together)


def test_one_more_agent_leaves_the_draws_of_the_others() -> None:
    chance = Chance(5)
    for draw in (chance.uniform, chance.normal, chance.bits):
        few, more = draw("x", np.arange(100), 4), draw("x", np.arange(101), 4)
        assert np.array_equal(few, more[:100])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"purpose": "a"}, {"purpose": "b"}),
        ({"tick": 1}, {"tick": 2}),
        ({"n": 0}, {"n": 1}),
        ({"tick": 1, "n": 0}, {"tick": 0, "n": 1}),
    ],
)
def test_purposes_ticks_and_numbers_are_independent(
    one: dict[str, object], other: dict[str, object]
) -> None:
    chance = Chance(1)
    first, second = (
        chance.uniform(**{"purpose": "a", "rows": MANY, **named})  # type: ignore[arg-type]
        for named in (one, other)
    )
    assert abs(np.corrcoef(first, second)[0, 1]) < 4 / np.sqrt(len(MANY))
    assert not (first == second).any()


def test_neighbouring_seeds_and_rows_are_independent() -> None:
    first, second = (Chance(seed).uniform("a", MANY) for seed in (1, 2))
    assert abs(np.corrcoef(first, second)[0, 1]) < 4 / np.sqrt(len(MANY))
    assert abs(np.corrcoef(first[1:], first[:-1])[0, 1]) < 4 / np.sqrt(len(MANY))


def test_uniform_draws_fill_the_range_evenly() -> None:
    u = Chance(3).uniform("a", MANY)
    counts = np.bincount((u * 20).astype(int), minlength=20)
    expected = len(MANY) / 20
    # Chi squared with 19 degrees of freedom: 45 is passed once in a thousand seeds.
    assert ((counts - expected) ** 2 / expected).sum() < 45


def test_normal_draws_are_normal() -> None:
    z = np.sort(Chance(3).normal("a", MANY))
    assert np.isfinite(z).all()
    assert abs(z.mean()) < 0.03
    assert abs(z.std() - 1) < 0.02
    inside = [((z > -width) & (z < width)).mean() for width in (1, 2, 3)]
    assert inside == pytest.approx([0.6827, 0.9545, 0.9973], abs=0.012)


def test_bits_use_all_64() -> None:
    bits = Chance(3).bits("a", MANY)
    assert bits.dtype == np.uint64
    assert len(np.unique(bits)) == len(MANY)
    share = [float(((bits >> np.uint64(place)) & np.uint64(1)).mean()) for place in range(64)]
    assert min(share) > 0.48
    assert max(share) < 0.52


@given(rows_of_agents, ticks)
def test_an_order_is_a_permutation(rows: NDArray[np.int64], tick: int) -> None:
    order = Chance(2).order("beds", rows, tick)
    assert sorted(order.tolist()) == list(range(len(rows)))


def test_the_order_does_not_depend_on_numbers() -> None:
    chance = Chance(2)
    first = np.array([chance.order("beds", np.arange(10), tick)[0] for tick in range(2_000)])
    counts = np.bincount(first, minlength=10)
    assert counts.min() > 140
    assert counts.max() < 260


def test_an_order_depends_on_rows_and_not_on_positions() -> None:
    chance, rows = Chance(2), np.arange(50)
    served = rows[chance.order("beds", rows)]
    shuffled = np.random.default_rng(0).permutation(rows)
    assert np.array_equal(shuffled[chance.order("beds", shuffled)], served)


def test_a_choice_follows_its_weights() -> None:
    drawn = Chance(4).choice("plan", MANY, [1, 0, 3, 6])
    share = np.bincount(drawn, minlength=4) / len(MANY)
    assert share == pytest.approx([0.1, 0, 0.3, 0.6], abs=0.015)


def test_a_choice_accepts_weights_for_each_row() -> None:
    weights = np.eye(5)[MANY % 5]
    assert np.array_equal(Chance(4).choice("plan", MANY, weights), MANY % 5)


@given(
    rows_of_agents,
    hnp.arrays(np.float64, st.integers(1, 6), elements=st.floats(1e-3, 1e3)),
    st.integers(0, 5),
)
def test_equal_weights_for_all_or_for_each_draw_the_same(
    rows: NDArray[np.int64], weights: NDArray[np.float64], zero: int
) -> None:
    if len(weights) > 1:
        weights[zero % len(weights)] = 0
    chance = Chance(9)
    together = chance.choice("plan", rows, weights)
    each = chance.choice("plan", rows, np.tile(weights, (max(len(rows), 1), 1))[: len(rows)])
    assert np.array_equal(together, each)
    assert (weights[together] > 0).all()


@pytest.mark.parametrize("weights", [[0, 0], [1, -1], [[1, 0], [0, 0]]])
def test_impossible_weights_are_refused(weights: object) -> None:
    with pytest.raises(ParameterError, match="at least 0 and not all 0"):
        Chance(1).choice("plan", [0, 1], weights)  # type: ignore[arg-type]


def test_a_seed_is_not_negative() -> None:
    with pytest.raises(ParameterError, match="seed is -1"):
        Chance(-1)
    assert Chance(2**70).uniform("a", [0]).shape == (1,)


def test_fresh_seeds_differ_and_are_seeds() -> None:
    seeds = {fresh_seed() for _ in range(5)}
    assert len(seeds) == 5
    assert min(seeds) >= 0


@pytest.mark.parametrize("rows", [[0.5], [True], ["a"], [[0], [1, 2]]])
def test_rows_of_a_draw_are_arguments(rows: list[object]) -> None:
    with pytest.raises(ParameterError, match="rows is"):
        Chance(1).uniform("test", rows)  # type: ignore[arg-type]
