"""A memory in a folder: three Parquet tables and a small JSON, no pickle.

    pages.parquet      one row per page of 32 memories, see `pages.py`
    agents.parquet     one row per agent: its next id, its status, side columns
    texts.parquet      one row per text: its number and the text
    memory.json        everything else: clock, topics, tags, labels, schema, profiles

The JSON is written last, so a folder without it is incomplete.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter

from memopolis.sim.errors import RunFolderError, reason_of
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.layers.settings import LayerSettings
from memopolis.sim.memory.night.consolidation import Consolidation
from memopolis.sim.memory.retrieval.profiles import Profile
from memopolis.sim.memory.saving import pages
from memopolis.sim.memory.status.columns import Columns
from memopolis.sim.memory.status.encoding import from_json, to_json
from memopolis.sim.memory.status.schema import Attribute, Schema
from memopolis.sim.memory.streams.side_columns import below, width_of
from memopolis.sim.memory.streams.tags import TagNames
from memopolis.sim.memory.text.texts import Texts

if TYPE_CHECKING:
    import pyarrow as pa


FORMAT = 2
_JSON = "memory.json"
# Names of all files of a memory; without the first one it is incomplete.
FILES = (_JSON, "pages.parquet", "agents.parquet", "texts.parquet")
_STATUS = "status/"
_POLICIES: dict[str, Any] = {
    "profiles": dict[str, Profile],
    "consolidation": Consolidation,
    "layer_settings": LayerSettings,
}
_ONE_VALUE = ("now", "ticks_per_day", "day_offset", "recall", "names")


def save(memory: Memory, folder: str | Path, rows: NDArray[np.int64] | None = None) -> Path:
    """Write a memory, or that of some distinct agents, into a folder; as `Memory.save`.

    Without the others, the rarity of words, and so relevance, may change.
    """
    path = Path(folder)
    if path.is_dir() and any(path.iterdir()):
        raise RunFolderError(f"{path} exists and is not empty; name another folder")
    memory.flush()
    chosen = np.arange(len(memory)) if rows is None else rows
    texts = memory.texts.numbers if rows is None else _texts_of(memory, chosen)
    try:
        path.mkdir(parents=True, exist_ok=True)
        _write_table(path / "pages.parquet", pages.build_table(memory.streams, chosen))
        _write(path / "agents.parquet", _agents(memory, chosen))
        contents = [memory.texts[number] for number in texts.tolist()]
        _write(path / "texts.parquet", {"number": texts.astype(np.int32), "text": contents})
        plain = json.dumps(_plain(memory), ensure_ascii=False, indent=1)
        (path / _JSON).write_text(plain + "\n", encoding="utf-8")
    except OSError as error:
        raise RunFolderError(f"{path} cannot be written: {reason_of(error)}") from None
    return path


def load(memory: Memory, folder: str | Path) -> None:
    """Read a folder of `save` into a new memory; errors as in `Memory.load`."""
    path = Path(folder)
    try:
        plain = json.loads((path / _JSON).read_text(encoding="utf-8"))
        if plain.get("format") != FORMAT:
            raise RunFolderError(
                f"the memory in {path} has format {plain.get('format')}, this version reads "
                f"{FORMAT}"
            )
        agents, texts = (_read(path / f"{name}.parquet") for name in ("agents", "texts"))
        _fill(memory, plain, agents, texts)
        _fill_streams(memory, plain["streams"], _read_table(path / "pages.parquet"), agents)
    except FileNotFoundError as error:
        raise RunFolderError(f"{path} contains no memory: no {Path(error.filename).name}") from None
    except (OSError, ValueError, KeyError) as error:
        raise RunFolderError(f"the memory in {path} is broken: {error}") from None


def _fill(
    memory: Memory,
    plain: dict[str, Any],
    agents: dict[str, NDArray[Any]],
    texts: dict[str, NDArray[Any]],
) -> None:
    memory.embedder = plain["embedder"] or memory.embedder
    memory.texts = Texts.restore(texts["number"], texts["text"].tolist())
    memory.forget_index()
    memory.topics[:] = plain["topics"]
    memory.topic_numbers = {name: number for number, name in enumerate(memory.topics)}
    memory.tags = TagNames(plain["tags"])
    for name in _ONE_VALUE:
        setattr(memory, name, plain[name])
    memory.recall_key = (plain["recall_key"][0], plain["recall_key"][1])
    for name, kind in _POLICIES.items():
        setattr(memory, name, TypeAdapter(kind).validate_python(plain[name]))
    memory.unique_ids = agents.get("unique_id")
    memory.columns = _status(plain, agents)


def _fill_streams(
    memory: Memory, facts: Mapping[str, Any], table: "pa.Table", agents: dict[str, NDArray[Any]]
) -> None:
    streams = memory.streams = pages.restore_streams(table, agents["next"], facts)
    memory.issued = streams.next.copy()
    for name, values in below(agents, pages.SIDE).items():
        fill, width = facts["fills"][name], width_of(values)
        streams.agent_column(name, values.dtype, fill=fill, width=width)
        streams.sides.agents[name][:] = values


def _texts_of(memory: Memory, rows: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the numbers of the texts of some agents."""
    slots, _ = memory.streams.live(rows)
    return np.unique(memory.streams.at("text", slots))


