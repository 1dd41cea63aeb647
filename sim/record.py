"""The record of a run: append-only tables in a folder, through a bounded buffer.

What is recorded never changes what happens. Nothing of the wall clock stands in the tables;
that goes to `timings/`. Every table has a key by which its joined parts can be sorted.
"""

import json
import platform
import time
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.call_tables import CallTables
from memopolis.sim.errors import RunFolderError
from memopolis.sim.memory.streams.emotion import EMOTIONS
from memopolis.sim.memory.streams.pending import FIELDS, Added, joined
from memopolis.sim.memory.streams.stream import CONTINUES
from memopolis.sim.mind.mind import MINDS, Decisions, facts_of
from memopolis.sim.mind.parts import some_of
from memopolis.sim.settings_text import describe
from memopolis.sim.survey.survey import SURVEY_ITEM
from memopolis.sim.table import Coded, Lists, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pandas as pd

    from memopolis.sim.memory.memory import Memory
    from memopolis.sim.mind.exchange import Logged
    from memopolis.sim.population import Population
    from memopolis.sim.society import Society
    from memopolis.sim.survey.asking import Answers
    from memopolis.sim.world.ledger import Ledger

KEYS: dict[str, tuple[str, ...]] = {
    "texts": ("hash",),
    "memories": ("tick", "population", "agent", "id"),
    "decisions": ("tick", "block", "population", "agent", "item"),
    "measures": ("tick", "measure", "group"),
    "ledger": ("tick", "from", "to", "why"),
    "model_calls": ("tick", "block", "agent", "ordinal", "attempt"),
    "prompts": ("hash",),
    "survey": ("tick", "survey", "population", "agent", "item"),
}
"""Key columns by table; of `agents_<population>` they are tick and agent."""

