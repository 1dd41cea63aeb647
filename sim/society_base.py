"""State of a society: its agents, their world, their time, and who decides for them.

Blocks, minds, surveys, records and saved states work on a `SocietyBase`; `Society` adds how one is
built, stepped and run. So none of them imports what runs them.
"""

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
from memopolis.sim.errors import BlockError, ParameterError, SettingsError
from memopolis.sim.file_hashes import hash_of_file
from memopolis.sim.footprint import USUAL, Footprint
from memopolis.sim.measures import Measure
from memopolis.sim.memory.text.texts import Texts
from memopolis.sim.mind.budget import Budget
from memopolis.sim.mind.mind import Decisions, Mind, Question, RuleMind, check_is_mind, decided
from memopolis.sim.naming import name_of, title_of, unique_names
from memopolis.sim.population import Agent, Behaviour, Population, set_status, snake_case
from memopolis.sim.settings import Settings
from memopolis.sim.survey.schedule import Schedule
from memopolis.sim.survey.survey import SURVEY_FILE, Survey
from memopolis.sim.timeline import Message, News, Policy, Shock, Timeline
from memopolis.sim.whole_numbers import whole_number

if TYPE_CHECKING:
    import pandas as pd

    from memopolis.sim.memory.memory import Memory
    from memopolis.sim.mind.exchange import Logged
    from memopolis.sim.survey.answers import Answers
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

    def step(self, society: Any) -> None:
        """Move on by one tick, in a society of the class that the part was written for."""
        ...


class Record(Protocol):
    """Records what a society does while it runs."""

    def decisions(self, decided: Decisions, block: str) -> None:
        """Record the decisions of one question."""
        ...

    def model_calls(self, calls: "Sequence[Logged]") -> None:
        """Record calls to a model."""
        ...

    def survey(self, answers: "Sequence[Answers]") -> None:
        """Record the answers to a survey."""
        ...

    def step(self) -> None:
        """Record the end of a step."""
        ...

    def static_from(self, step: int) -> None:
        """Record the tables that do not change again, from a step on."""
        ...


class SavedWords(Protocol):
    """Numbered words of a saved state, for a society that is built to continue from it.

    Attributes:
        texts: Every distinct text of the society.
    """

    texts: Texts

    def teach(self, name: str, memory: "Memory") -> None:
        """Number the words of a population's empty memory as they were saved."""
        ...


class SocietyBase[S: Settings](mesa.Model):  # type: ignore[type-arg]
    """State of a society and the verbs that blocks, minds and records use; see `Society`."""

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
    """Whether no agent can join once the society is built."""
    words: SavedWords | None = None
    """Numbered words of a saved state, where the society is built to take it over."""
    footprint: ClassVar[Footprint] = USUAL
    """Memory and time per agent, measured by `benchmarks/size.py`; commands refuse by it what does
    not fit into memory."""
    built: ClassVar[tuple[str, ...]] = ()
    """Attributes that `build` ties together, such as rows of others; no profile may set them."""
    datacollector: mesa.DataCollector

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)  # type: ignore[no-untyped-call]
        if "title" not in vars(cls):
            cls.title = title_of(cls.__name__)
        for base in getattr(cls, "__orig_bases__", ()):
            origin = get_origin(base)
            if isinstance(origin, type) and issubclass(origin, SocietyBase):
                (settings,) = get_args(base)
                cls.settings_class = getattr(settings, "__bound__", None) or settings

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
        self.recorder: Record | None = None
        self.interventions: dict[str, list[Any]] = {"shocks": [], "surveys": []}
        self._planned: Counter[int] = Counter()
        self._built = False
        self._doing: object = None

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

    def populate(
        self,
        agent_class: type[Agent],
        agents: int,
        *,
        blocks: Sequence[Behaviour] = (),
        status: Mapping[str, Any] | None = None,
        ties: "Ties | None" = None,
    ) -> Population:
        """Add a population of agents of a class.

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

    def give(self, population: Population, *blocks: Behaviour) -> None:
        """Add behaviours to a population, after those it has.

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
            self.interventions["shocks"].append([self.clock.tick_of(when), shock.to_dict()])

    def steer(self, when: datetime | str, shock: Shock) -> None:
        """Let a shock by hand happen, at any time before or during the run.

        Among the shocks of its step it comes where it would if it had been given before the
        first step: after what was built, before what blocks have set. So a repeated run
        with all shocks set at the start is the same run.
        """
        tick = self.clock.tick_of(when)
        earlier = sum(one == tick for one, _ in self.interventions["shocks"])
        self.timeline.at(when, shock, place=self._planned[tick] + earlier)
        self.interventions["shocks"].append([tick, shock.to_dict()])

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
            self.interventions["surveys"].append([self.clock.tick_of(when), survey.to_dict()])

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
        """Record calls to a model and their results; minds call this."""
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

    def put(self, survey: Survey) -> "list[Answers]":
        """Ask a survey now; see `Society.put`."""
        raise NotImplementedError

    def skip(self, until: float) -> None:
        """Move Mesa's time on without a step, to take over a saved state.

        Setting `time` itself would leave Mesa's own schedule behind.
        """
        if until > self.time:
            self._skipping = True
            self.run_for(until - self.time)
            self._skipping = False

    @property
    def ticks(self) -> int:
        """Length of the run in ticks."""
        return self.clock.ticks_of_days(self.settings.days)

    @property
    def is_rule_based(self) -> bool:
        """Whether every question is answered by its rule, and no model is asked."""
        return self.mind.is_rule

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
        files = (getattr(self.settings, name) for name in ("news", "profiles", "memories"))
        surveys = (name for name in self.settings.survey.ask if name.endswith(SURVEY_FILE))
        return {
            Path(name).name: hash_of_file(name)
            for name in (*files, *surveys)
            if name not in {"none", "default"}
        }


def _seed(rng: Any) -> int:
    if isinstance(rng, bool) or not isinstance(rng, int | np.integer) or rng < 0:
        raise ParameterError(f"rng is {rng!r}; a seed is a whole number of at least 0")
    return int(rng)
