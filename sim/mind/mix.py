"""Several minds in one society: by block, by class of agents, or for a share of everybody."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.chance import Chance
from memopolis.sim.errors import ParameterError
from memopolis.sim.mind.mind import Answer, Mind, Question
from memopolis.sim.mind.parts import joined, part_of
from memopolis.sim.population import Agent, snake_case

if TYPE_CHECKING:
    from memopolis.sim.population import Cohort

Split = Callable[[Question], NDArray[np.intp]]
"""Number of the mind that answers each of those who are asked, shape (agents,)."""


class Mix(Mind):
    """Lets each of several minds answer some of those who are asked.

    `by_block`, `by_class` and `by_share` make the usual ones; a mix is a mind, so they nest.

    Args:
        minds: The minds, by number; at least one.
        split: Which of them answers whom. It must depend on nothing but the question.

    Raises:
        ParameterError: If there is no mind.
    """

    def __init__(self, minds: Sequence[Mind], split: Split) -> None:
        if not minds:
            raise ParameterError("a mix needs at least one mind")
        self.minds = tuple(minds)
        self.split = split

    def answer(self, question: Question) -> Answer:
        """Let every mind answer its part, and put the answers together.

        Raises:
            ParameterError: If the split gives not one number of a mind for each agent.
        """
        who = np.asarray(self.split(question))
        if who.shape != (len(question.cohort),) or not np.isin(who, range(len(self.minds))).all():
            raise ParameterError(
                f"the split of {question.kind!r} must give each of {len(question.cohort)} agents "
                f"the number of a mind, from 0 to {len(self.minds) - 1}"
            )
        numbers = np.unique(who)
        if len(numbers) < 2:
            return self.minds[int(numbers.max(initial=0))].answer(question)
        parts = []
        for number in numbers:
            mask = who == number
            part = part_of(question, mask)
            parts.append((mask, part, self.minds[number].answer(part)))
        return joined(question, parts)

    def facts(self) -> dict[str, Any]:
        """Return the facts of its minds; those of several as a list under "minds"."""
        known = [facts for mind in self._different() if (facts := mind.facts())]
        return known[0] if len(known) == 1 else {"minds": known} if known else {}

    def state(self) -> dict[str, Any]:
        """What its minds have counted so far, in their order."""
        return {"minds": [mind.state() for mind in self._different()]}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state` gave."""
        for mind, counted in zip(self._different(), state.get("minds", ()), strict=False):
            mind.restore(counted)

    def close(self) -> None:
        """End what the minds keep open."""
        for mind in self._different():
            mind.close()

    def _different(self) -> list[Mind]:
        """Each mind once, also where several numbers stand for one."""
        return list({id(mind): mind for mind in self.minds}.values())


def by_block(minds: Mapping[str, Mind], other: Mind) -> Mix:
    """Give the questions of some blocks to minds of their own.

    Args:
        minds: Minds by name of the block.
        other: Who answers the questions of every other block.

    Returns:
        The mix.
    """
    return _by_name(minds, other, lambda question: question.block)


def by_class(minds: Mapping[type[Agent] | str, Mind], other: Mind) -> Mix:
    """Give the questions of some classes of agents to minds of their own.

    Args:
        minds: Minds by class of agents, or by its name in lower case with underscores.
        other: Who answers the questions of all other agents.

    Returns:
        The mix.
    """
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
    """Let some of the agents think by a mind of their own, the same ones for a whole run.

    Args:
        mind: Who answers for these agents.
        share: How many of all they are, in [0, 1]; those of a smaller share are among those of
            a greater one.
        other: Who answers for the rest.
        seed: Random seed of the draw, such as the seed of the run.

    Returns:
        The mix.

    Raises:
        ParameterError: If the share is not in [0, 1] or the seed negative.
    """
    if not 0 <= share <= 1:
        raise ParameterError(f"share is {share}; allowed are numbers from 0 to 1")
    chance = Chance(seed)
    return Mix(
        (other, mind), lambda question: members(question.cohort, share, chance).astype(np.intp)
    )


def members(cohort: "Cohort", share: float, chance: Chance) -> NDArray[np.bool_]:
    """Return which agents belong to a share: by unique_id alone, so it never changes.

    Args:
        cohort: Some agents.
        share: How many of all belong to it, in [0, 1].
        chance: Random streams of the run.

    Returns:
        Whether each belongs to it, shape (agents,).
    """
    return np.asarray(chance.uniform("mind.share", cohort.ids) < share)
