"""Settings: typed values in, one line of explanation out."""

from datetime import datetime
from pathlib import Path
from typing import Literal

import pytest

from memopolis.sim.errors import DataFileError, SettingsError
from memopolis.sim.settings import (
    Field,
    LocalTime,
    Settings,
    SettingsGroup,
    load_settings_toml,
    merge,
    nest,
    parse_sets,
)
from memopolis.sim.settings_text import describe


class Rates(SettingsGroup):
    """A group of settings of the test."""

    hunger_rate: float = Field(0.15, "Hunger", ge=0, le=1, unit="1/h", origin="found")
    floor: float = Field(1.0, "Floor", gt=0)


class TownSettings(Settings):
    """A schema of the test."""

    start: LocalTime = Field(datetime(2019, 8, 28), "Start")
    place: Literal["charleston", "columbia"] = Field("charleston", "Place")
    limit: int | None = Field(None, "Limit", ge=0)
    storm: bool = Field(True, "Storm")
    needs: Rates = Rates(hunger_rate=0.3)


def test_texts_are_parsed_to_the_declared_types() -> None:
    sets = [
        "agents=5000",
        "days=2.5",
        "start=2019-09-01 06:00",
        "place=columbia",
        "storm=false",
        "limit=7",
        "needs.hunger_rate=0.2",
        "record.tables=decisions, measures",
    ]
    town = TownSettings().with_changes(parse_sets(sets))
    assert (town.agents, town.days, town.storm, town.limit) == (5000, 2.5, False, 7)
    assert town.start == datetime(2019, 9, 1, 6)
    assert town.place == "columbia"
    assert town.needs == Rates(hunger_rate=0.2)
    assert town.record.tables == ("decisions", "measures")


def test_none_means_no_value_or_an_empty_list() -> None:
    changes = parse_sets(["limit=none", "record.tables=none", "news=none"])
    town = TownSettings(limit=3).with_changes(changes)
    assert town.limit is None
    assert town.record.tables == ()
    assert town.news == "none"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"agnts": 5}, "did you mean agents?"),
        ({"needs.hungerrate": 5}, "did you mean needs.hunger_rate?"),
        ({"zebra": 5}, "known are agents, days, start"),
        ({"agents": 0}, "setting agents was given 0; allowed: whole number, 1 to 10000000"),
        ({"agents": "many"}, "setting agents was given 'many'"),
        ({"agents": 0, "days": -1}, r"\(and 1 more\)"),
        ({"days": float("nan")}, "above 0 to 36600"),
        ({"place": "atlantis"}, r"allowed: charleston \| columbia"),
        ({"start": "2019"}, "setting start was given '2019'; allowed: date"),
        ({"start": "2019-08-28T00:00Z"}, "setting start"),
        ({"needs.hunger_rate": 2}, "setting needs.hunger_rate was given 2; allowed: number, 0 to"),
        ({"needs.floor": 0}, "above 0"),
        ({"record.tables": "agents,zebra"}, "setting record.tables was given 'zebra'"),
        ({"needs": 3}, "needs is given as one value and as a group"),
        ({"agents.more": 3}, "agents is given as one value and as a group"),
    ],
)
def test_an_invalid_setting_is_reported_in_one_line(
    changes: dict[str, object], message: str
) -> None:
    with pytest.raises(SettingsError, match=message) as refused:
        TownSettings().with_changes(changes)
    assert "\n" not in str(refused.value)


def test_an_invalid_keyword_is_reported_in_the_same_way() -> None:
    with pytest.raises(SettingsError, match="setting agents was given -1"):
        TownSettings(agents=-1)
    with pytest.raises(SettingsError, match="setting hunger_rate was given 3"):
        Rates(hunger_rate=3)


def test_settings_cannot_be_changed_after_making() -> None:
    town = TownSettings()
    with pytest.raises(ValueError, match="frozen"):
        town.agents = 3


def test_a_default_out_of_its_range_is_refused() -> None:
    class Wrong(Settings):
        share: float = Field(2.0, "Share", le=1)

    with pytest.raises(SettingsError, match="setting share was given 2"):
        Wrong()


def test_settings_survive_json() -> None:
    town = TownSettings(agents=3, limit=2)
    assert TownSettings(**town.model_dump(mode="json")) == town


def test_changes_keep_other_settings() -> None:
    town = TownSettings(agents=77).with_changes({"needs.floor": 2.0})
    assert town.agents == 77
    assert town.needs == Rates(hunger_rate=0.3, floor=2.0)
    assert town.with_changes({"needs": Rates()}).needs == Rates()


@pytest.mark.parametrize("text", ["agents", "=3", "needs.=3", ".a=3"])
def test_set_without_name_or_value_is_refused(text: str) -> None:
    with pytest.raises(SettingsError, match="name=value"):
        parse_sets([text])


def test_set_keeps_further_equals_signs() -> None:
    assert parse_sets(["news=a=b.csv"]) == {"news": "a=b.csv"}


def test_a_repeated_set_is_refused() -> None:
    with pytest.raises(SettingsError, match="given twice"):
        parse_sets(["agents=1", "agents=2"])
    with pytest.raises(SettingsError, match="as one value and as a group"):
        parse_sets(["needs=1", "needs.floor=2"])


def test_dotted_keys_nest_and_merge() -> None:
    nested = nest({"a.b.c": 1, "a.b.d": 2, "e": 3})
    assert nested == {"a": {"b": {"c": 1, "d": 2}}, "e": 3}
    assert merge(nested, {"a": {"b": {"c": 5}}}) == {"a": {"b": {"c": 5, "d": 2}}, "e": 3}


def test_settings_are_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "town.toml"
    file.write_text("agents = 50\nstart = 2019-08-30T00:00:00\n[needs]\nfloor = 2\n")
    town = TownSettings().with_changes(load_settings_toml(file))
    assert (town.agents, town.start, town.needs.floor) == (50, datetime(2019, 8, 30), 2.0)


def test_a_missing_or_invalid_settings_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match=r"missing\.toml: No such file"):
        load_settings_toml(tmp_path / "missing.toml")
    broken = tmp_path / "broken.toml"
    broken.write_text("agents = = 3")
    with pytest.raises(DataFileError, match=r"broken\.toml are not valid TOML"):
        load_settings_toml(broken)
    broken.write_bytes(b"\xff\xfe")
    with pytest.raises(DataFileError, match="not valid TOML"):
        load_settings_toml(broken)
    broken.write_text(f"agents = {'[' * 100_000}")
    with pytest.raises(DataFileError, match="nested too deeply"):
        load_settings_toml(broken)


def test_a_group_gives_its_origin_to_settings_without_one() -> None:
    class Listed(SettingsGroup, origin="illustrative"):
        rates: tuple[float, ...] = Field((0.2, 0.8), "Rates", unit="1/h", origin="found")
        floor: float = Field(1, "Floor")

    rows = {one.key: one for one in describe(Listed)}
    assert Listed().rates == (0.2, 0.8)
    assert (rows["rates"].unit, rows["rates"].origin) == ("1/h", "found")
    assert rows["floor"].origin == "illustrative"
