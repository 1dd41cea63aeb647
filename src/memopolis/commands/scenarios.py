"""`memopolis scenarios`: list scenarios and their settings."""

from collections.abc import Iterable
from importlib import import_module

from rich.markup import escape

from memopolis.commands.options.runs import ScenariosOptions
from memopolis.commands.terminal import markdown_table, print_line, stdout_console, table
from memopolis.sim.naming import title_of
from memopolis.sim.scenario_names import find_scenario, scenario_names
from memopolis.sim.settings import Settings
from memopolis.sim.settings_text import SettingRow, describe

_HEAD = ("setting", "type", "range", "default", "unit", "origin", "description")


def list_scenarios(options: ScenariosOptions) -> None:
    """Print scenarios and their settings."""
    for known in scenario_names() if options.name is None else [options.name]:
        title, summary, settings = _load_description(known)
        rows = describe(settings)
        if options.markdown:
            print_line(as_markdown(rows))
        else:
            _print(known, title, summary, rows)


def _load_description(name: str) -> tuple[str, str, type[Settings]]:
    """Return title, summary and settings of a scenario.

    The packages of the shipped scenarios offer them without their class, which needs Mesa.
    """
    point = scenario_names().get(name)
    if point is not None and point.module.startswith("memopolis."):
        package = import_module(point.module)
        settings = getattr(package, f"{point.attr}Settings")
        return title_of(point.attr), _first_line(package), settings
    scenario = find_scenario(name)
    return scenario.title, _first_line(scenario), scenario.settings_class


def _first_line(documented: object) -> str:
    return (documented.__doc__ or "").strip().partition("\n")[0]


def as_markdown(rows: Iterable[SettingRow]) -> str:
    """Format settings as a Markdown table."""
    cells = [
        (row.key, row.type, row.range, row.default, row.unit, row.source, row.description)
        for row in rows
    ]
    return markdown_table(_HEAD, cells)


def _print(name: str, title: str, summary: str, rows: Iterable[SettingRow]) -> None:
    out = stdout_console()
    heading = f"{title}: {summary}" if summary else title
    out.print(f"[bold]{escape(name)}[/]  {escape(heading)}", soft_wrap=True)
    shown = table("", "setting", "default", "description")
    shown.columns[0].no_wrap = True
    shown.columns[1].max_width = 16
    for row in rows:
        unit = "" if row.default == "none" else row.unit
        shown.add_row(row.key, f"{row.default} {unit}".strip(), _what(row))
    out.print(shown)
    print_line(f"Change settings with --set: memopolis run {name} --set agents=500")


def _what(row: SettingRow) -> str:
    """Return the description, the allowed values, and the source of the default."""
    # A range of numbers implies the type.
    plain = row.type in ("number", "choice") and row.range
    allowed = row.range if plain else ", ".join(filter(None, (row.type, row.range)))
    origin = "" if row.origin == "choice" else f"; {row.source}"
    return f"{escape(row.description)} [dim]({escape(allowed)}{origin})[/]"
