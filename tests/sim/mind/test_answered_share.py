"""The share of consecutive questions that a model must have answered."""

import numpy as np
import pytest

from memopolis.sim.errors import ParameterError
from memopolis.sim.mind.llm import WINDOW, AnsweredShare


def fewest_by_definition(answered: list[bool]) -> int | None:
    """The fewest answers of any window, one by one."""
    windows = [answered[at : at + WINDOW] for at in range(len(answered) - WINDOW + 1)]
    return min((sum(window) for window in windows), default=None)


def test_fewer_questions_than_a_window_are_always_enough() -> None:
    share = AnsweredShare(1.0)
    assert share.fewest([False] * (WINDOW - 1)) is None
    share.add([False] * (WINDOW - 1))
    assert share.fewest([]) is None
    assert share.fewest([True]) == 1


@pytest.mark.parametrize("batch", [1, 7, 50, 300])
def test_every_window_counts_however_questions_arrive(batch: int) -> None:
    draws = np.random.default_rng(4).random(300)
    answered = (draws < np.linspace(0.9, 0.1, 300)).tolist()
    expected = fewest_by_definition(answered)
    assert expected is not None
    for least in (0.0, 0.1, 0.5, 1.0):
        share, fewest = AnsweredShare(least), list[int]()
        for start in range(0, 300, batch):
            following = answered[start : start + batch]
            fewest += [one for one in [share.fewest(following)] if one is not None]
            share.add(following)
        enough = least == 0 or expected >= least * WINDOW
        assert fewest == [] if enough else min(fewest) == expected


def test_exactly_the_share_is_enough() -> None:
    share = AnsweredShare(0.5)
    share.add([True, False] * 24)
    assert share.fewest([True, False] * 20) is None
    assert share.fewest([False, False]) == WINDOW // 2 - 1


def test_a_restored_share_continues() -> None:
    share, continued = AnsweredShare(0.5), AnsweredShare(0.5)
    share.add([False] * 40)
    continued.restore(share.state())
    assert continued.fewest([True] * 10) == share.fewest([True] * 10) == 10
    assert continued.fewest([True] * 9) is None


@pytest.mark.parametrize("least", [-0.1, 1.1, float("nan")])
def test_a_share_out_of_range_is_refused(least: float) -> None:
    with pytest.raises(ParameterError, match="allowed are 0 to 1"):
        AnsweredShare(least)
