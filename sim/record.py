"""The record of a run: append-only tables in a folder, through a bounded buffer.

What is recorded never changes what happens. Nothing of the wall clock stands in the tables;
that goes to `timings/`. Every table has a key by which its joined parts can be sorted.
"""

import json
import platform
import shutil
import time
from collections.abc import Callable, Mapping
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import RunFolderError
from memopolis.sim.memory.emotion import EMOTIONS
from memopolis.sim.mind.mind import MINDS, Decisions, Question

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from memopolis.sim.memory.memory import Added, Memory
    from memopolis.sim.population import Population
    from memopolis.sim.society import Society
    from memopolis.sim.world.ledger import Ledger

KEYS: dict[str, tuple[str, ...]] = {
    "texts": ("hash",),
    "memories": ("tick", "population", "agent", "id"),
    "decisions": ("tick", "block", "population", "agent", "item"),
    "measures": ("tick", "measure", "group"),
    "ledger": ("tick", "from", "to", "why"),
}
"""Key columns by table; of `agents_<population>` they are tick and agent."""

_BUFFER_ROWS = 250_000
_FORMAT = 1


class Table:
    """One append-only table: record batches wait until there are enough for a part."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._batches: list[pa.RecordBatch] = []
        self._rows = 0
        self._parts = 0

    def append(self, columns: Mapping[str, Any]) -> None:
        """Add rows, given as equally long arrays by column."""
        import pyarrow as pa

        batch = pa.RecordBatch.from_pydict(dict(columns))
        if not batch.num_rows:
            return
        self._batches.append(batch)
        self._rows += batch.num_rows
        if self._rows >= _BUFFER_ROWS:
            self.flush()

    def flush(self) -> None:
        """Write what waits as the next part; a part appears whole or not at all."""
        if not self._batches:
            return
        import pyarrow as pa
        import pyarrow.parquet as pq

        self._folder.mkdir(parents=True, exist_ok=True)
        table = pa.Table.from_batches(self._batches)
        part = self._folder / f"part-{self._parts:05d}.parquet"
        unfinished = part.with_suffix(".writing")
        pq.write_table(table, unfinished, compression="zstd", compression_level=1)
        unfinished.rename(part)
        self._batches = []
        self._rows = 0
        self._parts += 1


class Recorder:
    """Writes the folder of one run.

    Args:
        folder: Where; must not exist or be empty.
        society: Whose run it is.

    Raises:
        RunFolderError: If the folder holds something or cannot be written.
    """

    def __init__(self, folder: str | Path, society: "Society[Any]") -> None:
        self.folder = Path(folder)
        self.society = society
        self._tables: dict[str, Table] = {}
        self._texts_seen = 0
        self._listeners: list[tuple[Population, Callable[[Added], None]]] = []
        self._wanted = set(society.settings.record.tables)
        self._every = society.clock.ticks(society.settings.record.agents_every)
        self._started = time.perf_counter()
        self._make_folder()
        self._write_manifest("running")
        if "memories" in self._wanted:
            for population in society.populations:
                self._listen(population)

    def _make_folder(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            used = any(self.folder.iterdir())
            if not used:
                (self.folder / "tables").mkdir()
        except NotADirectoryError:
            raise RunFolderError(f"{self.folder} lies below a file, not a folder") from None
        except FileExistsError:
            raise RunFolderError(f"{self.folder} is a file, not a folder") from None
        except PermissionError:
            raise RunFolderError(f"{self.folder} cannot be written: permission denied") from None
        except OSError as error:
            raise RunFolderError(f"{self.folder} cannot be written: {error.strerror}") from None
        if used:
            raise RunFolderError(
                f"{self.folder} exists and is not empty; name another folder or remove it"
            )

    def _table(self, name: str) -> Table:
        if name not in self._tables:
            self._tables[name] = Table(self.folder / "tables" / name)
        return self._tables[name]

    def _listen(self, population: "Population") -> None:
        listener = partial(self._memories, population)
        population.memory.stored.append(listener)
        self._listeners.append((population, listener))

    def _memories(self, population: "Population", added: "Added") -> None:
        memory = population.memory
        columns = added.columns
        self._table("memories").append(
            {
                "tick": columns["time"],
                "population": _repeated(population.name, len(added.rows)),
                "agent": population.ids[added.rows].astype(np.int32),
                "id": added.ids,
                "topic": _dictionary(columns["topic"], memory.topics),
                "kind": _dictionary(columns["kind"] & 1, ("event", "thought")),
                "text": memory.texts.hash_of(columns["text"]),
                "actor": columns["actor"],
                "place": columns["place"],
                "importance": _HUNDREDTHS[columns["importance"]],
                "valence": np.round(columns["valence"] / 127, 2).astype(np.float32),
                "confidence": _HUNDREDTHS[columns["confidence"]],
                "emotion": _dictionary(columns["emotion"], EMOTIONS),
                "continues": (columns["kind"] & 128) > 0,
            }
        )

    def decisions(self, question: Question, block: str, decided: Decisions) -> None:
        """Record the answers to a question."""
        if "decisions" not in self._wanted:
            return
        cohort = question.cohort
        n = len(cohort)
        self._table("decisions").append(
            {
                "tick": np.full(n, self.society.clock.tick, np.int32),
                "block": _repeated(block, n),
                "kind": _repeated(question.kind, n),
                "population": _repeated(cohort.population.name, n),
                "agent": cohort.ids.astype(np.int32),
                "item": _repeated(question.about, n),
                "value": decided.value,
                "choice": self._choices(question, decided),
                "text": self._hashes(decided.text),
                "emotion": _dictionary(decided.emotion, EMOTIONS),
                "reason": _dictionary(decided.reason, decided.reasons),
                "evidence": _lists(decided.evidence),
                "mind": _dictionary(decided.how, MINDS),
            }
        )

    @staticmethod
    def _choices(question: Question, decided: Decisions) -> "pa.Array":
        if question.form != "choice":
            return _repeated("", len(decided.value))
        return _dictionary(decided.value.astype(np.int32), question.options)

    def _hashes(self, numbers: NDArray[np.int32]) -> "pa.Array":
        import pyarrow as pa

        none = numbers < 0
        if none.all():
            return pa.nulls(len(numbers), pa.int64())
        hashes = self.society.texts.hash_of(np.where(none, numbers.max(), numbers))
        return pa.array(hashes, mask=none)

    def step(self) -> None:
        """Record what stands at the end of a step."""
        society = self.society
        if "measures" in self._wanted:
            self._measures()
        if "ledger" in self._wanted and society.ledger is not None:
            self._ledger(society.ledger)
        if "agents" in self._wanted and (society.clock.tick + 1) % self._every == 0:
            self.agents()
        self._texts()

    def _measures(self) -> None:
        tick = self.society.clock.tick
        names, groups, values = [], [], []
        for measure, by_group in self.society.measured.items():
            for group, value in by_group.items():
                names.append(measure)
                groups.append(group)
                values.append(value)
        if names:
            ticks = np.full(len(names), tick, np.int32)
            self._table("measures").append(
                {"tick": ticks, "measure": names, "group": groups, "value": values}
            )

    def _ledger(self, ledger: "Ledger") -> None:
        flows = ledger.flows()
        if flows:
            self._table("ledger").append(
                {
                    "tick": np.full(len(flows), self.society.clock.tick, np.int32),
                    "from": [flow.source for flow in flows],
                    "to": [flow.to for flow in flows],
                    "why": [flow.why for flow in flows],
                    "cents": np.array([flow.cents for flow in flows], np.int64),
                    "payments": np.array([flow.payments for flow in flows], np.int64),
                }
            )

    def agents(self) -> None:
        """Record the status of everyone, the attributes declared with `record=True`."""
        for population in self.society.populations:
            columns = population.memory.columns
            rows = population.cohort().rows
            shown: dict[str, Any] = {
                "tick": np.full(len(rows), self.society.clock.tick, np.int32),
                "agent": population.ids[rows].astype(np.int32),
            }
            for name, declared in columns.schema.attributes.items():
                if declared.record:
                    codes = columns.codes(name, rows)
                    is_text = declared.kind == "text"
                    shown[name] = _dictionary(codes, columns.labels) if is_text else codes
            self._table(f"agents_{population.name}").append(shown)

    def _texts(self) -> None:
        texts = self.society.texts
        log = texts.log
        if len(log) > self._texts_seen:
            new = np.unique(np.array(log[self._texts_seen :], np.int32))
            self._texts_seen = len(log)
            self._table("texts").append(
                {"hash": texts.hash_of(new), "text": [texts[int(number)] for number in new]}
            )

    def static(self, name: str, frame: "pd.DataFrame") -> None:
        """Record a table that does not change, such as the zones of the place."""
        import pyarrow as pa

        for batch in pa.Table.from_pandas(frame, preserve_index=False).to_batches():
            self._table(name).append(dict(zip(batch.schema.names, batch.columns, strict=True)))

    def close(self, status: str, error: str = "") -> None:
        """Write what waits and how the run ended: finished, interrupted or failed."""
        for table in self._tables.values():
            table.flush()
        for population, listener in self._listeners:
            population.memory.stored.remove(listener)
        if status == "finished":
            self._memory_at_end()
        self._timings()
        self._write_manifest(status, error)

    def _memory_at_end(self) -> None:
        """The state of all streams at the end: what each one still remembers."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        folder = self.folder / "memory"
        folder.mkdir()
        for population in self.society.populations:
            held = _held(population.memory, population.ids)
            pq.write_table(
                pa.table(held), folder / f"{population.name}.parquet", compression="zstd"
            )

    def _timings(self) -> None:
        seconds = time.perf_counter() - self._started
        ticks = self.society.clock.tick + 1
        agents = sum(len(population) for population in self.society.populations)
        folder = self.folder / "timings"
        folder.mkdir(exist_ok=True)
        timings = {
            "written": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
            "seconds": round(seconds, 3),
            "ticks": ticks,
            "agent_steps_per_second": round(ticks * agents / seconds),
            "blocks": {name: round(s, 3) for name, s in self.society.block_seconds.items()},
        }
        write_json(folder / "timings.json", timings)

    def _write_manifest(self, status: str, error: str = "") -> None:
        write_json(
            self.folder / "manifest.json", {**self._manifest(), "status": status, "error": error}
        )

    def _manifest(self) -> dict[str, Any]:
        society = self.society
        return {
            "format": _FORMAT,
            "scenario": f"{type(society).__module__}:{type(society).__qualname__}",
            "title": type(society).__name__,
            "seed": society.seed,
            "settings": json.loads(society.settings.model_dump_json()),
            "start": society.clock.start.isoformat(),
            "tick_hours": society.clock.hours,
            "ticks": society.clock.tick + 1 if society.time else 0,
            "populations": {p.name: len(p) for p in society.populations},
            "measures": [m.to_dict() for m in society.measures],
            "attributes": {p.name: _declared(p.memory) for p in society.populations},
            "timeline": society.timeline.state(),
            "facts": society.facts(),
            "data": society.data_hashes(),
            "versions": {
                name: version(name) for name in ("memopolis", "mesa", "numpy", "numba", "pyarrow")
            }
            | {"python": platform.python_version()},
        }


