"""A society: a Mesa model whose step reads phase by phase.

clock -> timeline -> world -> for each population, for each block -> surveys -> measure and record
"""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, get_args, get_origin

import mesa
import numpy as np

from memopolis.sim.chance import Chance, fresh_seed
from memopolis.sim.clock import Clock
from memopolis.sim.error_places import note_place
from memopolis.sim.errors import BlockError, ParameterError, SettingsError, StateError
from memopolis.sim.file_hashes import hash_of_file
from memopolis.sim.measures import Measure
from memopolis.sim.memory.status.past_table import read_memories
from memopolis.sim.memory.status.people_table import read_profiles
from memopolis.sim.memory.text.texts import Texts
from memopolis.sim.mind.budget import Budget
from memopolis.sim.mind.mind import Decisions, Mind, Question, check_is_mind, decided
from memopolis.sim.mind.rule import RuleMind
from memopolis.sim.naming import name_of, title_of, unique_names
from memopolis.sim.population import Agent, Population, set_status, snake_case
from memopolis.sim.run_size import USUAL, Footprint
from memopolis.sim.settings import Settings
from memopolis.sim.survey.schedule import Schedule
from memopolis.sim.survey.survey import SURVEY_FILE, Survey
from memopolis.sim.timeline import Message, News, Policy, Shock, Timeline
from memopolis.sim.whole_numbers import whole_number
from memopolis.sim.world.frames import Source
from memopolis.sim.world.news import read_news

if TYPE_CHECKING:
    import pandas as pd

    from memopolis.sim.block import Block
    from memopolis.sim.memory.memory import Memory
    from memopolis.sim.mind.exchange import Logged
    from memopolis.sim.recording.recorder import Recorder
    from memopolis.sim.state.building import Words
    from memopolis.sim.survey.asking import Answers
    from memopolis.sim.world.ledger import Ledger
    from memopolis.sim.world.loans import Loans
    from memopolis.sim.world.place import Place
    from memopolis.sim.world.ties import Ties
    from memopolis.sim.world.weather import Weather

MOST_TICKS = 1_000_000
"""Steps a run may have: more would not end."""

type Progress = Callable[[int, int, datetime], None]


class WorldPart(Protocol):
    """A part of the world that moves by itself, before any agent does."""

    def step(self, society: "Society[Any]") -> None:
        """Move on by one tick."""
        ...


