"""Commands that read what was recorded."""

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from memopolis.cli.command import command
from memopolis.commands.options.reading import InterviewOptions, McpOptions
from memopolis.commands.options.shared import AgentId, RunFolder, RunOrSweep

app = typer.Typer(rich_markup_mode=None)


@command(app)
def show(
    *,
    folder: RunFolder,
    agent: AgentId,
    query: Annotated[
        str | None,
        Option(metavar="TEXT", help="Rank the agent's memories by relevance to this text."),
    ] = None,
    memories: Annotated[int, Option(min=1, help="Number of memories to print.")] = 20,
    step: Annotated[
        int | None, Option(min=0, help="Show only this step: its prompts, answers and decisions.")
    ] = None,
) -> None:
    """Show the life of one agent.

    Prints its profile, status, memories, thoughts, and decisions with their evidence.
    """
    from memopolis.commands.show import show_life, show_step

    if step is None:
        show_life(folder, agent, query, memories)
    else:
        show_step(folder, agent, step)


@command(app)
def interview(options: InterviewOptions) -> None:
    """Interview one agent from a saved run.

    The answer is based on the agent's memories, which are listed. The run is not changed.
    """
    from memopolis.commands.interview import interview_agent

    interview_agent(options)


@command(app)
def report(folder: RunFolder) -> None:
    """Write the report of a run, replacing an earlier one."""
    from memopolis.analysis import write_report

    typer.echo(write_report(folder))


@command(app)
def export(
    *,
    folder: RunFolder,
    file: Annotated[
        Path,
        Argument(
            metavar="FILE",
            help="File to write: .html for a replay, .gif for an animated map, .graphml or .gexf "
            "for the network.",
        ),
    ],
    start: Annotated[
        datetime | None,
        Option(metavar="TIME", help="First moment; the start of the run if omitted."),
    ] = None,
    end: Annotated[
        datetime | None, Option(metavar="TIME", help="Last moment; the end of the run if omitted.")
    ] = None,
    every: Annotated[
        int | None,
        Option(
            metavar="STEPS",
            min=1,
            help="Steps between moments; if omitted, at most 400 moments, 100 of a map.",
        ),
    ] = None,
    step: Annotated[
        int | None,
        Option(min=0, help="Number of steps after which a network is read; the end if omitted."),
    ] = None,
) -> None:
    """Write a replay, an animated map, or the social network.

    The replay has map, network and charts in one file and opens in any browser without a server.
    The network has agents with their status, and ties with their kind, for Gephi or networkx.
    """
    from memopolis.commands.terminal import counting
    from memopolis.dashboard.export import export_run

    with counting("Drawing") as progress:
        export_run(folder, file, start=start, end=end, every=every, step=step, progress=progress)
    typer.echo(file)


@command(app)
def query(
    *,
    folder: RunOrSweep,
    sql: Annotated[str, Argument(metavar="SQL", help="One SQL query, in quotes.")],
    out: Annotated[
        Path | None, Option(metavar="FILE", help="Write all rows to this .csv or .parquet file.")
    ] = None,
    limit: Annotated[
        bool,
        Option(
            "--limit/--no-limit",
            help="Limit the query to 10 minutes, 4 GB of memory and 1 GB of rows.",
        ),
    ] = True,
) -> None:
    """Query the tables of a run or a sweep with SQL. Needs the extra `query`."""
    from memopolis.commands.query import answer

    answer(folder, sql, out, limited=limit)


@command(app)
def verify(folder: RunOrSweep) -> bool:
    """Verify the checksums of all files of a run or sweep."""
    from memopolis.commands.verify import verify_folder

    return verify_folder(folder)


@command(app)
def mcp(options: McpOptions) -> None:
    """Serve runs, or a memory of its own, to an AI assistant (Model Context Protocol).

    The server uses standard input and output. Needs the extra `mcp`.
    """
    from memopolis.mcp_server.command import serve, serve_memory

    match options.place, options.memory:
        case Path() as place, None:
            mind = {} if options.mind == "rule" else options.mind_settings
            serve(place, write=options.write, mind=mind)
        case None, Path() as memory:
            serve_memory(memory)
        case _:
            raise typer.BadParameter("give either the folder of runs or --memory FOLDER")
