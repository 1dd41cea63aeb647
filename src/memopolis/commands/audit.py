"""`memopolis audit`: compare the answers of groups of agents with those of their members."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from memopolis.analysis.compare.answers import STATISTICS, compare_answers, summarize_answers
from memopolis.analysis.compare.intervals import check_confidence
from memopolis.commands.options.studies import AuditOptions
from memopolis.commands.run import check_folder, settings_and_seed
from memopolis.commands.running import watch
from memopolis.commands.terminal import (
    building,
    free_folder,
    markdown_table,
    print_line,
    print_table,
    stderr_console,
)
from memopolis.sim.errors import ParameterError
from memopolis.sim.mind.audit import INDIVIDUAL, METHODS, Audit
from memopolis.sim.scenario_names import find_scenario

_ANSWERS = ("question", "method", "asked", "valid", "mean", "spread", "most frequent")
_DISTANCES = ("question", "method", "pairs", "JS distance", "same", "off", "mean", "spread")
_WIDTH = 150  # width at which no interval wraps, in characters
_CALLS = ("method", "model", "calls", "tokens in", "tokens out", "USD", "seconds")


def audit_scenario(options: AuditOptions) -> None:
    """Run a scenario with the archetype mind, audit a sample, print and write the tables.

    The tables are also written if the run is stopped or fails.
    """
    check_confidence(options.confidence)
    scenario = find_scenario(options.scenario)
    settings, seed = settings_and_seed(scenario, options)
    check_folder(options.out)
    with building(stderr_console(), settings.agents):
        society = scenario(settings, rng=seed)
    society.mind.close()
    society.mind = audit = Audit(society, sample=options.sample)
    base = Path("runs", f"audit-{scenario.__name__.lower()}-{society.seed}")
    folder = free_folder(base) if options.out is None else options.out
    try:
        watch(
            folder / "run",
            lambda listen: society.run(folder / "run", progress=listen),
            advice="an audit cannot be resumed; the tables contain its answers so far",
        )
    finally:
        if audit.answers:
            _show(audit, folder, options.confidence)
    if not audit.answers:
        raise ParameterError(
            "nothing was audited: no agent of the sample was asked for a rating or a choice by "
            "the model; use more agents, more days or a larger --sample"
        )


def _show(audit: Audit, folder: Path, confidence: float) -> None:
    """Print the tables, and write them as CSV and Markdown, with every answer."""
    answers = pd.DataFrame(audit.answers)
    others = [method for method in METHODS if method != INDIVIDUAL]
    tables = {
        "answers": answers,
        "methods": summarize_answers(answers, METHODS),
        "distances": compare_answers(answers, others, confidence=confidence),
        "calls": pd.DataFrame(audit.costs()),
    }
    for name, frame in tables.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
    distance = f"Distance from individual answers, {confidence:.0%} intervals over agents"
    shown = {
        ("Answers", _ANSWERS): _rows(tables["methods"], _method_cells),
        (distance, _DISTANCES): _rows(tables["distances"], _distance_cells),
        ("Calls", _CALLS): _rows(tables["calls"], _call_cells),
    }
    for (title, head), rows in shown.items():
        if head is _CALLS:
            print_table(title, head, rows, numbers=head[2:])
            continue
        for question in dict.fromkeys(row[0] for row in rows):
            own = [row[1:] for row in rows if row[0] == question]
            # Columns of intervals are not aligned as numbers, so that they wrap if need be.
            numbers = head[2:3] if head is _DISTANCES else head[2:]
            print_table(f"{title}: {question}", head[1:], own, numbers=numbers, width=_WIDTH)
    page = (f"{title}:\n\n{markdown_table(head, rows)}\n" for (title, head), rows in shown.items())
    (folder / "audit.md").write_text("\n".join(page), encoding="utf-8")
    print_line(f"Tables  {folder}")


def _rows(frame: pd.DataFrame, cells: Any) -> list[tuple[str, ...]]:
    return [cells(row) for row in frame.to_dict("records")]


def _method_cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    usual = f"{row['most_frequent']} ({row['share']:.0%})" if row["valid"] else "-"
    numbers = (_number(row["mean"]), _number(row["spread"]))
    return (
        row["question"],
        row["method"],
        f"{row['asked']:,}",
        f"{row['valid']:.0%}",
        *numbers,
        usual,
    )


def _distance_cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    cells = (_with_interval(row, name) for name in STATISTICS)
    return row["question"], row["method"], f"{row['pairs']:,}", *cells


def _call_cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    counts = (f"{row[name]:,}" for name in ("calls", "tokens_in", "tokens_out"))
    price = row["dollars"]
    # pandas makes a missing price NaN if another is known.
    known = "unknown" if price is None or price != price else f"{price:,.4f}"  # noqa: PLR0124
    return row["method"], row["model"], *counts, known, f"{row['seconds']:,.0f}"


def _with_interval(row: Mapping[str, Any], name: str) -> str:
    signed = name.endswith("difference")
    value, *ends = (_number(row[f"{name}{end}"], signed=signed) for end in ("", "_low", "_high"))
    return "-" if value == "-" else f"{value} ({ends[0]} to {ends[1]})"


def _number(value: float, *, signed: bool = False) -> str:
    if value != value:  # noqa: PLR0124 - not a number
        return "-"
    return f"{value:+.2f}" if signed else f"{value:.2f}"
