"""Summarize a run in a few numbers."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from memopolis.analysis.facts.clearing import describe_clearance
from memopolis.analysis.labels import SCORE, date_form, is_share, plural, scaled, short, words
from memopolis.analysis.run.run import Run
from memopolis.analysis.run.tables import table_length


def summary(run: Run) -> list[tuple[str, str]]:
    """Return headline numbers of a run of any scenario: rows of label and value, ready to print."""
    rows = [("Agents", _agents(run)), ("Simulated time", _span(run))]
    rows += _facts(run)
    rows += _measures(run)
    if clearance := describe_clearance(run):
        rows.append(("Clearance", clearance))
    for table, label in (("memories", "Memories written"), ("decisions", "Decisions")):
        if table in run.tables:
            rows.append((label, f"{table_length(run.folder, table):,}"))
    rows += minds(run.manifest["mind"])
    if "seconds" in run.timings:
        rows.append(("Computing time", f"{run.timings['seconds']:.1f} s"))
    if run.status != "succeeded":
        rows.append(("Status", run.status))
    return rows


def minds(facts: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return rows of label and value for each mind of a run that calls a model; none for rules.

    Several minds are a list under "minds" in the entry `mind` of the manifest.
    """
    if "minds" in facts:
        return [row for fact in facts["minds"] for row in minds(fact)]
    if "calls" not in facts:
        return []
    spent = ", ".join(f"{facts[name]:,} {label}" for name, label in _SPENT.items())
    rows = [("Model", f"{facts.get('model') or 'unnamed'}: {spent}")]
    if "groups" in facts and "answers" in facts:
        groups = f"{facts['groups']:,} for {facts['answers']:,} answers"
        rows.append(("Groups asked", f"{groups} ({facts.get('groups_per_answer', '')})"))
    if facts["failed"] or facts["fallbacks"]:
        missed = f"{facts['failed']:,} calls, {facts['fallbacks']:,} answers by the rule instead"
        if facts.get("fault"):
            missed += f"; most often, {facts['fault']}"
        rows.append(("Model without answer", missed))
    if facts.get("budget") == "reached":
        rows.append(("Budget of the model", f"reached: {facts['unsent']:,} calls were not made"))
    return rows


_LABELS = {
    "announced": "Order announced",
    "ordered": "Order in force",
    "nearest": "Closest pass",
    "lifted": "Orders lifted",
}
"""Labels of facts whose names are not self-explanatory, in the order of the summary."""

_SPENT = {"calls": "calls", "tokens_in": "tokens in", "tokens_out": "out"}


def _agents(run: Run) -> str:
    return ", ".join(
        f"{count:,} {plural(name) if count != 1 else name.replace('_', ' ')}"
        for name, count in run.manifest["living"].items()
    )


def _span(run: Run) -> str:
    return f"{run.start:%d %b %Y %H:%M} to {run.end:%d %b %Y %H:%M}"


def _facts(run: Run) -> list[tuple[str, str]]:
    """Return the facts that the scenario states, such as its place and dates."""
    facts = {name: value for name, value in run.facts.items() if value and isinstance(value, str)}
    first = [name for name in facts if name not in _LABELS]
    rest = [name for name in _LABELS if name in facts]
    return [(_LABELS.get(n, words(n)), _readable(facts[n], run.hours)) for n in (*first, *rest)]


def _readable(text: str, hours: float) -> str:
    try:
        when = pd.Timestamp(text)
    except ValueError:
        return text[:1].upper() + text[1:]
    return f"{when:%a %d %b %Y %H:%M}" if hours < 24 else f"{when:%d %b %Y}"


def _measures(run: Run) -> list[tuple[str, str]]:
    """Summarize each charted measure: totals of flows, final shares, start and end of scores."""
    rows = []
    for declared in run.manifest["measures"]:
        name = declared["name"]
        if name not in run.measured or not declared["chart"]:
            continue
        series = run.measure(name).dropna()
        if series.empty:
            continue
        scale, unit = scaled(declared["unit"])
        if declared["of"] == "sum":
            text = f"{scale * series.sum():,.0f} {unit} in all"
        else:
            text = _shares(run, name) if is_share(declared) else _path(run, scale * series, unit)
        rows.append((words(name), text))
    return rows


def _path(run: Run, series: pd.Series, unit: str) -> str:
    first, last, peak = (short(value) for value in (series.iloc[0], series.iloc[-1], series.max()))
    when = pd.DatetimeIndex(series.index)[int(series.argmax())].strftime(date_form(run.hours))
    behind = f" {unit}" if unit not in {"", SCORE} else ""
    return f"{first} at first, {peak} at most ({when}), {last}{behind} at the end"


def _shares(run: Run, name: str) -> str:
    groups = [group for group in run.groups(name) if group]
    at_end = f"{run.measure(name).iloc[-1]:.1%} at the end"
    if not groups or run.measure(name).max() == 0:
        return at_end
    by_group = ", ".join(f"{g} {run.measure(name, g).iloc[-1]:.1%}" for g in groups)
    return f"{at_end} ({by_group})"
