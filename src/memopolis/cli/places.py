"""Commands that build places."""

from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

app = typer.Typer(
    help="Build places: zones, outlines, people and roads for the setting place.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.callback()
def _group() -> None:
    """Keep `new` a command of its own: a group of one command would become that command."""


@app.command(name="new")
def new_place(
    *,
    name: Annotated[str, Argument(metavar="NAME", help="Name of the place, in lower case.")],
    counties: Annotated[
        str | None,
        Option(
            "--county",
            metavar="FIPS[,FIPS...]",
            help="Counties of the United States, by FIPS codes of five digits.",
        ),
    ] = None,
    zips: Annotated[
        str | None, Option("--zip", metavar="ZIP[,ZIP...]", help="Only these ZIP areas.")
    ] = None,
    geojson: Annotated[
        Path | None,
        Option(metavar="FILE", help="Outlines of zones, anywhere: one feature per zone."),
    ] = None,
    csv: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            help="Columns of zones, such as marginals; without other options, also their centres.",
        ),
    ] = None,
    out: Annotated[
        Path | None, Option(metavar="DIR", help="Folder to create; places/NAME if omitted.")
    ] = None,
    agents: Annotated[
        int, Option(min=100, max=2_000_000, help="Residents drawn for the report of the fit.")
    ] = 300_000,
) -> None:
    """Build a place from a county, or from zones of your own.

    Writes zones with outlines, marginals, distances to the sea and roads to a folder, and a report
    of how well a synthetic population fits. Use it with --set place=DIR.
    """
    from memopolis.commands.place import PlaceOptions, build_new_place

    build_new_place(PlaceOptions(name, counties, zips, geojson, csv, out, agents))
