"""Write the report of a comparison of arms: one HTML file with tables, figures and commands."""

import math
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memopolis.analysis.compare.arms import Comparison
from memopolis.analysis.labels import is_share, scaled, short
from memopolis.analysis.report.html import figure_html, rows_html, section, write_page
from memopolis.analysis.report.report import command
from memopolis.sim.outcomes import Outcome

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HEAD = ("outcome", "arm", "mean", "interval", "difference", "interval", "excl. 0", "effect")
"""Columns of the table for readers."""
EFFECTS = ("outcome", "arm", "bootstrap interval", "effect size g", "has more in")
"""Columns of the table of effects."""

CALLS = ("arm", "model", "calls", "failed", "by rule", "tokens in", "tokens out", "USD", "seconds")
"""Columns of the table of model calls."""

_NOTE = (
    "All arms share their random seeds, and so their people and random draws. Differences are arm "
    "minus reference, paired by seed. Intervals are Student's t over seeds. One 95% interval in "
    "twenty misses the true value, so with many outcomes some exclude 0 by chance. The effect is "
    "Hedges' g of pairs: the mean difference in standard deviations of the differences."
)
_EFFECTS = (
    "<p>For the same differences: the bootstrap interval (BCa, 9,999 resamples), which assumes no "
    "distribution but is too narrow with few seeds; the effect size; and the share of seeds in "
    "which the arm has more than the reference, ties counting half.</p>"
)


def write_comparison(comparison: Comparison) -> Path:
    """Write tables and report of a comparison into its folder; return the path of compare.html.

    The folder gets compare.csv (per outcome and arm), values.csv (per run and outcome),
    calls.csv (per arm) if a model was called, and compare.html.
    """
    comparison.table.to_csv(comparison.folder / "compare.csv", index=False)
    comparison.values.to_csv(comparison.folder / "values.csv", index=False)
    calls = calls_of(comparison)
    if calls:
        comparison.model_calls.to_csv(comparison.folder / "calls.csv", index=False)
    run = comparison.runs[comparison.arms[0]][0]
    title = f"{run.title}: {', '.join(comparison.arms)}"
    figures = "".join(figure_html(figure, caption) for figure, caption in _figures(comparison))
    shown = rows_html(rows_of(comparison), head=HEAD)
    intro = (
        f"<p>{len(comparison.seeds)} seeds ({_seeds(comparison.seeds)}); the reference is "
        f"<b>{escape(comparison.arms[0])}</b>. {escape(_NOTE)}</p>"
    )
    parts = (
        intro,
        section("Outcomes", shown),
        section("Model calls, means per run", rows_html(calls, head=CALLS)) if calls else "",
        section("Effects", _EFFECTS + rows_html(effects_of(comparison), head=EFFECTS)),
        section("Figures", figures),
        _arms(comparison),
    )
    return write_page(comparison.folder / "compare.html", title, "\n".join(parts))


def rows_of(comparison: Comparison) -> list[tuple[str, ...]]:
    """Return the printed table: one row per outcome and arm, in readers' units."""
    return [_cells(*record) for record in _records(comparison)]


def effects_of(comparison: Comparison) -> list[tuple[str, ...]]:
    """Return bootstrap intervals and effect sizes per outcome and arm, except the reference."""
    rows: list[tuple[str, ...]] = []
    for row, outcome, measure in _records(comparison):
        if row["arm"] == row["reference"]:
            continue
        percent = is_share(measure) and outcome.way != "sum"
        scale, unit = scaled(measure["unit"])[0], "pp" if percent else ""
        drawn = _range(scale, row, ("boot_low", "boot_high"), unit)
        more = "-" if math.isnan(row["superiority"]) else f"{row['superiority']:.0%} of seeds"
        rows.append((outcome.name, row["arm"], drawn, _effect(row["effect_size"]), more))
    return rows


