"""The command line: `memopolis run hurricane`. Each command's work is in `commands/`.

Nothing slow is imported here, so that `memopolis --help` starts quickly.
"""

import os

import typer

from memopolis.cli import places, reading, runs, studies
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
for group in (runs, reading, studies):
    app.add_typer(group.app)
app.add_typer(places.app, name="place")
