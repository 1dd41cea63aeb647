"""Commands that run a scenario: new runs, the page, and runs that start from others."""

from typing import Annotated

import typer
from typer import Argument, Option

from memopolis.cli.command import command
from memopolis.commands.options.runs import (
    DashboardOptions,
    ForkOptions,
    RepeatOptions,
    ResumeOptions,
    RunOptions,
)

app = typer.Typer(rich_markup_mode=None)


@command(app)
def run(options: RunOptions) -> None:
    """Run a scenario and record it in a folder."""
    from memopolis.commands.run import estimate_scenario, run_scenario

    if options.estimate:
        estimate_scenario(options)
    else:
        run_scenario(options)


@command(app)
def dashboard(options: DashboardOptions) -> None:
    """Watch and steer a run in the browser, or replay runs.

    Name a scenario to simulate it, a run folder to replay it, or several to compare them.
    """
    from memopolis.dashboard.command import show_dashboard

    show_dashboard(options)


@command(app)
def resume(options: ResumeOptions) -> None:
    """Resume an interrupted run, or extend a finished one."""
    from memopolis.commands.from_run import resume_run

    resume_run(options)


@command(app)
def fork(options: ForkOptions) -> None:
    """Continue a copy of a run with other settings.

    The fork has the same past and the same random seed.
    """
    from memopolis.commands.from_run import fork_run

    fork_run(options)


@command(app)
def repeat(options: RepeatOptions) -> bool:
    """Reproduce a run from its manifest and compare tables.

    Exits with code 1 if the tables are not identical.
    """
    from memopolis.commands.from_run import repeat_run

    return repeat_run(options)


@command(app)
def scenarios(
    *,
    name: Annotated[
        str | None, Argument(metavar="NAME", help="Show only this scenario; may be file.py:Class.")
    ] = None,
    markdown: Annotated[bool, Option("--markdown", help="Print Markdown tables.")] = False,
) -> None:
    """List scenarios and their settings.

    The list has the type, range, default and source of each setting.
    """
    from memopolis.commands.scenarios import list_scenarios

    list_scenarios(name, markdown=markdown)


@command(app, name="compile")
def compile_kernels() -> None:
    """Compile all kernels so that the first run starts faster."""
    from memopolis.commands.compile import compile_all

    compile_all()
