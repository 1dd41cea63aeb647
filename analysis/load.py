"""A run, read from its folder into tidy tables."""

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from memopolis.analysis import panel, written
from memopolis.analysis.manifest import read_manifest
from memopolis.analysis.rows import KeptRows, Rows
from memopolis.sim.errors import RunFolderError, UnknownNameError

if TYPE_CHECKING:
    from memopolis.analysis.life import Life


def load_run(folder: str | Path) -> "Run":
    """Read a run.

    Args:
        folder: Where it was recorded.

    Returns:
        The run; its tables are read when they are asked for. A run that was interrupted or
        failed says so in `status`.

    Raises:
        RunFolderError: If there is no run, it is broken, or it has not ended.
    """
    folder = Path(folder)
    return Run(folder, read_manifest(folder))


class Run:
    """What a run recorded. Tables are DataFrames, read once, when they are first asked for.

    A moment of a run (`until`) and a run under way (`UnderWay`) are runs, too. Frames may be
    shared among them: copy what you change.

    Args:
        folder: Where it lies.
        manifest: What its manifest says.
        rows: Its tables; None for those in the folder.

    Attributes:
        folder: Where it lies.
        manifest: What it was: versions, settings, seed, hashes of data, declared measures.
        rows: Its tables as they were recorded.
    """

    def __init__(self, folder: Path, manifest: dict[str, Any], rows: Rows | None = None) -> None:
        self.folder = folder
        self.manifest = manifest
        self.rows = KeptRows(folder) if rows is None else rows
        self._changing: dict[str, frozenset[str]] = {}

    def __repr__(self) -> str:
        return f"<Run {self.title} seed {self.seed}, {self.status}, {self.folder}>"

    # What it was

    @property
    def title(self) -> str:
        """Name of the scenario."""
        return str(self.manifest.get("title", self.manifest["scenario"]))

    @property
    def settings(self) -> dict[str, Any]:
        """Settings, groups of them nested."""
        return dict(self.manifest["settings"])

    @property
    def seed(self) -> int:
        """The seed of every draw."""
        return int(self.manifest["seed"])

    @property
    def status(self) -> str:
        """How it ended: succeeded, interrupted or failed."""
        return str(self.manifest.get("status", "unknown"))

    @property
    def knows_held(self) -> bool:
        """Whether it is known what agents still remember: at the end of a run, or right now."""
        return True

    @property
    def facts(self) -> dict[str, Any]:
        """What the scenario says of itself, such as dates of a storm."""
        return dict(self.manifest.get("facts", {}))

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
        """Ticks that it took."""
        return int(self.manifest.get("ticks", 0))

    @property
    def end(self) -> datetime:
        """Local time at which it ended."""
        return self.start + timedelta(hours=self.hours * self.ticks)

    @property
    def populations(self) -> tuple[str, ...]:
        """Names of its populations, the people first."""
        return tuple(self.manifest["populations"])

    def until(self, step: int) -> "Run":
        """The run as it stood after some steps: nothing recorded later is there.

        Args:
            step: How many steps were made, >= 0.

        Returns:
            A run whose tables end there; static tables (zones, weather, track) are whole. This
            run itself where it has no more steps.

        Raises:
            ParameterError: If `step` is negative.
        """
        from memopolis.analysis.until import run_until

        return run_until(self, step)

    def time_of(self, ticks: pd.Series) -> pd.Series:
        """Local time at which ticks begin."""
        # As fine as the clock's own steps: a tick of a minute and a half must not drift.
        since = (ticks.astype("int64") * round(self.hours * 3_600e6)).astype("timedelta64[us]")
        times: pd.Series = (pd.Timestamp(self.start) + since).dt.round("s").astype("datetime64[s]")
        return times

    # Its tables

    @cached_property
    def tables(self) -> tuple[str, ...]:
        """Names of the tables there are."""
        return self.rows.names()

    def has(self, table: str, *columns: str) -> bool:
        """Whether there is a table with these columns."""
        return table in self.tables and self.rows.columns(table).issuperset(columns)

    def table(self, name: str, columns: Sequence[str] = ()) -> pd.DataFrame:
        """Read a table as it was recorded, parts joined and sorted by its key.

        Args:
            name: Of the table.
            columns: Those wanted beside the key, such as of a table too large to be read whole;
                all if none are named.

        Raises:
            UnknownNameError: If there is none of that name.
            RunFolderError: If it cannot be read.
        """
        frame: pd.DataFrame = self.rows.read(name, columns).to_pandas()
        return frame

    @cached_property
    def texts(self) -> pd.Series:
        """Templates by hash."""
        frame = self.table("texts").drop_duplicates("hash")
        return frame.set_index("hash")["text"]

    @cached_property
    def measures(self) -> pd.DataFrame:
        """Measures of each step: tick, time, measure, group ("" for all), value."""
        return self._dated("measures")

    def measure(self, name: str, group: str = "") -> pd.Series:
        """One measure by time.

        Args:
            name: Of the measure.
            group: Value of its grouping attribute, "" for all.

        Raises:
            UnknownNameError: If it was not recorded.
        """
        self.check_group(name, group)
        chosen = self._by_measure[name]
        chosen = chosen[chosen["group"] == group]
        return chosen.set_index("time")["value"].rename(name)

    @cached_property
    def measured(self) -> frozenset[str]:
        """Names of the measures there are; none where they were not recorded."""
        return frozenset(self._by_measure)

    def groups(self, name: str) -> list[str]:
        """Groups by which a measure was recorded, "" for all first.

        Raises:
            UnknownNameError: If it was not recorded.
        """
        self.check_measure(name)
        return sorted(self._by_measure[name]["group"].unique())

    def check_measure(self, name: str) -> None:
        """Refuse a measure that was not recorded.

        Raises:
            UnknownNameError: If it was not.
        """
        if name not in self.measured:
            there = ", ".join(sorted(self.measured))
            raise UnknownNameError(f"the run has no measure {name!r}; it has {there}")

    def check_group(self, name: str, group: str) -> None:
        """Refuse a group by which a measure was not recorded.

        Raises:
            UnknownNameError: If it was not.
        """
        groups = self.groups(name)
        if group not in groups:
            there = ", ".join(map(repr, groups))
            raise UnknownNameError(f"measure {name!r} has no group {group!r}; it has {there}")

    @cached_property
    def _by_measure(self) -> dict[str, pd.DataFrame]:
        if "measures" not in self.tables:
            return {}
        return {str(name): frame for name, frame in self.measures.groupby("measure", observed=True)}

    @cached_property
    def agents(self) -> pd.DataFrame:
        """Status of the first population (citizens) at the end of each recorded day.

        Raises:
            UnknownNameError: If there is no population or it was not recorded.
        """
        first = next(iter(self.manifest["populations"]), None)
        if first is None:
            raise UnknownNameError(f"the society of {self.folder} has no population")
        return self.agents_of(first)

    def agents_of(self, population: str) -> pd.DataFrame:
        """Status of a population at the end of each recorded day.

        Raises:
            UnknownNameError: If there is no such population or it was not recorded.
        """
        return self._dated(f"agents_{population}")

    def columns(self, population: str, *names: str) -> pd.DataFrame:
        """Some attributes of a population at the end of each recorded day, and no others.

        Args:
            population: Its name.
            *names: Attributes, as they were recorded; all if none are named.

        Returns:
            Columns tick, time, agent and those asked for.

        Raises:
            UnknownNameError: If the population was not recorded, or has no such attribute.
        """
        return self._dated(f"agents_{population}", names)

    def agent_rows(self, agent: int) -> pd.DataFrame:
        """Status of one agent at the end of each recorded day, and of nobody else.

        Raises:
            UnknownNameError: If nobody has that unique_id.
        """
        return self.own(f"agents_{self.member_of(agent)}", agent)

    def own(self, name: str, agent: int) -> pd.DataFrame:
        """Rows of a table that are of one agent, with their times.

        Args:
            name: Of a table with a column `agent`.
            agent: unique_id of the agent.

        Raises:
            UnknownNameError: If there is no such table.
        """
        return self._timed(self.rows.read(name, agent=agent).to_pandas())

    @cached_property
    def memories(self) -> pd.DataFrame:
        """Memories as written, with their texts written out."""
        return written.told_memories(self._named_memories, self.thoughts)

    @cached_property
    def decisions(self) -> pd.DataFrame:
        """Decisions: texts written out, `evidence` lists the ids of memories they rest on."""
        return written.told_decisions(self._dated("decisions"), self.thoughts)

    @cached_property
    def thoughts(self) -> pd.DataFrame:
        """Decisions that ended in a text, written out, and their evidence in words."""
        if "decisions" not in self.tables:
            return pd.DataFrame(columns=[*written.THOUGHTS])
        named = self._named_memories if "memories" in self.tables else pd.DataFrame()
        return written.thoughts_among(self, self._dated("decisions"), named)

    def worded(self, hashes: pd.Series) -> pd.Series:
        """Templates by their hashes; missing where a text was not recorded."""
        return hashes.map(self.texts)

    @cached_property
    def ledger(self) -> pd.DataFrame:
        """Flows of money of each step, in cents."""
        return self._dated("ledger")

    @cached_property
    def model_calls(self) -> pd.DataFrame:
        """What a model was asked: prompt and answer in words, tokens and outcome of each call."""
        frame = self._dated("model_calls")
        words = self.table("prompts").set_index("hash")["text"]
        for name in ("prompt", "answer"):
            frame[name] = frame[name].map(words).astype(object)
        return frame

    @cached_property
    def survey(self) -> pd.DataFrame:
        """Answers to surveys: when, who, item, value, choice, text, points, evidence.

        `points` are what a rating counts, turned round where the item is reversed.
        """
        return panel.panel_of(self, self._dated("survey"))

    @cached_property
    def survey_scores(self) -> pd.DataFrame:
        """Scores of surveys: when, who, score, value, and whether it reaches the cut-off."""
        return panel.scores_of(self, self.survey)

    @cached_property
    def zones(self) -> pd.DataFrame:
        """Zones of the place, in the order of their numbers."""
        return self.table("zones")

    @cached_property
    def weather(self) -> pd.DataFrame:
        """Weather by step and zone."""
        return self._dated("weather")

    @cached_property
    def timings(self) -> dict[str, Any]:
        """What the wall clock said; empty if that was not kept.

        Raises:
            RunFolderError: If it cannot be read.
        """
        path = self.folder / "timings" / "timings.json"
        try:
            return dict(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {}
        except ValueError as error:
            raise RunFolderError(f"{path} is broken: {error}") from None

    # People

    def name_of(self, agent: int) -> str:
        """Name of an agent: its recorded attribute `name`, or population and unique_id."""
        return self._names.get(agent) or f"{self.population_of(agent) or 'agent'} {agent}"

    def place_name(self, zone: int) -> str:
        """Name of a zone."""
        return self._labels.get(zone, f"zone {zone}")

    def population_of(self, agent: int) -> str:
        """Population of an agent, "" if nobody has that unique_id."""
        return next((name for name, ids in self._ids.items() if agent in ids), "")

    def member_of(self, agent: int) -> str:
        """Population of an agent.

        Raises:
            UnknownNameError: If nobody has that unique_id.
        """
        population = self.population_of(agent)
        if not population:
            raise UnknownNameError(self._nobody(agent))
        return population

    def _nobody(self, agent: int) -> str:
        ranges = [f"{name} {min(ids)} to {max(ids)}" for name, ids in self._ids.items() if ids]
        if not ranges:
            return f"agent {agent} cannot be shown: the run did not record agents"
        return f"nobody has the number {agent}; there are {'; '.join(ranges)}"

    def people(self, population: str = "") -> pd.DataFrame:
        """Who is there, with the newest status that was recorded.

        Args:
            population: Whose members; "" for the first population.

        Returns:
            A row an agent, in order of unique_id: agent, name, tick and time of the status,
            zone and zone_name where an attribute says where it is, and the attributes. Where
            no status is recorded yet, tick is -1, time is missing, and only the attributes are
            there that never change. Who has left or died is not there.

        Raises:
            UnknownNameError: If there is no such population or it was not recorded.
        """
        from memopolis.analysis.people import people_of

        return people_of(self, population)

    def changing(self, population: str) -> frozenset[str]:
        """Attributes of a population that change in the whole run, for whomever."""
        from memopolis.analysis.people import changing_in

        if population not in self._changing:
            self._changing[population] = changing_in(self, population)
        return self._changing[population]

    def first_rows(self, population: str) -> pd.DataFrame:
        """Status of everyone in a population in the first step of which it was recorded.

        Raises:
            UnknownNameError: If it was not recorded.
        """
        rows = self.rows.read(f"agents_{population}")
        ticks = rows["tick"].to_numpy()
        first: pd.DataFrame = rows.slice(
            0, int(np.searchsorted(ticks, ticks[0], "right"))
        ).to_pandas()
        return first

    def ties(self, kind: str = "") -> pd.DataFrame:
        """Who is tied to whom, as it was recorded at the start.

        Args:
            kind: Only ties of this kind; "" for all.

        Returns:
            A row a tie: source, target (unique_id) and kind; none where none were recorded.
        """
        if not self.has("ties", "source", "target"):
            return pd.DataFrame({"source": [], "target": [], "kind": []}).astype(_TIES)
        frame = self.table("ties")
        frame = frame.assign(kind=frame.get("kind", "")).astype(_TIES)
        chosen = frame if not kind else frame[frame["kind"] == kind]
        return chosen[[*_TIES]].reset_index(drop=True)

    def search_memory(self, agent: int, query: str, *, k: int = 20) -> pd.DataFrame:
        """Search what an agent remembers at this moment; looking changes nothing.

        Args:
            agent: Its unique_id.
            query: What is asked for, in words.
            k: Most memories, >= 1.

        Returns:
            Best first, by their id in the run: time, topic, kind, text, emotion, the terms
            importance, recency and relevance, each 0..1 before its weight, and score.

        Raises:
            UnknownNameError: If nobody has that unique_id, or no memories were recorded.
            ParameterError: If the query is empty or `k` is below 1.
        """
        from memopolis.analysis.respondent import respondent

        return respondent(self, agent).search(query, k=k)

    def life(self, agent: int) -> "Life":
        """Gather everything about one agent.

        Raises:
            UnknownNameError: If nobody has that unique_id.
        """
        from memopolis.analysis.life import life_of

        return life_of(self, agent)

    @cached_property
    def _named_memories(self) -> pd.DataFrame:
        return written.named_memories(self, self._dated("memories"))

    @cached_property
    def _ids(self) -> dict[str, frozenset[int]]:
        found = (name for name in self.populations if f"agents_{name}" in self.tables)
        rows = {name: self.rows.read(f"agents_{name}", ["agent"]) for name in found}
        return {name: frozenset(one["agent"].unique().to_pylist()) for name, one in rows.items()}

    @cached_property
    def _names(self) -> dict[int, str]:
        names: dict[int, str] = {}
        for population in self._ids:
            if self.has(f"agents_{population}", "name"):
                frame = self.rows.read(f"agents_{population}", ["name"]).to_pandas()
                first = frame.drop_duplicates("agent")
                names.update(zip(first["agent"].tolist(), first["name"].tolist(), strict=True))
        return names

    @cached_property
    def _labels(self) -> dict[int, str]:
        if "zones" not in self.tables or "label" not in self.zones:
            return {}
        return dict(enumerate(self.zones["label"].astype(str)))

    def _dated(self, name: str, columns: Sequence[str] = ()) -> pd.DataFrame:
        return self._timed(self.rows.read(name, columns).to_pandas())

    def _timed(self, frame: pd.DataFrame) -> pd.DataFrame:
        frame.insert(1, "time", self.time_of(frame["tick"]))
        return frame


_TIES = {"source": "int64", "target": "int64", "kind": "str"}
