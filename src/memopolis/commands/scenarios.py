"""`memopolis scenarios`: what can be run, and every setting of it."""

from collections.abc import Iterable

from rich.markup import escape

from memopolis.commands.sections import markdown_table
from memopolis.commands.terminal import results, table
from memopolis.sim.scenario_names import find_scenario, scenario_names
from memopolis.sim.settings_text import SettingRow, describe

_HEAD = ("setting", "type", "range", "default", "unit", "origin", "description")


def list_scenarios(name: str | None, *, markdown: bool = False) -> None:
    """Print scenarios and their settings.

    Args:
        name: Only this one.
        markdown: Whether as tables in Markdown, for a scenario's README.

    Raises:
        UnknownNameError: If there is no such scenario.
    """
    for known in scenario_names() if name is None else [name]:
        scenario = find_scenario(known)
        rows = describe(scenario.settings_class)
        summary = (scenario.__doc__ or "").strip().partition("\n")[0]
        if markdown:
            results().print(as_markdown(rows), markup=False, soft_wrap=True)
        else:
            _print(known, scenario.title, summary, rows)


def as_markdown(rows: Iterable[SettingRow]) -> str:
    """Settings as a table in Markdown."""
    cells = [
        (row.key, row.type, row.range, row.default, row.unit, row.origin, row.description)
        for row in rows
    ]
    return markdown_table(_HEAD, cells)


def _print(name: str, title: str, summary: str, rows: Iterable[SettingRow]) -> None:
    out = results()
    told = f"{title}: {summary}" if summary else title
    out.print(f"[bold]{escape(name)}[/]  {escape(told)}", soft_wrap=True)
    shown = table("", "setting", "default", "what it is")
    shown.columns[0].no_wrap = True
    shown.columns[1].max_width = 16
    for row in rows:
        shown.add_row(row.key, f"{row.default} {row.unit}".strip(), _what(row))
    out.print(shown)
    out.print(f"Set any by --set: memopolis run {escape(name)} --set agents=500", soft_wrap=True)


def _what(row: SettingRow) -> str:
    """Description, what is allowed, and where the default comes from unless it is a choice."""
    # A range of numbers says that it is a number.
    plain = row.type in ("number", "choice") and row.range
    allowed = row.range if plain else ", ".join(filter(None, (row.type, row.range)))
    origin = "" if row.origin == "choice" else f"; {row.origin}"
    return f"{escape(row.description)} [dim]({escape(allowed)}{origin})[/]"
