"""A society: a Mesa model whose step is a sequence of phases.

clock -> timeline -> world -> for each population, for each block -> surveys -> measure and record
"""

import warnings
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mesa

from memopolis.sim.compilation import computing_seconds
from memopolis.sim.error_places import note_place
from memopolis.sim.errors import StateError, did_you_mean
from memopolis.sim.inline_tables import read_inline
from memopolis.sim.mind.mind import SURVEY_BLOCK
from memopolis.sim.population import Behaviour, Population
from memopolis.sim.progress import StepProgress
from memopolis.sim.settings import Settings
from memopolis.sim.society_base import SocietyBase
from memopolis.sim.survey.survey import Survey
from memopolis.sim.tables.past import read_memories
from memopolis.sim.tables.people import read_profiles
from memopolis.sim.timeline import Shock
from memopolis.sim.world.frames import Source
from memopolis.sim.world.news import read_news

if TYPE_CHECKING:
    from memopolis.sim.survey.survey import Answers


class Society[S: Settings](SocietyBase[S]):
    """Agents, their world and their time. Subclass it and write `build`.

    Raises SettingsError if a setting is unknown or not allowed.

    Args:
        settings: All settings; None for the defaults.
        rng: Random seed; chosen at random if None, and recorded in the manifest.
        **changes: Single settings by name, which replace those in `settings`.

    Attributes:
        settings: All settings, validated and frozen.
        seed: Random seed of the run.
        clock: Ticks and dates.
        chance: Random streams of the run.
        populations: All agents by class, in the order of their creation.
        timeline: Dated shocks.
        world: Parts of the world that are stepped before the agents.
        policies: Rules of the society that shocks may change.
        rules: Values of the policies when the society was built.
        mind: The mind that answers questions.
        budget: Tokens and calls that minds may spend on a model.
        ledger: Accounts and payments, if the society has money.
        loans: Loans from the bank, if it has one that lends.
        place: Zones and travel, if it has a place.
        weather: Local weather, if it has any.
        doing: The block, shock, survey, measure or part of the world that is active; None for none.
        measured: Measures of the last step, by name and group.
        surveys: Schedule of the surveys.
        surveyed: Answers to the surveys of the last step.
        texts: Distinct texts of the society, shared by its populations.
        block_seconds: Seconds that each block has taken so far, for `timings/`.
        recorder: Recorder of the run; None if the run is not recorded.
        interventions: Shocks and surveys added after the society was built, in order of time.
    """

    def __init__(
        self, settings: S | None = None, /, *, rng: int | None = None, **changes: Any
    ) -> None:
        super().__init__(settings, rng=rng, **changes)
        try:
            self._build_everything()
        except Exception as error:
            note_place(error, self, self.doing)
            raise
        self._built = True

    def _build_everything(self) -> None:
        settings = self.settings
        self.build(settings)
        self._read_news()
        if settings.profiles != "none":
            self.read_profiles(read_inline(settings.profiles), new_columns=settings.new_columns)
        if settings.memories != "none":
            self.read_memories(read_inline(settings.memories))
        if settings.mind != "rule":
            from memopolis.sim.mind.building import build_mind

            self.mind = build_mind(self)
        self.surveys.plan(settings.survey, self.ticks)
        for measure in self.measures:
            measure.check(self.population(measure.population))
        self.datacollector = mesa.DataCollector(
            model_reporters={m.name: partial(_read_measure, m.name) for m in self.measures}
        )
        self.rules = dict(self.policies)
        self._planned = Counter(tick for tick, _ in self.timeline)

    def _read_news(self) -> None:
        """Schedule the news in the file that the setting `news` names."""
        source = self.settings.news
        path = self.default_news if source == "default" else Path(source)
        if source == "none" or path is None:
            return
        zones = self.place.zones if self.place is not None else ()
        news = read_news(path, self.clock, zones)
        for when, item in news:
            self.at(when, item)
        if source != "default":
            self._warn_unread(path, [item.topic for _, item in news])

    def _warn_unread(self, path: Path, topics: list[str]) -> None:
        """Warn of topics of news that change nothing, as far as blocks declare what they read."""
        blocks = [block for population in self.populations for block in population.blocks]
        read = sorted({topic for block in blocks for topic in block.topics})
        unread = [topic for topic in dict.fromkeys(topics) if topic not in read]
        if read and unread:
            near = {topic: did_you_mean(topic, read).strip() for topic in unread}
            names = ", ".join(
                f"{t} ({question})" if question else t for t, question in near.items()
            )
            message = (
                f"{path}: no block reads news on {names}; agents remember it, but act only on "
                f"{', '.join(read)} (a block names further ones in `topics`)"
            )
            warnings.warn(message, RuntimeWarning, stacklevel=2)

    def build(self, settings: S) -> None:
        """Create world, populations and timeline. Subclasses override this."""

    def read_profiles(self, source: Source, *, new_columns: bool = False) -> None:
        """Set the status of agents from a table; no agent is changed if a row or a cell is invalid.

        `source` is a CSV, Parquet or JSON file or a DataFrame with one row per agent and one column
        per attribute. A column `agent` (unique_id) or `name` identifies the agent; without one,
        rows are in the order of the first population. A column that is no attribute is refused,
        or added with `new_columns`. Blocks keep values that they computed from the status while the
        society was built.
        """
        memories = [population.memory for population in self.populations]
        read_profiles(memories, source, owned=self.built, new_columns=new_columns)
        self.update_names()

    def read_memories(self, source: Source) -> None:
        """Add memories from before the start to agents, or none if a row or a cell is invalid.

        `source` is a CSV, Parquet or JSON file or a DataFrame with the columns `agent` (or `name`),
        `topic` and `text`, and optional ones listed in `tables/past.py`. Raises StateError if the
        society has made a step.
        """
        if self.time:
            raise StateError("earlier memories come before the first step, which was made already")
        memories = [population.memory for population in self.populations]
        places = None if self.place is None else self.place.numbers
        read_memories(memories, source, places=places)

    def check_shock(self, shock: Shock) -> None:
        """Refuse a shock that cannot act in this society; scenarios extend it for their own shocks.

        Shocks added while the run is active are checked; `at` accepts any shock. Raises
        UnknownNameError if it names an unknown zone, agent or rule, ParameterError if a value is
        invalid or no agent is reached, or SchemaError if it is not a shock of plain values.
        """
        from memopolis.sim.shock_checks import check_shock

        check_shock(self, shock, rules=self.rules)

    def step(self) -> None:
        """Run one step: clock, timeline, world, blocks, surveys, measures, record."""
        if self._skipping:
            return
        self.doing = None
        try:
            self._run_phases()
        except Exception as error:
            note_place(error, self, self.doing)
            raise
        self.doing = None

    def _run_phases(self) -> None:
        self.clock.tick = round(self.time) - 1
        if self.ledger is not None and self.clock.tick > 0:
            # Payments made while the society was built belong to the first tick.
            self.ledger.clear_flows()
        for population in self.populations:
            population.memory.now = self.clock.tick
        for shock in self.timeline.due(self.clock.tick):
            self.doing = shock
            self.happen(shock)
        for part in self.world:
            self.doing = part
            part.step(self)
        self._flush()
        named = [self.population(name) for name in self.order]
        for population in (*named, *(p for p in self.populations if p.name not in self.order)):
            for block in population.blocks:
                self._run(block, population)
        self._survey()
        self._measure()

    def _run(self, block: Behaviour, population: Population) -> None:
        started = computing_seconds()
        self.doing = block
        block.run(population.cohort())
        self._flush()
        spent, name = computing_seconds() - started, block.name
        self.block_seconds[name] = self.block_seconds.get(name, 0.0) + spent

    def put(self, survey: Survey) -> "list[Answers]":
        """Ask a survey now, without changing the society; record and return the answers by item."""
        from memopolis.sim.survey.asking import ask_survey

        started = computing_seconds()
        self.surveys.surveys.setdefault(survey.name, survey)
        answers = ask_survey(self, survey)
        spent = computing_seconds() - started
        self.block_seconds[SURVEY_BLOCK] = self.block_seconds.get(SURVEY_BLOCK, 0.0) + spent
        if self.recorder is not None:
            self.recorder.survey(answers)
        return answers

    def _survey(self) -> None:
        self.surveyed = []
        for survey in self.surveys.due(self.clock.tick):
            self.doing = survey
            self.surveyed += self.put(survey)

    def _flush(self) -> None:
        for population in self.populations:
            population.memory.flush()

    def _measure(self) -> None:
        cohorts = {population.name: population.cohort() for population in self.populations}
        for measure in self.measures:
            self.doing = measure
            self.measured[measure.name] = measure.take(cohorts[measure.population])
        if self.recorder is not None:
            self.recorder.step()
        else:
            self.datacollector.collect(self)
        if self.clock.tick + 1 >= self.ticks:
            self.running = False

    def run(
        self, folder: str | Path, *, days: float | None = None, progress: StepProgress | None = None
    ) -> Path:
        """Run to the end and record the run.

        Raises RunFolderError if the folder is not empty or cannot be written. Returns the folder,
        for `load_run`.

        Args:
            folder: Folder of the run; must not exist or be empty.
            days: Length of the run; None for the length in the settings.
            progress: Called after each step with steps done, total steps and the date.
        """
        from memopolis.sim.recording.loop import run_society

        return run_society(self, folder, days=days, progress=progress)


def _read_measure(name: str, society: Society[Any]) -> float:
    return society.measured[name][""]
