"""Audit of groups: ask the members of groups individually, without changing the run."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.chance import Chance
from memopolis.sim.errors import ParameterError
from memopolis.sim.mind.archetype import Archetype
from memopolis.sim.mind.budget import Budget
from memopolis.sim.mind.building import build_mind, make_client, model_mind
from memopolis.sim.mind.call import Call, Client, Reply
from memopolis.sim.mind.estimate import price_of
from memopolis.sim.mind.mind import MINDS, Answer, Mind, Question

if TYPE_CHECKING:
    from memopolis.sim.society_base import SocietyBase

METHODS = ("grouped", "individual", "again", "random_groups", "rule")
"""How an answer was reached: by the group in the run; by asking the agent alone, twice; by a
random group of the same size; by the rule."""
GROUPED, INDIVIDUAL, AGAIN, RANDOM, RULE = METHODS

_FORMS = ("rating", "choice")  # forms of questions whose answers have a distance


class CountedClient:
    """Count the calls of another client, their tokens, and the seconds until answers arrived."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.name = client.name
        self.calls = self.tokens_in = self.tokens_out = 0
        self.seconds = 0.0

    def complete(self, calls: Sequence[Call]) -> list[Reply]:
        """Return the replies of the other client, in the order of the calls."""
        replies = self._client.complete(calls)
        self.calls += len(calls)
        self.tokens_in += sum(reply.tokens_in for reply in replies)
        self.tokens_out += sum(reply.tokens_out for reply in replies)
        self.seconds += sum(reply.seconds for reply in replies)
        return replies

    def close(self) -> None:
        """Close the other client."""
        close = getattr(self._client, "close", None)
        if close is not None:
            close()


class RandomGroups(Archetype):
    """Ask a model for groups as large as those of similar agents, with random members."""

    def group(self, question: Question) -> NDArray[np.intp]:
        """Return the number of each agent's group, shape (agents,), drawn in each question."""
        where = (question.cohort.ids, question.tick, question.ordinal)
        return super().group(question)[self._chance.order("audit.random_groups", *where)]


class Audit(Mind):
    """Answer with the archetype mind, and ask the agents of a sample in other ways, too.

    Only ratings and choices are audited. The other answers change neither the run nor its tables;
    their calls are recorded in the cassette under the block's name and the method. `sample` is the
    share of the agents that are asked individually, in (0, 1]; `client` sends the calls, by default
    the one that the settings of the society name.

    Attributes:
        answers: One entry per question and agent of the sample: tick, block, question, about, form,
            low, high, options (joined by "|"), agent, and the answer by method, NaN if there was no
            valid one. An answer is a rating, or the number of an option.
        counted: The clients by method, with their calls.
    """

    def __init__(
        self, society: "SocietyBase[Any]", *, sample: float, client: Client | None = None
    ) -> None:
        if not 0 < sample <= 1:
            raise ParameterError(
                f"the sample is {sample}; it must be a share of the agents above 0, at most 1"
            )
        llm = society.settings.llm
        client = client or make_client(llm, replay=llm.replay)
        asking = (GROUPED, INDIVIDUAL, AGAIN, RANDOM)
        self.counted = {method: CountedClient(client) for method in asking}
        self.answers: list[dict[str, Any]] = []
        self._mind = build_mind(society, "archetype", client=self.counted[GROUPED])
        self._others = _other_minds(society, self.counted)
        self._chance = Chance(society.seed)
        self._sample = sample
        self._llm = llm

    def answer(self, question: Question) -> Answer:
        """Answer with the archetype mind, and note the other answers of the sample."""
        answer = self._mind.answer(question)
        asked = _reached(answer, "model") | _reached(answer, "fallback")
        if question.form in _FORMS and asked.any():
            self._audit(question.select(asked), answer.select(asked))
        return answer

    def _audit(self, question: Question, grouped: Answer) -> None:
        """Note all answers of the agents of the sample to a question."""
        drawn = self._chance.uniform("audit.sample", question.cohort.ids) < self._sample
        if not drawn.any():
            return
        sampled = question.select(drawn)
        answers = {
            GROUPED: _valid(grouped)[drawn],
            INDIVIDUAL: self._asked(INDIVIDUAL, sampled),
            AGAIN: self._asked(AGAIN, sampled),
            RANDOM: self._asked(RANDOM, question)[drawn],
            RULE: np.asarray(sampled.rule(sampled).value, np.float64),
        }
        same = {
            "tick": question.tick,
            "block": question.block,
            "question": question.kind,
            "about": question.about,
            "form": question.form,
            "low": question.low,
            "high": question.high,
            "options": "|".join(question.options),
        }
        for row, agent in enumerate(sampled.cohort.ids.tolist()):
            by_method = {method: float(values[row]) for method, values in answers.items()}
            self.answers.append({**same, "agent": agent, **by_method})

    def _asked(self, method: str, question: Question) -> NDArray[np.float64]:
        """Return the valid answers by a method, NaN for others, shape (agents,)."""
        # Another name of the block, so that these calls have their own place in a cassette.
        asked = replace(question, block=f"{question.block}:{method}")
        return _valid(self._others[method].answer(asked))

    def costs(self) -> list[dict[str, Any]]:
        """Return model, calls, tokens, seconds and dollars (None if unknown) by method."""
        prices = (self._llm.price_in, self._llm.price_out)
        return [
            {
                "method": method,
                "model": one.name,
                "calls": one.calls,
                "tokens_in": one.tokens_in,
                "tokens_out": one.tokens_out,
                "seconds": one.seconds,
                "dollars": price_of(one.tokens_in, one.tokens_out, *prices),
            }
            for method, one in self.counted.items()
        ]

    def facts(self) -> dict[str, Any]:
        """Return the facts of the archetype mind."""
        return self._mind.facts()

    def state(self) -> dict[str, Any]:
        """Return the state of the archetype mind."""
        return self._mind.state()

    def restore(self, state: Mapping[str, Any]) -> None:
        """Restore the state of the archetype mind."""
        self._mind.restore(state)

    def close(self) -> None:
        """Close the minds."""
        self._mind.close()
        for mind in self._others.values():
            mind.close()


def _other_minds(
    society: "SocietyBase[Any]", clients: Mapping[str, CountedClient]
) -> dict[str, Mind]:
    """Build the minds of the audit: they have a budget of their own and record nothing."""
    llm = society.settings.llm
    budget = Budget(llm.budget_tokens, llm.budget_calls)
    alone = {
        method: model_mind(society, clients[method], budget=budget)
        for method in (INDIVIDUAL, AGAIN, RANDOM)
    }
    groups = society.settings.archetype.model_dump()
    return {**alone, RANDOM: RandomGroups(alone[RANDOM], seed=society.seed, **groups)}


def _reached(answer: Answer, how: str) -> NDArray[np.bool_]:
    """Return which agents' answers were reached in a way of `MINDS`, shape (agents,)."""
    if answer.how is None:
        return np.zeros(len(answer.value), np.bool_)
    return np.asarray(answer.how == MINDS.index(how))


def _valid(answer: Answer) -> NDArray[np.float64]:
    """Return the answers of a model, NaN for agents without a valid one, shape (agents,)."""
    return np.where(_reached(answer, "model"), answer.value, np.nan).astype(np.float64)
