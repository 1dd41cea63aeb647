"""A memory in a folder: three Parquet tables and a small JSON, no pickle.

    pages.parquet      one row per page of 32 memories: all columns one after another, side columns
    agents.parquet     one row per agent: its next id, its status, side columns
    texts.parquet      one row per text, in the order of their numbers
    memory.json        everything else: clock, topics, tags, labels, schema, profiles, checksums

The JSON is written last, so a folder without it is incomplete. All files are synced to disk. Tables
are plain Parquet files whose checksum is known.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from memopolis.sim.arguments import check_type, shown
from memopolis.sim.arrays import Array, Int32, Int64, UInt8
from memopolis.sim.checksums import FileRecord, read_sealed, record_of, record_of_file, write_sealed
from memopolis.sim.errors import ParameterError, RunFolderError
from memopolis.sim.files import synced, synced_folder, writing_to
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.saving import arrays
from memopolis.sim.memory.saving.arrays import (
    MOST_IDS,
    Sizes,
    StatusSizes,
    TableSize,
    check_texts,
    describe_counts,
    describe_present,
    describe_streams,
    find_shared_id,
)
from memopolis.sim.memory.saving.plain import (
    ONE_VALUE,
    PlainMemory,
    check_plain,
    check_savable,
    collect_plain,
    name_of,
)
from memopolis.sim.memory.status.columns import Columns
from memopolis.sim.memory.status.schema import Schema
from memopolis.sim.memory.streams.layout import PAGE, PAGE_BYTES, columns_of
from memopolis.sim.memory.streams.side_columns import SideColumns, below, width_of
from memopolis.sim.memory.streams.stream import Streams
from memopolis.sim.memory.text.texts import Texts
from memopolis.sim.saved_arrays import SavedArray, check_arrays

if TYPE_CHECKING:
    import pyarrow as pa


FORMAT = 4  # changes when older memories can no longer be read
_KEY, _JSON = "memory", "memory.json"
_PAGES, _AGENTS, _TEXTS = "pages.parquet", "agents.parquet", "texts.parquet"
# Names of all files of a memory; without the first one it is incomplete.
FILES = (_JSON, _PAGES, _AGENTS, _TEXTS)
_STATUS, _PRESENT, _SIDE = "status/", "present/", "side/"
# Without a dictionary or a compression, a small file has no huge content.
_ENCODINGS = frozenset(("PLAIN", "RLE", "BIT_PACKED"))


def write_table(path: Path, columns: "Mapping[str, pa.Array]") -> FileRecord:
    """Write a table, sync it to disk, and return its size and checksum."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with path.open("wb") as file:
        pq.write_table(
            pa.table(dict(columns)), file, compression="none", use_dictionary=False,
            write_statistics=False,
        )  # fmt: skip
        file.flush()
        synced(file.fileno())
    return record_of_file(path)


@dataclass(frozen=True)
class SavedTable:
    """A table that was read; errors name its file."""

    name: str
    columns: "pa.Table"

    def __len__(self) -> int:
        return int(self.columns.num_rows)

    def check_columns(self, names: set[str]) -> None:
        """Refuse a table with other columns."""
        columns = self.columns.column_names
        if missing := names.difference(columns):
            raise RunFolderError(f"{self.name} lacks the column {min(missing)}")
        others = [name for name in columns if name not in names or columns.count(name) > 1]
        if others:
            raise RunFolderError(f"{self.name} has the unknown or repeated column {min(others)}")

    def numbers(self, column: str) -> Array:
        """Return numbers, or lists of as many numbers as an array with two axes."""
        import pyarrow as pa

        values = self.columns[column].combine_chunks()
        width: tuple[int, ...] = ()
        kind = values.type
        if pa.types.is_fixed_size_list(kind):
            values, width, kind = values.flatten(), (kind.list_size,), kind.value_type
        is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind)
        if not (is_number or pa.types.is_boolean(kind)) or values.null_count:
            raise RunFolderError(f"{self.name}, {column}, contains {kind}; numbers are needed")
        return np.array(values).reshape((len(self), *width))

    def texts(self, column: str) -> list[str]:
        """Return texts."""
        import pyarrow as pa

        values = self.columns[column]
        if values.type != pa.string() or values.null_count:
            raise RunFolderError(f"{self.name}, {column}, contains {values.type}, not texts")
        texts: list[str] = values.to_pylist()
        return texts

    def bytes(self, column: str, length: int) -> UInt8:
        """Return the bytes of all rows, `length` of each, one after another."""
        import pyarrow as pa

        values = self.columns[column].combine_chunks()
        if values.type != pa.binary(length) or values.null_count:
            raise RunFolderError(
                f"{self.name}, {column}, contains {values.type}; {length} bytes are needed"
            )
        if not len(values):
            return np.zeros(0, np.uint8)
        whole = values.buffers()[1]
        return np.frombuffer(whole, np.uint8, len(values) * length, values.offset * length)


