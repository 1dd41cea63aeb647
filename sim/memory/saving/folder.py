"""A memory in a folder: three Parquet tables and a small JSON, no pickle.

    pages.parquet      one row per page of 32 memories: all columns one after another, side columns
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
from pydantic import TypeAdapter

from memopolis.sim.arrays import Array, Int64, UInt8
from memopolis.sim.errors import RunFolderError, reason_of
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.layers.settings import LayerSettings
from memopolis.sim.memory.night.consolidation import Consolidation
from memopolis.sim.memory.retrieval.profiles import Profile
from memopolis.sim.memory.saving import arrays
from memopolis.sim.memory.status.columns import Columns
from memopolis.sim.memory.status.encoding import from_json, to_json
from memopolis.sim.memory.status.schema import Attribute, Schema
from memopolis.sim.memory.streams.layout import COLUMNS, PAGE, PAGE_BYTES
from memopolis.sim.memory.streams.side_columns import SideColumns, below, width_of
from memopolis.sim.memory.streams.stream import Streams
from memopolis.sim.memory.text.texts import Texts

if TYPE_CHECKING:
    import pyarrow as pa

FORMAT = 2
_JSON = "memory.json"
# Names of all files of a memory; without the first one it is incomplete.
FILES = (_JSON, "pages.parquet", "agents.parquet", "texts.parquet")
_STATUS, _PRESENT, _SIDE = "status/", "present/", "side/"
_POLICIES: dict[str, Any] = {
    "profiles": dict[str, Profile],
    "consolidation": Consolidation,
    "layer_settings": LayerSettings,
}
_ONE_VALUE = ("ticks_per_day", "day_offset", "recall", "names")


def save(memory: Memory, folder: str | Path, rows: Int64 | None = None) -> Path:
    """Write a memory, or that of some distinct agents, into a folder; as `Memory.save`.

    Without the others, the rarity of words, and so relevance, may change.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = Path(folder)
    if path.is_dir() and any(path.iterdir()):
        raise RunFolderError(f"{path} exists and is not empty; name another folder")
    memory.flush()
    chosen = np.arange(len(memory)) if rows is None else rows
    tables = {
        "pages": _page_columns(memory.streams, chosen),
        "agents": {name: _arrow(v) for name, v in _agent_columns(memory, chosen).items()},
        "texts": _text_columns(memory, rows),
    }
    try:
        path.mkdir(parents=True, exist_ok=True)
        for name, columns in tables.items():
            pq.write_table(
                pa.table(columns), path / f"{name}.parquet", compression="none",
                use_dictionary=False, write_statistics=False,
            )  # fmt: skip
        plain = json.dumps(_plain(memory), ensure_ascii=False, indent=1)
        (path / _JSON).write_text(plain + "\n", encoding="utf-8")
    except OSError as error:
        raise RunFolderError(f"{path} cannot be written: {reason_of(error)}") from None
    return path


def _page_columns(streams: Streams, rows: Int64) -> "dict[str, pa.Array]":
    """Return the pages of some agents: agent (index into `rows`), place, page, side columns."""
    import pyarrow as pa

    agent, place = np.nonzero(streams.table[rows] >= 0)
    pages = streams.table[rows[agent], place]
    in_order = np.array_equal(pages, np.arange(len(pages)))

    def binary(values: Array, length: int) -> "pa.Array":
        """Return the bytes of the pages, without a copy if they are the first ones in order."""
        whole = values.view(np.uint8).reshape(-1, length)
        chosen = whole[: len(pages)] if in_order else whole[pages]
        buffers = [None, pa.py_buffer(chosen.reshape(-1))]
        return pa.Array.from_buffers(pa.binary(length), len(pages), buffers)

    return {
        "agent": pa.array(agent.astype(np.int32)),
        "place": pa.array(place.astype(np.int32)),
        "page": binary(streams.words, PAGE_BYTES),
        **{
            f"{_SIDE}{name}": binary(values, PAGE * width_of(values) * values.itemsize)
            for name, values in streams.sides.memories.items()
        },
    }


def _agent_columns(memory: Memory, rows: Int64) -> dict[str, Array]:
    streams = memory.streams
    ids = {} if memory.unique_ids is None else {"unique_id": memory.unique_ids[rows]}
    return {
        "next": streams.next[rows],
        **ids,
        **{f"{_STATUS}{name}": v[rows] for name, v in memory.columns.arrays.items()},
        **{f"{_PRESENT}{name}": v[rows] for name, v in memory.columns.present.items()},
        **{f"{_SIDE}{name}": v[rows] for name, v in streams.sides.agents.items()},
    }


