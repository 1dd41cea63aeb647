"""From recalled memories to a new rating, by each of the models."""

from collections.abc import Callable
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from memopolis.agents.attitude_rules import Model, OpinionSettings, rated
from memopolis.agents.blocks.cognition import CognitionSettings, UpdateAttitudes
from memopolis.sim.errors import SettingsError

MakeVillage = Callable[..., Any]

MODELS = tuple(name for name in get_args(Model.__value__) if name != "leaning")


def known(rating: float, effects: list[float], **more: float) -> dict[str, Any]:
    """What one agent knows; each memory has weight 1."""
    effect = np.array([effects], np.float32)
    numbers = {name: np.array([value], np.float32) for name, value in more.items()}
    weights = dict.fromkeys(("weight", "importance", "confidence"), np.ones_like(effect))
    return {"rating": np.array([rating], np.float32), "effect": effect, **weights, **numbers}


def after(rating: float, effects: list[float], start: float = 5.0, **settings: Any) -> float:
    told = known(rating, effects, start=start)
    return float(rated(told, OpinionSettings(**settings))[0])


def test_each_model_by_hand() -> None:
    # Effects 0.2 and -1 stand for ratings 6 and 0, of which only 6 is within 2 of 5.
    assert after(5, [0.2, -1, 0], model="bounded_confidence", bound=2) == pytest.approx(5.5)
    # (3 * 5 + 9 + 8) / 5 = 6.4; half of it and half of the first attitude, 2.
    friedkin: dict[str, Any] = {"model": "friedkin_johnsen", "own_weight": 3, "susceptibility": 0.5}
    assert after(5, [0.8, 0.6], start=2, **friedkin) == pytest.approx(4.2)
    # x = 0.8, y = 0.5, bias 1 and weight 1 of its own: (0.8 + 0.4) / (1 + 0.4 + 0.1).
    assert after(8, [1e-7], model="biased_assimilation", bias=1, own_weight=1) == pytest.approx(8)
    # x = atanh 0.6, y = atanh 0.5: x + 0.1 * (2 tanh(3 y) - x).
    x = np.arctanh(0.6) * 0.9 + 0.1 * 2 * np.tanh(3 * np.arctanh(0.5))
    reinforced: dict[str, Any] = {
        "model": "reinforcement",
        "coupling": 2,
        "controversy": 3,
        "step": 0.1,
    }
    assert after(8, [0.5], **reinforced) == pytest.approx(5 + 5 * np.tanh(x), rel=1e-5)


effect = hnp.arrays(np.float32, (3, 4), elements=st.floats(-1, 1, width=32))
share = hnp.arrays(np.float32, (3, 4), elements=st.floats(0, 1, width=32))
rating = hnp.arrays(np.float32, 3, elements=st.floats(0, 10, width=32))


@given(rating, effect, share, st.sampled_from(MODELS), st.floats(0, 1))
def test_ratings_stay_in_range(
    held: Any, said: Any, weight: Any, model: Any, backfire: float
) -> None:
    told = {
        "rating": held,
        "effect": said,
        **dict.fromkeys(("weight", "importance", "confidence"), weight),
    }
    moved = rated(told, OpinionSettings(model=model, backfire=backfire))
    assert moved.dtype == np.float32
    assert ((moved >= 0) & (moved <= 10)).all()


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("effects", [[], [0.0, 0.0]])
def test_nothing_that_bears_on_it_changes_nothing(model: Any, effects: list[float]) -> None:
    assert after(8, effects, start=1, model=model) == 8


@pytest.mark.parametrize("model", MODELS)
def test_support_raises_and_opposition_lowers(model: Any) -> None:
    assert after(5, [0.4], model=model) > 5 > after(5, [-0.4], model=model)


def test_only_known_models_can_be_set() -> None:
    with pytest.raises(SettingsError, match="model"):
        OpinionSettings(model="majority")  # type: ignore[arg-type]


# In a society


def living(village: MakeVillage, days: int, **opinion: Any) -> Any:
    made = village(agents=4, start="2026-01-01 08:00")
    made.give(made.citizens, UpdateAttitudes(CognitionSettings(opinion=OpinionSettings(**opinion))))
    status = made.citizens.cohort().status
    status["attitude.emergency_preparedness"] = np.array([1.0, 4.0, 6.0, 9.0])
    for agent in made.citizens.agents[:3]:
        agent.memory.stream.add("preparation", "Was ready.", valence=0.4, importance=0.8)
    for _ in range(24 * days):
        made.step()
    return made


def held(made: Any) -> list[float]:
    ratings: list[float] = made.citizens.cohort().status["attitude.emergency_preparedness"].tolist()
    return ratings


def test_the_model_of_the_settings_is_followed(village: MakeVillage) -> None:
    # The memory stands for 5 + 5 * 0.4 = 7, near to 6 only; it has nothing to say to the last.
    near = held(living(village, 1, model="bounded_confidence", bound=2))
    assert near == pytest.approx([1, 4, 6.5, 9], abs=0.02)
    wide = held(living(village, 1, model="bounded_confidence", bound=10))
    assert wide == pytest.approx([4, 5.5, 6.5, 9], abs=0.02)


def test_the_first_attitude_draws_one_back_as_memories_fade(village: MakeVillage) -> None:
    settings: dict[str, Any] = {"model": "friedkin_johnsen", "own_weight": 0.001}
    # Half of 7 and half of what each held at first; then less and less of 7.
    assert held(living(village, 1, **settings)) == pytest.approx([4, 5.5, 6.5, 9], abs=0.1)
    assert held(living(village, 40, **settings)) == pytest.approx([1, 4, 6, 9], abs=0.1)


def test_who_joins_has_a_first_attitude_of_its_own(
    village: MakeVillage,
) -> None:
    made = living(village, 2, model="friedkin_johnsen")
    made.citizens.join(1)
    for _ in range(24):
        made.step()
    block = made.citizens.blocks[0]
    assert block.start[1].tolist() == [1, 4, 6, 9, 5]
    assert not np.isnan(block.start).any()
    assert "start" in block.state
