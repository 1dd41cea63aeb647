"""Read a run: its tables, measures, agents and texts."""

import json
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.analysis.labels import day_form
from memopolis.analysis.run import surveys, texts
from memopolis.analysis.run.conversations import conversation_table, read_conversations
from memopolis.analysis.run.life import (
    AWAY,
    Life,
    is_zone,
    join_evidence,
    join_held,
    split_status,
    zone_attribute,
)
from memopolis.analysis.run.opening import open_run
from memopolis.analysis.run.reader import TableReader
from memopolis.sim.clock import MONTH_HOURS, date_after
from memopolis.sim.errors import ParameterError, RunFolderError, UnknownNameError, did_you_mean
from memopolis.sim.recording.schema import Column, TableSchema, is_status, schema_of

if TYPE_CHECKING:
    from pathlib import Path

    import xarray as xr

    from memopolis.sim.running.by_hand import RunByHand

_TIES = {"source": "int64", "target": "int64", "kind": "str"}


class Run:
    """A run: one that has ended, one in progress, or either as it was after some steps.

    Tables are DataFrames, read when they are first used and then kept, so copy frames before you
    change them. `until` gives an earlier moment, and `latest` the present state of a run in
    progress. A run in progress stays as it was when it was read.

    Args:
        folder: Folder of the run, or a run of this process that is stepped by hand.
        until: Number of steps after which nothing is visible; None for all that was recorded.
        so_far: Whether to also open a run that has not ended, see `load_run`.

    Attributes:
        folder: Folder of the run.
        manifest: Its manifest: versions, settings, seed, hashes of data, declared measures.
        reader: Reads its tables as they were recorded.

    Raises:
        RunFolderError: If there is no run, or it cannot be read, see `load_run`.
        ParameterError: If `until` is negative or not a whole number.
    """

    def __init__(
        self, folder: "str | Path | RunByHand", until: int | None = None, *, so_far: bool = False
    ) -> None:
        self.folder, self.manifest, self.reader, step = open_run(folder, so_far=so_far)
        self._until: int | None = None
        self._whole: Run | None = None
        ends = [end for end in (step, until) if end is not None]
        if ends:
            self._whole = self._read_by(self.reader, self.manifest)
            self._until = min(self.ticks, *map(self._checked_step, ends))
            self.reader = self.reader.cut(self._until)

    def __repr__(self) -> str:
        return f"<Run {self.title} seed {self.seed}, {self.status}, {self.folder}>"

    # Manifest

    @property
    def title(self) -> str:
        """Name of the scenario."""
        return str(self.manifest["title"])

    @property
    def settings(self) -> dict[str, Any]:
        """Settings, in nested groups."""
        return dict(self.manifest["settings"])

    @property
    def seed(self) -> int:
        """Random seed."""
        return int(self.manifest["seed"])

    @property
    def status(self) -> str:
        """Status: succeeded, interrupted, failed or running."""
        return str(self.manifest["status"])

    @property
    def facts(self) -> dict[str, Any]:
        """Facts that the scenario states, such as the dates of a storm."""
        return dict(self.manifest["facts"])

    def date_of(self, fact: str) -> datetime | None:
        """Return a fact as a local date and time; None if it is missing or not a date."""
        try:
            when = datetime.fromisoformat(self.facts[fact])
        except (KeyError, TypeError, ValueError):
            return None
        return when if when.tzinfo is None else None

    @property
    def start(self) -> datetime:
        """Local time at which tick 0 begins."""
        return datetime.fromisoformat(self.manifest["start"])

    @property
    def hours(self) -> float:
        """Length of a tick in hours."""
        return float(self.manifest["tick_hours"])

    @property
    def ticks(self) -> int:
        """Number of steps taken."""
        if self._until is not None:
            return self._until
        return int(self.manifest["ticks"]) if self.reader.live is None else self.reader.live.step

    @property
    def end(self) -> datetime:
        """Local time at which the last step ended."""
        return date_after(self.start, self.hours, self.ticks)

    @property
    def populations(self) -> tuple[str, ...]:
        """Names of the populations; the first one is the people."""
        return tuple(self.manifest["populations"])

    @property
    def first_population(self) -> str:
        """Name of the population that is used where none is named.

        Raises UnknownNameError if there is no population.
        """
        if not self.populations:
            raise UnknownNameError(f"the society of {self.folder} has no population")
        return self.populations[0]

    def attributes(self, population: str) -> dict[str, dict[str, Any]]:
        """Return the declarations of the recorded attributes of a population, by attribute.

        Each has unit, description, low, high, and changes, whether it is known to change. There are
        none if there is no such population.
        """
        declared: dict[str, Any] = self.manifest["attributes"]
        return dict(declared.get(population, {}))

    def schema(self, table: str) -> TableSchema:
        """Return the columns of a table, with the attributes of agents; types only if fixed."""
        known = schema_of(table)
        attributes = self.attributes(table.partition("_")[2])
        own = {n: Column("", one["description"], one["unit"]) for n, one in attributes.items()}
        return TableSchema({**known.columns, **own}) if is_status(table) else known

    def time_of(self, ticks: pd.Series) -> pd.Series:
        """Return the local time at which ticks begin; ticks of a mean month are calendar months."""
        if self.hours == MONTH_HOURS:
            months = np.datetime64(self.start, "M") + ticks.to_numpy(np.int64)
            return pd.Series(months.astype("datetime64[s]"), index=ticks.index, name=ticks.name)
        # In microseconds: a tick of a minute and a half must not drift.
        since = (ticks.astype("int64") * round(self.hours * 3_600e6)).astype("timedelta64[us]")
        times: pd.Series = (pd.Timestamp(self.start) + since).dt.round("s").astype("datetime64[s]")
        return times

    # Moments

    @property
    def whole(self) -> "Run":
        """The run that this is a moment of; this run itself if it is not cut at a step."""
        return self if self._whole is None else self._whole

    def until(self, step: int) -> "Run":
        """Return the run as it was after some steps: nothing recorded later is visible.

        Static tables (zones, weather, track) are whole. Returns this run if it has no more steps.
        Raises ParameterError if `step` is negative or not a whole number.
        """
        step = self._checked_step(step)
        if step >= self.ticks:
            return self
        return self._read_by(self.whole.reader, self.manifest, until=step)

    def latest(self) -> "Run":
        """Return a run in progress as it is now; this run itself if nothing has happened."""
        reader = self.reader.latest()
        if self._until is not None or reader is self.reader or reader.live is None:
            return self
        return self._read_by(reader, reader.live.manifest)

    def _read_by(
        self, reader: TableReader, manifest: dict[str, Any], *, until: int | None = None
    ) -> "Run":
        other = Run.__new__(Run)
        other.folder, other.manifest = self.folder, manifest
        other.reader = reader if until is None else reader.cut(until)
        other._until = until  # noqa: SLF001 - of the same class
        other._whole = None if until is None else self.whole  # noqa: SLF001
        return other

    def _checked_step(self, step: object) -> int:
        """Return a number of steps as an int; whole floats such as 24.0 are allowed."""
        with suppress(TypeError, ValueError, OverflowError):
            number = int(step)  # type: ignore[call-overload]
            if step == number and number >= 0:
                return int(number)
        raise ParameterError(
            f"step is {step}; allowed are whole numbers from 0 to {self.whole.ticks}"
        )

    # Tables

    @cached_property
    def tables(self) -> tuple[str, ...]:
        """Names of the tables."""
        return self.reader.names()

    def has(self, table: str, *columns: str) -> bool:
        """Check whether there is a table with these columns."""
        return table in self.tables and self.reader.columns(table).issuperset(columns)

    def table(self, name: str, columns: Sequence[str] = ()) -> pd.DataFrame:
        """Read a table as it was recorded, sorted by its key.

        `columns` are those to read besides the key; all if empty. Raises UnknownNameError if there
        is no such table or column, or RunFolderError if it cannot be read.
        """
        frame: pd.DataFrame = self.reader.read(name, columns).to_pandas()
        return frame

    @cached_property
    def ledger(self) -> pd.DataFrame:
        """Flows of money in each step, in cents."""
        return self._dated("ledger")

    @cached_property
    def zones(self) -> pd.DataFrame:
        """Zones of the place, in the order of their numbers."""
        return self.table("zones") if self._whole is None else self._whole.zones

    @cached_property
    def weather(self) -> pd.DataFrame:
        """Weather by step and zone, of the whole run."""
        return self._dated("weather") if self._whole is None else self._whole.weather

    def ties(self, kind: str = "") -> pd.DataFrame:
        """Return the ties between agents as recorded at the start, of one kind or ("") of all.

        A row per tie: source, target (unique_id) and kind; no rows if none were recorded.
        """
        if not self.has("ties", "source", "target"):
            return pd.DataFrame({"source": [], "target": [], "kind": []}).astype(_TIES)
        frame = self.table("ties")
        frame = frame.assign(kind=frame.get("kind", "")).astype(_TIES)
        chosen = frame if not kind else frame[frame["kind"] == kind]
        return chosen[[*_TIES]].reset_index(drop=True)

    @cached_property
    def timings(self) -> dict[str, Any]:
        """Wall-clock times; empty if they were not kept.

        Raises RunFolderError if they cannot be read.
        """
        path = self.folder / "timings" / "timings.json"
        try:
            return dict(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {}
        except ValueError as error:
            raise RunFolderError(f"{path} is broken: {error}") from None

    def to_xarray(self, *tables: str, columns: Sequence[str] = ()) -> "xr.DataTree":
        """Export tables as labelled arrays (extra `xarray`).

        Tables of agents have the dimensions tick and agent, measures tick, measure and group,
        weather tick and zone. Each is a node of the tree, named like the table; variables carry
        `units` and `description`, and `time` is the date of each tick. Where a combination has no
        row, such as an agent before its birth, values are missing: NaN, or None in texts;
        booleans and integers become floats in such columns only.

        Args:
            *tables: Tables to export; all that can be exported if none are named.
            columns: Columns to export, of any table; all if none are named.

        Raises:
            ExtraError: If xarray is not installed.
            UnknownNameError: If a table cannot be exported, or no table has one of the columns.
            RunFolderError: If a table cannot be read.
        """
        from memopolis.analysis.run.to_xarray import Source, build_tree

        source = Source(
            self.reader,
            {name: self.schema(name) for name in self.tables},
            self.manifest["measures"],
            self.time_of,
        )
        tree = build_tree(source, tables, columns)
        tree.attrs.update(
            scenario=self.title,
            seed=self.seed,
            status=self.status,
            start=self.start.isoformat(),
            tick_hours=self.hours,
        )
        return tree

    def _dated(
        self, name: str, columns: Sequence[str] = (), *, agent: int | None = None
    ) -> pd.DataFrame:
        """Read a table, or the rows of one agent in it, with the times of its ticks."""
        frame: pd.DataFrame = self.reader.read(name, columns, agent=agent).to_pandas()
        frame.insert(1, "time", self.time_of(frame["tick"]))
        return frame

    @cached_property
    def moves(self) -> pd.DataFrame:
        """Changes of zone and activity of the people: tick, time, agent, zone, doing.

        Rows of tick -1 describe the start. `memopolis.analysis.run.positions` follows them from
        step to step.
        """
        return self._dated("moves")

    # Measures

    @cached_property
    def measures(self) -> pd.DataFrame:
        """Measures of each step: tick, time, measure, group ("" for all agents), value."""
        return self._dated("measures")

    @property
    def measured(self) -> frozenset[str]:
        """Names of the recorded measures."""
        return frozenset(self._groups)

    def groups(self, name: str) -> list[str]:
        """Return the groups by which a measure was recorded, "" for all agents first.

        Raises UnknownNameError if it was not recorded.
        """
        if name not in self._groups:
            known = ", ".join(sorted(self._groups))
            near = did_you_mean(name[:80], self._groups)
            raise UnknownNameError(f"the run has no measure {name!r}; {near}it has {known}")
        return self._groups[name]

    def measure(self, name: str, group: str = "") -> pd.Series:
        """Return one measure by time, for a value of its grouping attribute or ("") for all agents.

        Raises UnknownNameError if it was not recorded.
        """
        groups = self.groups(name)
        if group not in groups:
            known = ", ".join(map(repr, groups))
            raise UnknownNameError(f"measure {name!r} has no group {group!r}; it has {known}")
        ticks, values = self.reader.measure(name, group)
        index = pd.Index(self.time_of(pd.Series(ticks)), name="time")
        return pd.Series(values, index=index, name=name)

    @cached_property
    def _groups(self) -> dict[str, list[str]]:
        return self.reader.measure_groups()

    @property
    def conversations(self) -> pd.DataFrame:
        """Questions that users asked agents until now, and their answers; read each time.

        Columns step, agent, name, question, answer, mind, value, evidence, texts and group, as in
        `Conversation`. Raises RunFolderError if the file with them cannot be read.
        """
        asked = read_conversations(self.folder)
        return conversation_table(
            [conversation for conversation in asked if conversation.step <= self.ticks]
        )

    # Agents

    def name_of(self, agent: int) -> str:
        """Return the recorded name of an agent, else its population and unique_id."""
        live = self.reader.live
        name = self._names.get(agent) if live is None else live.name_of(agent)
        return name or f"{self.population_of(agent) or 'agent'} {agent}"

    def place_name(self, zone: int) -> str:
        """Return the name of a zone."""
        return self._zone_labels.get(zone, f"zone {zone}")

    def spoken_place_name(self, zone: int) -> str:
        """Return the name of a zone as texts have it, without a code; names may repeat."""
        return self._spoken_names.get(zone, self.place_name(zone))

    def population_of(self, agent: int) -> str:
        """Return the population of an agent, "" if there is no such agent."""
        return next((name for name, ids in self._ids.items() if agent in ids), "")

    def member_of(self, agent: int) -> str:
        """Return the population of an agent. Raises UnknownNameError if there is no such agent."""
        if population := self.population_of(agent):
            return population
        ranges = [f"{name} {min(ids)} to {max(ids)}" for name, ids in self._ids.items() if ids]
        if ranges:
            raise UnknownNameError(f"there is no agent {agent}; there are {'; '.join(ranges)}")
        raise UnknownNameError(
            f"agent {agent} cannot be shown: the run did not record agents (see record.tables)"
        )

    def people(self, population: str = "") -> pd.DataFrame:
        """Return the agents that are present, with their newest recorded status.

        Returns a row per agent, ordered by unique_id: agent, name, tick and time of the status,
        zone and zone_name if an attribute gives its location, and the attributes. Before the first
        record, the status is that at the start: tick is -1, and time is missing. Agents that have
        left or died are not listed. Raises UnknownNameError if there is no such population or
        it was not recorded.

        Args:
            population: Name of the population; "" for the first.
        """
        population = population or self.first_population
        name = f"agents_{population}"
        frame: pd.DataFrame = self.reader.newest(name, self.ticks).to_pandas()
        frame = frame.sort_values("agent", ignore_index=True)
        agents, ticks = frame.pop("agent"), frame.pop("tick")
        names = frame.pop("name").astype(str) if "name" in frame else agents.map(self.name_of)
        times = self.time_of(ticks).where(ticks >= 0)
        leading = {"agent": agents, "name": names, "tick": ticks, "time": times}
        zone = zone_attribute(self.attributes(population))
        if zone in frame:
            leading |= {"zone": frame[zone], "zone_name": self._zone_names(frame[zone])}
        rest = frame.drop(columns=[name for name in leading if name in frame])
        return pd.concat([pd.DataFrame(leading), rest], axis=1)

    def present(self, population: str) -> NDArray[np.integer]:
        """Return the unique_ids of the agents that are present, sorted, shape (agents,).

        Raises UnknownNameError if there is no such population or it was not recorded.
        """
        rows = self.reader.newest(f"agents_{population}", self.ticks, ["agent"])
        return np.sort(rows["agent"].to_numpy())

    @cached_property
    def agents(self) -> pd.DataFrame:
        """Status of the first population at the end of each recorded day.

        Raises UnknownNameError if there is no population or it was not recorded.
        """
        return self.agents_of(self.first_population)

    def agents_of(self, population: str, *names: str) -> pd.DataFrame:
        """Return the status of a population at the end of each recorded day.

        Columns tick, time, agent and the named attributes, all if none are named. Raises
        UnknownNameError if the population was not recorded, or has no such attribute.
        """
        return self._dated(f"agents_{population}", names)

    def agent_rows(self, agent: int) -> pd.DataFrame:
        """Return the status of one agent at the end of each recorded day, and at present.

        Before the first record, it is that at the start, with the tick -1. Raises
        UnknownNameError if there is no such agent.
        """
        rows = self.reader.history(f"agents_{self.member_of(agent)}", agent)
        frame: pd.DataFrame = rows.to_pandas()
        # Before the first step, the status is that of the start.
        frame.insert(1, "time", self.time_of(frame["tick"].clip(lower=0)))
        return frame

    def first_rows(self, population: str) -> pd.DataFrame:
        """Return the status of a population in the first step in which it was recorded.

        Raises UnknownNameError if it was not recorded.
        """
        frame: pd.DataFrame = self.whole.reader.first(f"agents_{population}").to_pandas()
        return frame

    def changing(self, population: str) -> frozenset[str]:
        """Return the attributes of a population that change during the whole run.

        The manifest says so of each attribute that a block writes or that differed between two
        records.
        """
        declared = self.attributes(population)
        return frozenset(name for name, one in declared.items() if one.get("changes"))

    def life(self, agent: int) -> Life:
        """Collect everything that was recorded of one agent.

        Raises UnknownNameError if there is no such agent.
        """
        population = self.member_of(agent)
        profile, status = split_status(
            self.agent_rows(agent),
            self.changing(population),
            lambda row: self._readable(population, row),
        )
        memories, decisions = (
            self._dated(name, agent=agent) if name in self.tables else pd.DataFrame()
            for name in ("memories", "decisions")
        )
        memories, thoughts, decisions = self._write_out(memories, decisions)
        held, is_known = self.reader.held(population, agent), self._until is None
        memories = join_held(memories, held, is_known=is_known)
        decisions, thoughts = join_evidence(decisions, memories)
        return Life(
            agent, population, self.name_of(agent), profile, status, memories, thoughts, decisions
        )

    def _readable(self, population: str, values: pd.Series) -> pd.Series:
        """Replace numbers of zones by their names, and ticks by dates."""
        attributes = self.attributes(population)
        if is_zone(attributes, str(values.name)):
            return self._zone_names(values)
        if attributes.get(str(values.name), {}).get("role") == "tick":
            form = f"{day_form(self.start, self.whole.end)} %H:%M"
            times: pd.Series = self.time_of(values).dt.strftime(form).astype(object)
            return times.where(values >= 0, "never")
        return values

    def _zone_names(self, zones: pd.Series) -> pd.Series:
        numbers = np.unique(zones.to_numpy()).tolist()
        names = {number: self.place_name(number) if number >= 0 else AWAY for number in numbers}
        return zones.map(names).astype(object)

    @cached_property
    def _ids(self) -> dict[str, frozenset[int]]:
        if self._whole is not None:
            return self._whole._ids  # noqa: SLF001 - of the same class
        return self.reader.ids(self.populations)

    @cached_property
    def _names(self) -> dict[int, str]:
        if self._whole is not None:
            return self._whole._names  # noqa: SLF001
        names: dict[int, str] = {}
        for population in self._ids:
            if self.has(f"agents_{population}", "name"):
                frame = self.reader.read(f"agents_{population}", ["name"]).to_pandas()
                first = frame.drop_duplicates("agent")
                names.update(zip(first["agent"].tolist(), first["name"].tolist(), strict=True))
        return names

    @cached_property
    def _zone_labels(self) -> dict[int, str]:
        if "zones" not in self.tables or "label" not in self.zones:
            return {}
        return dict(enumerate(self.zones["label"].astype(str)))

    @cached_property
    def _spoken_names(self) -> dict[int, str]:
        if "zones" not in self.tables or "name" not in self.zones:
            return {}
        return dict(enumerate(self.zones["name"].astype(str)))

    # Texts

    @cached_property
    def texts(self) -> pd.Series:
        """Templates by hash; at a moment, those that memories and decisions use by then."""
        frame = self.table("texts").drop_duplicates("hash")
        templates = frame.set_index("hash")["text"]
        if self.whole is self:
            return templates
        using = [name for name in ("memories", "decisions") if self.has(name, "text")]
        used = [self.reader.read(name, ["text"])["text"].unique().to_numpy() for name in using]
        return templates[templates.index.isin(np.concatenate([*used, np.zeros(0, np.int64)]))]

    def templates_of(self, hashes: pd.Series) -> pd.Series:
        """Return templates by their hashes; missing where a text was not recorded."""
        known = self.reader.texts() if len(hashes) else {}
        codes, distinct = pd.factorize(hashes)
        templates = np.array([known.get(number, np.nan) for number in distinct.tolist()], object)
        return pd.Series(templates[codes], index=hashes.index, dtype=object)

    @cached_property
    def memories(self) -> pd.DataFrame:
        """Memories with their texts written out."""
        return texts.fill_thought_memories(self._named_memories, self.thoughts)

    @cached_property
    def decisions(self) -> pd.DataFrame:
        """Decisions with their texts; `evidence` lists the ids of the memories used."""
        return texts.join_texts(self._dated("decisions"), self.thoughts)

    @cached_property
    def thoughts(self) -> pd.DataFrame:
        """Decisions that produced a text, written out, with their evidence in words."""
        if "decisions" not in self.tables:
            return pd.DataFrame(columns=[*texts.THOUGHTS])
        named = self._named_memories if "memories" in self.tables else pd.DataFrame()
        return self._thoughts_among(self._dated("decisions"), named)

    @cached_property
    def model_calls(self) -> pd.DataFrame:
        """Calls of a model: prompt and answer in words, tokens and outcome."""
        frame = self._dated("model_calls")
        for name in ("prompt", "answer"):
            frame[name] = self.prompts_of(frame[name])
        return frame

    def prompts_of(self, hashes: pd.Series) -> pd.Series:
        """Return prompts and answers of models by their hashes."""
        return hashes.map(self._prompts).astype(object)

    @cached_property
    def _prompts(self) -> pd.Series:
        if self._whole is not None:
            return self._whole._prompts  # noqa: SLF001
        return self.table("prompts").drop_duplicates("hash").set_index("hash")["text"]

    @cached_property
    def survey(self) -> pd.DataFrame:
        """Answers to surveys: time, agent, item, value, choice, text, points, evidence.

        `points` is the rating, reversed where the item is reversed.
        """
        return surveys.add_points(self._dated("survey"), self.manifest["surveys"])

    @cached_property
    def survey_scores(self) -> pd.DataFrame:
        """Scores of surveys: time, agent, score, value, and whether it reaches the cut-off."""
        return surveys.score_answers(self.survey, self.manifest["surveys"])

    @cached_property
    def _named_memories(self) -> pd.DataFrame:
        return self.fill_names(self._dated("memories"))

    def fill_names(self, memories: pd.DataFrame) -> pd.DataFrame:
        """Write out the texts of memories, given by hash, except for {evidence}."""
        text = texts.fill_names(
            self.templates_of(memories["text"]),
            memories["actor"],
            memories["place"],
            name_of=self.name_of,
            place_name=self.spoken_place_name,
        )
        return memories.assign(text=text)

    def _thoughts_among(self, decisions: pd.DataFrame, named: pd.DataFrame) -> pd.DataFrame:
        """Write out the decisions that produced a text, from memories of the same agents."""
        own = decisions[decisions["text"] != 0]  # a hash of 0 is no text
        return texts.fill_thoughts(own.assign(text=self.templates_of(own["text"])), named)

    def _write_out(
        self, memories: pd.DataFrame, decisions: pd.DataFrame
    ) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
        """Write out memories, thoughts and decisions of the same agents, each may be missing."""
        named = self.fill_names(memories) if len(memories.columns) else memories
        thoughts = pd.DataFrame(columns=[*texts.THOUGHTS])
        if len(decisions.columns):
            thoughts = self._thoughts_among(decisions, named)
            decisions = texts.join_texts(decisions, thoughts)
        if len(named.columns):
            named = texts.fill_thought_memories(named, thoughts)
        return named, thoughts, decisions


def load_run(folder: "str | Path | RunByHand", *, so_far: bool = False) -> Run:
    """Open a run to read it.

    Returns the run; its tables are read when they are first used. Its `status` shows whether it was
    interrupted, failed, or is still "running". Raises RunFolderError if there is no run, it is
    broken, it has not ended, or the size of a file has changed; with `so_far`, if it has no
    checkpoint yet.

    Args:
        folder: Folder of the run; or a run of this process that is stepped by hand, which is
            read after the steps taken so far. `Run.latest` then returns its later states.
        so_far: Whether to also open a run that another process is making or that was killed. It
            is read up to its newest checkpoint, up to which all tables are complete.
    """
    return Run(folder, so_far=so_far)