def _text_columns(memory: Memory, rows: Int64 | None) -> dict[str, Any]:
    """Return the texts of a memory or of some agents, and their numbers."""
    numbers = memory.texts.numbers
    if rows is not None:
        numbers = np.unique(memory.streams.at("text", memory.streams.live(rows)[0]))
    return {"number": numbers, "text": [memory.texts[number] for number in numbers.tolist()]}


def _plain(memory: Memory) -> dict[str, Any]:
    schema, streams = memory.columns.schema, memory.streams
    sides = streams.sides.memories.items()
    return {
        "format": FORMAT,
        "streams": {
            "limit": streams.limit,
            "width": streams.table.shape[1],
            "forgets": streams.forgets,
            "layout": {name: dtype.str for name, dtype in COLUMNS.items()},
            "sides": {name: [values.dtype.str, width_of(values)] for name, values in sides},
            "fills": streams.sides.fills,
        },
        "now": memory.now,
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


def load(memory: Memory, folder: str | Path) -> None:
    """Read a folder of `save` into a new memory; errors as in `Memory.load`."""
    import pyarrow.parquet as pq

    path = Path(folder)
    try:
        plain = json.loads((path / _JSON).read_text(encoding="utf-8"))
        if plain.get("format") != FORMAT:
            raise RunFolderError(
                f"the memory in {path} has format {plain.get('format')}, this version reads "
                f"{FORMAT}"
            )
        pages, table, texts = (pq.read_table(path / name) for name in FILES[1:])
        agents = {name: _numpy(table[name]) for name in table.column_names}
        _fill(memory, plain, agents)
        arrays.fill(
            memory, _stream_arrays(plain["streams"], pages, agents), plain["topics"], plain["tags"],
            texts=Texts.restore(_numpy(texts["number"]), texts["text"].to_pylist()),
            now=plain["now"],
        )  # fmt: skip
    except FileNotFoundError as error:
        raise RunFolderError(f"{path} contains no memory: no {Path(error.filename).name}") from None
    except (OSError, ValueError, KeyError) as error:
        raise RunFolderError(f"the memory in {path} is broken: {error}") from None


def _fill(memory: Memory, plain: dict[str, Any], agents: dict[str, Array]) -> None:
    """Fill everything but streams, texts and topics."""
    memory.embedder = plain["embedder"] or memory.embedder
    for name in _ONE_VALUE:
        setattr(memory, name, plain[name])
    memory.recall_key = (plain["recall_key"][0], plain["recall_key"][1])
    for name, kind in _POLICIES.items():
        setattr(memory, name, TypeAdapter(kind).validate_python(plain[name]))
    memory.unique_ids = agents.get("unique_id")
    declared = [
        Attribute(**{**a, "default": from_json(a["default"]), "labels": tuple(a["labels"])})
        for a in plain["schema"]
    ]
    schema = Schema({a.name: a for a in declared}, closed=plain["closed"])
    memory.columns = Columns(len(agents["next"]), schema)
    memory.columns.restore(
        {
            "arrays": below(agents, _STATUS),
            "present": below(agents, _PRESENT),
            "labels": plain["labels"],
        }
    )


def _stream_arrays(
    facts: Mapping[str, Any], pages: "pa.Table", agents: dict[str, Array]
) -> dict[str, Array]:
    """Return the arrays of `Streams.state`."""
    agent, place = _numpy(pages["agent"]), _numpy(pages["place"])
    table = np.full((len(agents["next"]), facts["width"]), -1, np.int32)
    table[agent, place] = np.arange(len(agent))
    sides = {
        name: _read_bytes(pages[_SIDE + name]).view(dtype).reshape((-1, width) if width > 1 else -1)
        for name, (dtype, width) in facts["sides"].items()
    }
    return {
        "limit": np.array([facts["limit"]]),
        "next": agents["next"],
        "table": table,
        "words": _read_bytes(pages["page"]).view(np.int32),
        "forgets": np.array([facts["forgets"]]),
        **SideColumns(sides, below(agents, _SIDE), facts["fills"]).state(),
    }


def _arrow(values: Array) -> "pa.Array":
    import pyarrow as pa

    if values.ndim == 2:
        return pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), values.shape[1])
    return pa.array(values)


def _numpy(column: "pa.ChunkedArray") -> Array:
    import pyarrow as pa

    if pa.types.is_fixed_size_list(column.type):
        whole = column.combine_chunks()
        return np.array(whole.flatten()).reshape(len(column), column.type.list_size)
    return np.array(column.to_numpy())


def _read_bytes(column: "pa.ChunkedArray") -> UInt8:
    import pyarrow as pa

    if not len(column):
        return np.zeros(0, np.uint8)
    whole, length = pa.concat_arrays(column.chunks), column.type.byte_width
    return np.frombuffer(whole.buffers()[1], np.uint8, len(whole) * length, whole.offset * length)
