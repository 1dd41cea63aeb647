from collections.abc import Callable
from typing import Any

import numpy as np

from memopolis.sim.mind.mind import Answer, Question, decided
from memopolis.sim.mind.parts import joined, select_part
from memopolis.sim.population import Cohort


def question(people: Cohort) -> Question:
    return Question(
        "plan",
        people,
        "choice",
        lambda q: Answer(np.zeros(len(q.cohort))),
        known={"possible": np.eye(len(people), 3, dtype=np.bool_)},
        options=("a", "b", "c"),
    )


def test_a_part_with_all_agents_is_the_question_itself(village: Callable[..., Any]) -> None:
    asked = question(village(agents=4).citizens.cohort())
    assert select_part(asked, np.ones(4, np.bool_)) is asked


def test_a_part_contains_the_knowledge_of_its_agents(village: Callable[..., Any]) -> None:
    part = select_part(question(village(agents=4).citizens.cohort()), np.array([0, 1, 1, 0]) > 0)
    assert part.cohort.rows.tolist() == [1, 2]
    assert part.known["possible"].tolist() == [[False, True, False], [False, False, True]]
    assert part.memories is None


def test_more_than_256_reasons_are_kept(village: Callable[..., Any]) -> None:
    asked = question(village(agents=600).citizens.cohort())
    parts = []
    for number in (0, 1):
        mask = np.arange(600) % 2 == number
        reasons = tuple(f"reason {at} of {number}" for at in range(300))
        answer = Answer(np.zeros(300), reason=np.arange(300), reasons=reasons)
        parts.append((mask, select_part(asked, mask), answer))
    whole = decided(asked, joined(asked, parts))
    assert [whole.reasons[at] for at in whole.reason[:4]] == [
        "reason 0 of 0",
        "reason 0 of 1",
        "reason 1 of 0",
        "reason 1 of 1",
    ]
    assert len(whole.reasons) == 600


def test_entries_missing_in_a_part_have_defaults(
    village: Callable[..., Any],
) -> None:
    asked = question(village(agents=2).citizens.cohort())
    first, second = np.array([True, False]), np.array([False, True])
    whole = joined(
        asked,
        [
            (
                first,
                select_part(asked, first),
                Answer(np.array([1.0]), how=np.array([1], np.uint8)),
            ),
            (
                second,
                select_part(asked, second),
                Answer(np.array([2.0]), intensities=np.full((1, 6), 4, np.float32)),
            ),
        ],
    )
    assert whole.how is not None
    assert whole.how.tolist() == [1, 0]
    assert whole.text is None
    assert whole.intensities is not None
    assert np.isnan(whole.intensities[0]).all()
    assert whole.intensities[1].tolist() == [4] * 6
