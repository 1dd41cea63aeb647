"""The archetype mind: one question to a model for each group of similar agents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.chance import Chance
from memopolis.sim.errors import ParameterError
from memopolis.sim.mind.group import (
    GroupAnswers,
    group_schema,
    portrait,
    read_group_answers,
    shared_texts,
    texts_recalled,
)
from memopolis.sim.mind.llm import LlmMind, apply_readings
from memopolis.sim.mind.mind import Answer, Mind, Question
from memopolis.sim.mind.prompting import Prompt
from memopolis.sim.mind.reading import Reading

BY = ("attitude", "emotion", "gender", "age")
"""Attributes and structs by which people are grouped, the most important first."""

OWN_MEMORIES = ("summary", "gist")
"""Kinds of questions about the memories of one agent, which the rule answers for each."""


@dataclass(frozen=True, slots=True, eq=False)
class _Group:
    """A group of similar agents."""

    rows: NDArray[np.intp]  # positions of its members in the cohort of the question, ascending
    question: Question  # the question for its members
    one: Question  # the question for the first member, with the options that any member has
    texts: NDArray[np.int32]  # numbers of the texts of the memories that the members share


class Archetype(Mind):
    """Ask a model once for each group of similar agents, and sample an answer for each member.

    A prompt describes a group as one person: usual values, and memories that many members recalled.
    The model gives several answers, of which each member receives one at random, or a rating with
    its spread, from which the ratings of the members are drawn.

    Agents are grouped by the attributes and structs `by`, the most important first; those that a
    population lacks are ignored. Numbers are divided into `bins` intervals. A group has at least
    `least` agents, if so many are asked, so that at most one prompt is sent for every `least`
    agents. The model gives `answers` answers for a group; with 1, a rating has a spread. The rule
    writes summaries. Raises ParameterError if a number is below 1.
    """

    def __init__(
        self,
        mind: LlmMind,
        *,
        seed: int,
        by: Sequence[str] = BY,
        bins: int = 5,
        least: int = 100,
        answers: int = 5,
    ) -> None:
        for name, number in (("bins", bins), ("least", least), ("answers", answers)):
            if number < 1:
                raise ParameterError(f"{name} is {number}; at least 1 is needed")
        self.mind = mind
        self.by = tuple(by)
        self.bins = bins
        self.least = least
        self.answers = answers
        self._chance = Chance(seed)
        self._asked = 0
        self._groups = 0

    def answer(self, question: Question) -> Answer:
        """Answer for all agents that are asked, with one prompt per group."""
        ruled = question.rule(question)
        if not len(question.cohort) or question.kind in OWN_MEMORIES:
            return ruled
        number = self.group(question)
        groups = [_group(question, number == group) for group in range(number.max() + 1)]
        self._asked += len(question.cohort)
        self._groups += len(groups)
        prompts = [self._prompt(group) for group in groups]
        replies = self.mind.exchange(
            question, prompts, lambda at, data: read_group_answers(groups[at].one, data)
        )
        readings = self._members(question, groups, replies)
        return _shared_evidence(
            question, apply_readings(question, ruled, readings), groups, readings
        )

    def group(self, question: Question) -> NDArray[np.intp]:
        """Return the number of each agent's group, from 0, shape (agents,)."""
        return group_agents(question, self.by, bins=self.bins, least=self.least)

    def _prompt(self, group: _Group) -> Prompt:
        people = len(group.rows)
        if people == 1:
            return self.mind.prompts.of(group.one)[0]
        answers = min(self.answers, people)
        spread = answers == 1 and group.one.form == "rating"
        return self.mind.prompts.of_one(
            group.one,
            0,
            portrait(group.question, group.texts),
            group_schema(group.one, answers),
            group={"people": people, "answers": answers, "spread": spread},
            max_tokens=self.mind.max_tokens * answers,
        )

    def _members(
        self, question: Question, groups: Sequence[_Group], replies: Sequence[GroupAnswers | None]
    ) -> list[Reading | None]:
        """Sample one of the answers of its group for each agent."""
        purpose = f"mind.archetype.{question.block}.{question.kind}.{question.about}"
        where = (question.cohort.ids, question.tick, question.ordinal)
        u = self._chance.uniform(purpose, *where)
        z = self._chance.normal(f"{purpose}.spread", *where)
        readings: list[Reading | None] = [None] * len(u)
        possible = question.known.get("possible")
        for group, answer in zip(groups, replies, strict=True):
            if answer is None:
                continue
            for row in group.rows.tolist():
                options = None if possible is None else possible[row]
                readings[row] = answer.draw(question, u[row], z[row], options)
        return readings

    def facts(self) -> dict[str, Any]:
        """Return tokens and calls so far, and the number of groups and answers."""
        share = f"{self._groups / self._asked:.2%}" if self._asked else "none"
        saved = {"answers": self._asked, "groups": self._groups, "groups_per_answer": share}
        return {**self.mind.facts(), **saved}

    def state(self) -> dict[str, Any]:
        """Return the counts so far, for a checkpoint."""
        return {"asked": self._asked, "groups": self._groups, "mind": self.mind.state()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue counting from the result of `state`."""
        self._asked, self._groups = int(state.get("asked", 0)), int(state.get("groups", 0))
        self.mind.restore(state.get("mind", {}))

    def close(self) -> None:
        """Close the connections of the mind."""
        self.mind.close()


def _group(question: Question, mask: NDArray[np.bool_]) -> _Group:
    rows = np.flatnonzero(mask)
    members = question.select(mask)
    first = np.zeros(len(rows), np.bool_)
    first[0] = True
    one = members.select(first)
    possible = members.known.get("possible")
    if possible is not None:
        any_of_them = possible.any(axis=0, keepdims=True)
        one = replace(one, known={**one.known, "possible": any_of_them})
    return _Group(rows, members, one, shared_texts(members))


def _shared_evidence(
    question: Question, answer: Answer, groups: Sequence[_Group], readings: Sequence[object]
) -> Answer:
    """Limit the evidence of each member to its memories that were in the prompt of its group."""
    if not question.recalled.shape[1] or answer.evidence is None:
        return answer
    evidence = np.array(answer.evidence)
    texts = texts_recalled(question)
    for group in groups:
        if len(group.rows) > 1:
            rows = np.array([row for row in group.rows.tolist() if readings[row]], np.intp)
            shared = np.isin(texts[rows], group.texts)
            evidence[rows, : shared.shape[1]] = np.where(shared, question.recalled[rows], -1)
    return replace(answer, evidence=evidence)


_JUDGED = "attitude"  # struct of which only one field matters, if the question is about that field


def group_agents(
    question: Question, by: Sequence[str], *, bins: int, least: int
) -> NDArray[np.intp]:
    """Group agents by equal values of attributes; arguments as in `Archetype`.

    Groups that are too small are merged by all attributes except the last, then by all except the
    last two, and so on; agents that remain at the end join the largest group. Returns the number of
    each agent's group, from 0 in the order of first members, shape (agents,). Raises ParameterError
    if an attribute contains neither numbers nor texts.
    """
    codes = [_codes(question, name, bins) for name in _names(question, by)]
    table = np.stack(codes, axis=1) if codes else np.zeros((len(question.cohort), 1), np.int64)
    return _numbered(_large(table, least))


def _names(question: Question, by: Sequence[str]) -> list[str]:
    """Return the attributes by which to group, with fields in place of structs."""
    status = question.cohort.population.memory.status
    about = f"{_JUDGED}.{question.about}"
    names: list[str] = []
    for name in by:
        if name == _JUDGED and about in status:
            names.append(about)
        elif name in status:
            names += status.fields(name)
    return names


def _codes(question: Question, name: str, bins: int) -> NDArray[np.int64]:
    """Return the values of an attribute as few different whole numbers, shape (agents,).

    Agents without the attribute have -1.
    """
    status, rows = question.cohort.population.memory.status, question.cohort.rows
    attribute, values = status.attributes[name], status.encoded(name)[rows]
    if attribute.is_json:
        raise ParameterError(f"agents cannot be grouped by {name!r}: it is a {attribute.kind}")
    if attribute.kind in {"text", "bool"} or attribute.labels:
        codes = values.astype(np.int64)
    else:
        codes = bin_numbers(values, bins, attribute.low, attribute.high)
    present = status.presence(name)
    return codes if present is None else np.where(present[rows], codes, -1)


def bin_numbers(
    values: NDArray[Any], bins: int, low: float | None = None, high: float | None = None
) -> NDArray[np.int64]:
    """Return the interval of each number, from 0, shape (agents,).

    Intervals have equal widths from low to high, or about equal numbers of agents if one of these
    is unknown.
    """
    if low is not None and high is not None:
        edges = np.linspace(low, high, bins + 1)[1:-1]
    else:
        edges = np.quantile(values, np.linspace(0, 1, bins + 1)[1:-1])
    return np.searchsorted(edges, values, side="right").astype(np.int64)


def _large(table: NDArray[np.int64], least: int) -> NDArray[np.intp]:
    """Group rows by as many columns as possible, so that groups are large enough."""
    group = np.full(len(table), -1, np.intp)
    for width in range(table.shape[1], -1, -1):
        left = np.flatnonzero(group < 0)
        if not len(left):
            break
        alike = np.unique(table[left, :width], axis=0, return_inverse=True)[1].ravel()
        large = np.bincount(alike)[alike] >= least
        group[left[large]] = group.max(initial=-1) + 1 + alike[large]
    largest = np.bincount(group[group >= 0]).argmax() if (group >= 0).any() else 0
    return np.where(group < 0, largest, group)


def _numbered(group: NDArray[np.intp]) -> NDArray[np.intp]:
    """Number groups in the order of their first members."""
    _, first, place = np.unique(group, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[place]
