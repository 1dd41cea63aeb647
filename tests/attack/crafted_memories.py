"""Saved memories with invalid content and valid checksums, and damaged ones."""

import json
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from tests.attack.case import Case, Outcome, judge
from tests.attack.commands import call
from tests.attack.crafted import Crafted, judge_crafted, spread
from tests.attack.variants import Variant, plain_variants, variants_of
from tests.attack.workshop import Workshop

if TYPE_CHECKING:
    from memopolis import Memory

_LEAST_COLUMNS = 170
_PLAIN, _OTHERS = 150, 50
_BY_COMMAND = 8
_DAMAGES = 200


def _memory() -> "Memory":
    """Return a memory with everything that can be saved."""
    from memopolis import Memory
    from memopolis.memory import Night

    memory = Memory(2, limit=60)
    memory.names = {"Ann": 1}
    memory.name_of = "person {}".format
    for agent in memory:
        agent.status.update(
            {"mood": 0.5, "name": "Ann", "friends": ["Bob"], "trips": 3, "ill": False}
        )
    for tick in range(70):
        memory.now = tick
        memory.stream.add(
            f"topic {tick % 3}", f"text {tick % 19} of {{actor}}", actor=tick % 4, emotion="Fear"
        )
    memory[0].stream.link([40, 41], "a thought")
    memory[0].stream.forget([30])
    memory.of([0, 1]).sleep(Night(relate=True, cluster=True))
    return memory


def _content(memory: "Memory") -> object:
    """Return all of the content of a memory, including results of searches."""
    streams = [agent.observed.stream for agent in memory]
    best = [str(one) for stream in streams for one in stream.search("text 3", k=5)]
    listed = [repr(one) for stream in streams for one in stream.read(stream.list_ids())]
    arrays = {name: values.tobytes() for name, values in memory.state().items()}
    status = {name: values.tolist() for name, values in memory.status.state()["arrays"].items()}
    plain = (memory.names, memory.profiles, memory.consolidation, memory.layer_settings)
    clock = (memory.ticks_per_day, memory.day_offset, memory.recall, memory.recall_key)
    schema = repr(memory.status.schema)
    return best, listed, arrays, status, repr(plain), clock, memory.status.labels, schema


def _load(folder: Path, expected: object) -> bool:
    """Load a memory and use it as an assistant would; return whether it is as expected."""
    from memopolis import Memory
    from memopolis.memory import Night

    memory = Memory.load(folder)
    is_same = _content(memory) == expected
    memory.stream.add("topic 1", "a new text")
    memory.of(np.arange(len(memory))).sleep(Night(relate=True, cluster=True))
    memory.stream.search("a new text", k=3)
    return is_same


def _craft_tables(folder: Path) -> Iterator[tuple[str, str, pa.Table]]:
    """Yield variants of the tables of a saved memory: what was changed, file, and table."""
    import pyarrow.parquet as pq

    from memopolis.sim.memory.saving.folder import FILES

    for name in FILES[1:]:
        table = pq.read_table(folder / name)
        yield f"{name}: no rows", name, table.slice(0, 0)
        yield f"{name}: one row fewer", name, table.slice(1)
        yield f"{name}: rows twice", name, pa.concat_tables([table, table])
        for column in table.column_names:
            yield f"{column}: missing", name, table.drop_columns([column])
            yield f"{column}: twice", name, table.append_column(column, table[column])
            for how, values in (
                ("null", pa.nulls(len(table))),
                ("texts", pa.array(["x"] * len(table))),
                ("numbers of another type", pa.array(np.zeros(len(table), np.uint64))),
            ):
                if table[column].type != values.type:
                    yield f"{column}: {how}", name, _replace(table, column, values)
    yield from _craft_values(folder)


def _craft_values(folder: Path) -> Iterator[tuple[str, str, pa.Table]]:
    """Yield tables with values that no memory has."""
    import pyarrow.parquet as pq

    from memopolis import Memory
    from memopolis.sim.memory.saving.arrays import Sizes, describe_streams
    from memopolis.sim.memory.saving.folder import describe_tables
    from memopolis.sim.memory.saving.plain import check_plain
    from memopolis.sim.memory.streams.layout import PAGE_BYTES

    memory = Memory.load(folder)
    state = memory.streams.state()
    sizes = Sizes(len(memory), len(memory.texts), topics=len(memory.topics), now=memory.now)
    streams = dict(describe_streams(state, sizes))
    tables = {name: pq.read_table(folder / f"{name}.parquet") for name in ("pages", "agents")}
    numbers = {
        column: table[column].to_numpy()
        for table in tables.values()
        for column in table.column_names
        if pa.types.is_primitive(table[column].type)
    }
    own = {name: values for name, values in numbers.items() if not name.startswith("side/")}
    described = dict(describe_tables(check_plain(_read_json(folder)), own))
    described |= {
        name: streams[name.replace("side/", "agents/")] for name in numbers.keys() - own.keys()
    }
    for column, description in described.items():
        name = "agents" if column in tables["agents"].column_names else "pages"
        for variant in variants_of(column, description, numbers[column]):
            if _fits(variant, numbers[column]):
                values = pa.array(variant.values)
                yield str(variant), f"{name}.parquet", _replace(tables[name], column, values)
    for variant in variants_of("page", streams["words"], state["words"]):
        if _fits(variant, state["words"]):
            assert variant.values is not None
            pages = variant.values.view(np.uint8).reshape(-1, PAGE_BYTES)
            binary = pa.array([page.tobytes() for page in pages], pa.binary(PAGE_BYTES))
            yield str(variant), "pages.parquet", _replace(tables["pages"], "page", binary)


