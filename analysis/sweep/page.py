"""Write the report of a sweep: one HTML file with points, main effects, figures, failures."""

import json
import math
from collections.abc import Iterator
from html import escape
from pathlib import Path

from memopolis.analysis.labels import short
from memopolis.analysis.report.html import figure_html, rows_html, section, write_page
from memopolis.analysis.sweep.results import SweepResults
from memopolis.analysis.sweep.sensitivity import METHODS

type Rows = tuple[tuple[str, ...], list[tuple[str, ...]]]
"""Heads of the columns of a table, and the cells of its rows."""

MOST_ROWS = 200  # maximum number of rows of a table; runs.csv has all
_MOST_FIGURES = 12

_SEEDS = {
    "paired": "all points share the seeds of their replications, and so random draws",
    "independent": "each run has its own seed",
}


def write_sweep(results: SweepResults) -> Path:
    """Write the report of a sweep, finished or not, into its folder; return the path of sweep.html.

    Raises RunFolderError if it cannot be written.
    """
    parts = [_intro(results), section("Points", _points(results))]
    effects = _effects(results)
    if effects:
        parts.append(section("Main effects", effects))
    figures = "".join(_figures(results))
    if figures:
        parts.append(section("Figures", figures))
    design = escape(json.dumps(results.design.to_dict(), indent=1))
    parts += [_failures(results), section("Design", f"<pre>{design}</pre>")]
    title = f"{results.kept.title}: {', '.join(results.factors) or 'one point'}"
    return write_page(results.folder / "sweep.html", title, "\n".join(filter(None, parts)))


def _intro(results: SweepResults) -> str:
    design, runs = results.design, results.runs
    counts = ", ".join(f"{n:,} {status}" for status, n in runs["status"].value_counts().items())
    facts = (
        f"{len(results.kept.points):,} points ({design.sampling}) by {design.replications} "
        f"replications: {counts}. {_SEEDS[design.seeds].capitalize()}. Intervals are Student's t "
        f"over replications at {results.confidence:.0%}."
    )
    method = METHODS.get(design.sampling)
    more = f" Sensitivity indices: memopolis sensitivity {results.folder}" if method else ""
    return f"<p>{escape(facts + more)}</p>"


def point_rows(results: SweepResults, most: int) -> Rows:
    """Return heads and at most a number of rows of the table of points."""
    first = len(results.factors) + 2
    interval = f"{results.confidence:.0%} interval"
    return ("point", *results.factors, "outcome", "mean", interval, "runs"), [
        (*map(_cell, row[:first]), *_over_runs(*row[first : first + 3]), str(row[-1]))
        for row in results.points.head(most).to_numpy().tolist()
    ]


def effect_rows(results: SweepResults, most: int) -> Rows:
    """Return heads and at most a number of rows of the table of main effects."""
    interval = f"{results.confidence:.0%} interval"
    return ("factor", "level", "outcome", "difference", interval, "replications"), [
        (factor, f"{level} minus {first}", outcome, *_over_runs(*ends), str(replications))
        for factor, first, level, outcome, *ends, replications in (
            results.effects().head(most).to_numpy().tolist()
        )
    ]


def _points(results: SweepResults) -> str:
    head, rows = point_rows(results, MOST_ROWS)
    more = len(results.points) - MOST_ROWS
    facts = f"<p>{more:,} more rows: load_sweep(...).points</p>" if more > 0 else ""
    return rows_html(rows, head=head) + facts


def _effects(results: SweepResults) -> str:
    head, rows = effect_rows(results, MOST_ROWS)
    facts = "<p>Mean difference from the first level of the factor, other factors held equal.</p>"
    return facts + rows_html(rows, head=head) if rows else ""


def _over_runs(mean: float, low: float, high: float) -> tuple[str, str]:
    return short(mean), "-" if math.isnan(low) else f"{short(low)} to {short(high)}"


def _cell(value: object) -> str:
    return short(value) if isinstance(value, float) else str(value)


def _figures(results: SweepResults) -> Iterator[str]:
    from memopolis.analysis.figures.sweep import outcome_by_factor

    if not results.factors:
        return
    present = results.points.dropna(subset=["mean"])["outcome"].unique()
    for outcome in present[:_MOST_FIGURES]:
        yield figure_html(outcome_by_factor(results, outcome), f"{outcome} by factor")


def _failures(results: SweepResults) -> str:
    failed = results.runs[results.runs["status"] == "failed"]
    if failed.empty:
        return ""
    rows = [
        tuple(map(str, row))
        for row in failed[["point", "seed", "error", "traceback"]].head(MOST_ROWS).to_numpy()
    ]
    facts = f"<p>{len(failed):,} runs failed; --retry-failed repeats them.</p>"
    return section(
        "Failures", facts + rows_html(rows, head=("point", "seed", "error", "traceback"))
    )
