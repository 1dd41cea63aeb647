"""A run, read from its folder into tidy tables."""

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from memopolis.analysis import panel, tables, told
from memopolis.analysis.manifest import read_manifest
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

    Attributes:
        folder: Where it lies.
        manifest: What it was: versions, settings, seed, hashes of data, declared measures.
    """

    # `only` limits memories and decisions to one agent: a life is read without all others.

    def __init__(self, folder: Path, manifest: dict[str, Any], *, only: int | None = None) -> None:
        self.folder = folder
        self.manifest = manifest
        self._only = only

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
        return tuple(tables.table_names(self.folder))

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
        frame: pd.DataFrame = tables.read_table(self.folder, name, columns=columns).to_pandas()
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
        groups = self.groups(name)
        if group not in groups:
            raise UnknownNameError(
                f"measure {name!r} has no group {group!r}; it has {', '.join(map(repr, groups))}"
            )
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
        if name not in self._by_measure:
            raise UnknownNameError(
                f"the run has no measure {name!r}; it has {', '.join(sorted(self._by_measure))}"
            )
        return sorted(self._by_measure[name]["group"].unique())

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

    @cached_property
    def memories(self) -> pd.DataFrame:
        """Memories as written, with their texts written out."""
        frame = self._told_memories.copy()
        thoughts = frame["kind"] == "thought"
        if thoughts.any():
            formed = self.thoughts[["population", "agent", "tick", "evidence_text"]]
            asked = frame.loc[thoughts, ["population", "agent", "tick"]]
            words = asked.merge(formed, on=["population", "agent", "tick"], how="left")
            words.index = asked.index
            frame.loc[thoughts, "text"] = told.with_evidence(
                frame.loc[thoughts, "text"], words["evidence_text"]
            )
        frame["text"] = told.without_evidence(frame["text"])
        return frame

    @cached_property
    def decisions(self) -> pd.DataFrame:
        """Decisions: texts written out, `evidence` lists the ids of memories they rest on."""
        frame = self._dated("decisions")
        formed = self.thoughts
        frame["text"] = formed["text"].reindex(frame.index)
        frame["evidence"] = [ids.tolist() for ids in frame["evidence"]]
        return frame

    @cached_property
    def thoughts(self) -> pd.DataFrame:
        """Decisions that ended in a text, written out, and their evidence in words."""
        if "decisions" not in self.tables:
            return pd.DataFrame(columns=[*_THOUGHT_COLUMNS])
        frame = self._dated("decisions")
        # A hash of 0 is no text.
        frame = frame[frame["text"] != 0].copy()
        frame["text"] = frame["text"].map(self.texts).astype(object)
        frame["evidence_text"] = self.evidence_in_words(frame)
        frame["text"] = told.with_evidence(frame["text"], frame["evidence_text"])
        return frame

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

    def life(self, agent: int) -> "Life":
        """Gather everything about one agent.

        Raises:
            UnknownNameError: If nobody has that unique_id.
        """
        from memopolis.analysis.life import life_of

        return life_of(self, agent)

    def evidence_in_words(self, decisions: pd.DataFrame) -> pd.Series:
        """Write out what decisions rest on: their most important memories, oldest first."""
        if "memories" not in self.tables or decisions.empty:
            return pd.Series(float("nan"), index=decisions.index, dtype=object)
        rested = decisions[["population", "agent", "evidence"]].explode("evidence")
        rested = rested.dropna(subset=["evidence"]).rename(columns={"evidence": "id"})
        rested = rested.astype({"id": "int32"}).rename_axis("decision").reset_index()
        words = told.evidence_texts(rested, self._told_memories)
        return words.reindex(decisions.index)

    @cached_property
    def _told_memories(self) -> pd.DataFrame:
        frame = self._dated("memories")
        frame["text"] = told.with_names(
            frame["text"].map(self.texts),
            frame["actor"],
            frame["place"],
            name_of=self.name_of,
            place_name=self.place_name,
        )
        return frame

    @cached_property
    def _ids(self) -> dict[str, frozenset[int]]:
        return {
            name: frozenset(self.table(f"agents_{name}")["agent"].tolist())
            for name in self.manifest["populations"]
            if f"agents_{name}" in self.tables
        }

    @cached_property
    def _names(self) -> dict[int, str]:
        names: dict[int, str] = {}
        for population in self._ids:
            frame = self.table(f"agents_{population}")
            if "name" in frame:
                names.update(zip(frame["agent"].tolist(), frame["name"].tolist(), strict=True))
        return names

    @cached_property
    def _labels(self) -> dict[int, str]:
        if "zones" not in self.tables or "label" not in self.zones:
            return {}
        return dict(enumerate(self.zones["label"].astype(str)))

    def _dated(self, name: str, columns: Sequence[str] = ()) -> pd.DataFrame:
        agent = self._only if name in {"memories", "decisions", "model_calls"} else None
        read = tables.read_table(self.folder, name, agent=agent, columns=columns)
        frame: pd.DataFrame = read.to_pandas()
        frame.insert(1, "time", self.time_of(frame["tick"]))
        return frame


_THOUGHT_COLUMNS = ("tick", "time", "population", "agent", "text", "evidence", "evidence_text")
