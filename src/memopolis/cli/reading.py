"""Commands that read what was recorded."""

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from memopolis.cli import options as opt
from memopolis.cli.options import exit_unless, model_settings

app = typer.Typer(rich_markup_mode=None)


@app.command()
def show(
    *,
    folder: opt.RunFolder,
    agent: opt.AgentId,
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


@app.command()
def interview(
    *,
    folder: opt.RunFolder,
    question: Annotated[str, Argument(metavar="QUESTION", help="The question, in quotes.")],
    agent: opt.AgentId,
    memories: Annotated[int, Option(min=1, help="Maximum number of recalled memories.")] = 5,
    mind: Annotated[
        str, Option(metavar="MIND", help="How the agent answers: rule, llm or replay.")
    ] = "rule",
    model: opt.Model = None,
    base_url: opt.BaseUrl = None,
    cassette: opt.Cassette = None,
) -> None:
    """Interview one agent from a saved run.

    The answer is based on the agent's memories, which are listed. The run is not changed.
    """
    from memopolis.commands.interview import interview_agent

    settings = {"mind": mind, **model_settings(model, base_url, cassette)}
    interview_agent(folder, agent, question, memories, settings)


@app.command()
def report(folder: opt.RunFolder) -> None:
    """Write the report of a run, replacing an earlier one."""
    from memopolis.analysis import write_report

    typer.echo(write_report(folder))


@app.command()
def export(
    *,
    folder: opt.RunFolder,
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


@app.command()
def query(
    *,
    folder: opt.RunOrSweep,
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


@app.command()
def verify(folder: opt.RunOrSweep) -> None:
    """Verify the checksums of all files of a run or sweep."""
    from memopolis.commands.verify import verify_folder

    exit_unless(verify_folder(folder))


@app.command()
def mcp(
    *,
    place: Annotated[
        Path | None,
        Argument(metavar="[RUN | FOLDER]", help="Folder of a run, or of runs and sweeps."),
    ] = None,
    memory: Annotated[
        Path | None,
        Option(
            metavar="FOLDER",
            help="Serve a memory of the assistant's own instead, created if it does not exist.",
        ),
    ] = None,
    write: Annotated[
        bool, Option("--write", help="Also offer tools that create runs in the folder.")
    ] = False,
    mind: Annotated[
        str, Option(metavar="MIND", help="How agents answer interviews: rule, llm or replay.")
    ] = "rule",
    model: opt.Model = None,
    base_url: opt.BaseUrl = None,
    cassette: opt.Cassette = None,
) -> None:
    """Serve runs, or a memory of its own, to an AI assistant (Model Context Protocol).

    The server uses standard input and output. Needs the extra `mcp`.
    """
    from memopolis.mcp_server.command import serve, serve_memory

    settings = {"mind": mind, **model_settings(model, base_url, cassette)}
    match place, memory:
        case Path(), None:
            serve(place, write=write, mind={} if mind == "rule" else settings)
        case None, Path():
            serve_memory(memory)
        case _:
            raise typer.BadParameter("give either the folder of runs or --memory FOLDER")
