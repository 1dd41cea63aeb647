"""Labels of facts: what a number that passes is evidence of."""

import csv
import re
from pathlib import Path

import memopolis.analysis.facts.basis
from memopolis.analysis.facts.basis import Basis, basis_of
from memopolis.commands.sections import NAMED_ONLY, Verdict

TABLE = Path(memopolis.analysis.facts.basis.__file__).with_name("basis.csv")
PAGE = Path(__file__).parents[3] / "docs" / "validation.md"


def rows() -> list[dict[str, str]]:
    with TABLE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_a_row_for_one_number_precedes_that_of_its_fact() -> None:
    assert basis_of("cut", "like-minded share of what is read, cut minus control") == "imposed"
    assert basis_of("cut", "party gap, cut minus control") == "independent"
    assert basis_of("made up", "anything") is Basis.NONE


def test_each_label_but_independent_has_a_reason() -> None:
    for row in rows():
        assert bool(row["reason"]) == (row["basis"] != "independent"), row


def test_each_judged_number_of_the_published_page_has_a_label_and_each_row_a_number() -> None:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    numbers = {(row[0], row[1]) for row in cells if len(row) == 6 and row[-1] in set(Verdict)}
    numbers |= {
        (fact, what.rpartition(" (")[0])
        for line in lines
        if line.startswith(NAMED_ONLY)
        for fact, names in re.findall(r"\*\*(.+?)\*\* (.+?)\.(?= \*\*|$)", line)
        for what in names.split("; ")
    }
    assert len(numbers) > 80
    for fact, what in numbers:
        assert basis_of(fact, what.replace("\\|", "|")) is not Basis.NONE, (fact, what)
    for row in rows():
        known = {what for fact, what in numbers if fact == row["fact"]}
        assert row["what"] in known if row["what"] else known, row