def read_table(path: Path, record: FileRecord) -> SavedTable:
    """Read a table of `write_table` after comparing its size and checksum.

    Raises RunFolderError if they differ, or errors of Arrow.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    size = path.stat().st_size
    if not size:
        raise RunFolderError(f"{path.name} is empty")
    content = pa.memory_map(str(path)).read_buffer()
    if problem := record.problem(record_of(content)):
        raise RunFolderError(f"{path.name} {problem}")
    file = pq.ParquetFile(pa.BufferReader(content))
    for group in range(file.metadata.num_row_groups):
        for column in range(file.metadata.num_columns):
            chunk = file.metadata.row_group(group).column(column)
            if chunk.compression != "UNCOMPRESSED" or not _ENCODINGS.issuperset(chunk.encodings):
                raise RunFolderError(f"{path.name} is compressed, which no saved memory is")
    return SavedTable(path.name, file.read())


def save(memory: Memory, folder: str | Path, rows: Int64 | None = None) -> Path:
    """Write a memory, or that of some distinct agents, into a folder; as `Memory.save`.

    Without the others, the rarity of words, and so relevance, may change.
    """
    import pyarrow as pa

    path = _path_of(folder)
    if path.is_dir() and any(path.iterdir()):
        raise RunFolderError(f"{path} exists and is not empty; name another folder")
    memory.flush()
    chosen = np.arange(len(memory)) if rows is None else rows
    numbers = _text_numbers(memory, rows)
    tables = {
        _PAGES: _page_columns(memory.streams, chosen, numbers),
        _AGENTS: {name: _arrow(v) for name, v in _agent_columns(memory, chosen).items()},
        _TEXTS: {"text": pa.array([memory.texts[n] for n in numbers.tolist()], pa.string())},
    }
    with writing_to(path):
        path.mkdir(parents=True, exist_ok=True)
        files = {name: write_table(path / name, columns) for name, columns in tables.items()}
        plain = collect_plain(memory, chosen, files)
        check_savable(plain)
        write_sealed(path / _JSON, plain, version=FORMAT, key=_KEY)
        synced_folder(path)
    return path


def _path_of(folder: str | PathLike[str]) -> Path:
    """Return the path of a folder; ParameterError for anything that is no path."""
    check_type("folder", folder, (str, PathLike), "a path")
    if "\0" in str(folder):
        raise ParameterError(f"folder is {shown(folder)}; a path without zero bytes is needed")
    return Path(folder)


def _text_numbers(memory: Memory, rows: Int64 | None) -> Int32:
    """Return the numbers of the texts of a memory, or of some agents, ascending."""
    if rows is None:
        return memory.texts.numbers
    slots, _ = memory.streams.live(rows)
    return np.unique(memory.streams.at("text", slots)).astype(np.int32)


def _page_columns(streams: Streams, rows: Int64, numbers: Int32) -> "dict[str, pa.Array]":
    """Return the pages of some agents: agent (index into `rows`), place, page, side columns.

    The texts with these numbers are renumbered from 0.
    """
    import pyarrow as pa

    agent, place = np.nonzero(streams.table[rows] >= 0)
    pages = streams.table[rows[agent], place]
    in_order = np.array_equal(pages, np.arange(len(pages)))

    def select(values: Array, length: int) -> Array:
        """Return the bytes of the pages, without a copy if they are the first ones in order."""
        whole = values.view(np.uint8).reshape(-1, length)
        return whole[: len(pages)] if in_order else whole[pages]

    def binary(chosen: Array) -> "pa.Array":
        buffers = [None, pa.py_buffer(np.ascontiguousarray(chosen).reshape(-1))]
        return pa.Array.from_buffers(pa.binary(chosen.shape[1]), len(pages), buffers)

    words = select(streams.words, PAGE_BYTES)
    if len(numbers) and numbers[-1] >= len(numbers):
        words = words.copy()
        texts = columns_of(words.reshape(-1).view(np.int32))["text"]
        # Evicted memories may have other texts, which are never read again.
        texts[:] = np.minimum(np.searchsorted(numbers, texts), len(numbers) - 1)
    return {
        "agent": pa.array(agent.astype(np.int32)),
        "place": pa.array(place.astype(np.int32)),
        "page": binary(words),
        **{
            f"{_SIDE}{name}": binary(select(values, PAGE * width_of(values) * values.itemsize))
            for name, values in streams.sides.memories.items()
        },
    }


def _agent_columns(memory: Memory, rows: Int64) -> dict[str, Array]:
    streams, status = memory.streams, memory._columns.state()
    ids = {} if memory.unique_ids is None else {"unique_id": memory.unique_ids[rows]}
    return {
        "next": streams.next[rows],
        "count": streams.count[rows],
        **ids,
        **{f"{_STATUS}{name}": v[rows] for name, v in status["arrays"].items()},
        **{f"{_PRESENT}{name}": v[rows] for name, v in status["present"].items()},
        **{f"{_SIDE}{name}": v[rows] for name, v in streams.sides.agents.items()},
    }


def _arrow(values: Array) -> "pa.Array":
    import pyarrow as pa

    if values.ndim == 2:
        return pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), values.shape[1])
    return pa.array(values, pa.string() if values.dtype == object else None)


def load(memory: Memory, folder: str | Path) -> None:
    """Read a folder of `save` into a new memory; errors as in `Memory.load`."""
    path = _path_of(folder)
    with _reading(path):
        plain = check_plain(read_sealed(path / _JSON, version=FORMAT, key=_KEY))
        if plain.files.keys() != {*FILES[1:]}:
            raise RunFolderError(f"{_JSON} lists other files than {', '.join(FILES[1:])}")
        pages, agents, texts = (
            read_table(path / name, FileRecord(*plain.files[name])) for name in FILES[1:]
        )
        texts.check_columns({"text"})
        saved = Texts(texts.texts("text"))
        numbers = _read_numbers(plain, pages, agents)
        streams = _read_streams(plain, pages, numbers, len(saved))
        columns = _read_status(plain, agents, numbers)
        policies = plain.policies()
        # Nothing is changed before everything has been checked.
        memory.embedder = plain.embedder or memory.embedder
        for name in ONE_VALUE:
            setattr(memory, name, getattr(plain, name))
        for name, value in policies.items():
            setattr(memory, name, value)
        memory.recall_key = (plain.recall_key[0], plain.recall_key[1])
        memory.name_of = partial(name_of, plain.actor_names, "agent")
        memory.place_name = partial(name_of, plain.place_names, "place")
        memory.unique_ids, memory._columns = numbers.get("unique_id"), columns
        arrays.fill(memory, streams, plain.topics, plain.tags, texts=saved, now=plain.now)


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Turn the errors of a folder with invalid content into a RunFolderError."""
    import pyarrow as pa

    try:
        yield
    except FileNotFoundError as error:
        raise RunFolderError(f"{path} contains no memory: no {Path(error.filename).name}") from None
    except (
        OSError, ValueError, LookupError, TypeError, ArithmeticError, RecursionError,
        pa.ArrowException,
    ) as error:  # fmt: skip
        line = " ".join(str(error).split())
        raise RunFolderError(f"the memory in {path} is broken: {line}") from None


