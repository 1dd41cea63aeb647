"""Keep the tables of a scenario's README as the code is.

What stands between the markers `<!-- table: NAME -->` and `<!-- end -->` is written anew from
the code; a test of each scenario fails while a table is out of date.
"""

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from memopolis.agents.appraisal import BAD, GOOD, RELIEVES, Attitude
from memopolis.sim.errors import ParameterError
from memopolis.sim.settings_text import SettingRow, describe
from memopolis.sim.society import Society

type Table = Callable[[], str]
"""Writes one table in Markdown."""

_PART = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


@dataclass(frozen=True)
class Odd:
    """The README of a scenario and the tables in it.

    Attributes:
        scenario: The scenario's class.
        readme: Its README.
        own: Tables of this scenario alone, by the name in their marker.
        small: Settings of the small society that is built to list agents and blocks.
    """

    scenario: type[Society[Any]]
    readme: Path
    own: Mapping[str, Table] = field(default_factory=dict)
    small: Mapping[str, object] = field(default_factory=lambda: {"agents": 50})

    @property
    def tables(self) -> dict[str, Table]:
        """All tables by the name in their marker, those of every scenario first."""
        return {
            "settings": self.settings,
            "attributes": self.attributes,
            "schedule": self.schedule,
            "measures": self.measures,
            "arms": self.arms,
            "feelings": feelings,
            **self.own,
        }

    def filled(self, text: str) -> str:
        """Put the tables between their markers.

        Args:
            text: A text with pairs of markers.

        Raises:
            ParameterError: If a marker names no table.
        """
        return _PART.sub(lambda found: f"{found[1]}{self._table(found[2])}\n{found[3]}", text)

    def write(self) -> None:
        """Write the README anew, where a table has changed, and say whether one has."""
        old = self.readme.read_text(encoding="utf-8")
        new = self.filled(old)
        self.readme.write_text(new, encoding="utf-8")
        sys.stdout.write(f"{self.readme}: {'as it was' if new == old else 'written anew'}\n")

    def settings(self) -> str:
        """Every setting with range, unit, default and origin."""
        head = ("setting", "default", "unit", "range", "origin", "what it is")
        rows = describe(self.scenario.settings_class)
        return markdown(head, ((*_named(row), row.origin, row.description) for row in rows))

    def attributes(self) -> str:
        """Every state variable of every kind of agent."""
        head = ("agent", "variable", "type", "unit", "range", "default", "what it is")
        rows = []
        for population in self.society.populations:
            for one in population.memory.columns.schema.attributes.values():
                bounds = "" if one.low is None else f"{one.low:g} to {_or_more(one.high)}"
                default = "(empty)" if one.default == "" else str(one.default)
                cells = (one.kind, one.unit, bounds, default, one.description)
                rows.append((population.name, f"`{one.name}`", *cells))
        return markdown(head, rows)

    def schedule(self) -> str:
        """Blocks in the order in which they run in a step."""
        society = self.society
        named = [society.population(name) for name in society.order]
        others = [one for one in society.populations if one.name not in society.order]
        rows = [
            (population.name, f"`{type(block).__name__}`", _first_line(type(block)))
            for population in (*named, *others)
            for block in population.blocks
        ]
        return markdown(("agents", "block", "what it does"), rows)

    def measures(self) -> str:
        """What is measured in every step."""
        rows = (
            (f"`{m.name}`", m.of, m.unit, m.group, m.description) for m in self.scenario.measures
        )
        return markdown(("measure", "statistic", "unit", "by", "what it is"), rows)

    def arms(self) -> str:
        """What each arm changes of the settings."""
        rows = (
            (f"`{name}`", ", ".join(f"`{key}={value}`" for key, value in changes.items()) or "-")
            for name, changes in self.scenario.arms.items()
        )
        return markdown(("arm", "settings"), rows)

    @cached_property
    def society(self) -> Society[Any]:
        """A small society, to list agents and blocks."""
        return self.scenario(rng=1, **self.small)

    def _table(self, name: str) -> str:
        tables = self.tables
        if name not in tables:
            raise ParameterError(f"there is no table {name!r}; there are: {', '.join(tables)}")
        return tables[name]()


def attitudes(known: Sequence[Attitude]) -> str:
    """What memories of a topic say for or against an attitude.

    Args:
        known: The attitudes of a scenario.
    """
    rows = ((a.name, a.query, pairs(a.effect)) for a in known)
    return markdown(("attitude", "what is searched for", "effect by topic"), rows)


def feelings() -> str:
    """Which feeling a bad or good memory of a topic moves."""
    topics = sorted({*BAD, *GOOD})
    rows = [
        (t, BAD.get(t, "sadness"), GOOD.get(t, "joy"), "yes" if t in RELIEVES else "")
        for t in topics
    ]
    rows.append(("any other", "sadness", "joy", ""))
    return markdown(("topic", "bad moves", "good moves", "good also lowers fear"), rows)


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table in Markdown.

    Args:
        head: Names of the columns.
        rows: Cells of each row, as many as columns.
    """
    lines = (head, tuple("---" for _ in head), *rows)
    return "\n".join(f"| {' | '.join(c.replace('|', '/') for c in line)} |" for line in lines)


def pairs(numbers: Mapping[str, float]) -> str:
    """Write signed numbers by name, such as `disaster +0.5, police -0.2`."""
    return ", ".join(f"{name} {value:+g}" for name, value in numbers.items())


def _named(row: SettingRow) -> tuple[str, str, str, str]:
    allowed = " or ".join(row.options) if row.type == "choice" else row.range
    return f"`{row.key}`", row.default, row.unit, allowed or row.type


def _or_more(high: float | None) -> str:
    return "more" if high is None else f"{high:g}"


def _first_line(kind: type) -> str:
    return (kind.__doc__ or "").strip().partition("\n")[0]
