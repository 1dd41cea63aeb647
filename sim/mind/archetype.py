"""The archetype mind: one question to a model for each group of agents who are alike."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.chance import Chance
from memopolis.sim.errors import ParameterError
from memopolis.sim.mind.llm import LlmMind, applied
from memopolis.sim.mind.mind import Answer, Mind, Question
from memopolis.sim.mind.parts import part_of
from memopolis.sim.mind.portrait import portrait, recalled_texts, shared_texts
from memopolis.sim.mind.prompting import Prompt
from memopolis.sim.mind.reading import Reading
from memopolis.sim.mind.said import Said, read_several, several_schema

BY = ("attitude", "emotion", "gender", "age")
"""Attributes and structs by which people are grouped, the weightiest first."""


@dataclass(frozen=True, slots=True, eq=False)
class _Group:
    """Some of those who are asked, who are alike.

    Attributes:
        rows: Places of its members among all who are asked, ascending.
        question: The question as put to them.
        one: The question as put to the first of them, with the options that any of them has.
        texts: Numbers of the texts of the memories that they share.
    """

    rows: NDArray[np.intp]
    question: Question
    one: Question
    texts: NDArray[np.int32]


class Archetype(Mind):
    """Asks a model once for each group of agents who are alike, and samples for its members.

    A prompt describes a group as one person: usual values, and memories that many of its members
    recalled. The model gives several answers, and each member is given one of them by chance;
    or one answer with its spread, around which members are drawn.

    Args:
        mind: Sends the questions.
        seed: The run's seed.
        by: Attributes and structs of the status by which agents are grouped, the weightiest
            first; those a population does not have are passed over.
        bins: How many parts the values of a number are cut into, >= 1.
        least: Fewest members of a group, where as many are asked, >= 1. Questions to a
            model are at most 1 in `least` of those asked, but one at a time at least.
        answers: How many answers the model gives for a group, >= 1; with 1 a rating comes
            with its spread.

    Raises:
        ParameterError: If a number is below 1.
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
        """Decide for everyone who is asked, in one question a group.

        Raises:
            AnswerError: If an answer cannot be used and the rule may not replace it.
        """
        ruled = question.rule(question)
        if not len(question.cohort):
            return ruled
        groups = self._grouped(question)
        self._asked += len(question.cohort)
        self._groups += len(groups)
        prompts = [self._prompt(group) for group in groups]
        replies = self.mind.exchange(
            question, prompts, lambda at, data: read_several(groups[at].one, data)
        )
        readings = self._members(question, groups, replies)
        return _shared_evidence(question, applied(question, ruled, readings), groups, readings)

    def _grouped(self, question: Question) -> list[_Group]:
        number = groups_of(question, self.by, bins=self.bins, least=self.least)
        return [_group(question, number == group) for group in range(number.max() + 1)]

    def _prompt(self, group: _Group) -> Prompt:
        people = len(group.rows)
        if people == 1:
            return self.mind.prompts_of(group.one)[0]
        answers = min(self.answers, people)
        spread = answers == 1 and group.one.form == "rating"
        return self.mind.prompts.of_one(
            group.one,
            0,
            portrait(group.question, group.texts),
            several_schema(group.one, answers),
            group={"people": people, "answers": answers, "spread": spread},
            max_tokens=self.mind.max_tokens * answers,
        )

    def _members(
        self, question: Question, groups: Sequence[_Group], replies: Sequence[Said | None]
    ) -> list[Reading | None]:
        """An answer for each who is asked, by chance one of its group's."""
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
                readings[row] = answer.drawn(question, u[row], z[row], options)
        return readings

    def facts(self) -> dict[str, Any]:
        """What was spent and saved so far."""
        share = f"{self._groups / self._asked:.2%}" if self._asked else "none"
        saved = {"answers": self._asked, "groups": self._groups, "groups_per_answer": share}
        return {**self.mind.facts(), **saved}

    def state(self) -> dict[str, Any]:
        """What was counted so far, for a checkpoint."""
        return {"asked": self._asked, "groups": self._groups, "mind": self.mind.state()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state` gave."""
        self._asked, self._groups = int(state.get("asked", 0)), int(state.get("groups", 0))
        self.mind.restore(state.get("mind", {}))

    def close(self) -> None:
        """End what the mind keeps open."""
        self.mind.close()


def _group(question: Question, mask: NDArray[np.bool_]) -> _Group:
    rows = np.flatnonzero(mask)
    members = part_of(question, mask)
    first = np.zeros(len(rows), np.bool_)
    first[0] = True
    one = part_of(members, first)
    possible = members.known.get("possible")
    if possible is not None:
        any_of_them = possible.any(axis=0, keepdims=True)
        one = replace(one, known={**one.known, "possible": any_of_them})
    return _Group(rows, members, one, shared_texts(members))


def _shared_evidence(
    question: Question, answer: Answer, groups: Sequence[_Group], readings: Sequence[object]
) -> Answer:
    """Set as evidence of a member those of its memories that were in the prompt of its group."""
    if not question.recalled.shape[1] or answer.evidence is None:
        return answer
    evidence = np.array(answer.evidence)
    texts = recalled_texts(question)
    for group in groups:
        if len(group.rows) > 1:
            rows = np.array([row for row in group.rows.tolist() if readings[row]], np.intp)
            shared = np.isin(texts[rows], group.texts)
            evidence[rows, : shared.shape[1]] = np.where(shared, question.recalled[rows], -1)
    return replace(answer, evidence=evidence)


_JUDGED = "attitude"
"""Struct of which a question about one field needs no other."""


def groups_of(question: Question, by: Sequence[str], *, bins: int, least: int) -> NDArray[np.intp]:
    """Group those who are asked by what they have in common.

    A group too small is put together with others, by all attributes but the last, then by all
    but the last two, ...; who is left at the end joins the largest group.

    Args:
        question: What is asked, and whom.
        by: Attributes or structs of the status, the weightiest first; those a population does
            not have are passed over.
        bins: How many parts the values of a number are cut into, >= 1.
        least: Fewest members of a group, where as many are asked, >= 1.

    Returns:
        Number of the group of each, from 0 in the order of their first members, shape
        (agents,); at most agents / least groups, but always one.

    Raises:
        ParameterError: If an attribute holds neither numbers nor texts.
    """
    codes = [_codes(question, name, bins) for name in _names(question, by)]
    table = np.stack(codes, axis=1) if codes else np.zeros((len(question.cohort), 1), np.int64)
    return _numbered(_large(table, least))


def _names(question: Question, by: Sequence[str]) -> list[str]:
    """Attributes by which to group, structs as their fields."""
    columns = question.cohort.population.memory.columns
    about = f"{_JUDGED}.{question.about}"
    names: list[str] = []
    for name in by:
        if name == _JUDGED and columns.has(about):
            names.append(about)
        elif columns.has(name):
            names += columns.fields(name)
    return names


def _codes(question: Question, name: str, bins: int) -> NDArray[np.int64]:
    """Values of an attribute as whole numbers, few of them, shape (agents,)."""
    population, rows = question.cohort.population, question.cohort.rows
    attribute = population.memory.columns.schema.attributes[name]
    values = population.memory.columns.arrays[name][rows]
    if attribute.is_json:
        raise ParameterError(f"agents cannot be grouped by {name!r}: it is a {attribute.kind}")
    if attribute.kind in {"text", "bool"} or attribute.labels:
        return values.astype(np.int64)
    return binned(values, bins, attribute.low, attribute.high)


def binned(
    values: NDArray[Any], bins: int, low: float | None = None, high: float | None = None
) -> NDArray[np.int64]:
    """Cut numbers into parts.

    Args:
        values: Numbers, shape (agents,).
        bins: How many parts.
        low: Least sensible value; None if there is none.
        high: Greatest sensible value.

    Returns:
        Part of each, from 0: parts of equal width from low to high, or of about as many agents
        where these are not both known; shape (agents,).
    """
    if low is not None and high is not None:
        edges = np.linspace(low, high, bins + 1)[1:-1]
    else:
        edges = np.quantile(values, np.linspace(0, 1, bins + 1)[1:-1])
    return np.searchsorted(edges, values, side="right").astype(np.int64)


def _large(table: NDArray[np.int64], least: int) -> NDArray[np.intp]:
    """Groups of rows that agree in as many columns as leaves them large enough."""
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
    """The same groups, numbered in the order of their first members."""
    _, first, place = np.unique(group, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[place]
