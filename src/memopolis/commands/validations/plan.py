"""A validation plan: the arms of a scenario and the checks of their results.

The arms, with descriptions and settings, and the titles and captions of the tables are in
`SCENARIO.toml`; those of several scenarios are in `shared.toml`.
"""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from memopolis.analysis.facts.memory_use import recall_table
from memopolis.analysis.metrics.memory_use import (
    COLUMNS,
    LIFE_COLUMNS,
    count_memory_use,
    describe_memories,
)
from memopolis.analysis.run.run import Run
from memopolis.commands.sections import Check, Section, Verdict, compared_section, judged_section

type Runs = Mapping[str, Sequence[Run]]
"""Runs by arm, of the same seeds in the same order."""
type Settings = Mapping[str, Mapping[str, object]]
"""Settings by arm."""

WITHOUT_MEMORY = frozenset({"household"})
"""Populations that stand for groups of citizens, who remember and decide for them."""


class Plan:
    """How one scenario is validated, by the tables that `sections` returns.

    `prepare` writes the files that arms need into a folder, and returns the settings with them.
    `agents` is the default number of citizens per run, `arms` has the descriptions of the arms,
    which all use the same seeds, so the same citizens and draws, and `night` names those without a
    part of the night.
    """

    def __init__(
        self,
        scenario: str,
        sections: "Callable[[Plan, int, Runs], list[Section]]",
        prepare: Callable[[Path], Settings] = lambda _: {},
    ) -> None:
        shared, own = read_texts("shared"), read_texts(scenario)
        self.scenario, self.agents = scenario, int(own["agents"])
        arms = own["arms"] | {name: shared["arms"][name] for name in own.get("shared_arms", ())}
        self.arms: dict[str, str] = {name: arm["description"].strip() for name, arm in arms.items()}
        self.night = [name for name in shared["arms"] if name in arms]
        every = own.get("every_arm", {})
        self._settings = {name: every | arm.get("settings", {}) for name, arm in arms.items()}
        self._texts = shared["sections"] | own["sections"]
        self._notes: dict[str, str] = shared["notes"]
        self._prepare, self._sections = prepare, sections

    def changes(self, folder: Path) -> Settings:
        """Return the settings of each arm, after writing the files that they need."""
        files = self._prepare(folder)
        return {name: arm | files.get(name, {}) for name, arm in self._settings.items()}

    def sections(self, seeds: int, arms: Runs) -> list[Section]:
        """Return all tables of the validation."""
        return self._sections(self, seeds, arms)

    def judged(self, name: str, frame: pd.DataFrame) -> Section:
        """Return a section for a table of facts."""
        return self._with_note("judged", judged_section(name, *self._text(name), frame))

    def compared(
        self, name: str, frame: pd.DataFrame, *, against: str | None = None, arm: str = ""
    ) -> Section:
        """Return a section for a table of differences between arms."""
        return compared_section(name, *self._text(name, arm), frame, against=against)

    def memory_use(self, arm: str, runs: Sequence[Run]) -> Section:
        """Return a table of how much each population remembers, recalls, decides and thinks."""
        seeds = [count_memory_use(run) for run in runs]
        mean = sum(seeds[1:], seeds[0]) / len(seeds)
        checks = tuple(
            Check(
                f"memory use of {population}: {column}",
                Verdict.SURELY
                if all(seed.loc[population, column] > 0 for seed in seeds)
                else Verdict.NO,
            )
            for population in mean.index
            if population not in WITHOUT_MEMORY
            for column in COLUMNS
        )
        rows = tuple(
            (str(name), f"{row['agents']:,.0f}", *(f"{row[column]:.2f}" for column in COLUMNS))
            for name, row in mean.iterrows()
        )
        head = ("", "agents", *(column.replace("_", " ") for column in COLUMNS))
        frame = pd.DataFrame(mean).reset_index()
        text = self._text("memory_use", arm)
        names = ", ".join(name for name in mean.index if name not in WITHOUT_MEMORY)
        page = f"Above 0 in every seed: {', '.join(head[2:])} of {names}."
        all_pass = all(check.verdict.passes for check in checks)
        section = Section(
            "memory_use", *text, head, rows, frame, checks, page=page if all_pass else ""
        )
        return self._with_note("memory_use", section)

    def lives(self, arm: str, runs: Sequence[Run]) -> Section:
        """Return a table of what the memories of each population are like."""
        seeds = [describe_memories(run) for run in runs]
        mean = sum(seeds[1:], seeds[0]) / len(seeds)
        mean = mean.drop(index=[name for name in WITHOUT_MEMORY if name in mean.index])
        rows = tuple(
            (str(name), *("-" if np.isnan(row[c]) else f"{row[c]:.2f}" for c in LIFE_COLUMNS))
            for name, row in mean.iterrows()
        )
        head = ("", *(column.replace("_", " ") for column in LIFE_COLUMNS))
        text = self._text("lives", arm)
        section = Section("lives", *text, head, rows, mean.reset_index(), ())
        return self._with_note("lives", section)

    def without(
        self, arm: str, arms: Runs, outcomes: Mapping[str, Callable[[Run], float]]
    ) -> Section:
        """Return a table of the differences that each part of the night makes."""
        compared = {"scored": arms[arm]} | {name: arms[name] for name in self.night if name in arms}
        return self.compared("night", recall_table(compared, outcomes), arm=arm)

    def _text(self, name: str, arm: str = "") -> tuple[str, str]:
        """Return the title and the caption of a section."""
        text = self._texts[name]
        return text["title"], text["caption"].replace("{arm}", arm).strip()

    def _with_note(self, name: str, section: Section) -> Section:
        """Return a section with the note on how to read its kind of table."""
        return replace(section, note=self._notes[name].strip())


def read_texts(name: str) -> dict[str, Any]:
    """Read the arms and texts of a scenario, or those that several share."""
    return tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text(encoding="utf-8"))