def _fits(variant: Variant, values: Any) -> bool:
    """Return whether an invalid variant can be written in place of the values."""
    changed = variant.values
    if changed is None or variant.is_valid:
        return False
    return bool(changed.shape == values.shape and changed.dtype == values.dtype)


def _replace(table: pa.Table, column: str, values: pa.Array) -> pa.Table:
    return table.set_column(table.column_names.index(column), column, values)


def _read_json(folder: Path) -> dict[str, Any]:
    from memopolis.sim.checksums import read_sealed
    from memopolis.sim.memory.saving.folder import FORMAT

    return read_sealed(folder / "memory.json", version=FORMAT, key="memory")


def _write_json(folder: Path, content: dict[str, Any]) -> None:
    from memopolis.sim.checksums import write_sealed
    from memopolis.sim.memory.saving.folder import FORMAT

    write_sealed(folder / "memory.json", content, version=FORMAT, key="memory")


def _write_table(folder: Path, name: str, table: pa.Table) -> None:
    """Replace a table of a saved memory, with a valid checksum."""
    import pyarrow.parquet as pq

    from memopolis.sim.checksums import record_of_file

    pq.write_table(table, folder / name, compression="none", use_dictionary=False)
    content = _read_json(folder)
    _write_json(
        folder, content | {"files": content["files"] | {name: record_of_file(folder / name)}}
    )


def _load_tables(workshop: Workshop) -> Outcome:
    """Load memories of which one column is invalid."""
    from memopolis import Memory

    original = _memory().save(workshop.folder / "original")
    expected = _content(Memory.load(original))
    _load(original, expected)  # so that no child has to load compiled loops

    def load(name: str, table: pa.Table) -> bool:
        copy = workshop.folder / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(original, copy)
        _write_table(copy, name, table)
        return _load(copy, expected)

    variants = [
        Crafted(how, partial(load, name, table)) for how, name, table in _craft_tables(original)
    ]
    return judge_crafted(variants, _LEAST_COLUMNS)


def _load_plain(workshop: Workshop, *, valid: bool) -> Outcome:
    """Load memories of which one plain value is invalid, or valid and different."""
    from memopolis import Memory

    original = _memory().save(workshop.folder / "original")
    expected = _content(Memory.load(original))
    _load(original, expected)

    def load(plain: dict[str, Any]) -> bool:
        _write_json(original, plain)
        return _load(original, expected)

    content = json.loads(json.dumps(_read_json(original)))
    made = [
        (Crafted(how, partial(load, plain)), _is_valid(plain))
        for how, plain in plain_variants(content)
    ]
    count = _OTHERS if valid else _PLAIN
    chosen = spread([one for one, is_valid in made if is_valid == valid], count)
    return judge_crafted(chosen, count, differing=valid)


def _is_valid(content: dict[str, Any]) -> bool:
    """Return whether plain values have the types and ranges of those of a memory."""
    from memopolis.errors import MemopolisError
    from memopolis.sim.memory.saving.plain import check_plain

    try:
        plain = check_plain(content)
        _ = plain.policies(), plain.attributes
    except (MemopolisError, ValueError, LookupError, TypeError):
        return False
    return True


def _serve(workshop: Workshop) -> Outcome:
    """Serve crafted memories to an assistant by the command line."""
    from memopolis import Memory

    memory = Memory(1, limit=1_000_000)
    for number in range(100):
        memory.stream.add("note", f"text {number}")
    original = memory.save(workshop.folder / "original")
    faults = []
    tables = spread(list(_craft_tables(original)), _BY_COMMAND)
    for number, (how, name, table) in enumerate(tables):
        version = workshop.folder / f"notes-{number}" / "version-1"
        shutil.copytree(original, version)
        _write_table(version, name, table)
        result = call("mcp", "--memory", version.parent.name, cwd=workshop.folder)
        faults += [f"{how}: {fault}" for fault in result.refusal_faults()]
    return judge(faults, f"{len(tables)} refused in one line")


def _damage(workshop: Workshop) -> Outcome:
    """Damage single bytes of a saved memory."""
    from memopolis import Memory

    original = _memory().save(workshop.folder / "original")
    expected = _content(Memory.load(original))
    files = sorted(original.iterdir())
    random = np.random.default_rng(5)

    def load(name: str, content: bytes) -> bool:
        copy = workshop.folder / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(original, copy)
        (copy / name).write_bytes(content)
        return _load(copy, expected)

    variants = []
    for number in range(_DAMAGES):
        path = files[number % len(files)]
        whole = path.read_bytes()
        at = int(random.integers(len(whole)))
        flipped = whole[:at] + bytes([whole[at] ^ 1 << number % 8]) + whole[at + 1 :]
        how, content = ("flipped", flipped) if number % 5 else ("cut off", whole[:at])
        variants.append(Crafted(f"{path.name} {how} at {at}", partial(load, path.name, content)))
    return judge_crafted(variants, _DAMAGES)


CASES = [
    Case(
        "load a memory, invalid columns",
        "each refused, 0 crashes, hangs and tracebacks",
        _load_tables,
    ),
    Case(
        f"load a memory, {_PLAIN} invalid plain values",
        "each refused, 0 crashes, hangs and tracebacks",
        partial(_load_plain, valid=False),
    ),
    Case(
        f"load a memory, {_OTHERS} other plain values",
        "accepted or refused, 0 crashes, hangs and tracebacks",
        partial(_load_plain, valid=True),
    ),
    Case(f"mcp --memory with {_BY_COMMAND} crafted folders", "each refused in one line", _serve),
    Case(f"{_DAMAGES} damages to a saved memory", "0 silent: each refused", _damage),
]
