"""Where two runs part, for readers: rows of tables, sentences, a page and a figure."""

from html import escape
from pathlib import Path
from typing import Any

import pandas as pd

from memopolis.analysis.parting import Difference, Parting
from memopolis.analysis.parting_words import Told
from memopolis.analysis.report_page import picture_html, rows_html, section, write_page
from memopolis.analysis.wording import date_form, is_share, scaled, short, words
from memopolis.sim.errors import RunFolderError, reason_of

PAGE, PICTURE = "compare.html", "compare.png"
HEAD = ("table", "same", "parts at step", "date", "rows that differ", "of A", "of B")
"""Columns of the table of tables."""
ENDS = ("measure", "A", "B", "difference", "largest", "when")
"""Columns of the table of measures."""
SAID = ("whose", "A", "B")
"""Columns of the differences in words."""
_MOST = 5
_DATE = "%a %d %b %Y %H:%M"


def verdict(parting: Parting) -> str:
    """One sentence: whether, where and when the runs part."""
    a, b = parting.runs
    length = f"the {parting.ticks:,} steps that both took"
    if a.ticks != b.ticks:
        length += f" (A has {a.ticks:,}, B has {b.ticks:,})"
    if parting.same:
        return f"Nothing parts in {length}."
    if parting.tick is None or parting.time is None:
        return f"No step parts in {length}, but tables without steps differ."
    first = [one.table for one in parting.tables.values() if one.tick == parting.tick]
    told = f"The runs part at step {parting.tick:,}, {parting.time:{_DATE}}, in {', '.join(first)}"
    decided = parting.decided
    if decided is None or decided == parting.tick:
        return f"{told}."
    when = f"{parting.time_of(decided):{_DATE}}"
    return f"{told}; the first decision that differs falls at step {decided:,}, {when}."


def rows_of(parting: Parting) -> list[tuple[str, ...]]:
    """A row a table, the first to part first, as `HEAD` names the columns."""
    ordered = sorted(
        parting.tables.values(),
        key=lambda one: (one.same, float("inf") if one.tick is None else one.tick, one.table),
    )
    rows = []
    for one in ordered:
        form = date_form(parting.runs[0].hours)
        when = "" if one.tick is None else parting.time_of(one.tick).strftime(form)
        same = f"only in {one.only_in}" if one.only_in else "yes" if one.same else "no"
        counts = (f"{one.differ:,}" if one.differ else "", *(f"{n:,}" for n in one.rows))
        rows.append((one.table, same, "" if one.tick is None else f"{one.tick:,}", when, *counts))
    return rows


def settings_of(parting: Parting) -> list[tuple[str, str, str]]:
    """Settings that differ: key, value of A, value of B."""
    return [(key, str(a), str(b)) for key, (a, b) in parting.settings.items()]


def ends_of(parting: Parting) -> list[tuple[str, ...]]:
    """Charted measures of everyone that ever differ, as `ENDS` names the columns."""
    declared = {str(one["name"]): one for one in parting.runs[0].manifest["measures"]}
    form, rows = date_form(parting.runs[0].hours), []
    frame = parting.ends
    for row in frame[(frame["group"] == "") & (frame["most"].abs() > 0)].to_dict("records"):
        measure = declared[row["measure"]]
        if measure["chart"]:
            told = [_number(row[name], measure) for name in ("a", "b", "difference", "most")]
            rows.append((_named(row["measure"], measure), *told, f"{row['most_time']:{form}}"))
    return rows


def first_differences(parting: Parting, *, most: int = _MOST) -> tuple[str, list[tuple[str, ...]]]:
    """The first decisions that differ, or rows of the table that parts first, in words.

    Args:
        parting: Where two runs part.
        most: How many are told.

    Returns:
        A heading, and rows as `SAID` names the columns; no rows if nothing differs.
    """
    parted = [one for one in parting.tables.values() if one.first]
    if not parted:
        return "", []
    decided = [one for one in parted if one.table == "decisions"]
    dated = [one for one in parted if one.tick is not None]
    table = (decided or sorted(dated, key=lambda one: one.tick or 0) or parted)[0]
    told = Told(parting)
    rows = [_said(told, one) for one in table.first[:most]]
    what = "decisions" if decided else f"rows of {table.table}"
    date = "" if table.tick is None else f"{parting.time_of(table.tick):{_DATE}}"
    when = "" if table.tick is None else f", step {table.tick:,}, {date}"
    return f"The first {what} that differ{when}", rows


def write_parting(parting: Parting, folder: str | Path) -> Path:
    """Write the page and the figure of two runs.

    Args:
        parting: Where they part.
        folder: Made if it is not there; compare.html and compare.png in it are replaced.

    Returns:
        Path of compare.html.

    Raises:
        RunFolderError: If the folder cannot be written, or holds something else.
    """
    from memopolis.analysis.plots.parting import side_by_side
    from memopolis.analysis.plots.style import as_png

    folder = Path(folder)
    if folder.is_dir() and any(folder.iterdir()) and not (folder / PAGE).is_file():
        raise RunFolderError(f"{folder} holds something else than a comparison; name another one")
    picture = as_png(side_by_side(parting))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / PICTURE).write_bytes(picture)
    except OSError as error:
        raise RunFolderError(f"{folder} cannot be written: {reason_of(error)}") from None
    heading, said = first_differences(parting)
    a, b = parting.runs
    runs = (("A", str(a.folder), a.title, str(a.seed)), ("B", str(b.folder), b.title, str(b.seed)))
    parts = [
        f"<p><b>{escape(verdict(parting))}</b></p>",
        rows_html(runs, head=("", "run", "scenario", "seed")),
        section("Measures", picture_html(picture, "Charted measures of both runs")),
        rows_html(ends_of(parting), head=ENDS),
        section("Settings that differ", _or_none(settings_of(parting), ("setting", "A", "B"))),
        section("Tables", rows_html(rows_of(parting), head=HEAD)),
    ]
    if said:
        parts.append(section(heading, rows_html(said, head=SAID)))
    return write_page(folder / PAGE, f"{a.folder.name} and {b.folder.name}", "\n".join(parts))


def _said(told: Told, difference: Difference) -> tuple[str, ...]:
    return (told.whom(difference), *told.sides(difference))


def _or_none(rows: list[tuple[str, str, str]], head: tuple[str, ...]) -> str:
    return rows_html(rows, head=head) if rows else "<p>none</p>"


def _named(name: str, measure: dict[str, Any]) -> str:
    """A measure with its unit, where its name does not say that already."""
    unit = "" if is_share(measure) else scaled(measure["unit"])[1]
    return f"{words(name)}, {unit}" if unit and unit not in words(name).lower() else words(name)


def _number(value: float, measure: dict[str, Any]) -> str:
    if pd.isna(value):
        return "-"
    return f"{value:.1%}" if is_share(measure) else short(value * scaled(measure["unit"])[0])
