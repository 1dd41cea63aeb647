"""Compiled feelings equal their definitions, bit for bit."""

import numpy as np

from memopolis.agents.appraisal import FEELINGS, compute_share, tabulate_effects, update_feeling
from memopolis.agents.appraisal_kernels import add_impulses, move_feelings

rng = np.random.default_rng(5)


def test_feelings_move_as_their_equation_says() -> None:
    levels = tuple(rng.uniform(0, 10, 40).astype(np.float32) for _ in FEELINGS)
    impulse = rng.normal(0, 1, (6, 40)).astype(np.float32) * (rng.random((6, 40)) < 0.5)
    rows = np.flatnonzero(rng.random(40) < 0.7)
    calm, gain, left = np.float32(0.02), 3.0, impulse.copy()
    expected = [level.copy() for level in levels]
    for level, pushes in zip(expected, impulse, strict=True):
        level[rows] = update_feeling(level[rows], pushes[rows], gain=gain, calm=float(calm))
    share = compute_share(impulse[:, rows[0] : rows[-1] + 1], gain=gain)
    words = move_feelings(levels, left, share, rows, calm)
    assert np.array_equal(levels, expected)
    assert len(words) == len(rows)
    assert not left[:, rows].any()
    others = np.setdiff1d(np.arange(40), rows)
    assert np.array_equal(left[:, others], impulse[:, others])


def test_events_of_one_topic_and_sign_are_summed_first() -> None:
    effects = tabulate_effects(("order", "relief"))
    impulse = np.zeros((6, 3), np.float32)
    rows, topics = np.array([1, 0, 1, 1, 2]), np.array([0, 1, 0, 1, 0], np.uint8)
    kinds = np.array([0, 0, 0, 0, 1], np.uint8)  # the last is a thought
    importance = np.array([30_000, 15_000, 10_000, 30_000, 30_000], np.int16)
    valence = np.array([-127, 127, -127, 127, -127], np.int8)
    add_impulses(impulse, rows, topics, kinds, importance, valence, effects)
    third = np.float32(10_000) / np.float32(30_000)
    danger = 1 + np.float64(third)
    expected = np.zeros((6, 3), np.float32)
    fear, joy, surprise = (FEELINGS.index(name) for name in ("fear", "joy", "surprise"))
    spoilt = np.float32(-0.6 * danger)
    expected[joy, :2] = 0.25, spoilt + np.float32(0.5)
    expected[fear, 1] = danger
    expected[surprise, 1] = 0.4 * danger
    assert np.array_equal(impulse, expected)
