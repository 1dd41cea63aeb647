"""Terms of the score on numbers worked out by hand."""

import numpy as np
import pytest

from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.retention import ages
from memopolis.sim.memory.retrieval import by_numpy
from memopolis.sim.memory.retrieval.by_numpy import select_best
from memopolis.sim.memory.retrieval.terms import relevance as relevance_term
from memopolis.sim.memory.retrieval.terms import strength
from memopolis.sim.memory.streams import encoding
from memopolis.sim.memory.text.relevance import FULL


def test_recency_halves_at_the_half_life_and_ends_at_0() -> None:
    table = ages.recency_table(24.0, 10_000)
    assert table[[0, 24, 48]].tolist() == [1.0, 0.5, 0.25]
    assert len(table) == 24 * ages.HALF_LIVES + 1
    late = ages.recency(np.array([-(10**6), 100, 999], np.int32), 100, table)
    assert late.tolist() == [2.0**-32, 1.0, 1.0]
    assert table.dtype == np.float32


def test_a_half_life_is_positive() -> None:
    with pytest.raises(ParameterError, match="above 0"):
        ages.recency_table(0.0, 5)


def test_importance_runs_from_0_to_1_in_30000_steps() -> None:
    shares = np.r_[np.arange(1001) / 1000, 1 / 3, 1 / 8]
    codes = np.asarray(encoding.share("importance", shares))
    assert codes.dtype == np.int16
    assert codes.astype(np.float32) * strength.STEP == pytest.approx(shares, abs=1e-7)
    assert (np.diff(encoding.share("importance", np.arange(30_001) / 30_000)) == 1).all()


def test_the_formula_on_one_stream() -> None:
    relevance = np.array([100, 0, 40, 0, 9], np.int32)
    continues = np.array([True, True, True, True, False])
    first = np.array([True, False, False, False, False])
    near = relevance_term.near(relevance, continues & ~first)
    # The last begins a new interaction; the oldest has none before it.
    assert near.tolist() == [320, 1000, 800, 400, 0]
    actor = relevance_term.by_actor(np.array([3, -1, 3], np.int32), np.array([3], np.int32))
    assert actor.tolist() == [5 * FULL, 0, 5 * FULL]
    date = relevance_term.in_date(np.array([4, 5, 9, 10], np.int32), 5, 9)
    assert date.tolist() == [0, 4 * FULL, 4 * FULL, 0]
    assert relevance_term.relevance(np.array([20 * FULL, 0], np.int32)).tolist() == [1.0, 0.0]


def test_memories_without_actor_get_no_bonus_without_a_named_actor() -> None:
    assert relevance_term.by_actor(np.array([-1], np.int32), np.array([-2], np.int32)).tolist() == [
        0
    ]


def test_terms_are_summed_in_a_fixed_order_in_float32() -> None:
    rng = np.random.default_rng(1)
    a, b, c = rng.random((3, 1000)).astype(np.float32)
    w = (0.1, 0.3, 0.7)
    terms = {"recency": a, "importance": b, "relevance": c}
    total = by_numpy.combine_sum(terms, dict(zip(terms, w, strict=True)))["score"]
    w0, w1, w2 = (np.float32(x) for x in w)
    by_hand = [(x * w0 + y * w1) + z * w2 for x, y, z in zip(a, b, c, strict=True)]
    assert total.tolist() == by_hand
    assert total.dtype == np.float32


def test_equal_scores_go_to_the_later_access_then_the_higher_id() -> None:
    index, scores = select_best(
        np.ones(4, np.float32),
        np.array([5, 9, 9, 1], np.int32),
        np.ones(4, np.bool_),
        starts=np.array([0, 4]),
        k=6,
    )
    assert index.tolist() == [[2, 1, 0, 3, -1, -1]]
    assert scores.tolist() == [[1, 1, 1, 1, 0, 0]]
