"""Options of commands that read what was recorded."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from memopolis.commands.options.shared import AgentId, ModelOptions, RunFolder, RunOrSweep


@dataclass(frozen=True, kw_only=True)
class ShowOptions:
    """Options of `memopolis show`."""

    folder: RunFolder
    agent: AgentId
    query: Annotated[
        str | None,
        Option(metavar="TEXT", help="Rank the agent's memories by relevance to this text."),
    ] = None
    memories: Annotated[int, Option(min=1, help="Number of memories to print.")] = 20
    step: Annotated[
        int | None, Option(min=0, help="Show only this step: its prompts, answers and decisions.")
    ] = None


@dataclass(frozen=True, kw_only=True)
class AskingOptions(ModelOptions):
    """Options of the mind with which agents answer."""

    mind: Annotated[
        str, Option(metavar="MIND", help="How agents answer interviews: rule, llm or replay.")
    ] = "rule"

    @property
    def mind_settings(self) -> dict[str, str]:
        """Settings of the mind and its model, by key."""
        return {"mind": self.mind, **self.model_settings}


@dataclass(frozen=True, kw_only=True)
class InterviewOptions(AskingOptions):
    """Options of `memopolis interview`."""

    folder: RunFolder
    question: Annotated[str, Argument(metavar="QUESTION", help="The question, in quotes.")]
    agent: AgentId
    memories: Annotated[int, Option(min=1, help="Maximum number of recalled memories.")] = 5
    details: Annotated[
        bool, Option("--details", help="Add times, probabilities, draws and scales as recorded.")
    ] = False


@dataclass(frozen=True, kw_only=True)
class ReportOptions:
    """Options of `memopolis report`."""

    folder: RunFolder


@dataclass(frozen=True, kw_only=True)
class ExportOptions:
    """Options of `memopolis export`."""

    folder: RunFolder
    file: Annotated[
        Path,
        Argument(
            metavar="FILE",
            help="File to write: .html for a replay, .gif for an animated map, .graphml or .gexf "
            "for the network.",
        ),
    ]
    start: Annotated[
        datetime | None,
        Option(metavar="TIME", help="First moment; the start of the run if omitted."),
    ] = None
    end: Annotated[
        datetime | None, Option(metavar="TIME", help="Last moment; the end of the run if omitted.")
    ] = None
    every: Annotated[
        int | None,
        Option(
            metavar="STEPS",
            min=1,
            help="Steps between moments; if omitted, at most 400 moments, 100 of a map.",
        ),
    ] = None
    step: Annotated[
        int | None,
        Option(min=0, help="Number of steps after which a network is read; the end if omitted."),
    ] = None


@dataclass(frozen=True, kw_only=True)
class QueryOptions:
    """Options of `memopolis query`."""

    folder: RunOrSweep
    sql: Annotated[str, Argument(metavar="SQL", help="One SQL query, in quotes.")]
    out: Annotated[
        Path | None, Option(metavar="FILE", help="Write all rows to this .csv or .parquet file.")
    ] = None
    limit: Annotated[
        bool,
        Option(
            "--limit/--no-limit",
            help="Limit the query to 10 minutes, 4 GB of memory and 1 GB of rows.",
        ),
    ] = True


@dataclass(frozen=True, kw_only=True)
class VerifyOptions:
    """Options of `memopolis verify`."""

    folder: RunOrSweep


@dataclass(frozen=True, kw_only=True)
class McpOptions(AskingOptions):
    """Options of `memopolis mcp`."""

    place: Annotated[
        Path | None,
        Argument(metavar="[RUN | FOLDER]", help="Folder of a run, or of runs and sweeps."),
    ] = None
    memory: Annotated[
        Path | None,
        Option(
            metavar="FOLDER",
            help="Serve a memory of the assistant's own instead, created if it does not exist.",
        ),
    ] = None
    write: Annotated[
        bool, Option("--write", help="Also offer tools that create runs in the folder.")
    ] = False
