"""State of a society: its agents, their world, their time, and the mind that decides for them.

Blocks, minds, surveys, recording and saved states use a `SocietyBase`. `Society` adds building,
stepping and running, which they therefore never import.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, get_args, get_origin

import mesa
import numpy as np

from memopolis.sim.arguments import whole_number
from memopolis.sim.chance import LARGEST_SEED, Chance, fresh_seed
from memopolis.sim.clock import MOST_TICKS, Clock
from memopolis.sim.compilation import watch_compilation
from memopolis.sim.errors import BlockError, SettingsError, StateError
from memopolis.sim.files import hash_of_file
from memopolis.sim.footprint import USUAL, Footprint
from memopolis.sim.inline_tables import is_inline
from memopolis.sim.measures import Measure
from memopolis.sim.memory.text.texts import Texts
from memopolis.sim.mesa_model import MesaModel
from memopolis.sim.mind.asking import Questions, Recorder
from memopolis.sim.mind.budget import Budget
from memopolis.sim.mind.mind import Mind, RuleMind
from memopolis.sim.naming import title_of, unique_names
from memopolis.sim.population import Agent, Behaviour, Population, set_status, snake_case
from memopolis.sim.settings import Settings
from memopolis.sim.survey.schedule import Schedule
from memopolis.sim.survey.survey import SURVEY_FILE, Survey
from memopolis.sim.threads import usable_cores
from memopolis.sim.timeline import Message, News, Policy, Shock, Timeline

if TYPE_CHECKING:
    import pandas as pd

    from memopolis.sim.memory.memory import Memory
    from memopolis.sim.mind.call import LoggedCall
    from memopolis.sim.survey.survey import Answers
    from memopolis.sim.world.ledger import Ledger
    from memopolis.sim.world.loans import Loans
    from memopolis.sim.world.place import Place
    from memopolis.sim.world.ties import Ties
    from memopolis.sim.world.weather import Weather


class WorldPart(Protocol):
    """A part of the world that is stepped before the agents."""

    def step(self, society: Any) -> None:
        """Advance by one tick, in a society of the class that the part was written for."""


class Record(Recorder, Protocol):
    """Records what a society does while it runs."""

    def model_calls(self, calls: "Sequence[LoggedCall]") -> None:
        """Record calls to a model."""

    def survey(self, answers: "Sequence[Answers]") -> None:
        """Record the answers to a survey."""

    def step(self) -> None:
        """Record the end of a step."""

    def static_from(self, step: int) -> None:
        """Record the tables that do not change again, from a step on."""


class DivisionInterface(Protocol):
    """One part of a society that is divided into parts, each in another process."""

    is_local: bool

    @property
    def exchanges(self) -> int:
        """Number of exchanges so far, the same in all parts."""

    def on_own(self, block: Any, cohort: Any, work: Any) -> None:
        """Call a function of a block for own agents, and exchange what it changed."""


class RootInterface(DivisionInterface, Protocol):
    """The part that commands all others, and records the run."""

    def whole(self) -> AbstractContextManager[None]:
        """Collect the streams of all parts in this process for a while."""

    def step(self) -> None:
        """Make a step in all parts."""

    def decisions(self) -> list[Any]:
        """Return the decisions that the other parts have made for their agents in this step."""

    def usage(self) -> list[Any]:
        """Return how much memory each part uses."""

    @property
    def exchanged(self) -> int:
        """Bytes that part 0 has sent and received so far."""


class SavedWords(Protocol):
    """Numbered words of a saved state, with all texts, for a society that continues from it."""

    texts: Texts

    def teach(self, name: str, memory: "Memory") -> None:
        """Add the saved words to the empty memory of a population, with their saved numbers."""


class SocietyBase[S: Settings](MesaModel):
    """State of a society, and the methods that blocks, minds and recorders use; see `Society`."""

    title: ClassVar[str] = "Society"
    """Title in reports and pages; by default the words of the class name."""
    settings_class: ClassVar[type[Settings]] = Settings
    measures: Sequence[Measure] = ()
    arms: ClassVar[Mapping[str, Mapping[str, object]]] = {}
    """Named changes of settings, for `memopolis compare`; the first arm is the reference."""
    outcomes: ClassVar[Sequence[str]] = ()
    """Outcomes by which arms are compared, such as `gini` or `income@sum`; () for all charted
    measures."""
    default_news: ClassVar[Path | None] = None
    order: ClassVar[tuple[str, ...]] = ()
    """Names of populations in the order in which they act; the others follow in the order of their
    creation. Tables, surveys and reports take the first population created for the people."""
    closed: ClassVar[bool] = False
    """Whether no agent can join after the society is built."""
    words: SavedWords | None = None
    """Numbered words of a saved state, if the society is built to continue from it."""
    footprint: ClassVar[Footprint] = USUAL
    """Memory and time per agent, measured by `benchmarks/size.py`; commands refuse runs that do not
    fit into memory."""
    reacts_to: ClassVar[tuple[type[Shock], ...]] = ()
    """Kinds of shocks that the society or its world reacts to, beside those of blocks, messages,
    and policies if there are rules. The dashboard offers them."""
    built: ClassVar[tuple[str, ...]] = ()
    """Attributes that `build` links, such as rows of other agents; no profile may set them."""
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
        self.seed = (
            fresh_seed() if rng is None else whole_number("rng", rng, least=0, most=LARGEST_SEED)
        )
        super().__init__(rng=self.seed)
        watch_compilation()
        self.chance = Chance(self.seed)
        self.clock = self.make_clock(self.settings)
        if self.ticks > MOST_TICKS:
            raise SettingsError(
                f"days={self.settings.days:g} in ticks of {self.settings.tick:g} h are "
                f"{self.ticks:,} steps; at most {MOST_TICKS:,} are possible, so set a longer tick"
            )
        self.timeline = Timeline(self.clock)
        self.surveys = Schedule(self.clock)
        self.surveyed: list[Answers] = []
        self.populations = []
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
        self.questions = Questions(self)
        self.texts = Texts() if self.words is None else self.words.texts
        self.recorder: Record | None = None
        self.division: DivisionInterface | None = None
        self.root: RootInterface | None = None
        self.interventions: dict[str, list[Any]] = {"shocks": [], "surveys": []}
        self._planned: Counter[int] = Counter()
        self._built = False
        self.doing: object = None

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy needs; StateError while the society is recorded or divided."""
        if self.recorder is not None or self.division is not None:
            raise StateError(
                "a society cannot be copied or pickled while it is recorded; use save_state, and "
                "load_state for the copy"
            )
        return self.__dict__

    def _checked(self, settings: S | None, changes: Mapping[str, Any]) -> S:
        known = self.settings_class
        if settings is None:
            return known().with_changes(changes)  # type: ignore[return-value]
        if not isinstance(settings, known):
            raise SettingsError(
                f"{type(self).__name__} takes {known.__name__}, not {type(settings).__name__}"
            )
        return settings.with_changes(changes) if changes else settings

    @classmethod
    def starts(cls, settings: S) -> datetime:
        """Return the local date and time at which tick 0 begins; a scenario may use its data."""
        return settings.start

    @classmethod
    def make_clock(cls, settings: S) -> Clock:
        """Return the clock of a run at its start; a scenario may count calendar months."""
        return Clock(cls.starts(settings), timedelta(hours=settings.tick))

    def populate(
        self,
        agent_class: type[Agent],
        agents: int,
        *,
        blocks: Sequence[Behaviour] = (),
        status: Mapping[str, Any] | None = None,
        ties: "Ties | None" = None,
        memories: int | None = None,
    ) -> Population:
        """Add a population of agents of a class.

        Args:
            agent_class: Class of the agents; its attributes are the columns.
            agents: Number of agents, >= 1.
            blocks: Their behaviours, in the order in which they run.
            status: Initial values by attribute, arrays of shape (agents,).
            ties: Networks among the agents, by kind.
            memories: Maximum number of memories per agent; that of the settings if omitted.
        """
        agents = whole_number("agents", agents, least=1)
        name = snake_case(agent_class.__name__)
        if any(p.name == name for p in self.populations):
            raise BlockError(f"the population {name!r} exists already")
        limit = self.settings.retention.limit if memories is None else memories
        memory = self._memory(agent_class, agents, limit)
        set_status(memory, status or {})
        population = Population(self, agent_class, agents, memory)
        if ties is not None:
            population.ties = ties
        self.populations.append(population)
        self.update_names()
        self.give(population, *blocks)
        return population

    def _memory(self, agent_class: type[Agent], agents: int, limit: int) -> "Memory":
        """Create the memory of a population, with the clock, settings and names of the society."""
        from memopolis.sim.memory.memory import Memory
        from memopolis.sim.memory.retention.consolidation import Consolidation

        memory = Memory(
            agents,
            schema=agent_class.schema_of(zones=self.place is not None),
            texts=self.texts,
            limit=limit,
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
        memory.threads = self.settings.threads or usable_cores()
        memory.consolidation = Consolidation(run=self.settings.days)
        memory.retention = self.settings.retention.parameters
        memory.date_of = self.clock.date_of
        memory.name_of = self.name_of
        memory.place_name = self.place_name
        return memory

    def give(self, population: Population, *blocks: Behaviour) -> None:
        """Add behaviours to a population, after those it has."""
        for block in blocks:
            if any(block.name == other.name for other in population.blocks):
                raise BlockError(
                    f"{population.name} has a block {block.name!r} already; draws are named by "
                    f"block, so give a subclass another name"
                )
            self.doing = block
            block.bind(population)
            population.blocks.append(block)
        self.doing = None

    def population(self, name: str) -> Population:
        """Find a population by name; SettingsError if there is none."""
        for population in self.populations:
            if population.name == name:
                return population
        names = ", ".join(p.name for p in self.populations) or "none"
        raise SettingsError(f"no population {name!r}; there are: {names}")

    def update_names(self) -> None:
        """Update the names by which queries can mention agents: those that only one agent has."""
        names = unique_names(self.populations)
        for population in self.populations:
            population.memory.names = names

    def name_of(self, unique_id: int) -> str:
        """Return the name of an agent for texts; "someone" if no population contains it."""
        for population in self.populations:
            name = population.name_of(unique_id)
            if name is not None:
                return name
        return "someone"

    def place_name(self, zone: int) -> str:
        """Return the name of a zone for texts."""
        return self.place.spoken_name(zone) if self.place is not None else f"zone {zone}"

    def at(self, when: datetime | str, shock: Shock) -> None:
        """Schedule a shock (News, Order, Policy, Message) for a date."""
        self.timeline.at(when, shock)
        if self._built and not self.time:
            self.interventions["shocks"].append([self.clock.tick_of(when), shock.to_dict()])

    def steer(self, when: datetime | str, shock: Shock) -> None:
        """Schedule a shock from outside, before or during the run.

        Within its step it has the same place as if it had been scheduled before the first step:
        after the shocks of `build`, before those of blocks. A repeated run, in which all shocks
        are scheduled at the start, is therefore the same.
        """
        tick = self.clock.tick_of(when)
        earlier = sum(one == tick for one, _ in self.interventions["shocks"])
        self.timeline.at(when, shock, place=self._planned[tick] + earlier)
        self.interventions["shocks"].append([tick, shock.to_dict()])

    def survey(self, when: datetime | str, survey: Survey) -> None:
        """Schedule a survey, which changes nothing, for the end of the step that covers a date.

        The date is a local datetime or ISO text, not before the current step. The answers are
        recorded in the table `survey`. Raises ParameterError if another survey has the name.
        """
        self.surveys.at(when, survey)
        if self._built and not self.time:
            self.interventions["surveys"].append([self.clock.tick_of(when), survey.to_dict()])

    def happen(self, shock: Shock) -> None:
        """Apply a shock; a scenario extends this for its own shocks.

        News needs no action: it is on air from its tick on, see `on_air`.
        """
        if isinstance(shock, Policy):
            self.policies[shock.key] = shock.value
        elif isinstance(shock, Message):
            self._deliver(shock)

    def _deliver(self, message: Message) -> None:
        for population in self.populations:
            alive = population["alive"]
            rows = np.flatnonzero(np.isin(population.ids, message.to) & alive)
            if len(rows):
                population.memory.of(rows).stream.add(
                    message.topic, message.text, actor=message.actor, importance=message.importance
                )

    def on_air(self) -> list[tuple[int, News]]:
        """Return the news published so far, with ticks, in order."""
        now = self.clock.tick
        return [(t, s) for t, s in self.timeline if isinstance(s, News) and t <= now]

    def log_calls(self, calls: "Sequence[LoggedCall]") -> None:
        """Record calls to a model and their results; minds call this."""
        if self.recorder is not None:
            self.recorder.model_calls(calls)

    def put(self, survey: Survey) -> "list[Answers]":
        """Ask a survey now; see `Society.put`."""
        raise NotImplementedError

    def skip(self, until: float) -> None:
        """Advance Mesa's time and schedule without a step, to restore a saved state."""
        if until > self.time:
            self._skipping = True
            self.run_for(until - self.time)
            self._skipping = False

    @property
    def ticks(self) -> int:
        """Length of the run in ticks."""
        return self.clock.ticks_of_days(self.settings.days)

    def static_tables(self) -> "dict[str, pd.DataFrame]":
        """Return tables that do not change in a run, to be recorded.

        The place and the ties are recorded, too, see `sim/recording/rows.py`.
        """
        return {}

    def facts(self) -> dict[str, Any]:
        """Return facts of the run for its report as plain values, stored in the manifest."""
        return {}

    def data_hashes(self) -> dict[str, str]:
        """Return hashes of the data files that the run uses, by name; here those of the user."""
        tables = (self.settings.profiles, self.settings.memories)
        files = (self.settings.news, *(text for text in tables if not is_inline(text)))
        surveys = (name for name in self.settings.survey.ask if name.endswith(SURVEY_FILE))
        return {
            Path(name).name: hash_of_file(name)
            for name in (*files, *surveys)
            if name not in {"none", "default"}
        }
