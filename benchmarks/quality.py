"""Measure retrieval recall on two test sets of this project.

    python benchmarks/quality.py [--markdown FILE] [--quick]

The test sets are four long conversations of two friends (`quality_talks.py`) and eight people of a
small town (`quality_material.py`). Prints comparisons of methods, and for each test set the share
of the evidence among the best 5, 10 and 20 memories by method, by form of the texts, by kind of
question, by words shared with the evidence and by stream, and how well the best sentence of a
context answers, by policy. `--quick` skips everything that needs the sentence model.
"""

# ruff: noqa: E402 - libraries read these when they are imported
import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import argparse
from collections.abc import Sequence
from pathlib import Path

from quality_contexts import contexts
from quality_material import town
from quality_measured import measure
from quality_pages import Section, Table, page, printed
from quality_tables import better_forms, claims_table, tables
from quality_talks import talks


def measured(*, model: bool = True) -> tuple[Table, list[Section]]:
    """Measure both test sets and print all tables."""
    results = [measure(material, model=model) for material in (talks(), town())]
    sections = [
        Section(one.material, better_forms(one), [*tables(one), contexts(one.material)])
        for one in results
    ]
    return claims_table(results), sections


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables, or write them as a page of the documentation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--markdown", type=Path, help="file to write the page to")
    parser.add_argument("--quick", action="store_true", help="leave out the sentence model")
    options = parser.parse_args(arguments)
    claims, sections = measured(model=not options.quick)
    print(printed(claims, sections))
    if options.markdown is not None:
        options.markdown.write_text(page(claims, sections), encoding="utf-8")


if __name__ == "__main__":
    main()
