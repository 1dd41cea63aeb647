"""Present where two runs diverge: rows of tables, sentences, a page and a figure."""

from html import escape
from pathlib import Path
from typing import Any

import pandas as pd

from memopolis.analysis.compare.divergence import Divergence
from memopolis.analysis.compare.divergence_text import DifferenceText
from memopolis.analysis.labels import date_form, is_share, scaled, short, words
from memopolis.analysis.report.html import picture_html, rows_html, section, write_page
from memopolis.sim.errors import RunFolderError
from memopolis.sim.files import writing_to

PAGE, PICTURE = "compare.html", "compare.png"
HEAD = ("table", "same", "diverges at step", "date", "rows that differ", "of A", "of B")
"""Columns of the table of tables."""
ENDS = ("measure", "A", "B", "difference", "largest", "when")  # columns of the table of measures
DESCRIBED = ("row", "A", "B")  # columns of the described differences
_MOST = 5
_DATE = "%a %d %b %Y %H:%M"


def verdict(divergence: Divergence) -> str:
    """Describe in one sentence whether, where and when the runs diverge."""
    a, b = divergence.runs
    length = f"the {divergence.ticks:,} steps that both took"
    if a.ticks != b.ticks:
        length += f" (A has {a.ticks:,}, B has {b.ticks:,})"
    if divergence.same:
        return f"The runs do not diverge in {length}."
    if divergence.tick is None or divergence.time is None:
        return f"No step differs in {length}, but tables without steps differ."
    first = [one.table for one in divergence.tables.values() if one.tick == divergence.tick]
    start = f"The runs diverge at step {divergence.tick:,}, {divergence.time:{_DATE}}"
    start += f", in {', '.join(first)}"
    decided = divergence.decision_tick
    if decided is None or decided == divergence.tick:
        return f"{start}."
    when = f"{divergence.time_of(decided):{_DATE}}"
    return f"{start}; the first decision that differs is at step {decided:,}, {when}."


def rows_of(divergence: Divergence) -> list[tuple[str, ...]]:
    """Return a row per table with the columns `HEAD`, earliest divergence first."""
    ordered = sorted(
        divergence.tables.values(),
        key=lambda one: (one.same, float("inf") if one.tick is None else one.tick, one.table),
    )
    rows = []
    for one in ordered:
        form = date_form(divergence.runs[0].hours)
        when = "" if one.tick is None else divergence.time_of(one.tick).strftime(form)
        same = f"only in {one.only_in}" if one.only_in else "yes" if one.same else "no"
        counts = (f"{one.differ:,}" if one.differ else "", *(f"{n:,}" for n in one.rows))
        rows.append((one.table, same, "" if one.tick is None else f"{one.tick:,}", when, *counts))
    return rows


def settings_of(divergence: Divergence) -> list[tuple[str, str, str]]:
    """Return the settings that differ: key, value of A, value of B."""
    return [(key, str(a), str(b)) for key, (a, b) in divergence.settings.items()]


def ends_of(divergence: Divergence) -> list[tuple[str, ...]]:
    """Return the charted measures that differ in any step, with the columns `ENDS`."""
    declared = {str(one["name"]): one for one in divergence.runs[0].manifest["measures"]}
    form, rows = date_form(divergence.runs[0].hours), []
    frame = divergence.ends
    for row in frame[(frame["group"] == "") & (frame["most"].abs() > 0)].to_dict("records"):
        measure = declared[row["measure"]]
        if measure["chart"]:
            values = [_number(row[name], measure) for name in ("a", "b", "difference", "most")]
            rows.append((_named(row["measure"], measure), *values, f"{row['most_time']:{form}}"))
    return rows


def first_differences(
    divergence: Divergence, *, most: int = _MOST
) -> tuple[str, list[tuple[str, ...]]]:
    """Describe the first decisions that differ, else rows of the first table that differs.

    Returns a heading, and rows with the columns `DESCRIBED`; no rows if nothing differs.
    """
    differing = [one for one in divergence.tables.values() if one.first]
    if not differing:
        return "", []
    decided = [one for one in differing if one.table == "decisions"]
    dated = [one for one in differing if one.tick is not None]
    table = (decided or sorted(dated, key=lambda one: one.tick or 0) or differing)[0]
    text = DifferenceText(divergence)
    rows: list[tuple[str, ...]] = [
        (text.subject(one), *text.sides(one)) for one in table.first[:most]
    ]
    what = "decisions" if decided else f"rows of {table.table}"
    date = "" if table.tick is None else f"{divergence.time_of(table.tick):{_DATE}}"
    when = "" if table.tick is None else f", step {table.tick:,}, {date}"
    return f"The first {what} that differ{when}", rows


def write_divergence(divergence: Divergence, out: str | Path) -> Path:
    """Write a page and a figure that compare two runs; return the path of compare.html.

    The folder is created if missing; compare.html and compare.png in it are replaced.
    """
    from memopolis.analysis.figures.divergence import measures_of_both
    from memopolis.analysis.figures.style import as_png

    out = Path(out)
    if out.is_dir() and any(out.iterdir()) and not (out / PAGE).is_file():
        raise RunFolderError(f"{out} contains other files than a comparison; choose another folder")
    picture = as_png(measures_of_both(divergence))
    with writing_to(out):
        out.mkdir(parents=True, exist_ok=True)
        (out / PICTURE).write_bytes(picture)
    heading, rows = first_differences(divergence)
    a, b = divergence.runs
    runs = (("A", str(a.folder), a.title, str(a.seed)), ("B", str(b.folder), b.title, str(b.seed)))
    settings = settings_of(divergence)
    changed = rows_html(settings, head=("setting", "A", "B")) if settings else "<p>none</p>"
    parts = [
        f"<p><b>{escape(verdict(divergence))}</b></p>",
        rows_html(runs, head=("", "run", "scenario", "seed")),
        section("Measures", picture_html(picture, "Charted measures of both runs")),
        rows_html(ends_of(divergence), head=ENDS),
        section("Settings that differ", changed),
        section("Tables", rows_html(rows_of(divergence), head=HEAD)),
    ]
    if rows:
        parts.append(section(heading, rows_html(rows, head=DESCRIBED)))
    return write_page(out / PAGE, f"{a.folder.name} and {b.folder.name}", "\n".join(parts))


def _named(name: str, measure: dict[str, Any]) -> str:
    """Return a measure with its unit, unless its name contains it."""
    unit = "" if is_share(measure) else scaled(measure["unit"])[1]
    return f"{words(name)}, {unit}" if unit and unit not in words(name).lower() else words(name)


def _number(value: float, measure: dict[str, Any]) -> str:
    if pd.isna(value):
        return "-"
    return f"{value:.1%}" if is_share(measure) else short(value * scaled(measure["unit"])[0])
