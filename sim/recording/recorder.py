"""Record a run: append-only tables in a folder, written through a bounded buffer.

Recording never changes the results. Tables contain no wall clock times, which are written to
`timings/`. `schema.py` declares the columns and the key of each table.
"""

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.checksums import FileRecord, record_of_file
from memopolis.sim.compilation import compilation, computing_seconds
from memopolis.sim.memory.streams.pending import Added, joined, sort_by_row
from memopolis.sim.mind.mind import Decisions, Outcome
from memopolis.sim.recording import rows
from memopolis.sim.recording.call_tables import CallTables, hashes_in
from memopolis.sim.recording.held import write_held
from memopolis.sim.recording.moves import START, record_moves
from memopolis.sim.recording.rows import static_tables
from memopolis.sim.recording.table import Coded, Table, Waiting
from memopolis.sim.run_folder.folder import (
    TIMINGS,
    check_unused,
    free_space,
    remove_held,
    remove_later_files,
    reserve_space,
    writing,
)
from memopolis.sim.run_folder.integrity import counts_of, part_path, records_in
from memopolis.sim.run_folder.manifest import manifest_of, progress_of, write_json, write_manifest

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from memopolis.sim.mind.call import LoggedCall
    from memopolis.sim.population import Population
    from memopolis.sim.society_base import SocietyBase
    from memopolis.sim.survey.survey import Answers


NAMING_TEXTS = {"memories", "decisions"}
"""Tables that refer to texts by hash; without them there is no table `texts`."""

BEGINNING: Mapping[str, Any] = {
    "files": {},
    "texts_seen": 0,
    "seconds": 0.0,
    "blocks": {},
    "is_beginning": True,
}
"""Position that replaces an existing record in a folder by a new one."""