_AGENTS_AT_ONCE = 5_000
HELD_PACKED: dict[str, Any] = {
    "compression": "lz4",
    "write_statistics": False,
    "use_dictionary": ["accesses"],
    "column_encoding": dict.fromkeys(("agent", "id", "accessed", "thought"), "DELTA_BINARY_PACKED"),
}
HELD = ("agent", "id", "accessed", "accesses", "thought")
"""Columns of `memory/`: what each agent still holds at the end, by its id."""
FORMAT = 1
"""Changes when older runs can no longer be read."""


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
        self._stored: dict[Population, list[Added]] = {}
        self._listeners: list[tuple[Population, Callable[[Added], None]]] = []
        self._wanted = set(society.settings.record.tables)
        self._plans = society.settings.record.plans
        self._model_calls = CallTables(self.folder, self._table)
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
            self._tables[name] = Table(self.folder, name)
        return self._tables[name]

    def _listen(self, population: "Population") -> None:
        self._memories_before(population)
        listener = self._stored.setdefault(population, []).append
        population.memory.stored.append(listener)
        self._listeners.append((population, listener))

    def _memories_before(self, population: "Population") -> None:
        """Memories that agents had before the run, such as those of earlier years."""
        streams = population.memory.streams
        rows, ids = streams.held()
        if len(rows):
            columns = streams.all_at(streams.slots(rows, ids))
            kept = (columns[name] for name in FIELDS[2:])
            self._memories(population, [Added(rows, ids.astype(np.int32), *kept)])

    def _memories_of_step(self) -> None:
        """What was stored since the last step, together: a block alone stores little."""
        for population, batches in self._stored.items():
            if batches:
                self._memories(population, batches)
                batches.clear()

    def _memories(self, population: "Population", batches: list[Added]) -> None:
        memory, added = population.memory, joined(batches)
        self._table("memories").append(
            len(added),
            {
                "tick": added.time,
                "population": Coded(0, (population.name,)),
                "agent": population.ids[added.rows].astype(np.int32),
                "id": added.ids,
                "topic": Coded(added.topic, memory.topics),
                "kind": Coded(added.kind & 1, KINDS),
                "text": memory.texts.hash_of(added.text),
                "actor": added.actor,
                "place": added.place,
                "importance": _SHARES[added.importance],
                "valence": _SIGNED[added.valence],
                "confidence": _SHARES[added.confidence],
                "emotion": Coded(added.emotion, _FEELINGS),
                "continues": added.kind >= CONTINUES,
            },
        )

    def decisions(self, decided: Decisions, block: str) -> None:
        """Record the answers to a question."""
        kind = decided.question.kind
        # The answers to surveys have a table of their own.
        if "decisions" not in self._wanted or kind == SURVEY_ITEM:
            return
        if kind == "plan" and not self._plans:
            by_model = decided.how != MINDS.index("rule")
            if not by_model.any():
                return
            decided = some_of(decided, by_model)
        question = decided.question
        cohort = question.cohort
        chosen = question.form == "choice"
        choice = (
            Coded(decided.value.astype(np.int32), question.options) if chosen else Coded(0, ("",))
        )
        there = decided.evidence >= 0
        self._table("decisions").append(
            len(cohort),
            {
                "tick": np.full(len(cohort), self.society.clock.tick, np.int32),
                "block": Coded(0, (block,)),
                "kind": Coded(0, (question.kind,)),
                "population": Coded(0, (cohort.population.name,)),
                "agent": cohort.ids.astype(np.int32),
                "item": Coded(0, (question.about,)),
                "value": decided.value,
                "choice": choice,
                "text": self._hashes(decided.text),
                "emotion": Coded(decided.emotion, _FEELINGS),
                "reason": Coded(decided.reason, decided.reasons),
                "evidence": Lists(there.sum(axis=1, dtype=np.int32), decided.evidence[there]),
                "mind": Coded(decided.how, MINDS),
            },
        )

    def model_calls(self, calls: "Sequence[Logged]") -> None:
        """Record what a model was asked and what came of it."""
        if "model_calls" in self._wanted:
            self._model_calls.record(calls)

    def survey(self, answers: "Sequence[Answers]") -> None:
        """Record the answers to surveys, whatever tables are wanted: who asks wants to know."""
        for one in answers:
            decided, cohort = one.decisions, one.decisions.question.cohort
            # The last label is for those who gave no answer.
            options = (*one.item.options, "")
            chosen = np.nan_to_num(one.value, nan=-1).astype(np.int32) if one.item.options else -1
            there = decided.evidence >= 0
            self._table("survey").append(
                len(cohort),
                {
                    "tick": np.full(len(cohort), self.society.clock.tick, np.int32),
                    "survey": Coded(0, (one.survey.name,)),
                    "population": Coded(0, (cohort.population.name,)),
                    "agent": cohort.ids.astype(np.int32),
                    "item": Coded(0, (one.item.name,)),
                    "value": one.value,
                    "choice": Coded(chosen, options),
                    "text": _texts(list(one.text)),
                    "reason": Coded(decided.reason, decided.reasons),
                    "evidence": Lists(there.sum(axis=1, dtype=np.int32), decided.evidence[there]),
                    "mind": Coded(decided.how, MINDS),
                },
            )

    def _hashes(self, numbers: NDArray[np.int32]) -> NDArray[np.int64]:
        """Hashes of texts by number; 0 for none."""
        if not len(numbers) or numbers.max() < 0:
            return np.zeros(len(numbers), np.int64)
        hashes = self.society.texts.hash_of(np.where(numbers < 0, numbers.max(), numbers))
        return np.where(numbers < 0, 0, hashes)

    def step(self) -> None:
        """Record what stands at the end of a step."""
        society = self.society
        self._memories_of_step()
        if "measures" in self._wanted:
            self._measures()
        if "ledger" in self._wanted and society.ledger is not None:
            self._ledger(society.ledger)
        if "agents" in self._wanted and (society.clock.tick + 1) % self._every == 0:
            self.agents()
        self._new_texts()

    def _measures(self) -> None:
        names: list[str] = []
        groups: list[str] = []
        values: list[float] = []
        for measure, by_group in self.society.measured.items():
            names += [measure] * len(by_group)
            groups += by_group
            values += by_group.values()
        self._table("measures").append(
            len(names),
            {
                "tick": np.full(len(names), self.society.clock.tick, np.int32),
                "measure": _texts(names),
                "group": _texts(groups),
                "value": np.array(values, np.float64),
            },
        )

    def _ledger(self, ledger: "Ledger") -> None:
        flows = ledger.flows()
        self._table("ledger").append(
            len(flows),
            {
                "tick": np.full(len(flows), self.society.clock.tick, np.int32),
                "from": _texts([flow.source for flow in flows]),
                "to": _texts([flow.to for flow in flows]),
                "why": _texts([flow.why for flow in flows]),
                "cents": np.array([flow.cents for flow in flows], np.int64),
                "payments": np.array([flow.payments for flow in flows], np.int64),
            },
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
                    labels = columns.texts if declared.kind == "text" else declared.labels
                    shown[name] = Coded(codes, labels) if len(labels) else codes
            self._table(f"agents_{population.name}").append(len(rows), shown)

    def _new_texts(self) -> None:
        texts = self.society.texts
        log = texts.log
        if len(log) > self._texts_seen:
            new = np.unique(np.array(log[self._texts_seen :], np.int32))
            new = new[texts.living[new]]  # a survey's texts were forgotten again
            self._texts_seen = len(log)
            written = [texts[int(number)] for number in new]
            self._table("texts").append(
                len(new), {"hash": texts.hash_of(new), "text": _texts(written)}
            )

    def static(self, name: str, frame: "pd.DataFrame") -> None:
        """Record a table that does not change, such as the zones of the place."""
        columns = {
            str(column): values.to_numpy() if values.dtype.kind in "biuf" else _texts(list(values))
            for column, values in frame.items()
        }
        self._table(name).append(len(frame), columns)

    def close(self, status: str, error: str = "") -> None:
        """Write what waits and how the run ended: succeeded, interrupted or failed."""
        self._memories_of_step()
        for table in self._tables.values():
            table.flush()
        self._model_calls.close()
        for population, listener in self._listeners:
            population.memory.stored.remove(listener)
        if status == "succeeded":
            self._memory_at_end()
        self._timings()
        self._write_manifest(status, error)

    def _memory_at_end(self) -> None:
        """What each one still remembers at the end, a few thousand agents at a time."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        folder = self.folder / "memory"
        folder.mkdir()
        for population in self.society.populations:
            memory, ids = population.memory, population.ids
            path = folder / f"{population.name}.parquet"
            schema = pa.schema([(name, pa.int32()) for name in HELD])
            with pq.ParquetWriter(path, schema, **HELD_PACKED) as writer:
                for first in range(0, len(ids), _AGENTS_AT_ONCE):
                    rows = np.arange(first, min(first + _AGENTS_AT_ONCE, len(ids)))
                    writer.write_table(pa.table(_held(memory, ids, rows), schema=schema))

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
            "format": FORMAT,
            "scenario": f"{type(society).__module__}:{type(society).__qualname__}",
            "title": type(society).__name__,
            "seed": society.seed,
            "settings": json.loads(society.settings.model_dump_json()),
            "start": society.clock.start.isoformat(),
            "tick_hours": society.clock.hours,
            "ticks": society.clock.tick + 1 if society.time else 0,
            "populations": {p.name: len(p) for p in society.populations},
            "living": {p.name: len(p.cohort()) for p in society.populations},
            "measures": [m.to_dict() for m in society.measures],
            "origins": {row.key: row.origin for row in describe(type(society.settings))},
            "attributes": {p.name: _declared(p.memory) for p in society.populations},
            "timeline": society.timeline.state(),
            "surveys": society.surveys.state()["surveys"],
            "facts": society.facts(),
            "mind": facts_of(society.mind),
            "data": society.data_hashes(),
            "versions": {
                name: version(name) for name in ("memopolis", "mesa", "numpy", "numba", "pyarrow")
            }
            | {"python": platform.python_version()},
        }


KINDS = ("event", "thought")
_FEELINGS = ("", *EMOTIONS)
_SHARES = np.round(np.arange(256) / 255, 2).astype(np.float32)
# By an int8 itself: a negative number counts from the end.
_SIGNED = np.round(np.r_[0:128, -128:0] / 127, 2).astype(np.float32)


def write_json(path: Path, content: object) -> None:
    """Write a file of JSON that appears whole or not at all."""
    unfinished = path.with_suffix(".writing")
    unfinished.write_text(json.dumps(content, indent=1, default=str) + "\n", encoding="utf-8")
    unfinished.replace(path)


def _declared(memory: "Memory") -> dict[str, dict[str, Any]]:
    return {
        name: {"unit": a.unit, "description": a.description, "low": a.low, "high": a.high}
        for name, a in memory.columns.schema.attributes.items()
        if a.record
    }


def _held(memory: "Memory", ids: NDArray[np.int64], rows: NDArray[np.intp]) -> dict[str, Any]:
    streams = memory.streams
    slots, starts = streams.live(rows)
    counts = np.diff(starts)
    before = (streams.first(rows) - starts[:-1]).astype(np.int32)
    numbers = np.arange(len(slots), dtype=np.int32) + np.repeat(before, counts)
    held = {name: streams.at(name, slots).astype(np.int32, copy=False) for name in HELD[2:]}
    return {"agent": np.repeat(ids[rows].astype(np.int32), counts), "id": numbers, **held}


def _texts(texts: list[str]) -> NDArray[np.object_]:
    return np.array(texts, object)