def _status(plain: dict[str, Any], agents: dict[str, NDArray[Any]]) -> Columns:
    declared = [
        Attribute(**{**a, "default": from_json(a["default"]), "labels": tuple(a["labels"])})
        for a in plain["schema"]
    ]
    schema = Schema({a.name: a for a in declared}, closed=plain["closed"])
    columns = Columns(len(agents["next"]), schema)
    columns.restore({"arrays": below(agents, _STATUS), "labels": plain["labels"]})
    return columns


def _plain(memory: Memory) -> dict[str, Any]:
    schema = memory.columns.schema
    return {
        "format": FORMAT,
        "streams": pages.describe_streams(memory.streams),
        **{name: getattr(memory, name) for name in _ONE_VALUE},
        "names": dict(memory.names),
        "topics": memory.topics,
        "tags": memory.tags.all,
        "recall_key": list(memory.recall_key),
        **{
            name: TypeAdapter(kind).dump_python(getattr(memory, name), mode="json")
            for name, kind in _POLICIES.items()
        },
        "embedder": memory.embedder if isinstance(memory.embedder, str) else None,
        "labels": memory.columns.texts,
        "closed": schema.closed,
        "schema": [
            # Later agents start with the default: a distribution may depend on a user's table.
            asdict(replace(a, distribution=None)) | {"default": to_json(a.default)}
            for a in schema.attributes.values()
        ],
    }


def _agents(memory: Memory, rows: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
    streams = memory.streams
    ids = {} if memory.unique_ids is None else {"unique_id": memory.unique_ids[rows]}
    return {
        "next": streams.next[rows],
        **ids,
        **{f"{_STATUS}{name}": v[rows] for name, v in memory.columns.arrays.items()},
        **{f"{pages.SIDE}{name}": v[rows] for name, v in streams.sides.agents.items()},
    }


def _write(path: Path, columns: Mapping[str, NDArray[Any] | list[str]]) -> None:
    import pyarrow as pa

    _write_table(path, pa.table({name: _arrow(values) for name, values in columns.items()}))


def _write_table(path: Path, table: "pa.Table") -> None:
    import pyarrow.parquet as pq

    pq.write_table(table, path, compression="none", use_dictionary=False, write_statistics=False)


def _arrow(values: NDArray[Any] | list[str]) -> "pa.Array":
    import pyarrow as pa

    if isinstance(values, np.ndarray) and values.ndim == 2:
        return pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), values.shape[1])
    return pa.array(values)


def _read(path: Path) -> dict[str, NDArray[Any]]:
    table = _read_table(path)
    return {name: _numpy(table[name]) for name in table.column_names}


def _read_table(path: Path) -> "pa.Table":
    import pyarrow.parquet as pq

    return pq.read_table(path)


def _numpy(column: "pa.ChunkedArray") -> NDArray[Any]:
    import pyarrow as pa

    if pa.types.is_fixed_size_list(column.type):
        whole = column.combine_chunks()
        return np.array(whole.flatten()).reshape(len(column), column.type.list_size)
    return np.array(column.to_numpy())
