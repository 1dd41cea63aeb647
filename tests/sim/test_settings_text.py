"""The table of settings, as shown to people."""

from typing import Literal

from memopolis.sim.settings import Field, LocalTime, Settings, SettingsGroup
from memopolis.sim.settings_text import describe

type Side = Literal["left", "right"]


class Walls(SettingsGroup):
    """A group of the test."""

    height: float = Field(3.0, gt=0, unit="m", origin="recalled", description="Height")


class HouseSettings(Settings):
    """A schema of the test."""

    doors: int | None = Field(None, ge=1, description="Doors")
    sides: tuple[Side, ...] = Field(("left",), description="Sides")
    sold: LocalTime | None = Field(None, description="Sold")
    lit: bool = Field(default=True, description="Lit")
    walls: Walls = Walls(height=2.5)


def test_every_setting_has_a_row_with_a_description() -> None:
    rows = {row.key: row for row in describe(HouseSettings)}
    assert list(rows)[:2] == ["agents", "days"]
    assert {"record.tables", "walls.height", "doors"} <= set(rows)
    assert all(row.description for row in rows.values())


def test_rows_say_type_range_default_unit_and_origin() -> None:
    rows = {row.key: row for row in describe(HouseSettings)}
    height = rows["walls.height"]
    assert (height.type, height.range, height.default) == ("number", "above 0", "2.5")
    assert (height.unit, height.origin, height.low, height.high) == ("m", "recalled", 0, None)
    doors = rows["doors"]
    assert (doors.type, doors.range, doors.default) == ("whole number or none", "1 or more", "none")
    assert (rows["sides"].type, rows["sides"].options) == ("list", ("left", "right"))
    assert rows["lit"].default == "true"
    assert rows["start"].type == "date"
    assert rows["sold"].type == "date or none"
    assert rows["recall"].range == "scored | none | random"


def test_defaults_read_back_as_they_are_written() -> None:
    texts = {row.key: row.default for row in describe(HouseSettings)}
    assert HouseSettings().with_changes(texts) == HouseSettings()
