"""Zones as GeoJSON: reading, writing, and files of strangers."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import shapely

from memopolis.scenarios.places import zone_geojson
from memopolis.scenarios.places.new_place import Sources, build_place
from memopolis.scenarios.places.zone_geojson import read_zones, write_zones
from memopolis.sim.errors import DataFileError

SQUARE = [[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]
NEXT = [[1, 0], [2, 0], [2, 1], [1, 1], [1, 0]]


def feature(code: object = "a", ring: Any = SQUARE, **properties: object) -> dict[str, Any]:
    return {
        "type": "Feature",
        "id": code,
        "properties": {"name": "North", "population": 900} | properties,
        "geometry": {"type": "Polygon", "coordinates": [ring]},
    }


def write(folder: Path, *features: object) -> Path:
    file = folder / "zones.geojson"
    file.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return file


def test_written_zones_are_read_again(tmp_path: Path) -> None:
    table = pd.DataFrame(
        {"zone": ["a", "b"], "name": ["Ä", "B"], "population": [1, 2], "band": ["A", None]}
    )
    holed = shapely.Polygon(SQUARE, [[[0.4, 0.4], [0.6, 0.4], [0.6, 0.6]]])
    parted = shapely.MultiPolygon([shapely.box(1, 0, 2, 1), shapely.box(3, 0, 4, 1)])
    write_zones(tmp_path / "z.geojson", table, [holed, parted])
    again, shapes = read_zones(tmp_path / "z.geojson")
    assert list(again["zone"]) == ["a", "b"]
    assert list(again["name"]) == ["Ä", "B"]
    assert shapes[0].equals(holed)
    assert shapes[1].equals(parted)
    inner = shapely.points(again["lon"], again["lat"])
    assert shapely.contains(np.array(shapes, object), inner).all()
    document = json.loads((tmp_path / "z.geojson").read_text("utf-8"))
    assert document["features"][1]["id"] == "b"
    assert "band" not in document["features"][1]["properties"]


def changed(**changes: object) -> dict[str, Any]:
    return feature() | changes


def geometry(kind: str, coordinates: object) -> dict[str, Any]:
    return changed(geometry={"type": kind, "coordinates": coordinates})


HOSTILE = {
    "a point": (geometry("Point", [0, 0]), ["feature 1 ('a'), field geometry", "Point", "--csv"]),
    "no geometry": (changed(geometry=None), ["feature 1 ('a'), field geometry: missing"]),
    "a line": (geometry("LineString", SQUARE), ["LineString", "Polygon or MultiPolygon"]),
    "crossing itself": (
        feature(ring=[[0, 0], [1, 1], [1, 0], [0, 1], [0, 0]]),
        ["feature 1 ('a'), field geometry", "Self-intersection", "repair"],
    ),
    "too few points": (feature(ring=[[0, 0], [1, 1], [0, 0]]), ["field geometry"]),
    "no points": (feature(ring=[]), ["field geometry"]),
    "texts": (feature(ring=[["a", "b"]] * 4), ["field geometry", "longitude, latitude"]),
    "ragged": (feature(ring=[[0], [1, 0], [1, 1], [0, 0]]), ["field geometry"]),
    "an object": (geometry("Polygon", {"x": 1}), ["field geometry"]),
    "beyond the poles": (
        feature(ring=[[0, 80], [1, 80], [1, 95], [0, 80]]),
        ["field geometry: latitude 95 is not within -90 and 90"],
    ),
    "in metres": (
        feature(ring=[[430215, 80], [430216, 80], [430216, 81], [430215, 80]]),
        ["longitude 430215 is not within", "degrees"],
    ),
    "no id": (changed(id=None), ["feature 1, field id: missing", "property zone"]),
    "an id that is a list": (changed(id=[1]), ["feature 1, field id: [1]"]),
    "a flag as id": (changed(id=True), ["field id: True"]),
    "a long id": (changed(id="x" * 99), ["field id", "1 to 60 characters"]),
    "no properties": (changed(properties=None), ["field population is missing"]),
    "properties as list": (changed(properties=[1]), ["field properties"]),
    "a nested property": (feature(population={"total": 1}), ["('a'), field population"]),
    "no feature": ([1, 2], ["feature 1: [1, 2] is not a Feature"]),
    "a negative number": (feature(population=-5), ["feature 1, field population: '-5'"]),
    "words for a number": (feature(population="many"), ["feature 1, field population: 'many'"]),
    "a share above 100": (feature(under_18=140), ["feature 1, field under_18: '140'", "most 100"]),
    "an unknown band": (feature(band="Z"), ["feature 1, field band: 'Z'", "A, B, C, none"]),
    "null": (feature(population=None), ["field population is missing"]),
    "no residents": (feature(population=0), ["no zone has residents"]),
}  # fmt: skip


@pytest.mark.parametrize("case", HOSTILE)
def test_a_wrong_feature_is_named_with_its_field(case: str, tmp_path: Path) -> None:
    wrong, parts = HOSTILE[case]
    with pytest.raises(DataFileError) as refused:
        build_place("mine", Sources(geojson=write(tmp_path, wrong)))
    for part in parts:
        assert part in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_a_coordinate_that_is_no_finite_number_is_refused(number: str, tmp_path: Path) -> None:
    file = write(tmp_path, feature(), feature("b", ring=[[1, 0], [2, 0], [2, 99.5], [1, 0]]))
    file.write_text(file.read_text().replace("99.5", number))
    with pytest.raises(DataFileError, match=r"feature 2 \('b'\), field geometry: a coordinate"):
        read_zones(file)


def test_two_features_of_one_zone_are_refused(tmp_path: Path) -> None:
    file = write(tmp_path, feature(7), feature("7", NEXT))
    with pytest.raises(DataFileError, match="feature 2, field id: '7' is already the id of"):
        read_zones(file)


def test_overlapping_zones_are_refused_and_neighbours_are_not(tmp_path: Path) -> None:
    table, _ = read_zones(write(tmp_path, feature(), feature("b", NEXT)))
    assert list(table["zone"]) == ["a", "b"]
    moved = [[x - 0.5, y] for x, y in NEXT]
    with pytest.raises(DataFileError, match="50% of a zone is in both 'a' and 'b'"):
        read_zones(write(tmp_path, feature(), feature("b", moved)))


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("{", "not readable as GeoJSON"),
        ("[" * 100_000, "nested too deeply"),
        ("[]", "a FeatureCollection"),
        ('{"type": "Topology"}', "'Topology'"),
        ('{"type": "FeatureCollection"}', "field features: missing"),
        ('{"type": "FeatureCollection", "features": []}', "at least one"),
        ('{"type": "FeatureCollection", "features": {"a": 1}}', "field features"),
    ],
)
def test_a_file_of_another_format_is_refused(text: str, part: str, tmp_path: Path) -> None:
    file = tmp_path / "zones.geojson"
    file.write_text(text)
    with pytest.raises(DataFileError, match=part):
        read_zones(file)


def test_files_that_are_too_large_or_no_files_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(tmp_path, feature(), feature("b", NEXT))
    monkeypatch.setattr(zone_geojson, "MOST_POINTS", 9)
    with pytest.raises(DataFileError, match="more than 9 points"):
        read_zones(file)
    monkeypatch.setattr(zone_geojson, "MOST_ZONES", 1)
    with pytest.raises(DataFileError, match="2 features; at most 1"):
        read_zones(file)
    with file.open("r+b") as content:
        content.truncate(60_000_000)
    with pytest.raises(DataFileError, match="has 60 MB; at most 50 MB"):
        read_zones(file)
    os.mkfifo(tmp_path / "pipe.geojson")
    for other, part in (("pipe.geojson", "no regular file"), ("none.geojson", "no such file")):
        with pytest.raises(DataFileError, match=part):
            read_zones(tmp_path / other)
    file.write_bytes(b'{"type": "\xff"}')
    with pytest.raises(DataFileError, match="no UTF-8"):
        read_zones(file)


def test_outlines_of_many_points_are_simplified(tmp_path: Path) -> None:
    turn = np.linspace(0, 2 * np.pi, zone_geojson.KEPT_POINTS)
    circle = np.column_stack([np.cos(turn), np.sin(turn)])
    circle[-1] = circle[0]
    tiny = (1e-6 * np.array(SQUARE) + 5).tolist()
    path = write(tmp_path, feature(ring=circle.tolist()), feature("tiny", tiny))
    with pytest.warns(RuntimeWarning, match=r"100,005 points .* simplified to \d+, within 11 m"):
        _, (round_zone, tiny_zone) = read_zones(path)
    assert round_zone.area == pytest.approx(np.pi, rel=1e-3)
    assert tiny_zone.area == pytest.approx(1e-12, rel=1e-3)
    _, (few,) = read_zones(write(tmp_path, feature(ring=[*circle[::2].tolist(), [1.0, 0.0]])))
    assert shapely.get_num_coordinates(few) == zone_geojson.KEPT_POINTS // 2 + 1


@pytest.mark.parametrize("ring", [[["0", "1"]] * 4, [[True, False]] * 4, [[0, None]] * 4])
def test_points_are_numbers(ring: Any, tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match="longitude, latitude"):
        read_zones(write(tmp_path, feature(ring=ring)))
