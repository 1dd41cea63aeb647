"""From recalled memories to a new rating, by each of the models."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from memopolis.agents.attitude_rules import (
    Model,
    OpinionSettings,
    compute_backfire,
    compute_ratings,
    rate_attitude,
    rate_attitude_by_model,
    weigh_answers,
)
from memopolis.agents.block_settings import CognitionSettings
from memopolis.agents.blocks.cognition import UpdateAttitudes
from memopolis.sim.errors import ParameterError, SettingsError
from memopolis.sim.memory.retrieval.recollection import Recalled
from memopolis.sim.mind.mind import MINDS, Answer, Question

MakeVillage = Callable[..., Any]

MODELS = tuple(name for name in get_args(Model.__value__) if name != "leaning")


def known(rating: float, effects: list[float], **more: float) -> dict[str, Any]:
    """What one agent knows; each memory with an effect has weight 1."""
    effect = np.array([effects], np.float32)
    numbers = {name: np.array([value], np.float32) for name, value in more.items()}
    rated = {"rating": np.array([rating], np.float32), "effect": effect}
    return {**rated, "weight": np.asarray(effect != 0, np.float32), **numbers}


def after(rating: float, effects: list[float], start: float = np.nan, **settings: Any) -> float:
    result = known(rating, effects, **({} if np.isnan(start) else {"start": start}))
    return float(compute_ratings(result, OpinionSettings(**settings))[0])


def test_each_model_equals_a_hand_calculation() -> None:
    # Effects 0.2 and -1 stand for ratings 6 and 0, of which only 6 is within 2 of 5.
    repelled: dict[str, Any] = {"model": "repulsion", "bound": 2, "reject": 4}
    assert after(5, [0.2, -1, 0], **repelled) == pytest.approx(5.5)
    # Half of the way to 6, and half of a tenth of the way past 0.
    assert after(5, [0.2, -1, 0], backfire=0.1, **repelled) == pytest.approx(5.75)
    # Half of 5.5 and half of the first attitude, 2.
    attached = after(5, [0.2, -1, 0], start=2, susceptibility=0.5, **repelled)
    assert attached == pytest.approx(3.75)
    # With one's own at weight 3: (3 * 5 + 6 + 4) / 5, and (15 + 6 + 6) / 5.
    near: dict[str, Any] = {"model": "hegselmann_krause", "bound": 2, "own_weight": 3}
    assert after(5, [0.2, -0.2, 1], **near) == pytest.approx(5)
    assert after(5, [0.2, 0.2, 1], **near) == pytest.approx(5.4)
    # (3 * 5 + 9 + 8) / 5, whatever one held at first.
    degroot: dict[str, Any] = {"model": "degroot", "own_weight": 3}
    assert after(5, [0.8, 0.6], start=2, **degroot) == pytest.approx(6.4)
    # (3 * 5 + 9 + 8) / 5 = 6.4; half of it and half of the first attitude, 2.
    friedkin: dict[str, Any] = {"model": "friedkin_johnsen", "own_weight": 3, "susceptibility": 0.5}
    assert after(5, [0.8, 0.6], start=2, **friedkin) == pytest.approx(4.2)
    # x = 0.8, y = 0.5, bias 1 and weight 1 of its own: (0.8 + 0.4) / (1 + 0.4 + 0.1).
    assert after(8, [1e-7], model="biased_assimilation", bias=1, own_weight=1) == pytest.approx(8)
    # x = atanh 0.6, y = atanh 0.5: x + 0.1 * (2 tanh(3 y) - x).
    x = np.arctanh(0.6) * 0.9 + 0.1 * 2 * np.tanh(3 * np.arctanh(0.5))
    reinforced: dict[str, Any] = {
        "model": "baumann",
        "coupling": 2,
        "controversy": 3,
        "step": 0.1,
    }
    assert after(8, [0.5], **reinforced) == pytest.approx(5 + 5 * np.tanh(x), rel=1e-5)


def test_deffuant_uses_only_the_memory_with_the_largest_weight() -> None:
    result = known(5, [0.4, 0.2, -1])
    settings = OpinionSettings(model="deffuant", bound=2.5, rate=0.5)
    # Of equal weights the best recalled, 7; then the second, 6; a far one changes nothing.
    assert compute_ratings(result, settings)[0] == pytest.approx(6)
    result["weight"] = np.array([[0.5, 0.6, 0.1]], np.float32)
    assert compute_ratings(result, settings)[0] == pytest.approx(5.5)
    result["weight"] = np.array([[0.5, 0.6, 0.7]], np.float32)
    assert compute_ratings(result, settings)[0] == 5


def test_the_evidence_lists_the_memories_used(village: MakeVillage) -> None:
    result = known(5, [0.4, 0.2, 0, -1])
    result["weight"] = np.array([[0.5, 0.6, 0, 0]], np.float32)
    ids = np.array([[7, 5, 3, 1]], np.int32)
    recalled = Recalled(np.zeros(1, np.int64), ids, np.ones((1, 4), np.float32))
    cohort = village(agents=1).citizens.cohort()
    question = Question(
        "attitude", cohort, "rating", lambda _: Answer(ids), memories=recalled, known=result
    )
    cases: tuple[tuple[Model, list[int]], ...] = (
        ("deffuant", [5, -1, -1, -1]),
        ("degroot", [7, 5, -1, -1]),
    )
    for model, heard in cases:
        answer = rate_attitude_by_model(question, settings=OpinionSettings(model=model))
        assert answer.evidence is not None
        assert answer.reason is not None
        assert answer.evidence.tolist() == [heard]
        assert answer.reasons[answer.reason[0]] == "memories speak for it"


@pytest.mark.parametrize(
    ("effects", "expected"), [([-0.2, 0.9, 0.0], [5, 7, -1]), ([0.2, -0.9, 0.0], [5, 7, -1])]
)
def test_memories_that_speak_for_the_change_come_first(
    village: MakeVillage, effects: list[float], expected: list[int]
) -> None:
    ids = np.array([[7, 5, 3]], np.int32)
    recalled = Recalled(np.zeros(1, np.int64), ids, np.ones((1, 3), np.float32))
    cohort = village(agents=1).citizens.cohort()
    question = Question(
        "attitude", cohort, "rating", lambda _: Answer(ids), memories=recalled,
        known=known(5, effects, conviction=0.5),
    )  # fmt: skip
    for answer in (
        rate_attitude(question, rate=0.1),
        rate_attitude_by_model(question, settings=OpinionSettings(model="degroot")),
    ):
        assert answer.evidence is not None
        assert answer.evidence.tolist() == [expected]


def test_backfire_may_differ_by_group() -> None:
    settings = OpinionSettings(model="repulsion", backfire=0.1, backfire_by_group={"R": 0.5})
    labels = np.array(["D", "R"], object)
    assert compute_backfire(labels, settings).tolist() == pytest.approx([0.1, 0.5])
    values = {name: np.repeat(column, 2, axis=0) for name, column in known(5, [1.0]).items()}
    values["rating"] = np.array([4, 4], np.float32)
    values["backfire"] = compute_backfire(labels, settings)
    # Six points away: back by half of a tenth, or of a half, of them.
    assert compute_ratings(values, settings).tolist() == pytest.approx([3.7, 2.5])


effect = hnp.arrays(np.float32, (3, 4), elements=st.floats(-1, 1, width=32))
share = hnp.arrays(np.float32, (3, 4), elements=st.floats(0, 1, width=32))
rating = hnp.arrays(np.float32, 3, elements=st.floats(0, 10, width=32))


@given(rating, effect, share, st.sampled_from(MODELS), st.floats(0, 1))
def test_ratings_stay_in_range(
    held: Any, texts: Any, weight: Any, model: Any, backfire: float
) -> None:
    values = {
        "rating": held,
        "effect": texts,
        **dict.fromkeys(("weight", "importance", "confidence"), weight),
    }
    moved = compute_ratings(values, OpinionSettings(model=model, backfire=backfire))
    assert moved.dtype == np.float32
    assert ((moved >= 0) & (moved <= 10)).all()


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("effects", [[], [0.0, 0.0]])
def test_irrelevant_memories_change_nothing(model: Any, effects: list[float]) -> None:
    assert after(8, effects, start=1, model=model) == 8


@pytest.mark.parametrize("model", MODELS)
def test_support_raises_and_opposition_lowers(model: Any) -> None:
    assert after(5, [0.4], model=model) > 5 > after(5, [-0.4], model=model)


def test_reject_below_the_bound_is_refused() -> None:
    with pytest.raises(SettingsError, match="reject is 5, below bound, 6"):
        OpinionSettings(model="repulsion", bound=6)
    with pytest.raises(SettingsError, match=r"backfire_by_group\.R"):
        OpinionSettings(backfire_by_group={"R": 2})


def test_an_unknown_model_is_refused() -> None:
    with pytest.raises(SettingsError, match="model"):
        OpinionSettings(model="majority")  # type: ignore[arg-type]


def answered(how: str, value: float, weight: float) -> float:
    """Return the attitude after a mind answers `value`: held 4, predisposition 2."""
    known = {
        "rating": np.array([4.0], np.float32),
        "start": np.array([2.0], np.float32),
        "weight": np.array([[weight]], np.float32),
    }
    decisions: Any = SimpleNamespace(
        question=SimpleNamespace(known=known),
        value=np.array([value], np.float32),
        how=np.array([MINDS.index(how)], np.uint8),
    )
    settings = OpinionSettings(model="friedkin_johnsen", susceptibility=0.5, own_weight=3.0)
    return float(weigh_answers(decisions, settings)[0])


def test_the_answer_of_a_model_stands_for_what_is_recalled() -> None:
    # Half of (1 * 10 + 3 * 4) / 4 = 5.5 and half of 2.
    assert answered("model", 10, weight=1) == pytest.approx(3.75)
    assert answered("replay", 10, weight=1) == pytest.approx(3.75)
    # The rule has weighed already, and an answer based on nothing changes nothing.
    assert answered("rule", 10, weight=1) == answered("fallback", 10, weight=1) == 10
    assert answered("model", 10, weight=0) == 4


# In a society


def living(village: MakeVillage, days: int, **opinion: Any) -> Any:
    made = village(agents=4, start="2026-01-01 08:00")
    made.give(made.citizens, UpdateAttitudes(CognitionSettings(opinion=OpinionSettings(**opinion))))
    status = made.citizens.cohort()
    status["attitude.emergency_preparedness"] = np.array([1.0, 4.0, 6.0, 9.0])
    for agent in made.citizens.agents[:3]:
        agent.memory.stream.add("preparation", "Was ready.", valence=0.4, importance=0.8)
    for _ in range(24 * days):
        made.step()
    return made


def held(made: Any) -> list[float]:
    ratings: list[float] = made.citizens.cohort()["attitude.emergency_preparedness"].tolist()
    return ratings


def test_the_model_is_chosen_by_the_settings(village: MakeVillage) -> None:
    # The memory stands for 5 + 5 * 0.4 = 7, near to 6 only; it has nothing to say to the last.
    near = held(living(village, 1, model="deffuant", bound=2, susceptibility=1))
    assert near == pytest.approx([1, 4, 6.5, 9], abs=0.02)
    wide = held(living(village, 1, model="repulsion", bound=10, reject=10, susceptibility=1))
    assert wide == pytest.approx([4, 5.5, 6.5, 9], abs=0.02)


def test_attitudes_return_to_the_initial_value_as_memories_fade(village: MakeVillage) -> None:
    settings: dict[str, Any] = {"model": "friedkin_johnsen", "own_weight": 0.001}
    # Half of 7 and half of what each held at first; then less and less of 7.
    assert held(living(village, 1, **settings)) == pytest.approx([4, 5.5, 6.5, 9], abs=0.1)
    assert held(living(village, 40, **settings)) == pytest.approx([1, 4, 6, 9], abs=0.1)


class PartisanAttitudes(UpdateAttitudes):
    """Attitudes of people who differ in backfire by gender."""

    reads = (*UpdateAttitudes.reads, "gender")
    group = "gender"


def test_backfire_can_be_set_for_one_group(village: MakeVillage) -> None:
    opinion = OpinionSettings(
        model="repulsion", bound=1, reject=2, susceptibility=1, backfire_by_group={"female": 0.5}
    )
    made = village(agents=2, start="2026-01-01 08:00")
    made.give(made.citizens, PartisanAttitudes(CognitionSettings(opinion=opinion)))
    status = made.citizens.cohort()
    status["gender"] = ["male", "female"]
    status["attitude.emergency_preparedness"] = np.array([4.0, 4.0])
    for agent in made.citizens.agents:
        agent.memory.stream.add("preparation", "Was ready.", valence=0.4, importance=0.8)
    for _ in range(24):
        made.step()
    # The memory stands for 7: 3 points away, of which half of a half is gone the other way.
    assert held(made) == pytest.approx([4, 3.25], abs=0.02)


def test_backfire_by_group_needs_groups(village: MakeVillage) -> None:
    opinion = OpinionSettings(model="repulsion", backfire_by_group={"female": 0.5})
    made = village(agents=2)
    with pytest.raises(ParameterError, match="have no groups"):
        made.give(made.citizens, UpdateAttitudes(CognitionSettings(opinion=opinion)))


def test_a_new_agent_has_its_own_initial_attitude(
    village: MakeVillage,
) -> None:
    made = living(village, 2, model="friedkin_johnsen")
    made.citizens.add(1)
    for _ in range(24):
        made.step()
    block = made.citizens.blocks[0]
    assert block.start[1].tolist() == [1, 4, 6, 9, 5]
    assert not np.isnan(block.start).any()
    assert "start" in block.state