class Recorder:
    """Write the folder of one run.

    A `position` is where an earlier recorder of the run stopped; later data in the folder is
    removed. `BEGINNING` removes all data; None is for a new run, whose folder must not exist or be
    empty. `entries` are other entries of the manifest by name: the last step, and the step from
    which the run was resumed or forked; others are added during the run.

    Attributes:
        is_continued: Whether the recorder continues from a position.
        made: Number of complete steps in the tables.
        step_seconds: Time inside `Society.step` in this process; for `timings/`.
    """

    def __init__(
        self,
        folder: str | Path,
        society: "SocietyBase[Any]",
        *,
        position: Mapping[str, Any] | None = None,
        entries: Mapping[str, Any] | None = None,
    ) -> None:
        self.folder = Path(folder)
        self.society = society
        self.entries = dict(entries or {})
        self.is_continued = position is not None and "is_beginning" not in position
        self.step_seconds = 0.0
        self.made = round(society.time)
        self._files = {} if position is None else records_in(position, self.folder)
        self._parts = counts_of(self._files)
        self._tables: dict[str, Table] = {}
        self._texts_seen = 0 if position is None else int(position["texts_seen"])
        self._before = 0.0 if position is None else float(position["seconds"])
        self._decided: list[rows.DecisionRows] = []
        self._stored: dict[Population, list[Added]] = {}
        self._listeners: list[tuple[Population, Callable[[Added], None]]] = []
        self._wanted = set(society.settings.record.tables)
        self._changing = ChangeDetector({} if position is None else position.get("changing", {}))
        with writing(self.folder):
            self._prepare(position)
        until = round(society.time) if self.is_continued else 0
        self._model_calls = CallTables(self.folder, self._table, until=until)
        self._every = society.clock.ticks(society.settings.record.agents_every)
        self._started = computing_seconds()
        self._compiled_before = compilation.seconds
        if "memories" in self._wanted:
            for population in society.populations:
                if not self.is_continued:
                    self._memories_before(population)
                self._listen(population)
        if self._texts_seen:
            self._texts_of_building()
        if "agents" in self._wanted and not self.is_continued:
            for population in society.populations:
                shown = rows.status_of(population, START)
                self._append(f"start_{population.name}", len(shown["tick"]), shown)
        self._moves = None
        if "moves" in self._wanted:
            self._moves = record_moves(society, self._append, is_continued=self.is_continued)

    def _prepare(self, position: Mapping[str, Any] | None) -> None:
        """Prepare an empty folder, or remove data after the position.

        The manifest is written first, so that the run can be resumed if it is killed.
        """
        if position is None:
            check_unused(self.folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self._write_manifest("running")
        reserve_space(self.folder)
        if position is not None:
            remove_later_files(self.folder, self._parts, self._populations)
            self.society.block_seconds = dict(position["blocks"])
        (self.folder / "tables").mkdir(exist_ok=True)

    def note(self) -> None:
        """Write the current manifest, with shocks and surveys added during the run."""
        with writing(self.folder):
            self._write_manifest("running")

    def so_far(self) -> dict[str, tuple[int, Waiting]]:
        """Return the parts of each table and its rows not written yet, between two steps."""
        kept = {name: (parts, Waiting()) for name, parts in self._parts.items()}
        return kept | {name: (one.parts, one.waiting()) for name, one in self._tables.items()}

    def manifest(
        self, status: str = "running", error: str = "", *, earlier: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Return the current manifest of the run as plain values by name.

        With an `earlier` manifest of the run, only entries that may have changed are built.
        """
        society = self.society
        entries = {**earlier, **progress_of(society)} if earlier else manifest_of(society)
        content = {**entries, **self.entries, "status": status, "error": error}
        content["made"] = self.made
        content["files"] = self._files
        for population, names in self._changing.seen.items():
            for name in names:
                content["attributes"][population][name]["changes"] = True
        return content

    def position(self) -> dict[str, Any]:
        """Write all waiting rows and return the position of the record, for a checkpoint.

        Another recorder can continue from it. It consists of plain values: records of the parts of
        tables, the position in the log of texts, and the seconds so far.
        """
        self._memories_of_step()
        for table in self._tables.values():
            table.sync()
        with writing(self.folder):
            self._model_calls.write_timings()
        return {
            "files": {p: one for p, one in self._files.items() if p.startswith("tables/")},
            "texts_seen": self._texts_seen,
            "seconds": self._seconds(),
            "blocks": dict(self.society.block_seconds),
            "changing": self._changing.seen,
        }

    def _seconds(self) -> float:
        return self._before + computing_seconds() - self._started

    def _append(self, table: str, count: int, columns: rows.Columns) -> None:
        self._table(table).append(count, columns)

    def _table(self, name: str) -> Table:
        if name not in self._tables:
            self._tables[name] = self._new_table(name, parts=self._parts.get(name, 0))
        return self._tables[name]

    def _new_table(self, name: str, *, parts: int = 0) -> Table:
        return Table(self.folder, name, parts=parts, record=self._note_part)

    def _note_part(self, path: str, record: FileRecord) -> None:
        """Note a part that is about to be written.

        If it replaces another part, the manifest is written first, so that the part in the folder
        is always listed in the manifest or the last checkpoint.
        """
        before = self._files.get(path)
        self._files[path] = record
        if before is not None:
            self._write_manifest("running")

    def _listen(self, population: "Population") -> None:
        listener = self._stored.setdefault(population, []).append
        population.memory.stored.append(listener)
        self._listeners.append((population, listener))

    def _memories_before(self, population: "Population") -> None:
        """Record the memories that agents had before the run, such as those of earlier years."""
        held = rows.remembered(population.memory)
        if len(held):
            self._append("memories", len(held), rows.memory_rows(population, held))

    def _memories_of_step(self) -> None:
        """Record the memories stored since the last step in one batch, since blocks store few.

        Those of a block are sorted by agent.
        """
        for population, batches in self._stored.items():
            if batches:
                added = joined([sort_by_row(batch) for batch in batches])
                self._append("memories", len(added), rows.memory_rows(population, added))
                batches.clear()

    def decisions(self, decided: Decisions, outcome: Outcome) -> None:
        """Record the answers to a question, and how they were carried out."""
        recorded = rows.decisions_to_record(self.society, decided, outcome)
        if recorded is not None:
            self._decided.append(recorded)

    def _decisions_of_step(self) -> None:
        """Record the decisions since the last step, those of each question sorted by agent."""
        for batches in rows.group_decisions(self._decided):
            self._table("decisions").append_by_agent(batches)
        self._decided.clear()

    def model_calls(self, calls: "Sequence[LoggedCall]") -> None:
        """Record the calls of a model and their outcomes."""
        if "model_calls" in self._wanted:
            self._model_calls.record(calls)

    def survey(self, answers: "Sequence[Answers]") -> None:
        """Record the answers to surveys, also if the settings do not list the table."""
        for answer in answers:
            columns = rows.survey_rows(answer, self.society.clock.tick)
            self._append("survey", len(answer.decisions.question.cohort), columns)

    def step(self) -> None:
        """Record the state at the end of a step."""
        society = self.society
        self._memories_of_step()
        if society.root is not None:
            self._decided += society.root.decisions()
        self._decisions_of_step()
        if "measures" in self._wanted:
            measured = rows.measure_rows(society.measured, society.clock.tick)
            self._append("measures", len(measured["tick"]), measured)
        if "ledger" in self._wanted and society.ledger is not None:
            flows = society.ledger.flows()
            self._append("ledger", len(flows), rows.flow_rows(flows, society.clock.tick))
        if self._moves is not None:
            self._moves.step(society.clock.tick)
        if "agents" in self._wanted and (society.clock.tick + 1) % self._every == 0:
            self.agents()
        if self._wanted & NAMING_TEXTS:
            self._new_texts()
        self.made = round(society.time)

    def agents(self) -> None:
        """Record the attributes of all agents that are declared with `record=True`."""
        for population in self.society.populations:
            shown = rows.status_of(population, self.society.clock.tick)
            self._changing.note(population, shown)
            self._append(f"agents_{population.name}", len(shown["tick"]), shown)

    def _new_texts(self) -> None:
        texts = self.society.texts
        if texts.capacity > self._texts_seen:
            new = texts.numbers_from(self._texts_seen).astype(np.int32)
            self._texts_seen = texts.capacity
            self._write_texts(new)

    def _texts_of_building(self) -> None:
        """Record new texts of a society that was rebuilt with other settings."""
        texts = self.society.texts
        new = texts.numbers_from(self._texts_seen).astype(np.int32)
        if len(new):
            known = hashes_in(self.folder, "texts")
            self._texts_seen = texts.capacity
            self._write_texts(new[[h not in known for h in texts.hash_of(new).tolist()]])

    def _write_texts(self, new: NDArray[np.int32]) -> None:
        self._append("texts", len(new), rows.text_rows(new, self.society.texts))

    def static(self, name: str, frame: "pd.DataFrame") -> None:
        """Record a static table, such as the zones of the place."""
        self._append(name, len(frame), rows.frame_rows(frame))

    def static_from(self, step: int, *, dated: bool = False) -> None:
        """Record the static tables again from a step on, after settings or orders changed.

        Rows of earlier ticks are kept. With `dated`, only tables with a column `tick` are recorded.
        """
        import pandas as pd

        for name, frame in static_tables(self.society).items():
            if dated and "tick" not in frame:
                continue
            old = self.folder / part_path(name, 0)
            joined = frame
            if "tick" in frame and old.is_file():
                kept = pd.read_parquet(old)
                parts = [kept[kept["tick"] < step], frame[frame["tick"] >= step]]
                joined = pd.concat(parts, ignore_index=True)
            self._tables[name] = self._new_table(name)  # replaces the old part
            self.static(name, joined)
            self._tables[name].flush()

    def succeed(self) -> None:
        """Write waiting rows, the memories of all agents, and the status "succeeded"."""
        self._write_waiting()
        with writing(self.folder):
            if "memories" in self._wanted:  # whose ids refer to that table
                self._memory_at_end()
            self._timings()
            self._write_manifest("succeeded")
        free_space(self.folder)
        self._stop_listening()

    def break_off(self, status: str, error: str) -> None:
        """Write what can still be written, and the status: interrupted or failed."""
        self._files = {p: one for p, one in self._files.items() if not p.startswith("memory/")}
        with suppress(OSError):
            remove_held(self.folder, self._populations)
        with suppress(OSError):
            self._write_manifest(status, error)  # first, since the process may be killed
        try:
            self._write_waiting()
            self._timings()
        except OSError as lost:
            line = f"rows of the last steps are lost; tables end at different steps: {lost}"
            self.entries["warnings"] = [*self.entries.get("warnings", ()), line]
        free_space(self.folder)
        with suppress(OSError):
            self._write_manifest(status, error)  # with the parts that were just written
        self._stop_listening()

    def _write_waiting(self) -> None:
        self._memories_of_step()
        self._decisions_of_step()
        for table in self._tables.values():
            table.flush()
        with writing(self.folder):
            self._model_calls.write_timings()

    def _stop_listening(self) -> None:
        """Stop listening for new memories, since the society may continue unrecorded."""
        for population, listener in self._listeners:
            population.memory.stored.remove(listener)
        self._listeners = []

    @property
    def _populations(self) -> list[str]:
        return [population.name for population in self.society.populations]

    def _memory_at_end(self) -> None:
        folder = self.folder / "memory"
        folder.mkdir(exist_ok=True)
        for population in self.society.populations:
            file = write_held(folder, population)
            self._files[f"memory/{file.name}"] = record_of_file(file)

    def _timings(self) -> None:
        seconds = self._seconds()
        ticks = self.society.clock.tick + 1
        agents = sum(len(population) for population in self.society.populations)
        folder = self.folder / "timings"
        folder.mkdir(exist_ok=True)
        timings = {
            "written": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
            "seconds": round(seconds, 3),
            "step_seconds": round(self.step_seconds, 4),
            "compile_seconds": round(compilation.seconds - self._compiled_before, 3),
            "ticks": ticks,
            "agent_steps_per_second": round(ticks * agents / seconds),
            "blocks": {name: round(s, 3) for name, s in self.society.block_seconds.items()},
        }
        write_json(folder / "timings.json", timings)
        for name in TIMINGS:
            if (folder / name).is_file():
                self._files[f"timings/{name}"] = record_of_file(folder / name)

    def _write_manifest(self, status: str, error: str = "") -> None:
        write_manifest(self.folder, self.manifest(status, error))


class ChangeDetector:
    """Detect the attributes, `seen` by population, that change between records of all agents."""

    def __init__(self, seen: Mapping[str, Sequence[str]] | None = None) -> None:
        self.seen: dict[str, list[str]] = {name: list(of) for name, of in (seen or {}).items()}
        self._last: dict[str, Mapping[str, Any]] = {}

    def note(self, population: "Population", status: Mapping[str, Any]) -> None:
        """Compare a record, columns from `status_of`, with the previous one."""
        seen = self.seen.setdefault(population.name, [])
        last = self._last.get(population.name)
        known = population.written.union(seen, ("tick", "agent"))
        unknown = [name for name in status if name not in known]
        if last is not None:
            both = _both(last["agent"], status["agent"])
            seen += [
                name
                for name in unknown
                if name not in last or _differ(last[name], status[name], *both)
            ]
        self._last[population.name] = {name: status[name] for name in ("agent", *unknown)}


def _both(before: NDArray[np.int32], now: NDArray[np.int32]) -> tuple[Any, Any]:
    """Return the positions of agents that are in both records."""
    if np.array_equal(before, now):
        return slice(None), slice(None)
    _, first, second = np.intersect1d(before, now, return_indices=True)
    return first, second


def _differ(before: Any, now: Any, first: Any, second: Any) -> bool:
    old, new = (_numbers(before)[first], _numbers(now)[second])
    differ = np.ma.getdata(old) != np.ma.getdata(new)
    if old.dtype.kind == "f":
        differ &= ~(np.isnan(np.ma.getdata(old)) & np.isnan(np.ma.getdata(new)))
    if np.ma.isMaskedArray(old):
        differ |= np.ma.getmaskarray(old) != np.ma.getmaskarray(new)
    return bool(differ.any())


def _numbers(column: Any) -> NDArray[Any]:
    return np.asanyarray(column.codes if isinstance(column, Coded) else column)
