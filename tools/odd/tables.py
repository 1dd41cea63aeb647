"""Write the tables of a scenario's README from the code: `python -m tools.odd NAME`.

Tables are between the markers `<!-- table: NAME -->` and `<!-- end -->`. A test of each scenario
fails if one is out of date.
"""

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any

from memopolis.agents.appraisal import BAD, GOOD, OTHER_BAD, OTHER_GOOD, Attitude
from memopolis.sim.block import Block
from memopolis.sim.errors import ParameterError
from memopolis.sim.memory.retrieval.profiles import Profile
from memopolis.sim.mind.mind import Answer, Question, RuleMind
from memopolis.sim.population import Population
from memopolis.sim.settings_text import SettingRow, describe
from memopolis.sim.society import Society

SCENARIOS = Path(__file__).parents[2] / "scenarios"
"""The folder of the scenarios, whose READMEs are written."""

type Table = Callable[[], str]
"""Returns a table in Markdown."""

_PART = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


@dataclass(frozen=True)
class Odd:
    """The README of a scenario and the tables in it."""

    scenario: type[Society[Any]]  # the scenario's class
    readme: Path  # path of the README
    known_attitudes: Sequence[Attitude] = ()  # attitudes of the scenario
    # Tables of this scenario only; the marker of each has the name of the function
    own: Sequence[Table] = ()
    # Name and value of the scenario's own retrieval profile, if any
    profile: tuple[str, Profile] | None = None
    # Settings of the small society from which agents and blocks are listed
    small: Mapping[str, object] = field(default_factory=lambda: {"agents": 50})
    steps: int = 1  # number of steps after which each of its blocks has asked its questions

    @property
    def tables(self) -> dict[str, Table]:
        """All tables by the name in their marker, common ones first."""
        recall = {} if self.profile is None else {"recall": self.recall}
        attitudes = {"attitudes": self.attitudes} if self.known_attitudes else {}
        return {
            "settings": self.settings,
            "attributes": self.attributes,
            "schedule": self.schedule,
            "decisions": self.decisions,
            "measures": self.measures,
            "arms": self.arms,
            "feelings": feelings,
            **attitudes,
            **recall,
            **{table.__name__: table for table in self.own},
        }

    def fill(self, text: str) -> str:
        """Insert the tables between their markers; an unknown table raises ParameterError."""
        return _PART.sub(lambda part: f"{part[1]}{self._table(part[2])}\n{part[3]}", text)

    def write(self) -> None:
        """Update the README, and print whether it has changed."""
        old = self.readme.read_text(encoding="utf-8")
        new = self.fill(old)
        self.readme.write_text(new, encoding="utf-8")
        sys.stdout.write(f"{self.readme}: {'unchanged' if new == old else 'updated'}\n")

    def settings(self) -> str:
        """Table of settings with range, unit, default and origin."""
        head = ("setting", "default", "unit", "range", "origin", "description")
        rows = describe(self.scenario.settings_class)
        return markdown(head, ((*_named(row), row.source, row.description) for row in rows))

    def attributes(self) -> str:
        """Table of state variables by kind of agent."""
        head = ("agent", "variable", "type", "unit", "range", "default", "description")
        rows = []
        for population in self.society.populations:
            for one in population.attributes.values():
                bounds = "" if one.low is None else f"{one.low:g} to {_or_more(one.high)}"
                default = "(empty)" if one.default == "" else str(one.default)
                cells = (one.kind, one.unit, bounds, default, one.description)
                rows.append((population.name, f"`{one.name}`", *cells))
        return markdown(head, rows)

    def schedule(self) -> str:
        """Table of blocks in the order in which they run."""
        rows = [
            (population.name, f"`{type(block).__name__}`", _first_line(type(block)))
            for population in self._ordered(self.society)
            for block in population.blocks
        ]
        return markdown(("agents", "block", "description"), rows)

    def decisions(self) -> str:
        """Table of the questions that blocks ask a mind, in the order of the schedule."""
        society = self.scenario(rng=1, **self.small)
        society.mind = listening = _Listening()
        for _ in range(self.steps):
            society.step()
        names = {block.name: type(block).__name__ for _, block in self.deciding}
        # By population and block; the adults of a household answer for its block.
        order = {(agents, block.name): at for at, (agents, block) in enumerate(self.deciding)}
        first = {block.name: at for at, (_, block) in enumerate(self.deciding)}
        asked = [row for row in listening.asked if row[1] in names]  # surveys have no block
        rows = sorted(asked, key=lambda row: order.get(row[:2], first[row[1]]))
        cells = ((agents, f"`{names[block]}`", *one.cells) for agents, block, one in rows)
        head = ("agents", "block", "question", "answer", "present knowledge", "recalled memories")
        return markdown(head, cells)

    @property
    def deciding(self) -> list[tuple[str, Block]]:
        """Agents and block of each block that lets a mind decide, in the order of the schedule."""
        return [
            (population.name, block)
            for population in self._ordered(self.society)
            for block in population.blocks
            if isinstance(block, Block) and type(block).perceive is not Block.perceive
        ]

    def measures(self) -> str:
        """Table of measures."""
        rows = (
            (f"`{m.name}`", m.of, m.unit, m.group, m.description) for m in self.scenario.measures
        )
        return markdown(("measure", "statistic", "unit", "by", "description"), rows)

    def arms(self) -> str:
        """Table of arms and the settings they change."""
        rows = (
            (f"`{name}`", ", ".join(f"`{key}={value}`" for key, value in changes.items()) or "-")
            for name, changes in self.scenario.arms.items()
        )
        return markdown(("arm", "settings"), rows)

    def attitudes(self) -> str:
        """Table of attitudes, their queries, and the effects of memories by topic."""
        rows = ((a.name, a.query, pairs(a.effect)) for a in self.known_attitudes)
        return markdown(("attitude", "query", "effect by topic"), rows)

    def recall(self) -> str:
        """Table of the profile's values that differ from the defaults of profiles."""
        name, profile = self.profile or ("", Profile())
        values = ((one, getattr(profile, one.name)) for one in fields(profile))
        rows = (
            (f"`{one.name}`", f"{value}", f"{one.default}")
            for one, value in values
            if one.default is not MISSING and value != one.default
        )
        return markdown((f"of the profile `{name}`", "value", "default"), rows)

    @cached_property
    def society(self) -> Society[Any]:
        """A small society from which agents and blocks are listed."""
        return self.scenario(rng=1, **self.small)

    @staticmethod
    def _ordered(society: Society[Any]) -> list[Population]:
        """Return the populations in the order in which they act."""
        named = [society.population(name) for name in society.order]
        return [*named, *(one for one in society.populations if one.name not in society.order)]

    def _table(self, name: str) -> str:
        tables = self.tables
        if name not in tables:
            raise ParameterError(f"unknown table {name!r}; it must be one of {', '.join(tables)}")
        return tables[name]()


