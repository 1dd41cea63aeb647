"""Find and check the files of a place: a shipped one, a folder, or one CSV file of zones."""

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from memopolis.sim.errors import DataFileError, UnknownNameError, reason_of
from memopolis.sim.files import refuse_outer_links
from memopolis.sim.toml_files import read_toml

SHIPPED_PLACES = Path(__file__).parent
PLACES = ("charleston", "columbia")  # shipped places, each a folder here
NO_PLACE = "none"  # setting of a scenario that runs without a place

LARGEST_MB = {
    "place.toml": 0.5,
    "zones.csv": 20,
    "zones.geojson": 100,
    "roads.csv": 5,
    "past_storms.csv": 1,
}
"""Largest size of a file of a place, in megabytes; a larger one is refused before it is read."""
_OTHER_MB = 20
FILES = tuple(LARGEST_MB)  # files of a place's folder that scenarios read; zones.csv is required


@dataclass(frozen=True)
class PlaceFiles:
    """The files of a place."""

    name: str  # name of the place, from place.toml, or of the folder or file
    title: str  # readable name; the name if place.toml has none
    zones: Path  # the file of zones
    folder: Path | None  # folder of the other files, None for a single file of zones
    taken_over: tuple[str, ...]  # defaults that the files took over from elsewhere, one phrase each

    def find(self, name: str) -> Path | None:
        """Return the path of an optional file of the folder, None if there is none."""
        if self.folder is None:
            return None
        path = self.folder / name
        # A broken link exists() not, but was meant to be something.
        return check_file(path) if path.exists() or path.is_symlink() else None

    def list_files(self) -> tuple[Path, ...]:
        """Return the files that a place consists of and that exist."""
        paths = (self.find(name) for name in FILES if self.folder is not None)
        return (self.zones,) if self.folder is None else tuple(path for path in paths if path)


def find_place(place: str | PathLike[str]) -> PlaceFiles:
    """Find the files of a place: a shipped one, a folder with zones.csv, or a CSV file of zones.

    Raises:
        UnknownNameError: If the place is neither shipped nor exists.
        DataFileError: If a file is missing, no regular file or too large, or place.toml is invalid.
        RunFolderError: If a link in the folder leads out of it.
    """
    path = SHIPPED_PLACES / place if place in PLACES else Path(place)
    try:
        is_folder, exists = path.is_dir(), path.exists()
    except OSError as error:
        raise DataFileError(f"place {str(place)!r:.60}: {reason_of(error)}") from None
    if not is_folder:
        if not exists and not path.suffix:
            raise UnknownNameError(
                f"unknown place {str(place)!r:.80}; choose {' or '.join(PLACES)}, a CSV file of "
                "zones, or a folder with zones.csv"
            )
        return PlaceFiles(path.stem, path.stem, check_file(path), None, ())
    refuse_outer_links(path, top_only=True)
    zones = check_file(path / "zones.csv")
    return PlaceFiles(zones=zones, folder=path, **_read_description(path))


def find_title(place: str) -> str:
    """Return the title of the place of a setting; empty without a place."""
    return "" if place == NO_PLACE else find_place(place).title


def check_file(path: Path, *, most_mb: float | None = None) -> Path:
    """Refuse a file that is missing, no regular file, or larger than allowed, in megabytes."""
    try:
        # A pipe would block, and a device might never end.
        if path.exists() and not path.is_file():
            raise DataFileError(f"{path} is no regular file; a file of a place is needed")
        size = path.stat().st_size
    except FileNotFoundError:
        raise DataFileError(f"{path}: no such file; a place needs a file of zones") from None
    except OSError as error:
        raise DataFileError(f"{path}: not readable: {reason_of(error)}") from None
    most = LARGEST_MB.get(path.name, _OTHER_MB) if most_mb is None else most_mb
    if size > most * 1_000_000:
        raise DataFileError(f"{path} has {size / 1_000_000:,.0f} MB; at most {most:g} MB are read")
    return path


def _read_description(folder: Path) -> dict[str, Any]:
    """Return name, title and taken_over of a folder's place.toml."""
    name = folder.resolve().name
    path = folder / "place.toml"
    if not path.exists():
        return {"name": name, "title": name, "taken_over": ()}
    text = check_file(path).read_bytes()
    # A key of many parts would take memory by the square of their number.
    if max((line.count(b".") for line in text.splitlines()), default=0) > _MOST_DOTS:
        raise DataFileError(f"{path}: a line has more than {_MOST_DOTS} dots; shorten it")
    invalid = f"{path}: not readable as TOML"
    _, values = read_toml(path, unreadable=f"{path}: not readable", invalid=invalid)
    name = _text(path, "name", values.get("name", name))
    taken = values.get("taken_over", [])
    if not isinstance(taken, list):
        raise DataFileError(f"{path}: taken_over is {taken!r:.60}; it must be a list of texts")
    return {
        "name": name,
        "title": _text(path, "title", values.get("title", name)),
        "taken_over": tuple(_text(path, "taken_over", one) for one in taken),
    }


_LONGEST = 1_000
_MOST_DOTS = 500


def _text(path: Path, key: str, value: object) -> str:
    text = " ".join(value.split()) if isinstance(value, str) else ""
    if not 0 < len(text) <= _LONGEST or not text.isprintable():
        raise DataFileError(
            f"{path}: {key} is {value!r:.60}; it must be a text of 1 to {_LONGEST:,} printable "
            "characters"
        )
    return text
