"""Read and write zones as GeoJSON (RFC 7946): one feature per zone, with its outline."""

import json
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from memopolis.scenarios.places.place_files import check_file
from memopolis.sim.errors import DataFileError
from memopolis.sim.world.place import MOST_ZONES
from memopolis.sim.world.shapes import KM_PER_DEGREE

if TYPE_CHECKING:
    from shapely.geometry.base import BaseGeometry

MOST_MB = 50
"""Largest file that is read, in megabytes; its content needs about ten times as much memory."""
MOST_POINTS = 2_000_000  # largest number of points of all outlines
KEPT_POINTS = 100_000
"""Number of points of all outlines above which they are simplified: maps show no more of them."""
TOLERANCES = (1e-4, 3e-4, 1e-3)
"""Degrees by which a simplified outline may deviate, about 11, 33 and 110 m; the first that leaves
at most `KEPT_POINTS` is used, or the last."""
MOST_CHANGE = 0.01  # share of the area of a zone by which a simplified outline may differ
OVERLAP = 0.01  # largest share of a zone that may belong to another one
AREAS = ("Polygon", "MultiPolygon")
CODES = ("zone", "id", "GEOID")
"""Properties that may hold the code of a zone, if the feature itself has no id."""


def read_zones(path: Path) -> "tuple[pd.DataFrame, list[BaseGeometry]]":
    """Read a GeoJSON FeatureCollection of polygons in degrees: properties, and outlines.

    Returns one row per feature, with columns zone (the feature's id) and, unless they are
    properties, name (the code), lat and lon (a point within the outline); values are not checked.
    Outlines of more than `KEPT_POINTS` are simplified, with a warning.
    Raises DataFileError, which names the feature and the field, if the file is too large or no
    GeoJSON, or an outline is missing, invalid, out of range or overlaps another one.
    """
    import shapely

    features = _read_features(path)
    rows, shapes = [], []
    points = 0
    for number, feature in enumerate(features, start=1):
        where = f"{path}, feature {number}"
        if not isinstance(feature, dict) or feature.get("type") != "Feature":
            raise DataFileError(f"{where}: {_show(feature)} is not a Feature")
        properties = feature.get("properties") or {}
        if not isinstance(properties, dict):
            raise DataFileError(f"{where}, field properties: {_show(properties)} is not an object")
        code = _find_code(feature, properties, where)
        shape = _read_outline(feature.get("geometry"), f"{where} ('{code}'), field geometry")
        points += int(shapely.get_num_coordinates(shape))
        if points > MOST_POINTS:
            raise DataFileError(
                f"{path}: outlines have more than {MOST_POINTS:,} points; simplify them"
            )
        inner = shape.representative_point()
        own = {"name": code, "lat": inner.y, "lon": inner.x}
        rows.append(own | _flatten(properties, f"{where} ('{code}')") | {"zone": code})
        shapes.append(shape)
    table = pd.DataFrame(rows)
    _refuse_twice(table["zone"], path)
    if points > KEPT_POINTS:
        shapes = _simplify(shapes, path)
    _refuse_overlaps(shapes, table["zone"], path)
    return table, shapes


def _simplify(shapes: "Sequence[BaseGeometry]", path: Path) -> "list[BaseGeometry]":
    import shapely

    whole = np.array(shapes, object)
    for tolerance in TOLERANCES:
        simple = shapely.simplify(whole, tolerance)
        # A zone that is too small for the tolerance keeps its outline.
        difference = np.abs(shapely.area(simple) / shapely.area(whole) - 1)
        simple = np.where(shapely.is_valid(simple) & (difference <= MOST_CHANGE), simple, whole)
        left = int(shapely.get_num_coordinates(simple).sum())
        if left <= KEPT_POINTS:
            break
    before = int(shapely.get_num_coordinates(whole).sum())
    warnings.warn(
        f"{path}: {before:,} points of outlines are simplified to {left:,}, within "
        f"{tolerance * KM_PER_DEGREE * 1000:.0f} m",
        RuntimeWarning,
        stacklevel=3,
    )
    return list(simple)


