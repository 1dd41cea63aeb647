"""The command line: `memopolis run hurricane`. `commands.toml` lists the commands.

Nothing slow is imported here, so that `memopolis --help` starts quickly.
"""

import os
import tomllib
from collections.abc import Callable
from importlib import import_module
from inspect import Signature, signature
from pathlib import Path
from typing import Any

import typer

from memopolis.commands.failures import Commands

# Matrices are small here: threads of the linear algebra library would only wait for each other,
# which doubles the processor time of a report.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

app = typer.Typer(
    cls=Commands,
    name="memopolis",
    help="Agent-based simulation of societies in which every agent has a memory.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    add_completion=False,
)
_places = typer.Typer(
    help="Build places: zones, outlines, people and roads for the setting place.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
# With a callback, `new` stays a command of its own: a group of one command would become it.
_places.callback()(lambda: None)
app.add_typer(_places, name="place")


def read_commands() -> dict[str, dict[str, str]]:
    """Read the table of commands: work, options and help of each, by its name."""
    return tomllib.loads(Path(__file__).with_name("commands.toml").read_text(encoding="utf-8"))


def _find(reference: str) -> Any:
    """Import an object, given as "module:name"."""
    module, name = reference.split(":")
    return getattr(import_module(module), name)


def _declare(work: str, options: str = "") -> Callable[..., None]:
    """Return a function with the options of a command, which imports its work when it is called."""
    kind = _find(f"memopolis.commands.options.{options}") if options else None

    def call(**values: Any) -> None:
        run = _find(work)
        if (run() if kind is None else run(kind(**values))) is False:
            raise typer.Exit(1)

    call.__signature__ = Signature() if kind is None else signature(kind)  # type: ignore[attr-defined]
    return call


for _name, _row in read_commands().items():
    _group, _, _own = _name.rpartition(" ")
    _declared = _declare(_row["work"], _row.get("options", ""))
    (_places if _group else app).command(_own, help=_row["help"])(_declared)
