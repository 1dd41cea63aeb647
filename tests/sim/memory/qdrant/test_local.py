"""A folder of Qdrant's local mode that a stranger made."""

import json
import pickle
import sqlite3
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from memopolis import Memory
from memopolis.sim.errors import RunFolderError, TrustError

if find_spec("qdrant_client") is None:
    pytest.skip("needs the extra qdrant", allow_module_level=True)

from memopolis.sim.memory.qdrant.store import QdrantStore, make_client

pytestmark = pytest.mark.filterwarnings("ignore:a folder of Qdrant")


class Touch:
    """Creates a file when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (self.marker,))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two points, closed."""
    folder = tmp_path / "qdrant"
    client = make_client("", str(folder))
    memory = Memory(2, store=QdrantStore(client))
    memory[0].stream.add("note", "a text", tags=("mine",))
    memory[1].stream.add("note", "another")
    memory.flush()
    client.close()
    return folder


def replace_point(folder: Path, point: bytes) -> None:
    (file,) = folder.rglob("memopolis/*.sqlite")
    with closing(sqlite3.connect(file)) as storage, storage:
        storage.execute("UPDATE points SET point = ? WHERE rowid = 1", (point,))


def test_a_folder_of_points_is_opened_again(folder: Path) -> None:
    client = make_client("", str(folder))
    memory = Memory(2, store=QdrantStore(client))
    assert memory[1].stream.read([0])[0].text == "another"
    client.close()


def test_a_point_that_runs_code_is_refused_before_it_is_read(folder: Path, tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    point = pickle.dumps(Touch(marker))
    pickle.loads(point)  # noqa: S301 - shows that the pickle acts
    assert marker.exists()
    marker.unlink()
    replace_point(folder, point)
    with pytest.raises(TrustError, match="a point in it names code, 'pathlib") as refused:
        make_client("", str(folder))
    assert "\n" not in str(refused.value)
    assert not marker.exists()


def test_a_broken_point_is_refused_in_one_line(folder: Path) -> None:
    replace_point(folder, b"no pickle")
    with pytest.raises(RunFolderError, match=r"storage\.sqlite is broken"):
        make_client("", str(folder))


def test_collections_and_links_that_lead_out_are_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (folder / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RunFolderError, match="link"):
        make_client("", str(folder))
    (folder / "link").unlink()
    meta = json.loads((folder / "meta.json").read_text())
    meta["collections"]["../../elsewhere"] = meta["collections"]["memopolis"]
    (folder / "meta.json").write_text(json.dumps(meta))
    with pytest.raises(RunFolderError, match=r"'\.\./\.\./elsewhere', which leads out"):
        make_client("", str(folder))
    (folder / "meta.json").write_text("{")
    with pytest.raises(RunFolderError, match=r"meta\.json is broken"):
        make_client("", str(folder))