class Society[S: Settings](mesa.Model):  # type: ignore[type-arg]
    """Agents, their world and their time. Subclass it and write `build`.

    Args:
        settings: All settings; None for the defaults.
        rng: The run's seed; None draws one, which the manifest keeps.
        **changes: Single settings by name, in place of `settings`' own.

    Attributes:
        settings: What the society was told, checked and frozen.
        seed: The run's seed.
        clock: Ticks and dates.
        chance: The run's luck.
        populations: All agents by class, in the order in which they were made.
        timeline: Dated shocks.
        world: Parts of the world that move before the agents do.
        policies: Rules of the society that shocks may change.
        rules: Their values when the society was built.
        mind: Who answers questions.
        budget: What minds may spend on a model.
        ledger: Accounts and payments, if the society has money.
        loans: What is owed to the bank, if there is one that lends.
        place: Zones and travel, if it lies somewhere.
        weather: Local weather, if there is any.
        measured: The measures of the last step, by name and group.
        surveys: Which survey is asked when.
        surveyed: Answers to the surveys of the last step.
        texts: Every distinct text of the society once, shared by its populations.
        block_seconds: Time that each block has taken so far, for `timings/`.
        recorder: What records the run, while it is recorded.
        given: Shocks and surveys that were set by hand, by tick, in the order of giving.

    Raises:
        SettingsError: If a setting is unknown or not allowed.
    """

    title: ClassVar[str] = "Society"
    """What reports and pages call it; a subclass that sets none has the words of its name."""
    settings_class: ClassVar[type[Settings]] = Settings
    measures: ClassVar[Sequence[Measure]] = ()
    arms: ClassVar[Mapping[str, Mapping[str, object]]] = {}
    """Named changes of settings, for `memopolis compare`; the first arm is the reference."""
    outcomes: ClassVar[Sequence[str]] = ()
    """What arms are compared by, such as `gini` or `income@sum`; () for all charted measures."""
    default_news: ClassVar[Path | None] = None
    order: ClassVar[tuple[str, ...]] = ()
    """Names of populations in the order in which they act; others follow as they were made.

    The population made first is the one that tables, surveys and reports take for the people.
    """
    closed: ClassVar[bool] = False
    """Whether nobody can join once the society is built."""
    words: "Words | None" = None
    """Numbered words of a saved state, where the society is built to take it over."""
    footprint: ClassVar[Footprint] = USUAL
    """Memory and time per agent, measured by `benchmarks/size.py`; commands refuse by it what does
    not fit into memory."""
    built: ClassVar[tuple[str, ...]] = ()
    """Attributes that `build` ties together, such as rows of others; no profile may set them."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)  # type: ignore[no-untyped-call]
        if "title" not in vars(cls):
            cls.title = title_of(cls.__name__)
        for base in getattr(cls, "__orig_bases__", ()):
            origin = get_origin(base)
            if isinstance(origin, type) and issubclass(origin, Society):
                (cls.settings_class,) = get_args(base)

    def __init__(
        self, settings: S | None = None, /, *, rng: int | None = None, **changes: Any
    ) -> None:
        self.settings: S = self._checked(settings, changes)
        self.seed = fresh_seed() if rng is None else _seed(rng)
        super().__init__(rng=self.seed)
        self.chance = Chance(self.seed)
        self.clock = Clock(self.starts(self.settings), timedelta(hours=self.settings.tick))
        if self.ticks > MOST_TICKS:
            raise SettingsError(
                f"days={self.settings.days:g} in ticks of {self.settings.tick:g} h are "
                f"{self.ticks:,} steps; at most {MOST_TICKS:,} are possible, so set a longer tick"
            )
        self.timeline = Timeline(self.clock)
        self.surveys = Schedule(self.clock)
        self.surveyed: list[Answers] = []
        self.populations: list[Population] = []
        self.world: list[WorldPart] = []
        self.policies: dict[str, Any] = {}
        self.rules: dict[str, Any] = {}
        self.mind: Mind = RuleMind()
        self.budget = Budget(self.settings.llm.budget_tokens, self.settings.llm.budget_calls)
        self.ledger: Ledger | None = None
        self.loans: Loans | None = None
        self.place: Place | None = None
        self.weather: Weather | None = None
        self.measured: dict[str, dict[str, float]] = {}
        self.block_seconds: dict[str, float] = {}
        self._skipping = False
        self._asked: Counter[str] = Counter()
        self._asked_at = -1
        self.texts = Texts() if self.words is None else self.words.texts
        self.recorder: Recorder | None = None
        self.given: dict[str, list[Any]] = {"shocks": [], "surveys": []}
        self._built = False
        self._doing: object = None
        try:
            self._build_everything()
        except Exception as error:
            note_place(error, self, self._doing)
            raise
        self._built = True

    def _build_everything(self) -> None:
        self.build(self.settings)
        self._hear_news()
        self._read_people()
        if self.settings.mind != "rule":
            from memopolis.sim.mind.choosing import made_mind

            self.mind = made_mind(self)
        self._plan_surveys()
        for measure in self.measures:
            measure.check(self.population(measure.population))
        self.datacollector = mesa.DataCollector(
            model_reporters={m.name: _reporter(m.name) for m in self.measures}
        )
        self.rules = dict(self.policies)
        self._planned = Counter(tick for tick, _ in self.timeline)

    def _checked(self, settings: S | None, changes: Mapping[str, Any]) -> S:
        known = self.settings_class
        if settings is None:
            return known().with_changes(changes)  # type: ignore[return-value]
        if not isinstance(settings, known):
            raise SettingsError(
                f"{type(self).__name__} takes {known.__name__}, given {type(settings).__name__}"
            )
        return settings.with_changes(changes) if changes else settings

    @classmethod
    def starts(cls, settings: S) -> datetime:
        """Local date and time at which tick 0 begins; a scenario may take it from its data."""
        return settings.start

    def build(self, settings: S) -> None:
        """Make world, populations and timeline. Subclasses write this."""

    def populate(
        self,
        agent_class: type[Agent],
        agents: int,
        *,
        blocks: "Sequence[Block]" = (),
        status: Mapping[str, Any] | None = None,
        ties: "Ties | None" = None,
    ) -> Population:
        """Let agents of a class live here.

        Args:
            agent_class: Class of the agents; its attributes are the columns.
            agents: How many, >= 1.
            blocks: Their behaviours, in the order in which they run.
            status: Start values by attribute, arrays of shape (agents,).
            ties: Networks among them by kind.

        Raises:
            ParameterError: If `agents` is no whole number of at least 1, or an array has another
                length.
            BlockError: If there is such a population already or a block cannot serve it.
        """
        agents = whole_number("agents", agents, least=1)
        name = snake_case(agent_class.__name__)
        if any(p.name == name for p in self.populations):
            raise BlockError(f"there is a population {name!r} already")
        memory = self._memory(agent_class, agents)
        set_status(memory.columns, status or {})
        population = Population(self, agent_class, agents, memory)
        if ties is not None:
            population.ties = ties
        self.populations.append(population)
        self._name_everyone()
        self.give(population, *blocks)
        return population

    def _memory(self, agent_class: type[Agent], agents: int) -> "Memory":
        """A memory that knows the society's clock, settings and names."""
        from memopolis.sim.memory.memory import Memory
        from memopolis.sim.memory.night.consolidation import Consolidation

        memory = Memory(
            agents,
            schema=agent_class.schema,
            texts=self.texts,
            seed=self.seed,
            embedder=self.settings.embedder,
        )
        if self.words is not None:
            self.words.teach(snake_case(agent_class.__name__), memory)
        memory.profiles |= self.settings.retrieval
        memory.deferred = True
        memory.recall = self.settings.recall
        memory.ticks_per_day = 24.0 / self.clock.hours
        memory.day_offset = self.clock.hour / self.clock.hours
        memory.threads = self.settings.threads
        memory.consolidation = Consolidation(run=self.settings.days)
        memory.date_of = self.clock.date_of
        memory.name_of = self.name_of
        memory.place_name = self.place_name
        return memory

    def give(self, population: Population, *blocks: "Block") -> None:
        """Give behaviours to a population, after those it has.

        Raises:
            BlockError: If it has one of that name already, or a block cannot serve it.
        """
        for block in blocks:
            if any(block.name == other.name for other in population.blocks):
                raise BlockError(
                    f"{population.name} has a block {block.name!r} already; draws are named by "
                    f"block, so give a subclass another name"
                )
            self._doing = block
            block.bind(population)
            population.blocks.append(block)
        self._doing = None

    def population(self, name: str) -> Population:
        """Find a population by name.

        Raises:
            SettingsError: If there is none.
        """
        for population in self.populations:
            if population.name == name:
                return population
        names = ", ".join(p.name for p in self.populations) or "none"
        raise SettingsError(f"no population {name!r}; there are: {names}")

    def _name_everyone(self) -> None:
        """Let queries name agents, by names that only one has."""
        names = unique_names(self.populations)
        for population in self.populations:
            population.memory.names = names

    def name_of(self, unique_id: int) -> str:
        """Name of an agent, for texts that mention it: its attribute `name`, or its id."""
        return name_of(self.populations, unique_id)

    def place_name(self, zone: int) -> str:
        """Name of a zone, for texts that mention it."""
        return self.place.labels[zone] if self.place is not None else f"zone {zone}"

    def at(self, when: datetime | str, shock: Shock) -> None:
        """Let a shock (News, Order, Policy, Message) happen at a date."""
        self.timeline.at(when, shock)
        if self._built and not self.time:
            self.given["shocks"].append([self.clock.tick_of(when), shock.to_dict()])

    def check_shock(self, shock: Shock) -> None:
        """Refuse a shock that cannot act here; a scenario extends this for shocks of its own.

        It is asked of shocks that are sent in by hand: `at` takes any.

        Raises:
            UnknownNameError: If it names a zone, an agent or a rule that there is not.
            ParameterError: If a value does not fit, or nobody is reached.
            SchemaError: If it is no shock of plain values.
        """
        from memopolis.sim.shock_checks import check_shock

        check_shock(self, shock, rules=self.rules)

    def steer(self, when: datetime | str, shock: Shock) -> None:
        """Let a shock by hand happen, at any time before or during the run.

        Among the shocks of its step it comes where it would if it had been given before the
        first step: after what was built, before what blocks have set. So who repeats the run
        and gives all shocks at the start gets the same.
        """
        tick = self.clock.tick_of(when)
        given = sum(one == tick for one, _ in self.given["shocks"])
        self.timeline.at(when, shock, place=self._planned[tick] + given)
        self.given["shocks"].append([tick, shock.to_dict()])

    def survey(self, when: datetime | str, survey: Survey) -> None:
        """Let a survey be asked at the end of the step that covers a date.

        Surveys are put by an observer: they change nothing of the society.

        Args:
            when: Local date and time, a datetime or ISO text, not before the current step.
            survey: What is asked; its answers go to the table `survey`.

        Raises:
            ParameterError: If `when` is no date or has passed, or another survey has the name.
        """
        self.surveys.at(when, survey)
        if self._built and not self.time:
            self.given["surveys"].append([self.clock.tick_of(when), survey.to_dict()])

    def _hear_news(self) -> None:
        source = self.settings.news
        if source == "none":
            return
        path = self.default_news if source == "default" else Path(source)
        if path is not None:
            zones = self.place.zones if self.place is not None else ()
            for when, item in read_news(path, self.clock, zones):
                self.at(when, item)

    def read_profiles(self, source: Source) -> None:
        """Give people the status that a table says they have.

        Blocks that worked something out while the society was built keep what they have.

        Args:
            source: A CSV, Parquet or JSON file or a DataFrame: a row an agent, named by a
                column agent (unique_id) or name, else in the order of the first population;
                a column an attribute.

        Raises:
            DataFileError: If a row or a cell does not fit; nobody is changed then.
        """
        memories = [population.memory for population in self.populations]
        read_profiles(memories, source, owned=self.built)
        self._name_everyone()

    def read_memories(self, source: Source) -> None:
        """Let people remember what a table says they lived through before the start.

        Args:
            source: A CSV, Parquet or JSON file or a DataFrame, with the columns agent (or
                name), topic and text, and those that `past_table` lists.

        Raises:
            DataFileError: If a row or a cell does not fit; nobody remembers any of it then.
            StateError: If the first step was made already.
        """
        if self.time:
            raise StateError("earlier memories come before the first step, which was made already")
        memories = [population.memory for population in self.populations]
        places = None if self.place is None else self.place.numbers
        read_memories(memories, source, places=places)

    def _read_people(self) -> None:
        if self.settings.profiles != "none":
            self.read_profiles(self.settings.profiles)
        if self.settings.memories != "none":
            self.read_memories(self.settings.memories)

    def happen(self, shock: Shock) -> None:
        """Let one shock take effect; a scenario extends this for shocks of its own.

        News needs nothing here: it is on air from its tick on, see `on_air`.
        """
        if isinstance(shock, Policy):
            self.policies[shock.key] = shock.value
        elif isinstance(shock, Message):
            self._deliver(shock)

    def _deliver(self, message: Message) -> None:
        for population in self.populations:
            alive = population.memory.columns.arrays["alive"]
            rows = np.flatnonzero(np.isin(population.ids, message.to) & alive)
            if len(rows):
                population.memory.of(rows).stream.add(
                    message.topic, message.text, actor=message.actor, importance=message.importance
                )

    def on_air(self) -> list[tuple[int, News]]:
        """News that has been published, with its tick, in order."""
        now = self.clock.tick
        return [(t, s) for t, s in self.timeline if isinstance(s, News) and t <= now]

    def ask(self, question: Question, *, block: str) -> Decisions:
        """Let the mind decide, and record how it did."""
        asked = self._numbered(question, block)
        check_is_mind(self.mind)
        decisions = decided(asked, self.mind.answer(asked))
        if self.recorder is not None:
            self.recorder.decisions(decisions, block)
        return decisions

    def log_calls(self, calls: "Sequence[Logged]") -> None:
        """Record what a model was asked, and what came of it; minds call this."""
        if self.recorder is not None:
            self.recorder.model_calls(calls)

    def _numbered(self, question: Question, block: str) -> Question:
        """A question with its block, its step, and its number among theirs."""
        tick = self.clock.tick
        if tick != self._asked_at:
            self._asked, self._asked_at = Counter(), tick
        ordinal = self._asked[block]
        self._asked[block] += 1
        return replace(question, block=block, tick=tick, ordinal=ordinal)

    def step(self) -> None:
        """One tick: clock, timeline, world, blocks, record."""
        if self._skipping:
            return
        self._doing = None
        try:
            self._run_phases()
        except Exception as error:
            note_place(error, self, self._doing)
            raise

    def _run_phases(self) -> None:
        self.clock.tick = round(self.time) - 1
        if self.ledger is not None and self.clock.tick > 0:
            # What moved while building belongs to the first tick.
            self.ledger.clear_flows()
        for population in self.populations:
            population.memory.now = self.clock.tick
        for shock in self.timeline.due(self.clock.tick):
            self._doing = shock
            self.happen(shock)
        for part in self.world:
            self._doing = part
            part.step(self)
        self._flush()
        for population in self._acting():
            for block in population.blocks:
                self._run(block, population)
        self._survey()
        self._measure()

    def _acting(self) -> list[Population]:
        """The populations in the order in which they act."""
        named = [self.population(name) for name in self.order]
        return [*named, *(p for p in self.populations if p.name not in self.order)]

    def skip(self, until: float) -> None:
        """Move Mesa's time on without a step, to take over a saved state.

        Setting `time` itself would leave Mesa's own schedule behind.
        """
        if until > self.time:
            self._skipping = True
            self.run_for(until - self.time)
            self._skipping = False

    def _run(self, block: "Block", population: Population) -> None:
        started = time.perf_counter()
        self._doing = block
        block.run(population.cohort())
        self._flush()
        spent = time.perf_counter() - started
        self.block_seconds[block.name] = self.block_seconds.get(block.name, 0.0) + spent

    def _plan_surveys(self) -> None:
        if self.settings.survey.ask:
            from memopolis.sim.survey.planned import plan

            plan(self.surveys, self.settings.survey, self.clock, self.ticks)

    def put(self, survey: Survey) -> "list[Answers]":
        """Ask a survey now, as an observer, and record the answers; a block that observes may.

        Args:
            survey: What is asked, and whom.

        Returns:
            Answers by item; none where nobody is asked.
        """
        from memopolis.sim.survey.asking import BLOCK, ask_survey

        started = time.perf_counter()
        self.surveys.surveys.setdefault(survey.name, survey)
        answers = ask_survey(self, survey)
        spent = time.perf_counter() - started
        self.block_seconds[BLOCK] = self.block_seconds.get(BLOCK, 0.0) + spent
        if self.recorder is not None:
            self.recorder.survey(answers)
        return answers

    def _survey(self) -> None:
        self.surveyed = []
        for survey in self.surveys.due(self.clock.tick):
            self._doing = survey
            self.surveyed += self.put(survey)

    def _flush(self) -> None:
        for population in self.populations:
            population.memory.flush()

    def _measure(self) -> None:
        for measure in self.measures:
            self._doing = measure
            groups, values = measure.take(self.population(measure.population))
            self.measured[measure.name] = dict(zip(groups, values.tolist(), strict=True))
        if self.recorder is not None:
            self.recorder.step()
        else:
            self.datacollector.collect(self)
        if self.clock.tick + 1 >= self.ticks:
            self.running = False

    @property
    def ticks(self) -> int:
        """Length of the run in ticks."""
        return self.clock.ticks_of_days(self.settings.days)

    def run(
        self,
        folder: str | Path,
        *,
        days: float | None = None,
        progress: Progress | None = None,
    ) -> Path:
        """Run to the end and record it.

        Args:
            folder: The run's folder; must not exist or be empty.
            days: Length of the run; None for that of the settings.
            progress: Called after each tick with ticks done, ticks in all and the date.

        Returns:
            The folder, for `load_run`.

        Raises:
            RunFolderError: If the folder holds something or cannot be written.
            ParameterError: If `days` is not positive.
        """
        from memopolis.sim.running.loop import run_society

        return run_society(self, folder, days=days, progress=progress)

    def static_tables(self) -> "dict[str, pd.DataFrame]":
        """Tables that do not change in a run, to be recorded beside the others.

        Its place and its ties are recorded beside them, see `sim/recording/static_tables.py`.
        """
        return {}

    def facts(self) -> dict[str, Any]:
        """Plain facts of the run that its report needs, kept in the manifest."""
        return {}

    def data_hashes(self) -> dict[str, str]:
        """Hash of every file of data the run rests on, by name; here the user's own."""
        given = (getattr(self.settings, name) for name in ("news", "profiles", "memories"))
        surveys = (name for name in self.settings.survey.ask if name.endswith(SURVEY_FILE))
        return {
            Path(name).name: hash_of_file(name)
            for name in (*given, *surveys)
            if name not in {"none", "default"}
        }


def _reporter(name: str) -> Callable[[Society[Any]], float]:
    return lambda society: society.measured[name][""]


def _seed(rng: Any) -> int:
    if isinstance(rng, bool) or not isinstance(rng, int | np.integer) or rng < 0:
        raise ParameterError(f"rng is {rng!r}; a seed is a whole number of at least 0")
    return int(rng)
