"""Check a folder of Qdrant's local mode before the client reads it.

The client stores each point as a pickle, which could run any code when it is read. The folder may
come from anyone, so every pickle is read here first, by a reader that creates only points.
"""

import json
import pickle
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import override

from memopolis.sim.arguments import shown
from memopolis.sim.errors import RunFolderError, TrustError
from memopolis.sim.files import refuse_outer_links

_MODELS = "qdrant_client.http.models.models"
_CLASSES = {(_MODELS, "PointStruct"), (_MODELS, "SparseVector")}
_META, _COLLECTIONS = "meta.json", "collection"


def check_folder(folder: Path) -> None:
    """Refuse a folder, which may be missing, whose points could run code.

    Raises TrustError if a point names anything but a point, and RunFolderError if the folder is
    broken, or a link or a collection in it leads out of it.
    """
    if not folder.is_dir():
        return
    refuse_outer_links(folder)
    home = folder.resolve()
    for name in _collections(folder):
        if not (home / _COLLECTIONS / name).resolve().is_relative_to(home):
            raise RunFolderError(
                f"{folder} is not used: it has the collection {shown(name)}, which leads out of it"
            )
    for file in sorted(folder.rglob("*.sqlite")):
        try:
            for point in _points(file):
                _PointReader(file, point).load()
        except TrustError:
            raise
        except Exception as error:  # noqa: BLE001 - a broken pickle can raise anything
            raise RunFolderError(f"{file} is broken: {error}") from None


def _collections(folder: Path) -> list[str]:
    try:
        content = json.loads((folder / _META).read_text(encoding="utf-8"))
        return [str(name) for name in content["collections"]]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise RunFolderError(f"{folder / _META} is broken: {error}") from None


def _points(file: Path) -> Iterator[bytes]:
    with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as storage:
        for (point,) in storage.execute("SELECT point FROM points"):
            yield point


class _PointReader(pickle.Unpickler):
    """Reads the pickle of a point."""

    def __init__(self, file: Path, point: bytes) -> None:
        super().__init__(BytesIO(point))
        self._file = file

    @override
    def find_class(self, module: str, name: str) -> object:
        if (module, name) not in _CLASSES:
            raise TrustError(
                f"{self._file} is not opened: a point in it names code, "
                f"{shown(f'{module}.{name}')}; use a folder that you made"
            )
        return super().find_class(module, name)