def _read_features(path: Path) -> list[Any]:
    """Return the features of a file, not yet checked."""
    try:
        text = check_file(path, most_mb=MOST_MB).read_text(encoding="utf-8-sig")
        content = json.loads(text, parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise DataFileError(f"{path}: no UTF-8 ({error.reason} at byte {error.start})") from None
    except RecursionError:
        raise DataFileError(f"{path}: values are nested too deeply") from None
    except json.JSONDecodeError as error:
        raise DataFileError(f"{path}: not readable as GeoJSON: {error}") from None
    if not isinstance(content, dict) or content.get("type") != "FeatureCollection":
        kind = content.get("type") if isinstance(content, dict) else content
        raise DataFileError(
            f"{path}: its type is {_show(kind)}; a FeatureCollection with one feature per zone is "
            "needed"
        )
    features = content.get("features")
    if not isinstance(features, list) or not features:
        raise DataFileError(f"{path}, field features: {_show(features)}; at least one is needed")
    if len(features) > MOST_ZONES:
        raise DataFileError(f"{path}: {len(features):,} features; at most {MOST_ZONES:,} are read")
    return features


def _refuse_constant(name: str) -> float:
    """Read NaN and infinities, which are no JSON, as NaN: the feature with it is refused later."""
    return float("nan") if name else 0.0


def _find_code(feature: dict[str, Any], properties: dict[str, Any], where: str) -> str:
    values = [feature.get("id"), *(properties.get(name) for name in CODES)]
    code = next((value for value in values if value is not None), None)
    whole = isinstance(code, int) and not isinstance(code, bool)
    if not (isinstance(code, str) or whole) or not str(code).strip() or len(str(code)) > 60:
        raise DataFileError(
            f"{where}, field id: {_show(code)}; each feature needs an id, or a property zone, of "
            "1 to 60 characters"
        )
    return str(code).strip()


def _flatten(properties: dict[str, Any], where: str) -> dict[str, Any]:
    """Return simple properties; null is a missing value. Lists and objects are refused."""
    kept = {}
    for name, value in properties.items():
        if isinstance(value, dict | list):
            raise DataFileError(
                f"{where}, field {name}: {_show(value)}; a text or a number is needed"
            )
        if value is not None:
            kept[str(name)] = int(value) if isinstance(value, bool) else value
    return kept


def _read_outline(geometry: object, where: str) -> "BaseGeometry":
    """Return a valid polygon or several, in degrees."""
    import shapely

    kind = geometry.get("type") if isinstance(geometry, Mapping) else geometry
    if kind not in AREAS:
        hint = "; give centres without outlines as a CSV file with --csv" if kind == "Point" else ""
        raise DataFileError(f"{where}: {_show(kind)}, expected {' or '.join(AREAS)}{hint}")
    try:
        outline = _build_outline(geometry)
    except (KeyError, TypeError, ValueError, shapely.errors.ShapelyError):
        raise DataFileError(
            f"{where}: its coordinates are not lists of rings of at least four [longitude, "
            "latitude] pairs"
        ) from None
    coordinates = shapely.get_coordinates(outline)
    if not len(coordinates):
        raise DataFileError(f"{where}: it has no coordinates")
    _check_range(coordinates, where)
    if not outline.is_valid:
        reason = shapely.is_valid_reason(outline)
        raise DataFileError(
            f"{where}: invalid outline: {reason}; repair it, for example with 'Fix geometries' of "
            "QGIS"
        )
    return outline


def _build_outline(geometry: Any) -> "BaseGeometry":
    """Build an outline from arrays, which is ten times as fast as from each point."""
    import shapely

    coordinates = geometry["coordinates"]
    is_single = geometry["type"] == "Polygon"
    polygons = [
        shapely.Polygon(outer, holes)
        for outer, *holes in (
            [_read_ring(ring) for ring in polygon]
            for polygon in ([coordinates] if is_single else coordinates)
        )
    ]
    return polygons[0] if is_single else shapely.MultiPolygon(polygons)


def _read_ring(ring: Any) -> "BaseGeometry":
    import shapely

    points = np.array(ring)
    if points.ndim != 2 or points.shape[1] < 2 or points.dtype.kind not in "iuf":
        raise ValueError("a ring is a list of pairs of numbers")
    with np.errstate(invalid="ignore"):  # NaN is refused later
        return shapely.linearrings(points[:, :2].astype(float))


def _check_range(coordinates: np.ndarray, where: str) -> None:
    if not np.isfinite(coordinates).all():
        raise DataFileError(f"{where}: a coordinate is no finite number")
    for axis, name, most in ((0, "longitude", 180.0), (1, "latitude", 90.0)):
        values = coordinates[:, axis]
        wrong = np.abs(values) > most
        if wrong.any():
            raise DataFileError(
                f"{where}: {name} {values[wrong][0]:g} is not within -{most:g} and {most:g}; "
                "coordinates are degrees (WGS 84), longitude first"
            )


def _refuse_twice(codes: pd.Series, path: Path) -> None:
    twice = codes.duplicated()
    if twice.any():
        number = int(np.argmax(twice))
        first = int(np.argmax(codes == codes[number]))
        raise DataFileError(
            f"{path}, feature {number + 1}, field id: '{codes[number]}' is already the id of "
            f"feature {first + 1}; each zone has one feature, of type MultiPolygon if it has parts"
        )


def _refuse_overlaps(shapes: "Sequence[BaseGeometry]", codes: pd.Series, path: Path) -> None:
    from shapely import STRtree

    areas = [shape.area for shape in shapes]
    for one, other in STRtree(shapes).query(shapes, predicate="intersects").T:
        if one < other:
            common = shapes[one].intersection(shapes[other]).area
            share = common / max(min(areas[one], areas[other]), 1e-12)
            if share > OVERLAP:
                raise DataFileError(
                    f"{path}, feature {other + 1} ('{codes[other]}'), field geometry: {share:.0%} "
                    f"of a zone is in both '{codes[one]}' and '{codes[other]}'; zones may not "
                    "overlap"
                )


def _show(value: object) -> str:
    """Return a value in short, for a message."""
    return "missing" if value is None else f"{value!r:.60}"


def write_zones(path: Path, table: pd.DataFrame, shapes: "Iterable[BaseGeometry]") -> None:
    """Write zones as GeoJSON: outlines in degrees, and all columns besides zone as properties."""
    text = json.dumps(
        {"type": "FeatureCollection", "features": list(_list_features(table, shapes))},
        ensure_ascii=False,
        allow_nan=False,
    )
    path.write_text(text.replace('{"type": "Feature"', '\n{"type": "Feature"') + "\n", "utf-8")


def _list_features(
    table: pd.DataFrame, shapes: "Iterable[BaseGeometry]"
) -> Iterator[dict[str, Any]]:
    import shapely
    from shapely.geometry import mapping

    from memopolis.sim.world.shapes import DIGITS, keep_areas

    for row, shape in zip(table.to_dict("records"), shapes, strict=True):
        # Rounding the points alone could make a narrow outline cross itself.
        valid = keep_areas(shapely.set_precision(shape, 10.0**-DIGITS))
        rounded = shapely.transform(valid, lambda points: points.round(DIGITS))
        yield {
            "type": "Feature",
            "id": row["zone"],
            "properties": {
                name: value.item() if isinstance(value, np.generic) else value
                for name, value in row.items()
                if name != "zone" and not pd.isna(value)
            },
            "geometry": mapping(rounded),
        }
