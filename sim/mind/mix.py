"""Combine minds: by block, by class of agents, or for a share of the agents."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.chance import Chance
from memopolis.sim.errors import ParameterError
from memopolis.sim.mind.asking import join_answers
from memopolis.sim.mind.mind import Answer, Mind, Question
from memopolis.sim.population import Agent, snake_case

if TYPE_CHECKING:
    from memopolis.sim.population import Cohort

Split = Callable[[Question], NDArray[np.intp]]
"""Returns the number of the mind for each agent that is asked, shape (agents,)."""


class Mix(Mind):
    """Divide the agents of a question between several minds.

    `split` assigns the number of a mind to each agent, depending on the question only. `by_block`,
    `by_class` and `by_share` create the usual mixes; a mix is a mind, so mixes nest.
    """

    def __init__(self, minds: Sequence[Mind], split: Split) -> None:
        if not minds:
            raise ParameterError("a mix needs at least one mind")
        self.minds = tuple(minds)
        self.split = split

    def answer(self, question: Question) -> Answer:
        """Ask each mind for its part of the agents, and join the answers."""
        who = np.asarray(self.split(question))
        if who.shape != (len(question.cohort),) or not np.isin(who, range(len(self.minds))).all():
            raise ParameterError(
                f"the split of {question.kind!r} must return the number of a mind, from 0 to "
                f"{len(self.minds) - 1}, for each of {len(question.cohort)} agents"
            )
        numbers = np.unique(who)
        if len(numbers) < 2:
            return self.minds[int(numbers.max(initial=0))].answer(question)
        parts = []
        for number in numbers:
            mask = who == number
            part = question.select(mask)
            parts.append((mask, part, self.minds[number].answer(part)))
        return join_answers(question, parts)

    def facts(self) -> dict[str, Any]:
        """Return the facts of its minds; those of several as a list under "minds"."""
        known = [facts for mind in self._different() if (facts := mind.facts())]
        return known[0] if len(known) == 1 else {"minds": known} if known else {}

    def state(self) -> dict[str, Any]:
        """Return the states of its minds, in their order."""
        return {"minds": [mind.state() for mind in self._different()]}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Restore the states of its minds from the result of `state`."""
        for mind, counted in zip(self._different(), state.get("minds", ()), strict=False):
            mind.restore(counted)

    def close(self) -> None:
        """Close its minds."""
        for mind in self._different():
            mind.close()

    def _different(self) -> list[Mind]:
        """Return the distinct minds, since several numbers may refer to one mind."""
        return list({id(mind): mind for mind in self.minds}.values())


def by_block(minds: Mapping[str, Mind], other: Mind) -> Mix:
    """Use other minds for the questions of some blocks, by name of the block."""
    return _by_name(minds, other, lambda question: question.block)


def by_class(minds: Mapping[type[Agent] | str, Mind], other: Mind) -> Mix:
    """Use other minds for some classes of agents, given themselves or by snake_case name."""
    named = {
        key if isinstance(key, str) else snake_case(key.__name__): mind
        for key, mind in minds.items()
    }
    return _by_name(named, other, lambda question: question.cohort.population.name)


def _by_name(minds: Mapping[str, Mind], other: Mind, name: Callable[[Question], str]) -> Mix:
    numbers = {key: number for number, key in enumerate(minds, start=1)}
    return Mix(
        (other, *minds.values()),
        lambda question: np.full(len(question.cohort), numbers.get(name(question), 0), np.intp),
    )


def by_share(mind: Mind, share: float, other: Mind, *, seed: int) -> Mix:
    """Use another mind for a share of the agents, the same agents during a whole run.

    The agents of a smaller share are a subset of those of a larger one. `seed` is that of the draw,
    such as the seed of the run.
    """
    if not 0 <= share <= 1:
        raise ParameterError(f"share is {share}; allowed are numbers from 0 to 1")
    chance = Chance(seed)
    return Mix(
        (other, mind), lambda question: members(question.cohort, share, chance).astype(np.intp)
    )


def members(cohort: "Cohort", share: float, chance: Chance) -> NDArray[np.bool_]:
    """Return which agents belong to a share, depending on unique_id only, shape (agents,)."""
    return np.asarray(chance.uniform("mind.share", cohort.ids) < share)
