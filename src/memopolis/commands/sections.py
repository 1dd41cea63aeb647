"""Sections of a validation: a table with verdicts, printed or written as Markdown and CSV."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import pandas as pd
from rich.console import Console
from rich.markup import escape

from memopolis.analysis.facts.basis import Basis
from memopolis.analysis.facts.fact import format_number
from memopolis.commands.terminal import markdown_table, table

_JUDGED = ("", "quantity", "basis", "mean", "95% interval", "tolerance", "seeds", "passes")
_COMPARED = ("against", "outcome", "scored", "other", "difference", "95% interval", "not 0")
_JUDGED_PAGE = ("", "quantity", "basis", "mean (95% interval)", "tolerance", "passes")
_COMPARED_PAGE = ("against", "outcome", "scored", "other", "difference (95% interval)")
_NUMBERS = {"mean", "seeds", "scored", "other", "difference", "predicted", "observed", "score"}
_WHOLE = {"", "basis", "95% interval", "passes", "against", "not 0", "case", "bounds"}
"""Columns whose cells are not wrapped."""
_QUANTITY_WIDTH = 26  # minimum width of the names of quantities, in characters


NAMED_ONLY = "Imposed numbers and checks of the program that surely pass:"  # named on a page
_COUNTED = {
    "independent": "Independent numbers, which alone test the model",
    "calibrated": "Calibrated numbers, to which settings were fitted",
    "imposed": "Imposed numbers, which are inputs or follow from them",
    "verification": "Checks of the program",
    "": "Numbers without a label",
}
"""Lines of the summary, by the values of `memopolis.analysis.facts.basis.Basis`."""


class Verdict(StrEnum):
    """Whether a quantity is within its tolerance."""

    SURELY = "surely"  # the whole interval is within
    ON_AVERAGE = "on average"  # the mean is within; the interval crosses the bound
    NO = "NO"  # the mean is outside
    NOT_MEASURED = "NOT MEASURED"  # no seed has a value

    @property
    def passes(self) -> bool:
        """Whether the check passes."""
        return self in (Verdict.SURELY, Verdict.ON_AVERAGE)


@dataclass(frozen=True)
class Check:
    """A check of one number: its description, verdict, and what it is evidence of (see `Basis`)."""

    what: str
    verdict: Verdict
    basis: str = "verification"


@dataclass(frozen=True)
class Section:
    """A table with title, caption and verdicts."""

    name: str  # name of its CSV file, without extension
    title: str  # title of the table
    caption: str  # explanation, in sentences
    head: tuple[str, ...]  # column headings
    rows: tuple[tuple[str, ...], ...]  # formatted cells
    frame: pd.DataFrame  # unformatted values
    checks: tuple[Check, ...]
    note: str = ""  # how to read this table and similar ones; a page has it once
    page: str = ""  # what a page shows in place of the whole table; empty for the table

    @property
    def on_page(self) -> bool:
        """Whether a page shows it: a table without checks is printed only."""
        return bool(self.checks or self.page)

    @property
    def markdown(self) -> str:
        """The title, caption and table in Markdown."""
        shown = self.page or markdown_table(self.head, self.rows)
        return f"### {self.title}\n\n{self.caption}\n\n{shown}\n"

    def print(self, console: Console) -> None:
        """Print the table and, below it, the caption."""
        shown = table(self.title, *self.head, numbers=tuple(_NUMBERS))
        shown.pad_edge = False
        for column in shown.columns:
            column.no_wrap = column.no_wrap or column.header in _WHOLE
            column.min_width = _QUANTITY_WIDTH if column.header == "quantity" else None
        for row in self.rows:
            shown.add_row(*(_marked(cell) for cell in row))
        console.print(shown)
        console.print(escape(f"{self.caption} {self.note}".rstrip()) + "\n", style="dim")

    def write(self, folder: Path) -> None:
        """Write the numbers as a CSV file."""
        self.frame.to_csv(folder / f"{self.name}.csv", index=False)


def judged_section(name: str, title: str, caption: str, frame: pd.DataFrame) -> Section:
    """Return a section for a table of facts, such as from `judge_facts`."""
    rows: list[tuple[str, ...]] = []
    checks: list[Check] = []
    for row in frame.to_dict("records"):
        verdict = _verdict(row)
        if verdict is not None:
            checks.append(Check(f"{row['fact']} {row['what']}", verdict, str(row["basis"])))
        rows.append(
            (
                str(row["fact"]),
                str(row["what"]),
                "" if verdict is None else str(row["basis"]),
                _number(row["mean"], row["unit"]),
                _interval(row, row["unit"]),
                str(row["tolerance"]),
                _held(row),
                "" if verdict is None else str(verdict),
            )
        )
    return Section(
        name, title, caption, _JUDGED, tuple(rows), frame, tuple(checks), page=judged_page(rows)
    )


def compared_section(
    name: str, title: str, caption: str, frame: pd.DataFrame, *, against: str | None = None
) -> Section:
    """Return a section for a table of differences, such as from `recall_table`."""
    rows = tuple(
        (
            str(row["against"]),
            str(row["outcome"]),
            f"{row['scored']:.3f}",
            f"{row['other']:.3f}",
            f"{row['difference']:+.3f}",
            f"{row['low']:+.3f} to {row['high']:+.3f}",
            "yes" if row["excludes_zero"] else "no",
        )
        for row in frame.to_dict("records")
    )
    page = compared_page(rows)
    if against is None:
        return Section(name, title, caption, _COMPARED, rows, frame, (), page=page)
    differs = frame.loc[frame["against"] == against, "excludes_zero"]
    verdict = Verdict.SURELY if differs.any() else Verdict.NO
    check = f"at least one interval against {against} excludes 0"
    text = f"{caption} Check: {check}: {differs.sum()} of {len(differs)} do."
    checks = (Check(check, verdict),)
    return Section(name, title, text, _COMPARED, rows, frame, checks, page=page)


def judged_page(rows: Sequence[Sequence[str]]) -> str:
    """Format facts for a page: a table of those that are judged and test a prediction.

    Those that surely pass and test none, and those without a tolerance, are listed below it.
    """
    shown = []
    passed, listed = dict[str, list[str]](), dict[str, list[str]]()
    for fact, what, basis, mean, interval, tolerance, _, passes in rows:
        if not passes:
            listed.setdefault(fact, []).append(f"{what} {mean} ({interval})")
        elif basis in (Basis.IMPOSED, Basis.VERIFICATION) and passes == Verdict.SURELY:
            passed.setdefault(fact, []).append(f"{what} ({mean})")
        else:
            shown.append((fact, what, basis, f"{mean} ({interval})", tolerance, passes))
    parts = [markdown_table(_JUDGED_PAGE, shown)] if shown else []
    parts += [_listed(NAMED_ONLY, passed)] if passed else []
    parts += [_listed("Without a tolerance:", listed)] if listed else []
    return "\n\n".join(parts)


def _listed(label: str, names: Mapping[str, Sequence[str]]) -> str:
    return " ".join([label, *(f"**{group}** {'; '.join(names[group])}." for group in names)])


def compared_page(rows: Sequence[Sequence[str]]) -> str:
    """Format a table of differences for a page; outcomes without a clear one are only named."""
    shown, same = [], dict[str, list[str]]()
    for against, outcome, scored, other, difference, interval, differs in rows:
        if differs == "yes":
            shown.append((against, outcome, scored, other, f"{difference} ({interval})"))
        else:
            same.setdefault(against, []).append(outcome)
    parts = [markdown_table(_COMPARED_PAGE, shown)] if shown else []
    if same:
        parts.append(_listed("The interval contains 0 against:", same))
    return "\n\n".join(parts)


def summary_of(sections: Sequence[Section], named: Sequence[Verdict] = tuple(Verdict)) -> list[str]:
    """Count the checks that pass, by what they are evidence of; list those with verdicts `named`.

    Checks that surely pass are never listed.
    """
    checks = [check for section in sections for check in section.checks]
    lines = []
    for basis, label in _COUNTED.items():
        own = [check.verdict.passes for check in checks if check.basis == basis]
        if own:
            lines.append(f"{label}: {sum(own)} of {len(own)} pass.")
    labels = {
        Verdict.NO: "Fail",
        Verdict.NOT_MEASURED: "Not measured",
        Verdict.ON_AVERAGE: "Pass on average, but the interval crosses the bound",
    }
    for verdict, label in labels.items():
        listed = [check.what for check in checks if check.verdict is verdict]
        if listed and verdict in named:
            lines.append(f"{label}: {'; '.join(listed)}.")
    return lines


def all_pass(sections: Sequence[Section]) -> bool:
    """Return whether every check of every section passes."""
    return all(check.verdict.passes for section in sections for check in section.checks)


def _verdict(row: dict[Any, Any]) -> Verdict | None:
    """Return None for a quantity without tolerance, which is listed for information."""
    if not row["tolerance"]:
        return None
    if not row["seeds"]:
        return Verdict.NOT_MEASURED
    if not row["holds"]:
        return Verdict.NO
    return Verdict.SURELY if row["surely"] else Verdict.ON_AVERAGE


def _held(row: dict[Any, Any]) -> str:
    """Return how many seeds pass, of those that have a value."""
    if not row["tolerance"]:
        return ""
    return f"{round(row['held'] * row['seeds'])}/{row['seeds']}" if row["seeds"] else "0/0"


def _number(number: float, unit: str) -> str:
    return "-" if number != number else format_number(number, unit)  # noqa: PLR0124 - not a number


def _interval(row: dict[Any, Any], unit: str) -> str:
    low, high = (_number(row[end], unit).removesuffix(unit).strip() for end in ("low", "high"))
    return f"{low} to {high}"


def _marked(cell: str) -> str:
    style = {Verdict.NO: "bold red", Verdict.NOT_MEASURED: "bold red", Verdict.ON_AVERAGE: "yellow"}
    mark = next((mark for verdict, mark in style.items() if cell == verdict), "")
    return f"[{mark}]{escape(cell)}[/]" if mark else escape(cell)
