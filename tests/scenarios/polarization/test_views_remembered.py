"""Replies of friends take up what they said or posted before."""

import numpy as np
import pytest

from memopolis.agents.conversation import ANSWERED
from memopolis.agents.everyday import RECEIVED
from memopolis.agents.replies import Remembered
from memopolis.scenarios.polarization.blocks.discuss import AGREEMENTS, find_agreement
from memopolis.scenarios.polarization.messages import POSTED, read_messages, take_up


def memory(prefix: str, valence: float) -> Remembered:
    return Remembered(f"{prefix}Tighten the gun laws.", "gun_control", "on Monday", valence)


@pytest.mark.parametrize(
    ("memories", "agreement", "key"),
    [
        ([], "same", ""),
        ([memory(RECEIVED, 0.6)], "same", "said same"),
        ([memory(ANSWERED, 0.6)], "apart", "said apart"),
        ([memory(RECEIVED, -0.6)], "same", "said changed"),
        ([memory(RECEIVED, 0.6)], "near", ""),
        ([memory(POSTED, 0.6), memory(RECEIVED, -0.6)], "same", "posted same"),
        ([memory(POSTED, -0.6), memory(POSTED, 0.6)], "near", "posted changed"),
    ],
)
def test_the_newest_statement_of_the_friend_is_taken_up(
    memories: list[Remembered], agreement: str, key: str
) -> None:
    sentence = take_up(memories, 0.5, agreement, 0.0)
    phrases = read_messages().sections["remembered"].get(key, ("",))
    assert sentence == phrases[0].replace("{when}", "on Monday")


@pytest.mark.parametrize(
    ("one", "other", "agreement"),
    [
        (0.6, 0.7, "same"),
        (0.6, 0.1, "near"),
        (0.2, -0.05, "near"),  # one is torn
        (-0.2, 0.2, "near"),
        (0.6, -0.6, "apart"),
        (0.05, -0.05, "same"),  # both are torn
    ],
)
def test_only_claims_of_one_side_are_the_same(one: float, other: float, agreement: str) -> None:
    number = find_agreement(np.array([one]), np.array([other]))[0]
    assert AGREEMENTS[number] == agreement