_HUNDREDTHS = np.round(np.arange(256) / 255, 2).astype(np.float32)


def write_json(path: Path, content: object) -> None:
    """Write a file of JSON that appears whole or not at all."""
    unfinished = path.with_suffix(".writing")
    unfinished.write_text(json.dumps(content, indent=1, default=str) + "\n", encoding="utf-8")
    unfinished.replace(path)


def remove_run(folder: Path) -> None:
    """Remove a run's folder and all in it."""
    shutil.rmtree(folder)


def _declared(memory: "Memory") -> dict[str, dict[str, Any]]:
    return {
        name: {"unit": a.unit, "description": a.description, "low": a.low, "high": a.high}
        for name, a in memory.columns.schema.attributes.items()
        if a.record
    }


def _held(memory: "Memory", ids: NDArray[np.int64]) -> dict[str, Any]:
    streams = memory.streams
    everyone = np.arange(streams.agents)
    slots, starts = streams.live(everyone)
    counts = np.diff(starts)
    numbers = np.arange(len(slots)) + np.repeat(streams.first(everyone) - starts[:-1], counts)
    shown = {name: streams.at(name, slots) for name in ("time", "accessed", "accesses", "thought")}
    return {
        "agent": np.repeat(ids, counts).astype(np.int32),
        "id": numbers.astype(np.int32),
        **shown,
    }


def _repeated(text: str, count: int) -> "pa.Array":
    return _dictionary(np.zeros(count, np.int32), (text,))


def _dictionary(codes: NDArray[Any], labels: Any) -> "pa.Array":
    import pyarrow as pa

    names = pa.array(list(labels), pa.string())
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), names)


def _lists(ids: NDArray[np.int32]) -> "pa.Array":
    import pyarrow as pa

    there = ids >= 0
    offsets = np.zeros(len(ids) + 1, np.int32)
    np.cumsum(there.sum(axis=1), out=offsets[1:])
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(ids[there].astype(np.int32)))
