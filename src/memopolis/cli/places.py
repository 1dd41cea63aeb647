"""Commands that build places."""

import typer

from memopolis.cli.command import command
from memopolis.commands.options.runs import PlaceOptions

app = typer.Typer(
    help="Build places: zones, outlines, people and roads for the setting place.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.callback()
def _group() -> None:
    """Keep `new` a command of its own: a group of one command would become that command."""


@command(app, name="new")
def new_place(options: PlaceOptions) -> None:
    """Build a place from a county, or from zones of your own.

    Writes zones with outlines, marginals, distances to the sea and roads to a folder, and a report
    of how well a synthetic population fits. Use it with --set place=DIR.
    """
    from memopolis.commands.place import build_new_place

    build_new_place(options)
