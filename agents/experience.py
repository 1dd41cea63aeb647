"""Recall memories for a decision, and form expectations from them.

An agent that recalls nothing keeps a neutral expectation of 0.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Literal, Self

import numpy as np

from memopolis.sim.arguments import as_array
from memopolis.sim.arrays import Array, Bools, Float32, Floats, Int32, Ints
from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.retrieval.filter import NO_FILTER, Filter
from memopolis.sim.memory.retrieval.recollection import Recalled
from memopolis.sim.memory.retrieval.request import Queries
from memopolis.sim.memory.streams.layout import COLUMNS, places
from memopolis.sim.memory.views.base_stream import Located
from memopolis.sim.mind.mind import Answer, Question
from memopolis.sim.population import Cohort

type Rule = Callable[[Question], Answer]


class Experience:
    """Memories that agents recalled for a decision, with their weights.

    `recalled` are memories of `agents`, shape (agents, k).
    """

    def __init__(self, agents: Cohort, recalled: Recalled) -> None:
        if not len(agents) == len(recalled.ids) or recalled.ids.shape != recalled.scores.shape:
            raise ParameterError(
                f"recalled has ids of shape {recalled.ids.shape} and scores of shape "
                f"{recalled.scores.shape}; ({len(agents)}, k) is needed"
            )
        self.recalled = recalled
        self._agents = agents
        self._columns: dict[str, Array] = {}

    @classmethod
    def recall(
        cls,
        agents: Cohort,
        query: Queries,
        *,
        k: int,
        profile: str = "act",
        where: Filter = NO_FILTER,
        each: Ints | None = None,
        key: int = 0,
    ) -> Self:
        """Recall the memories of each agent that match a query best; arguments as in a search.

        Up to `key` more are those of key memories that match the query best.
        """
        stream = agents.stream
        recalled = stream.search(query, k=k, profile=profile, where=where, each=each)
        if key:
            known = replace(where, tags=("key",))
            more = stream.search(query, k=key, profile=profile, where=known, each=each)
            recalled = recalled.join(more)
        return cls(agents, recalled)

    @classmethod
    def recall_topic(cls, agents: Cohort, topic: str, *, k: int) -> Self:
        """Recall memories of a topic by recency and importance, without a query.

        Unlike relevance, their scores do not depend on the words that other agents use.
        """
        stream = agents.stream
        return cls(agents, stream.recommend(k, where=Filter(topic=topic), profile="act"))

    def where(self, mask: Bools) -> "Experience":
        """Return the experience of the agents for which the mask, shape (agents,), is true."""
        if mask.all():
            return self
        some = Experience(self._agents.where(mask), self.recalled.where(mask))
        some._columns = {name: values[mask] for name, values in self._columns.items()}
        return some

    def replace(self, recalled: Recalled, mask: Bools) -> "Experience":
        """Return the experience with other memories, of the same shape, of the agents in `mask`."""
        return Experience(self._agents, self.recalled.replace(recalled, mask))

    @cached_property
    def located(self) -> Located:
        """The memories, found once for all columns."""
        return self._agents.stream.located(self.recalled)

    def column(self, name: str) -> Array:
        """Return a column of the memories, shape (agents, k).

        Where an agent has fewer memories, numbers and ids are -1, and shares and valences are 0.
        """
        if name not in self._columns:
            self._columns[name] = self.located.column(name)
        return self._columns[name]

    @property
    def topics(self) -> Sequence[str]:
        """Names of topics by their number in the column "topic"."""
        return self._agents.population.memory.topics

    def about(self, *topics: str) -> Bools:
        """Return which memories have one of the topics, shape (agents, k)."""
        among = self._agents.population.memory.among_topics(topics)
        return np.asarray(among[self.column("topic")])

    def reports(self, texts: Sequence[str]) -> Bools:
        """Return which memories have one of the texts, shape (agents, k)."""
        numbers = self._agents.population.society.texts.find_many(texts)
        return np.isin(self.column("text"), numbers[numbers >= 0])

    @cached_property
    def times(self) -> Int32:
        """Number of occasions that each memory stands for, 0 without a memory, (agents, k)."""
        return self.located.times()

    @cached_property
    def weights(self) -> Float32:
        """Score times importance times occasions of each memory, shape (agents, k)."""
        weights = self.recalled.scores * self.column("importance") * self.times
        return np.asarray(weights, np.float32)

    def ask_rating(
        self,
        kind: str,
        rule: Rule,
        known: Mapping[str, Array],
        *,
        low: float = 0.0,
        high: float = 10.0,
    ) -> Question:
        """Ask the agents for a rating, given these memories and what else is known."""
        return Question(
            kind, self._agents, "rating", rule, "", self.recalled, known, low=low, high=high
        )

    def ask_choice(
        self,
        kind: str,
        rule: Rule,
        known: Mapping[str, Array],
        options: tuple[str, ...],
        *,
        about: str = "",
    ) -> Question:
        """Ask the agents to choose an option, given these memories and what else is known."""
        return Question(
            kind, self._agents, "choice", rule, about, self.recalled, known, options=options
        )

    def mean(self, relevant: Bools) -> Float32:
        """Return the mean valence of relevant memories, see `compute_mean_valence`."""
        return compute_mean_valence(self.column("valence"), self.weights, relevant)

    def mean_of(self, name: Literal["actor", "place"], values: Ints) -> Float32:
        """Return the mean valence of the memories of each given actor or place.

        `values` and result have shape (agents, values).
        """
        from memopolis.agents.experience_kernels import average_valence

        each = as_array("values", values, "iu", "actors or places")
        if each.ndim != 2 or len(each) != len(self._agents):
            raise ParameterError(
                f"values have shape {each.shape}; ({len(self._agents)}, values) is needed"
            )
        is_word, (at,) = COLUMNS[name].itemsize == 4, places(name)
        (mean,) = self.located.compute(
            lambda view, times, fading, slots, scores, each: (
                average_valence(view, times, fading, slots, scores, each, is_word, at),
            ),
            self.recalled.scores,
            each.astype(np.int64),
        )
        return mean

    def share(self, relevant: Bools) -> Float32:
        """Return the share of the recalled memories that are relevant, 0 without any."""
        count = self.recalled.counts
        return (relevant.sum(axis=1) / np.maximum(count, 1)).astype(np.float32)

    def evidence(self, relevant: Bools) -> Int32:
        """Return the ids of relevant memories, -1 elsewhere, shape (agents, k)."""
        return np.where(relevant, self.recalled.ids, -1).astype(np.int32)


def compute_mean_valence(valence: Floats, weight: Floats, relevant: Bools) -> Float32:
    """Compute the weighted mean valence of relevant memories, 0 without any, shape (agents,).

    `weight` is retrieval score times importance times occasions, shape (agents, k).

    Source: Learning from experience, in which expectations are weighted means of experienced
    outcomes and recent ones weigh more: Malmendier and Nagel 2011, doi:10.1093/qje/qjq004, and
    2016, doi:10.1093/qje/qjv037 (recalled). Weights from retrieval replace their weights by age;
    this is the project's choice.
    """
    counted = weight * relevant
    total = np.einsum("ij->i", counted)
    mean = np.einsum("ij,ij->i", counted, valence) / np.where(total > 0, total, 1)
    return np.asarray(np.clip(mean, -1, 1), np.float32)