def describe_tables(
    plain: PlainMemory, arrays_of: Mapping[str, Array]
) -> Iterator[tuple[str, SavedArray]]:
    """Describe the columns of numbers from which streams and status are assembled."""
    yield "next", SavedArray(("int32",), (None,), low=0, high=MOST_IDS)
    following = arrays_of["next"]
    agents = len(following)
    yield "count", describe_counts(plain.streams.limit, following)
    size = TableSize.of(arrays_of["count"])
    yield "agent", SavedArray(("int32",), (None,), low=0, high=agents - 1, rules=(size.problem,))
    pages = len(arrays_of["agent"])
    yield "place", SavedArray(("int32",), (pages,), low=0, high=size.width - 1)
    if "unique_id" in arrays_of:
        yield "unique_id", SavedArray(("int64",), (agents,), rules=(find_shared_id,))
    sizes = StatusSizes(agents, len(plain.labels), following)
    for name, attribute in plain.attributes.items():
        if not attribute.is_json:
            yield _STATUS + name, sizes.describe(attribute)
        if attribute.optional:
            yield _PRESENT + name, describe_present(agents)


def _read_streams(
    plain: PlainMemory, pages: SavedTable, numbers: Mapping[str, Array], texts: int
) -> dict[str, Array]:
    """Return the checked arrays of `Streams.state`."""
    facts, following = plain.streams, numbers["next"]
    pages.check_columns({"agent", "place", "page", *(_SIDE + name for name in facts.sides)})
    size = TableSize.of(numbers["count"])
    table = np.full((len(following), size.width), -1, np.int32)
    table[numbers["agent"], numbers["place"]] = np.arange(len(pages))
    sides = {
        name: pages.bytes(_SIDE + name, PAGE * width * _type_of(dtype).itemsize)
        .view(_type_of(dtype))
        .reshape((-1, width) if width > 1 else -1)
        for name, (dtype, width) in facts.sides.items()
    }
    state = {
        "limit": np.array([facts.limit], np.int64),
        "next": following,
        "count": numbers["count"],
        "table": table,
        "words": pages.bytes("page", PAGE_BYTES).view(np.int32),
        **SideColumns(sides, below(numbers, _SIDE), facts.fills).state(),
    }
    sizes = Sizes(len(following), texts, topics=len(plain.topics), now=plain.now)
    check_arrays(state, describe_streams(state, sizes))
    return state