@dataclass(frozen=True)
class _Asked:
    """A kind of question: its name, form of answers, and what the agents go by."""

    question: Question  # the first question of its kind
    topics: dict[str, None] = field(default_factory=dict)  # its topics or items

    @property
    def cells(self) -> tuple[str, ...]:
        """Question, answer, present knowledge and recalled memories, for a table."""
        one = self.question
        about = f" ({', '.join(self.topics)})" if any(self.topics) else ""
        rating = f"rating, {one.low:g} to {one.high:g}"
        choice = f"choice: {', '.join(one.options)}" if len(one.options) <= _MOST_OPTIONS else ""
        answer = {"rating": rating, "choice": choice or f"choice of {len(one.options)}"}
        known = ", ".join(f"`{name}`" for name in one.known if name != "possible")
        recalled = f"up to {one.recalled.shape[1]}" if one.recalled.shape[1] else "-"
        return f"{one.kind}{about}", answer.get(one.form, one.form), known or "-", recalled


_MOST_OPTIONS = 6  # maximum number of options that a table names


class _Listening(RuleMind):
    """Answer by rules, and keep the questions of each block by kind."""

    def __init__(self) -> None:
        self._kinds: dict[tuple[str, str, str], _Asked] = {}

    def answer(self, question: Question) -> Answer:
        """Answer by the rule, and keep the question."""
        key = question.cohort.population.name, question.block, question.kind
        self._kinds.setdefault(key, _Asked(question)).topics[question.about] = None
        return super().answer(question)

    @property
    def asked(self) -> list[tuple[str, str, _Asked]]:
        """Agents, name of the block, and question of each kind, in the order asked."""
        return [(agents, block, one) for (agents, block, _), one in self._kinds.items()]


def feelings() -> str:
    """Table of the feelings that bad and good memories change, by topic."""
    topics = sorted({*BAD, *GOOD})
    rows = [
        (
            topic,
            list_effects(BAD.get(topic, OTHER_BAD)),
            list_effects(GOOD.get(topic, OTHER_GOOD)),
        )
        for topic in topics
    ]
    rows.append(("any other", list_effects(OTHER_BAD), list_effects(OTHER_GOOD)))
    return markdown(("topic", "bad changes", "good changes"), rows)


def list_effects(effects: Mapping[str, float]) -> str:
    """List the feelings that an event raises, and those that it calms."""
    return ", ".join(name if weight > 0 else f"less {name}" for name, weight in effects.items())


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Format a table in Markdown."""
    lines = (head, tuple("---" for _ in head), *rows)
    return "\n".join(f"| {' | '.join(c.replace('|', '/') for c in line)} |" for line in lines)


def pairs(numbers: Mapping[str, float]) -> str:
    """Format signed numbers by name, such as `disaster +0.5, police -0.2`."""
    return ", ".join(f"{name} {value:+g}" for name, value in numbers.items())


def _named(row: SettingRow) -> tuple[str, str, str, str]:
    allowed = " or ".join(row.options) if row.type == "choice" else row.range
    default = row.default
    if row.type == "groups by name":  # names alone
        default = ", ".join(re.findall(r"'(\w+)': \w+\(", default)) or default
    return f"`{row.key}`", default, row.unit, allowed or row.type


def _or_more(high: float | None) -> str:
    return "more" if high is None else f"{high:g}"


def _first_line(kind: type) -> str:
    return (kind.__doc__ or "").strip().partition("\n")[0]
