"""Measure retrieval recall on two test sets of this project.

    python benchmarks/quality.py [--markdown FILE] [--quick]
    python benchmarks/quality.py --locomo PATH | --longmemeval PATH | --beam PATH [--quick]
                                 [--answers MODEL]

The test sets are four long conversations of two friends (`quality_talks.py`) and eight people of a
small town (`quality_material.py`). Prints comparisons of methods, and for each test set the share
of the evidence among the best 5, 10 and 20 memories by method, by form of the texts, by kind of
question, by words shared with the evidence and by stream, and how well the best sentence of a
context answers, by policy. `--quick` skips everything that needs the sentence model.

The second form measures your own copy of a public benchmark; see docs/public-benchmarks.md.
"""

# ruff: noqa: E402 - libraries read these when they are imported
import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from public_answers import Answers
from public_benchmarks import READERS, public_report
from quality_contexts import contexts
from quality_material import town
from quality_measured import measure
from quality_pages import Section, Table, page, printed
from quality_tables import better_forms, claims_table, tables
from quality_talks import talks

from memopolis.sim.errors import MemopolisError
from memopolis.sim.mind.openai_client import OpenAIClient
from memopolis.sim.model_server.key import PUBLIC


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
    options = _parser().parse_args(arguments)
    for name in READERS:
        path = getattr(options, name)
        if path is not None:
            print(_public(name, path, options))
            return
    claims, sections = measured(model=not options.quick)
    print(printed(claims, sections))
    if options.markdown is not None:
        top = options.markdown.read_text(encoding="utf-8") if options.markdown.exists() else ""
        options.markdown.write_text(page(top, claims, sections), encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--markdown", type=Path, help="file to write the page to")
    parser.add_argument("--quick", action="store_true", help="leave out the sentence model")
    files = parser.add_mutually_exclusive_group()
    files.add_argument("--locomo", type=Path, help="your copy of locomo10.json")
    files.add_argument("--longmemeval", type=Path, help="your copy of longmemeval_s.json")
    files.add_argument("--beam", type=Path, help="your copy of BEAM as a JSON list")
    parser.add_argument("--entries", type=count, help="read only so many entries of the file")
    parser.add_argument("--answers", metavar="MODEL", help="model that writes answers")
    parser.add_argument(
        "--server",
        default=PUBLIC,
        help="OpenAI-compatible server of the model (default: %(default)s)",
    )
    parser.add_argument(
        "--memories", type=count, default=20, help="memories in a prompt (default: %(default)s)"
    )
    parser.add_argument(
        "--in-flight", type=count, default=4, help="simultaneous requests (default: %(default)s)"
    )
    return parser


def count(text: str) -> int:
    """Read a whole number of at least 1."""
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def _public(name: str, path: Path, options: argparse.Namespace) -> str:
    """Measure a public benchmark; what is wrong with it ends the program with one line."""
    try:
        answers = None
        if options.answers:
            client = OpenAIClient(
                options.answers, base_url=options.server, in_flight=options.in_flight
            )
            answers = Answers(client, options.memories)
        return public_report(
            name, path, model=not options.quick, most=options.entries, answers=answers
        )
    except MemopolisError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
