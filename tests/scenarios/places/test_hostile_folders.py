"""Files of a place made by others are refused in one line that names what is wrong."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.scenarios.places.new_town import SCENARIOS, ZONES, write_town

from memopolis.scenarios.places.zones import read_place
from memopolis.sim.errors import MemopolisError
from memopolis.sim.scenario_names import find_scenario

SQUARE = "[[[0, 0], [1, 0], [1, 1], [0, 0]]]"
FEATURE = (
    '{"type": "FeatureCollection", "features": [{"type": "Feature", "id": "ID", "properties": {}, '
    '"geometry": {"type": "Polygon", "coordinates": RINGS}}]}'
)


def _write(name: str, content: str | bytes) -> Callable[[Path], None]:
    data = content.encode() if isinstance(content, str) else content

    def change(folder: Path) -> None:
        (folder / name).write_bytes(data)

    return change


def _replace(old: str, new: str) -> Callable[[Path], None]:
    assert old in ZONES
    return _write("zones.csv", ZONES.replace(old, new))


def _link(name: str, to: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(to)

    return change


def _grow(name: str) -> Callable[[Path], None]:
    return lambda folder: os.truncate(folder / name, 10_000_000_000)


def _pipe(folder: Path) -> None:
    os.mkfifo(folder / "past_storms.csv")


def _outlines(code: str, rings: str = SQUARE) -> Callable[[Path], None]:
    return _write("zones.geojson", FEATURE.replace("ID", code).replace("RINGS", rings))


MANY = ZONES.splitlines()[0] + "\n" + "".join(f"{n},Z,,1,1,5{',' * 15}\n" for n in range(2_001))
CASES: dict[str, tuple[Callable[[Path], None], str]] = {
    "no zones": (lambda folder: (folder / "zones.csv").unlink(), r"zones.csv: no such file"),
    "outer link": (_link("zones.csv", "/etc/passwd"), "zones.csv is a link that leads out"),
    "loop": (_link("zones.csv", "zones.csv"), "zones.csv is a link that leads out"),
    "broken link": (_link("zones.geojson", "gone"), "zones.geojson: no such file"),
    "huge zones": (_grow("zones.csv"), "zones.csv has 10,000 MB; at most 20 MB"),
    "huge text": (_grow("place.toml"), "place.toml has 10,000 MB; at most 0.5 MB"),
    "many zones": (_write("zones.csv", MANY), "2,001 zones; at most 2,000"),
    "no column": (_replace("population", "people"), "column population is missing"),
    "NaN": (_replace("20000,9,", "NaN,9,"), "row 1, column population: 'NaN'"),
    "infinity": (_replace("27.93", "inf"), "row 1, column lat: 'inf'"),
    "far too many": (_replace("20000,9,", "1e308,9,"), "row 1, column population: '1e308'"),
    "percent": (_replace(",15,14,10,", ",15,140,10,"), "row 1, column aged_65: '140'"),
    "control": (_replace("Hyde Park", "Hyde\x1b[31m"), r"row 1, column name: 'Hyde\\x1b\[31m'"),
    "binary": (_write("zones.csv", bytes(range(128, 256))), "not readable as a CSV file"),
    "deep list": (_write("place.toml", f"name = {'[' * 9_000}"), "nested too deeply"),
    "deep key": (_write("place.toml", f"{'a.' * 90_000}a = 1"), "more than 500 dots"),
    "no text": (_write("place.toml", "title = 3"), "title is 3; it must be a text"),
    "no list": (_write("place.toml", 'taken_over = "x"'), "it must be a list of texts"),
    "deep GeoJSON": (_write("zones.geojson", "[" * 90_000), "nested too deeply"),
    "other zone": (_outlines("X"), "zone '33606' has no feature"),
    "NaN outline": (_outlines("33606", SQUARE.replace("[1, 1]", "[NaN, 1]")), "field geometry"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_broken_folder_is_refused_in_one_line(case: str, tmp_path: Path) -> None:
    town = write_town(tmp_path / "town")
    change, message = CASES[case]
    change(town)
    with pytest.raises(MemopolisError, match=message) as refused:
        read_place(town)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 400


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes")
def test_a_pipe_is_refused_without_reading_it(tmp_path: Path) -> None:
    town = write_town(tmp_path / "town")
    _pipe(town)
    with pytest.raises(MemopolisError, match=r"past_storms\.csv is no regular file"):
        find_scenario("hurricane")(agents=20, days=1, place=str(town), storm="ian")


NO_PLACES = ("atlantis", "x" * 5_000, "a\0b", "/dev/zero", "/etc/passwd/x.csv")


@pytest.mark.parametrize("place", NO_PLACES, ids=lambda place: place[:12].strip("\0"))
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_what_is_no_place_is_refused_in_every_scenario(scenario: str, place: str) -> None:
    with pytest.raises(MemopolisError) as refused:
        find_scenario(scenario)(agents=20, place=place)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 300


def test_a_link_within_the_folder_is_followed(tmp_path: Path) -> None:
    town = write_town(tmp_path / "town")
    (town / "zones.csv").rename(town / "old.csv")
    (town / "zones.csv").symlink_to("old.csv")
    assert len(read_place(town)) == 2
