from datetime import datetime, timedelta
from pathlib import Path

import pytest

from memopolis.scenarios.hurricane.orders import (
    MANDATORY,
    NO_ORDER,
    VOLUNTARY,
    dorian_shift,
    read_closures,
    read_orders,
)
from memopolis.scenarios.hurricane.track import Track
from memopolis.scenarios.places.zones import read_place
from memopolis.sim.errors import DataFileError

START, TICKS = datetime(2019, 8, 28), 336
CHARLESTON, COLUMBIA = read_place("charleston"), read_place("columbia")


def tick(when: str) -> int:
    return (datetime.fromisoformat(when) - START) // timedelta(hours=1)


def test_dorians_order_is_that_of_2019() -> None:
    orders = read_orders(CHARLESTON, START, TICKS)
    zone, inland = CHARLESTON.index("29401"), CHARLESTON.index("29461")
    assert orders.announced[tick("2019-09-01 18:00"), zone] == NO_ORDER
    assert orders.announced[tick("2019-09-01 19:00"), zone] == MANDATORY
    assert orders.effective[tick("2019-09-02 11:00"), zone] == NO_ORDER
    assert orders.effective[tick("2019-09-02 12:00"), zone] == MANDATORY
    assert orders.effective[tick("2019-09-06 09:00"), zone] == MANDATORY
    assert orders.effective[tick("2019-09-06 10:00"), zone] == NO_ORDER
    assert not orders.announced[:, inland].any()
    assert [notice.kind for notice in orders.announcements] == ["mandatory", "lifted"]
    assert orders.announcements[0].when == datetime(2019, 9, 1, 18, 30)
    assert orders.announcements[0].zones.sum() == 28


def test_columbia_has_no_order_and_closes_on_thursday() -> None:
    assert not read_orders(COLUMBIA, START, TICKS).announced.any()
    assert read_orders(COLUMBIA, START, TICKS).announcements == ()
    closures = read_closures(COLUMBIA, START, TICKS)
    zone = COLUMBIA.index("29201")
    closed = closures.schools[:, zone]
    assert closed.sum() == 24
    assert closed[tick("2019-09-05 00:00")]
    assert not closures.contraflow.any()


def test_charleston_has_closures_and_reversed_lanes() -> None:
    closures = read_closures(CHARLESTON, START, TICKS)
    assert closures.schools[tick("2019-09-03 08:00")].all()
    assert closures.offices[tick("2019-09-08 12:00")].all()
    assert not closures.schools[tick("2019-09-09 08:00")].any()
    lanes = closures.contraflow.any(axis=1)
    assert lanes[tick("2019-09-02 11:00")]
    assert not lanes[tick("2019-09-02 10:00")]
    assert not lanes[tick("2019-09-04 12:00")]


def test_another_storm_shifts_by_whole_days() -> None:
    shift = dorian_shift(Track.read("florence"), CHARLESTON)
    assert shift == timedelta(days=-355)
    orders = read_orders(CHARLESTON, datetime(2018, 9, 7), TICKS, shift=shift)
    assert orders.announcements[0].when == datetime(2018, 9, 11, 18, 30)
    assert dorian_shift(Track.read("dorian"), CHARLESTON) == timedelta(0)


def written(folder: Path, rows: str) -> Path:
    file = folder / "orders.csv"
    file.write_text("announced,effective,area,kind\n" + rows)
    return file


def test_custom_orders_accept_every_kind_of_area(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        "2019-09-01 08:00,,all,voluntary\n"
        "2019-09-02 08:00,2019-09-02 12:00,band A,mandatory\n"
        "2019-09-02 08:00,,county Berkeley,mandatory\n"
        "2019-09-02 09:00,,29461,lifted\n",
    )
    orders = read_orders(CHARLESTON, START, TICKS, path=file)
    beach, berkeley, rest = (CHARLESTON.index(zone) for zone in ("29451", "29445", "29407"))
    at = tick("2019-09-02 10:00")
    assert orders.announced[at, beach] == MANDATORY
    assert orders.effective[at, beach] == VOLUNTARY
    assert orders.effective[at + 2, beach] == MANDATORY
    assert orders.effective[at, berkeley] == MANDATORY
    assert orders.effective[at, CHARLESTON.index("29461")] == NO_ORDER
    assert orders.effective[at, rest] == VOLUNTARY


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("2019-09-01,,29999,mandatory\n", "row 1, column area: '29999' is not in charleston"),
        ("2019-09-01,,county Horry,mandatory\n", "expected Berkeley, Charleston, Dorchester"),
        ("2019-09-01,,all,maybe\n", "row 1, column kind: 'maybe', expected one of lifted"),
        ("2019-09-02,2019-09-01,all,mandatory\n", "row 1, column effective: .* before announced"),
        ("someday,,all,mandatory\n", "row 1, column announced: 'someday'"),
    ],
)
def test_invalid_orders_are_named(tmp_path: Path, rows: str, message: str) -> None:
    with pytest.raises(DataFileError, match=message):
        read_orders(CHARLESTON, START, TICKS, path=written(tmp_path, rows))


def test_a_missing_file_of_orders_is_reported_with_the_allowed_words() -> None:
    words = "orders 'nne' is neither one of default, none, decided nor an existing CSV file"
    with pytest.raises(DataFileError, match=f"{words} with columns announced, area, kind$"):
        read_orders(CHARLESTON, START, TICKS, path="nne")
