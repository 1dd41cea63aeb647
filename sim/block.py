"""A block is one behaviour of a population, in one of three forms.

`step(cohort)`                       changes all agents at once, with arrays
`who / perceive / apply(decisions)`  lets a mind decide; memories are recalled in `perceive`
`act(agent)`                         changes one agent at a time, in plain Python
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.errors import BlockError, StateError
from memopolis.sim.memory.retrieval.recalling import Turns
from memopolis.sim.mind.mind import Decisions, Outcome, Question, RuleMind
from memopolis.sim.population import Agent, Cohort, Population, snake_case
from memopolis.sim.threads import run_parts, split
from memopolis.sim.timeline import Shock

if TYPE_CHECKING:
    from memopolis.sim.clock import Clock
    from memopolis.sim.society_base import SocietyBase

_FORMS = ("step", "perceive", "act")

ROWS_PER_PART = 5_000
"""Agents of a part for which a thread pays."""

_MOST_TURNS = 256  # hours of the day whose agents are cached

Distribution = Literal["uniform", "normal"]


class _Draws:
    """The draws of one purpose for all agents of a cohort, in which one agent after the other acts.

    `made` has them by distribution and k, and `first` the first uniform ones. `count` is the number
    of draws that the agent at `position` has made.
    """

    __slots__ = ("count", "first", "made", "position")

    def __init__(self, first: NDArray[np.float64]) -> None:
        self.position, self.count = -1, 0
        self.first: list[float] = first.tolist()
        self.made: dict[tuple[Distribution, int], list[float]] = {("uniform", 0): self.first}


class BlockChance:
    """Random streams of one block, named by population and block, at the current tick.

    The k-th draw for an agent inside `act` equals the vectorised draw with n = k of the same
    purpose. `agent` is the one whose `act` is running, or has failed; None outside of `act`.
    """

    def __init__(self, society: "SocietyBase[Any]", name: str) -> None:
        self._society = society
        self._name = name
        self.agent: Agent | None = None
        self._position = -1
        self._rows: NDArray[np.intp] = np.empty(0, np.intp)
        self._draws: dict[str, _Draws] = {}
        # Drawn hours of all agents, and the rows of each tick's agents by hour of the day.
        self._hours: dict[tuple[Any, ...], NDArray[np.float64]] = {}
        self._turns: dict[tuple[Any, ...], NDArray[np.intp]] = {}

    def act(self, cohort: Cohort, act: Callable[[Any], None]) -> None:
        """Call a function for each agent of a cohort, inside which draws need no cohort."""
        self._rows = cohort.rows
        self._draws.clear()
        for self._position, self.agent in enumerate(cohort):
            act(self.agent)
        self.agent = None
        self._draws.clear()

    def _name_of(self, purpose: str) -> str:
        return f"{self._name}.{purpose}" if purpose else self._name

    def uniform(self, who: Cohort | None = None, purpose: str = "", n: int = 0) -> Any:
        """Draw from [0, 1): an array over a cohort, or inside `act` one number."""
        if who is None:
            draws, position = self._draws.get(purpose), self._position
            if draws is None or draws.position == position:
                return self._draw_one("uniform", purpose)
            # The first draw of an agent, which is the only one of most blocks.
            draws.position, draws.count = position, 1
            return draws.first[position]
        return self._draw_all("uniform", who.rows, purpose, n)

    def uniforms(
        self, who: Cohort, count: int, purpose: str = "", *, first: int = 0
    ) -> NDArray[np.float64]:
        """Draw several times from [0, 1), with n from `first` on, shape (agents, count)."""
        draws = [self.uniform(who, purpose, first + n) for n in range(count)]
        return np.stack(draws, axis=1)

    def normal(self, who: Cohort | None = None, purpose: str = "", n: int = 0) -> Any:
        """Draw from the standard normal distribution, as `uniform` does."""
        if who is None:
            return self._draw_one("normal", purpose)
        return self._draw_all("normal", who.rows, purpose, n)

    def choice(
        self, who: Cohort, weights: ArrayLike, purpose: str = "", n: int = 0
    ) -> NDArray[np.intp]:
        """Draw an option for each agent; weights of shape (options,) or (agents, options)."""
        tick = self._society.clock.tick
        return self._society.chance.choice(self._name_of(purpose), who.rows, weights, tick, n)

    def order(self, who: Cohort, purpose: str = "order", n: int = 0) -> NDArray[np.intp]:
        """Draw a random permutation of the positions in the cohort."""
        tick = self._society.clock.tick
        return self._society.chance.order(self._name_of(purpose), who.rows, tick, n)

    def some(self, who: Cohort, share: ArrayLike, purpose: str = "some") -> Cohort:
        """Draw a subset of a cohort, each agent with the probability `share`."""
        return who.where(self.uniform(who, purpose) < share)

    def daily(self, who: Cohort, first: float, span: float, purpose: str = "hour") -> Cohort:
        """Return the agents whose hour of the day is in the current tick.

        Each agent has one hour, drawn once from `first` to `first + span`. With ticks of a day or
        more, all agents are returned.
        """
        clock, population = self._society.clock, who.population
        if clock.hours >= 24:
            return who
        key, begin = (population.name, purpose, first, span), clock.hour
        hours = self._hours.get(key)
        if hours is None or len(hours) != len(population):
            u = self._society.chance.uniform(self._name_of(purpose), np.arange(len(population)))
            self._turns.clear()  # first, since other parts may read it
            hours = self._hours[key] = (first + span * u) % 24
        rows = self._turns.get((*key, begin))
        if rows is None:
            if len(self._turns) >= _MOST_TURNS:
                self._turns.clear()
            rows = np.flatnonzero((hours >= begin) & (hours < begin + clock.hours))
            self._turns[*key, begin] = rows
        return who.among(rows)

    def sample[T](self, items: Sequence[T], k: int, purpose: str = "sample") -> list[T]:
        """Draw k different items inside `act`, or all if there are fewer."""
        chosen: list[int] = []
        for number in range(min(k, len(items))):
            place = int(self.uniform(purpose=purpose) * (len(items) - number))
            # The place is that among the items which are left; no copy of them is made.
            for taken in sorted(chosen):
                place += place >= taken
            chosen.append(place)
        return [items[place] for place in chosen]

    def _draw_all(
        self, distribution: Distribution, rows: NDArray[np.intp], purpose: str, n: int
    ) -> NDArray[np.float64]:
        chance, tick = self._society.chance, self._society.clock.tick
        draw = chance.uniform if distribution == "uniform" else chance.normal
        return draw(self._name_of(purpose), rows, tick, n)

    def _draw_one(self, distribution: Distribution, purpose: str) -> float:
        """Return the next draw of the agent whose `act` is running."""
        if self.agent is None:
            raise BlockError("a draw outside `act` needs a cohort: self.chance.uniform(cohort)")
        draws = self._draws.get(purpose)
        if draws is None:
            draws = self._draws[purpose] = _Draws(self._draw_all("uniform", self._rows, purpose, 0))
        if draws.position != self._position:
            draws.position, draws.count = self._position, 0
        key = distribution, draws.count
        draws.count += 1
        if key not in draws.made:
            draws.made[key] = self._draw_all(distribution, self._rows, purpose, key[1]).tolist()
        return draws.made[key][self._position]


class Block:
    """One behaviour. Subclass it and define `step`, or `perceive` and `apply`, or `act`.

    Attributes:
        reads: Status attributes that it reads, checked at the start.
        writes: Status attributes that it writes, checked at the start.
        reacts_to: Kinds of shocks that it reacts to; the dashboard offers them.
        topics: Topics of memories that it reads, other than by a search over all of them. News on
            topics that no block names are reported.
        state: Names of arrays that it keeps between steps; they are saved with the run.
        varying: Those of `state` whose type or shape may differ from that after `setup`.
        refers: Population whose rows an array of `state` contains, -1 for none, by array.
        limits: Least and greatest value of an array of `state`, by array.
        population: Population of the behaviour.
        society: Society of the population.
        chance: Random streams of the block.
    """

    reads: ClassVar[tuple[str, ...]] = ()
    writes: ClassVar[tuple[str, ...]] = ()
    reacts_to: ClassVar[tuple[type[Shock], ...]] = ()
    topics: tuple[str, ...] = ()
    state: ClassVar[tuple[str, ...]] = ()
    varying: ClassVar[tuple[str, ...]] = ()
    refers: ClassVar[Mapping[str, str]] = {}
    limits: ClassVar[Mapping[str, tuple[int, int]]] = {}

    by_row: ClassVar[bool] = False
    """Whether parts of the cohort may run on several threads; see `in_parts`."""

    population: Population
    society: "SocietyBase[Any]"
    chance: BlockChance
    _form: str
    _bound: bool = False

    @property
    def name(self) -> str:
        """Name in tables and draws: the class name in lower case with underscores."""
        return snake_case(type(self).__name__)

    @property
    def acts_alone(self) -> bool:
        """Whether it handles one agent at a time, which may depend on the agents before."""
        return self._form == "act" and not self.by_row

    @property
    def clock(self) -> "Clock":
        """Clock of the society."""
        return self.society.clock

    def bind(self, population: Population) -> None:
        """Attach the block to a population; called once, by `Society.give`."""
        if self._bound:
            raise BlockError(f"{self.name} serves a population already; make a block for each")
        forms = [form for form in _FORMS if getattr(type(self), form) is not getattr(Block, form)]
        if len(forms) != 1:
            raise BlockError(
                f"{type(self).__name__} must define exactly one of step, perceive (with apply) "
                f"and act; it defines {', '.join(forms) or 'none'}"
            )
        self._form = forms[0]
        if self._form == "perceive" and type(self).apply is Block.apply:
            raise BlockError(f"{type(self).__name__} asks in perceive, so it must define apply")
        self.population = population
        self.society = cast("SocietyBase[Any]", population.society)
        self.chance = BlockChance(self.society, f"{population.name}.{self.name}")
        self.setup()
        self._check(population)
        self._bound = True

    def _check(self, population: Population) -> None:
        for name in (*self.reads, *self.writes):
            if name not in population.memory.status:
                raise BlockError(
                    f"block {self.name} names the attribute {name!r}, which "
                    f"{population.agent_class.__name__} does not have"
                )

    def __setattr__(self, name: str, value: Any) -> None:
        if self._bound and name not in self.state:
            raise StateError(
                f"{type(self).__name__}.{name} would not be saved with the run; keep it in a "
                f"status attribute, or as an array named in `state = ({name!r},)`"
            )
        object.__setattr__(self, name, value)

    def setup(self) -> None:
        """Prepare what depends on population and world; called once, before the first step."""

    def run(self, cohort: Cohort) -> None:
        """Apply the behaviour to a cohort, in the form that the block defines."""
        if self.by_row:
            self.in_parts(cohort, self._run)
        else:
            self._run(cohort)

    def _run(self, cohort: Cohort) -> None:
        if self._form == "step":
            self.step(cohort)
        elif self._form == "act":
            self._act(cohort)
        else:
            self._decide(self.who(cohort))

    def in_parts(self, cohort: Cohort, work: Callable[[Cohort], None]) -> None:
        """Call a function for contiguous parts of a cohort, on several threads if it is large.

        In a divided society, each part does so for its own agents.

        What happens to an agent must not depend on which other agents are in the cohort. The
        function changes only the agents that it gets, and searches must not depend on texts that it
        interns. The setting `threads` changes no result then. The function is called once with all
        agents if they are few, or if a model decides.
        """
        self.on_own(cohort, partial(self._in_threads, work=work))

    def on_own(self, cohort: Cohort, work: Callable[[Cohort], None]) -> None:
        """Call a function for a cohort or, in a divided society, for the agents of each part.

        What the function does is as in `in_parts`, but it is not called on several threads.
        """
        division = self.society.division
        if division is None:
            work(cohort)
        else:
            division.on_own(self, cohort, work)

    def _in_threads(self, cohort: Cohort, work: Callable[[Cohort], None]) -> None:
        society, memory = self.society, cohort.population.memory
        alone = not isinstance(society.mind, RuleMind) or memory.store is not None
        if alone or memory.threads == 1 or len(cohort) < 2 * ROWS_PER_PART:
            work(cohort)
            return
        parts = split(len(cohort), memory.threads, least=ROWS_PER_PART)
        society.questions.begin_step()
        with memory.lock:  # the parts themselves do not take it
            run_parts([partial(work, cohort.at(cohort.rows[begin:end])) for begin, end in parts])
        society.questions.record_parts()

    def _act(self, cohort: Cohort) -> None:
        memory = cohort.population.memory
        memory.turns = Turns(cohort.rows)
        try:
            self.chance.act(cohort, self.act)
        finally:
            memory.turns = None

    def _decide(self, cohort: Cohort) -> None:
        if not len(cohort):
            return
        asked = self.perceive(cohort)
        questions = (asked,) if isinstance(asked, Question) else tuple(asked or ())
        # All questions are decided before any decision is applied, so they see the same state.
        asking = self.society.questions
        decided = [asking.answer(question, block=self.name) for question in questions]
        for question, decisions in zip(questions, decided, strict=True):
            asking.record(decisions, self.apply(question.cohort, decisions))

    def step(self, cohort: Cohort) -> None:
        """Change all agents of a cohort at once."""
        raise NotImplementedError

    def who(self, cohort: Cohort) -> Cohort:
        """Return the agents that decide in this step; all unless overridden."""
        return cohort

    def perceive(self, cohort: Cohort) -> Question | Iterable[Question] | None:
        """Recall memories, and return the questions for the mind."""
        raise NotImplementedError

    def apply(self, cohort: Cohort, decisions: Decisions) -> Outcome | None:
        """Apply the decisions of a question.

        Returns the probabilities, draws, thresholds and groups by which the decisions were carried
        out, to be recorded with them; None if there are none.
        """
        raise NotImplementedError

    def act(self, agent: Any) -> None:
        """Change one agent."""
        raise NotImplementedError
