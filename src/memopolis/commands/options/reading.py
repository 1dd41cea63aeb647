"""Options of commands that read runs with a mind."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from memopolis.commands.options.shared import AgentId, ModelOptions, RunFolder


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
