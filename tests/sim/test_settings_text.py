"""The table of settings, as shown to people."""

from collections.abc import Mapping
from typing import ClassVar, Literal, Self

import pydantic
import pytest

from memopolis.sim.errors import SettingsError
from memopolis.sim.settings import Field, LocalTime, Origin, Settings, SettingsGroup
from memopolis.sim.settings_text import describe

type Side = Literal["left", "right"]


class Walls(SettingsGroup):
    """A group of the test."""

    height: float = Field(3.0, "Height", gt=0, unit="m", origin="recalled")


class Roof(SettingsGroup):
    """A group of the test whose settings must fit together."""

    eaves: float = Field(2.0, "Height of the lower end")
    ridge: float = Field(4.0, "Height of the upper end")

    @pydantic.model_validator(mode="after")
    def _rises(self) -> Self:
        if self.ridge < self.eaves:
            raise ValueError(f"the ridge, {self.ridge:g}, is below the eaves, {self.eaves:g}")
        return self


class HouseSettings(Settings):
    """A schema of the test."""

    origins: ClassVar[Mapping[str, Origin]] = {"walls.height": "calibrated"}
    doors: int | None = Field(None, "Doors", ge=1)
    sides: tuple[Side, ...] = Field(("left",), "Sides")
    sold: LocalTime | None = Field(None, "Sold")
    lit: bool = Field(True, "Lit")
    walls: Walls = Walls(height=2.5)
    roof: Roof = Roof()


def test_every_setting_has_a_row_with_a_description() -> None:
    rows = {row.key: row for row in describe(HouseSettings)}
    assert list(rows)[:2] == ["agents", "days"]
    assert {"record.tables", "walls.height", "doors"} <= set(rows)
    assert all(row.description for row in rows.values())


def test_rows_have_type_range_default_unit_and_origin() -> None:
    rows = {row.key: row for row in describe(HouseSettings)}
    height = rows["walls.height"]
    assert (height.type, height.range, height.default) == ("number", "above 0", "2.5")
    assert (height.unit, height.origin, height.low, height.high) == ("m", "calibrated", 0, None)
    doors = rows["doors"]
    assert (doors.type, doors.range, doors.default) == ("whole number or none", "1 or more", "none")
    assert (rows["sides"].type, rows["sides"].options) == ("list", ("left", "right"))
    assert rows["lit"].default == "true"
    assert rows["start"].type == "date"
    assert rows["sold"].type == "date or none"
    assert rows["recall"].range == "scored | none | random"


def test_the_default_of_a_group_has_its_own_origin_and_one_that_replaces_it_is_a_choice() -> None:
    class Cottage(HouseSettings):
        origins: ClassVar[Mapping[str, Origin]] = {}

    class Tower(Cottage):
        walls: Walls = Walls()

    origins = [{row.key: row.origin for row in describe(one)} for one in (Cottage, Tower)]
    assert [one["walls.height"] for one in origins] == ["choice", "recalled"]


def test_defaults_read_back_as_they_are_written() -> None:
    texts = {row.key: row.default for row in describe(HouseSettings)}
    assert HouseSettings().with_changes(texts) == HouseSettings()


def test_the_description_of_a_group_is_included() -> None:
    with pytest.raises(SettingsError) as error:
        HouseSettings().with_changes({"roof.ridge": 1})
    assert str(error.value) == "settings roof: the ridge, 1, is below the eaves, 2"