def calls_of(comparison: Comparison) -> list[tuple[str, ...]]:
    """Return the use of models per arm, means per run; no rows if no arm calls one."""
    return [
        (
            *(row["arm"], row["model"]),
            *(f"{row[name]:,.0f}" for name in ("calls", "failed", "fallbacks")),
            *(f"{row[name]:,.0f}" for name in ("tokens_in", "tokens_out")),
            "unknown" if math.isnan(row["dollars"]) else f"{row['dollars']:,.4f}",
            short(row["seconds"]),
        )
        for row in comparison.model_calls.to_dict("records")
    ]


def _records(
    comparison: Comparison,
) -> Iterator[tuple[Mapping[Any, Any], Outcome, Mapping[str, Any]]]:
    """Yield the rows of the comparison's table with outcome and measure."""
    run = comparison.runs[comparison.arms[0]][0]
    declared = {measure["name"]: measure for measure in run.manifest["measures"]}
    outcomes = {declared.name: declared for declared in comparison.outcomes}
    for row in comparison.table.to_dict("records"):
        outcome = outcomes[row["outcome"]]
        yield row, outcome, declared[outcome.measure]


def _effect(size: float) -> str:
    """Format an effect size; "always" if all seeds have the same difference."""
    if math.isnan(size):
        return "-"
    return f"{size:+.2f}" if abs(size) < float("inf") else "always"


def _cells(row: Mapping[Any, Any], outcome: Outcome, measure: Mapping[str, Any]) -> tuple[str, ...]:
    scale, unit = scaled(measure["unit"])
    is_percent = is_share(measure) and outcome.way != "sum"
    percent, points = ("%", "pp") if is_percent else ("", "")
    levels = (_number(scale * row["mean"], percent), _range(scale, row, ("low", "high"), percent))
    if row["arm"] == row["reference"]:
        unit = "" if is_percent or unit == outcome.measure else unit
        name = ", ".join(filter(None, (outcome.name, unit)))
        return name, row["arm"], *levels, "", "", "", ""
    difference = _signed(scale * row["difference"], points)
    ends = _range(scale, row, ("diff_low", "diff_high"), points)
    excludes = "yes" if row["diff_low"] > 0 or row["diff_high"] < 0 else "no"
    return "", row["arm"], *levels, difference, ends, excludes, _effect(row["effect_size"])


def _figures(comparison: Comparison) -> "Iterator[tuple[Figure, str]]":
    from memopolis.analysis.figures.arms import outcomes_by_arm, path_by_arm
    from memopolis.analysis.figures.opinions import distributions_by_arm

    yield outcomes_by_arm(comparison), "Outcomes of every run by arm"
    every = (run for runs in comparison.runs.values() for run in runs)
    if all(run.has("agents_citizen", "party", "attitude.gun_control") for run in every):
        yield distributions_by_arm(comparison.runs), "Opinions over time by arm and party"
    for measure, group in dict.fromkeys(
        (outcome.measure, outcome.group) for outcome in comparison.outcomes
    ):
        yield path_by_arm(comparison, measure, group), f"{measure} by arm"


def _arms(comparison: Comparison) -> str:
    """Return how to reproduce each arm."""
    parts = [
        f"<details><summary>{escape(arm)}</summary><pre>{escape(command(runs[0]))}</pre></details>"
        for arm, runs in comparison.runs.items()
    ]
    intro = "<p>The first run of each arm, with every setting:</p>"
    return section("How to reproduce the runs", intro + "".join(parts))


def _seeds(seeds: list[int]) -> str:
    whole = seeds == list(range(seeds[0], seeds[-1] + 1))
    return f"{seeds[0]} to {seeds[-1]}" if whole else ", ".join(map(str, seeds))


def _number(value: float, unit: str) -> str:
    """Format a number; with "%" or "pp" it is a share."""
    if value != value:  # noqa: PLR0124 - not a number
        return "-"
    return f"{100 * value:.2f}{'%' if unit == '%' else ' pp'}" if unit else short(value)


def _signed(value: float, unit: str) -> str:
    text = _number(abs(value), unit)
    return text if text == "-" or value == 0 else f"{'-' if value < 0 else '+'}{text}"


def _range(scale: float, row: Mapping[Any, Any], ends: tuple[str, str], unit: str) -> str:
    least, most = (_number(scale * row[end], unit) for end in ends)
    return f"{least.removesuffix(' pp')} to {most}"
