"""Conditions on the status of citizens."""

import pandas as pd
import pytest

from memopolis.mcp_server.agent_tools import matching
from memopolis.sim.errors import ParameterError, UnknownNameError

PEOPLE = pd.DataFrame(
    {
        "age": [20, 66, 80],
        "away": [True, False, True],
        "gender": pd.Categorical(["female", "male", "Female"]),
        "emotion.fear": [1.5, None, 7.0],
        "zone_name": ["North", "South End", "North"],
    }
)


@pytest.mark.parametrize(
    ("conditions", "who"),
    [
        ((), [0, 1, 2]),
        (("age >= 66",), [1, 2]),
        (("age>=66", "away=true"), [2]),
        (("age != 20",), [1, 2]),
        (("age < 1e3", "age > -1"), [0, 1, 2]),
        (("away = no",), [1]),
        (("gender = FEMALE",), [0, 2]),
        (("zone_name = 'south end'",), [1]),
        (("emotion.fear <= 7",), [0, 2]),
        (("emotion.fear == 7.0",), [2]),
    ],
)
def test_conditions_select_citizens(conditions: tuple[str, ...], who: list[int]) -> None:
    assert matching(PEOPLE, conditions).nonzero()[0].tolist() == who


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("", "is not a condition"),
        ("age", "is not a condition"),
        ("age like 3", "is not a condition"),
        ("__import__('os') = 1", "is not a condition"),
        ("age >= old", "age must be a number, not 'old'"),
        ("away = 7", "away must be true or false, not '7'"),
    ],
)
def test_an_invalid_condition_is_refused(condition: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        matching(PEOPLE, [condition])


def test_a_long_condition_is_refused_at_once() -> None:
    with pytest.raises(ParameterError, match="is not a condition"):
        matching(PEOPLE, [f"age = {' ' * 10**5}3{' ' * 10**5}\x01"])
    with pytest.raises(UnknownNameError) as refused:
        matching(PEOPLE, [f"{'a' * 400} = 3"])
    assert "a" * 81 not in str(refused.value)


def test_an_unknown_column_is_reported_with_the_known_ones() -> None:
    with pytest.raises(
        UnknownNameError, match=r"no agent has an attribute 'aeg'; did you mean age\? there are"
    ):
        matching(PEOPLE, ["aeg > 3"])
