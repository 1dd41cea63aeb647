"""Equations of the blocks, against numbers worked out by hand."""

import numpy as np
import pytest

from memopolis.scenarios.polarization.blocks.discuss import LAST, strengthen, talk_probability
from memopolis.scenarios.polarization.blocks.persuade import AGAINST, FOR, assign_persuaders
from memopolis.scenarios.polarization.blocks.read_feed import draw_shown
from memopolis.scenarios.polarization.blocks.update_warmth import like


def test_either_occasion_starts_a_talk() -> None:
    assert talk_probability(np.array([0.0, 0.5, 1.0]), 0.2) == pytest.approx([0.2, 0.6, 1.0])


def test_one_shown_message_is_drawn_uniformly() -> None:
    shown = np.array([[-1, 5, -1, 7]] * 4, np.int32)
    assert draw_shown(shown, np.array([0.0, 0.49, 0.5, 0.99])).tolist() == [5, 5, 7, 7]


HELD = np.array([8.0, 2.0, 5.0, 5.0])
ORDER = np.array([2, 0, 3, 1])
DRAWS = np.array([0.9, 0.1, 0.3, 0.7])


@pytest.mark.parametrize(
    ("arm", "expected"),
    [
        ("echo", [FOR, AGAINST, FOR, AGAINST]),
        ("cross", [AGAINST, FOR, AGAINST, FOR]),
        ("random", [FOR, AGAINST, FOR, AGAINST]),
        ("neutral", [FOR, AGAINST, FOR, AGAINST]),
        ("control", [-1] * 4),
        ("none", [-1] * 4),
    ],
)
def test_arms_assign_persuaders(arm: str, expected: list[int]) -> None:
    assert assign_persuaders(arm, HELD, ORDER, DRAWS).tolist() == expected  # type: ignore[arg-type]


def test_a_random_persuader_has_nothing_to_do_with_what_one_holds() -> None:
    order = np.array([1, 3, 0, 2])
    assert assign_persuaders("random", HELD, order, DRAWS).tolist() == [AGAINST, FOR, AGAINST, FOR]


def test_strangers_are_liked_by_the_law_of_attraction() -> None:
    # 5.44 X + 6.62 on a scale from 2 to 14, for shares X of similar attitudes of 0, 1/2 and 1.
    expected = [100 * (5.44 * x + 4.62) / 12 for x in (0, 0.5, 1)]
    stance = np.array([[-1.0, 0.0, 1.0]])
    assert like(stance, np.array([[1.0]]))[0] == pytest.approx(expected, abs=0.05)


def test_more_than_five_similar_views_strengthen_an_attitude() -> None:
    views = np.zeros((5, LAST), np.int8)
    views[:, :6] = 1
    views[1, 5] = -1
    held = np.array([7.0, 7.0, 3.0, 5.0, 9.95])
    assert strengthen(held, views, points=0.1) == pytest.approx([7.1, 7.0, 3.0, 5.0, 10.0])
    assert strengthen(np.array([3.0]), -views[:1], points=0.1) == pytest.approx([2.9])
