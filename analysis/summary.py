"""The few numbers that say what a run came to."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from memopolis.analysis.tables import table_length

if TYPE_CHECKING:
    from memopolis.analysis.load import Run


def summary(run: "Run") -> list[tuple[str, str]]:
    """Headline numbers of a run, of any scenario.

    Args:
        run: A run.

    Returns:
        Rows of label and value, ready to print.
    """
    rows = [("Agents", _agents(run)), ("Simulated time", _span(run))]
    facts = run.facts
    for fact, label in (
        ("place", "Place"),
        ("storm", "Storm"),
        ("announced", "Order announced"),
        ("ordered", "Order in force"),
        ("nearest", "Closest pass"),
        ("lifted", "Orders lifted"),
    ):
        if facts.get(fact):
            rows.append((label, _readable(str(facts[fact]))))
    rows += _measures(run)
    for table, label in (("memories", "Memories written"), ("decisions", "Decisions")):
        if table in run.tables:
            rows.append((label, f"{table_length(run.folder, table):,}"))
    rows += minds(run.manifest.get("mind", {}))
    if "seconds" in run.timings:
        rows.append(("Computing time", f"{run.timings['seconds']:.1f} s"))
    if run.status != "finished":
        rows.append(("Status", run.status))
    return rows


def minds(facts: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What the minds of a run tell of themselves, a few rows for each that asks a model.

    Args:
        facts: As the manifest keeps them; of several minds a list under "minds".

    Returns:
        Rows of label and value; none for a run by rule.
    """
    if "minds" in facts:
        return [row for one in facts["minds"] for row in minds(one)]
    if "calls" not in facts:
        return []
    spent = ", ".join(f"{facts[name]:,} {label}" for name, label in _SPENT.items())
    rows = [("Model", f"{facts['model'] or 'unnamed'}: {spent}")]
    if "groups" in facts:
        told = f"{facts['groups']:,} for {facts['answers']:,} answers"
        rows.append(("Groups asked", f"{told} ({facts['groups_per_answer']})"))
    if facts["failed"] or facts["fallbacks"]:
        missed = f"{facts['failed']:,} calls, {facts['fallbacks']:,} answers by the rule instead"
        rows.append(("Model without answer", missed))
    if facts["budget"] == "reached":
        rows.append(("Budget of the model", f"reached: {facts['unsent']:,} calls were not made"))
    return rows


_SPENT = {"calls": "calls", "tokens_in": "tokens in", "tokens_out": "out"}


def _agents(run: "Run") -> str:
    return ", ".join(
        f"{count:,} {_plural(name) if count != 1 else name}"
        for name, count in run.manifest["populations"].items()
    )


def _plural(word: str) -> str:
    return f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"


def _span(run: "Run") -> str:
    return f"{run.start:%d %b %Y %H:%M} to {run.end:%d %b %Y %H:%M}"


def _readable(text: str) -> str:
    try:
        return f"{pd.Timestamp(text):%a %d %b %Y %H:%M}"
    except ValueError:
        return text.capitalize()


def _measures(run: "Run") -> list[tuple[str, str]]:
    """Each charted measure: totals of flows, ends of shares, start and end of scores."""
    rows = []
    for declared in run.manifest["measures"]:
        name = declared["name"]
        if name not in run.measured or not declared["chart"]:
            continue
        series = run.measure(name).dropna()
        if series.empty:
            continue
        label = words(name)
        if declared["of"] == "sum":
            rows.append((label, f"{series.sum():,.0f} {declared['unit']} in all"))
        else:
            rows.append((label, _shares(run, name) if is_share(declared) else _path(series)))
    return rows


def _path(series: pd.Series) -> str:
    first, last, peak = series.iloc[0], series.iloc[-1], series.max()
    when = series.idxmax()
    return f"{first:.2f} at first, {peak:.2f} at most ({when:%d %b %H:%M}), {last:.2f} at the end"


def _shares(run: "Run", name: str) -> str:
    groups = [group for group in run.groups(name) if group]
    at_end = f"{run.measure(name).iloc[-1]:.1%} at the end"
    if not groups or run.measure(name).max() == 0:
        return at_end
    by_group = ", ".join(f"{g} {run.measure(name, g).iloc[-1]:.1%}" for g in groups)
    return f"{at_end} ({by_group})"


def is_share(declared: Mapping[str, Any]) -> bool:
    """Whether a declared measure is a share of agents, to be read in percent."""
    return declared["of"] == "mean" and str(declared["description"]).startswith("Share of")


def words(name: str) -> str:
    """A name of code as words: `evacuated_share` is "Evacuated share"."""
    return name.replace("_", " ").replace(".", " ").capitalize()
