"""Schema: names, types and start values."""

from typing import Any

import pytest

from memopolis.sim.distributions import Choice, Normal, Uniform
from memopolis.sim.errors import SchemaError
from memopolis.sim.memory.status.schema import Schema, empty_of, kind_of


def test_a_name_keeps_its_type() -> None:
    schema = Schema()
    schema.declare("a", 1)
    with pytest.raises(SchemaError, match="'a' is declared as int, now as float"):
        schema.declare("a", 1.5)


@pytest.mark.parametrize(
    ("value", "empty"),
    [(1.5, 0.0), (3, 0), (True, False), ("x", ""), ([1], []), ({1}, set()), ({"a": 1}, {})],
)
def test_a_column_declared_by_a_write_starts_empty(value: Any, empty: Any) -> None:
    assert empty_of(kind_of(value)) == empty
    assert empty_of(kind_of(None)) is None


def test_a_distribution_declares_the_type_of_what_it_draws() -> None:
    schema = Schema()
    schema.declare("faith", Choice(["old", "new"]), description="Faith")
    schema.declare("age", Uniform(18, 90, whole=True), "i2")
    schema.declare("mood", {"joy": Normal(5.0, 1.0), "fear": 2.0})
    kinds = {name: a.kind for name, a in schema.attributes.items()}
    assert kinds == {"faith": "text", "age": "int", "mood.joy": "float", "mood.fear": "float"}
    assert schema.attributes["faith"].description == "Faith"
    assert schema.attributes["mood.fear"].distribution is None
    with pytest.raises(SchemaError, match="'age' is declared as int, now as float"):
        schema.declare("age", Uniform(18, 90))


def test_a_struct_is_not_an_attribute() -> None:
    schema = Schema()
    schema.declare("mood", {"joy": 1.0})
    with pytest.raises(SchemaError, match=r"'mood' cannot be .* the field 'mood\.joy'"):
        schema.declare("mood", 1.0)
    with pytest.raises(SchemaError, match=r"'mood\.joy' cannot be .* 'mood\.joy\.small'"):
        schema.declare("mood.joy", {"small": 1.0})
    schema.declare("moody", default=True)