def _read_status(plain: PlainMemory, agents: SavedTable, numbers: Mapping[str, Array]) -> Columns:
    """Return the checked status."""
    values = below(numbers, _STATUS)
    for name, attribute in plain.attributes.items():
        if attribute.is_json:
            texts = agents.texts(_STATUS + name)
            check_texts(name, texts, len(agents))
            values[name] = np.array([*texts, None], object)[:-1]
    columns = Columns(len(agents), Schema(dict(plain.attributes), closed=plain.closed))
    present = below(numbers, _PRESENT)
    columns.restore({"arrays": values, "present": present, "labels": plain.labels})
    return columns


def _read_numbers(plain: PlainMemory, pages: SavedTable, agents: SavedTable) -> dict[str, Array]:
    """Return the checked columns of numbers of both tables, apart from those of pages."""
    texts = {_STATUS + name for name, a in plain.attributes.items() if a.is_json}
    numbers = {
        name: agents.numbers(name) for name in agents.columns.column_names if name not in texts
    } | {name: pages.numbers(name) for name in ("agent", "place")}
    columns = {name: v for name, v in numbers.items() if not name.startswith(_SIDE)}
    check_arrays(columns, describe_tables(plain, columns))
    return numbers


def _type_of(name: str) -> np.dtype[np.generic]:
    """Return the type of a side column; ValueError if it is not a number."""
    dtype = np.dtype(name)
    if dtype.kind not in "iufb":
        raise ValueError(f"a side column is of type {name}; numbers are needed")
    return dtype
