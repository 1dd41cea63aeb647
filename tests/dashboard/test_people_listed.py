"""Who is listed: search, filters, order, and pages, all on the server."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest

from memopolis.dashboard.life.paging import page_at
from memopolis.dashboard.panels.people_listed import (
    Filter,
    PeopleQuery,
    cell,
    choices_of,
    kind_of,
    number_typed,
    people_to_list,
    select_people,
    shown_columns,
)

DECLARED: dict[str, dict[str, Any]] = {
    "age": {"description": "Age", "unit": "years", "low": 0, "high": 110},
    "home": {"description": "Zone of residence", "role": "zone"},
    "left_at": {"description": "Tick of leaving, -1 for never", "role": "tick"},
    "account": {"description": "Number of its account", "role": "code"},
}


@dataclass
class FakeRun:
    """As much of a run as a list needs."""

    frame: pd.DataFrame
    hours: float = 1.0

    def attributes(self, population: str) -> dict[str, Any]:
        assert population == "citizen"
        return dict(DECLARED)

    def people(self, population: str) -> pd.DataFrame:
        assert population == "citizen"
        return self.frame

    def place_name(self, zone: int) -> str:
        return f"Town {zone}"

    def time_of(self, ticks: pd.Series) -> pd.Series:
        return pd.Timestamp("2026-01-01") + ticks * pd.Timedelta(hours=1)


@pytest.fixture
def run() -> FakeRun:
    return FakeRun(
        pd.DataFrame(
            {
                "agent": [1, 2, 17, 171],
                "name": ["Ann Lee", "bob (X)", "Ann Bell", "<b>Cid</b>"],
                "tick": 5,
                "zone": [0, 1, -1, 0],
                "zone_name": ["Town 0", "Town 1", "away", "Town 0"],
                "age": pd.array([30, 70, 50, None], dtype="Int16"),
                "home": [0, 1, -1, 0],
                "pupil": [True, False, False, True],
                "kind": pd.Categorical(["b", "a", None, "b"]),
                "left_at": [-1, 7, -1, -1],
                "account": [4, 5, 6, 7],
            }
        )
    )


@pytest.fixture
def people(run: FakeRun) -> pd.DataFrame:
    return people_to_list(run, "citizen")  # type: ignore[arg-type] # as much of a run as it needs


def ids(people: pd.DataFrame, **wanted: Any) -> list[int]:
    result: list[int] = select_people(people, PeopleQuery(**wanted)).tolist()
    return result


def test_all_agents_are_listed_by_number(people: pd.DataFrame) -> None:
    assert ids(people) == [1, 2, 17, 171]
    assert ids(people, down=True) == [171, 17, 2, 1]
    assert "tick" not in people


@pytest.mark.parametrize(
    ("search", "result"),
    [
        ("ann", [1, 17]),
        ("ANN lee", [1]),
        ("17", [17, 171]),
        ("(x)", [2]),
        ("<b>", [171]),
        (".*", []),
        ("  ", [1, 2, 17, 171]),
        ("²", []),
    ],
)
def test_a_search_finds_words_of_the_name_or_the_beginning_of_the_number(
    people: pd.DataFrame, search: str, result: list[int]
) -> None:
    assert ids(people, search=search) == result


def test_several_filters_can_be_combined(people: pd.DataFrame) -> None:
    old = Filter("age", least=40)
    assert ids(people, filters=(old,)) == [2, 17]
    assert ids(people, filters=(old, Filter("age", most=60))) == [17]
    assert ids(people, filters=(Filter("pupil", ("yes",)), Filter("kind", ("b",)))) == [
        1,
        171,
    ]
    assert ids(people, filters=(Filter("home", ("Town 1", "away")),)) == [2, 17]


def test_an_empty_filter_passes_all_agents(
    people: pd.DataFrame,
) -> None:
    assert len(ids(people, filters=(Filter("kind"), Filter("age")))) == 4
    assert ids(people, filters=(Filter("gone"),)) == []


def test_missing_values_are_sorted_last(people: pd.DataFrame) -> None:
    assert ids(people, sort="age") == [1, 17, 2, 171]
    assert ids(people, sort="age", down=True) == [2, 17, 1, 171]
    assert ids(people, sort="name") == [171, 17, 1, 2]
    assert ids(people, sort="kind")[-1] == 17


def test_filters_match_the_type_of_an_attribute(people: pd.DataFrame) -> None:
    kinds = {str(name): kind_of(people[name]) for name in people}
    assert kinds["age"] == "number"
    assert {kinds[name] for name in ("pupil", "kind", "home")} == {"choice"}
    assert choices_of(people["home"]) == ["Town 0", "Town 1", "away"]
    assert choices_of(people["pupil"]) == ["yes", "no"]
    many = pd.Series([f"name {number}" for number in range(500)])
    assert kind_of(many) == "text"


def test_default_and_requested_columns_are_shown(people: pd.DataFrame) -> None:
    assert shown_columns(people, DECLARED, PeopleQuery()) == [
        "age",
        "home",
        "pupil",
        "kind",
        "left_at",
    ]
    asked = PeopleQuery(filters=(Filter("account"),), sort="age")
    assert shown_columns(people, DECLARED, asked)[-1] == "account"


def test_cells_show_dates_and_units(run: FakeRun) -> None:
    result = [cell(run, np.int32(tick), "left_at", DECLARED) for tick in (-1, 7)]  # type: ignore[arg-type]
    assert result == ["never", "01 Jan 07:00"]
    assert cell(run, np.int16(30), "age", DECLARED) == "30 years"  # type: ignore[arg-type]
    assert cell(run, None, "age", DECLARED) == "-"  # type: ignore[arg-type]


def test_a_typed_number_is_parsed() -> None:
    assert [number_typed(text) for text in ("", " 1,000 ", "-0.5", "1e3")] == [
        None,
        1000,
        -0.5,
        1e3,
    ]
    for text in ("x", "nan", "inf", "1-"):
        with pytest.raises(ValueError, match="is not a"):
            number_typed(text)


def test_ten_thousand_agents_are_listed_quickly() -> None:
    count = 10_000
    rows = np.arange(count)
    frame = pd.DataFrame(
        {"name": [f"Name {row % 97}" for row in rows], "age": rows % 90}, index=rows + 1
    )
    table = select_people(frame, PeopleQuery("name 5", (Filter("age", (), 20, 60),), "age"))
    assert 0 < len(table) < count
    assert page_at(0, len(table), size=50).part == slice(0, 50)


@pytest.mark.parametrize(
    ("number", "rows", "message"),
    [
        (0, 0, "none"),
        (3, 0, "none"),
        (0, 50, "50"),
        (0, 51, "1 to 50 of 51"),
        (9, 51, "51 to 51 of 51"),
        (-1, 10_000, "1 to 50 of 10,000"),
    ],
)
def test_pages_stay_within_the_list(number: int, rows: int, message: str) -> None:
    assert page_at(number, rows, size=50).description == message
