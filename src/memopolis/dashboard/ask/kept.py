"""The conversations that are kept with a run, and those that could not be written."""

from collections.abc import Sequence
from pathlib import Path

from memopolis.analysis.run.conversations import (
    Conversation,
    keep_conversations,
    read_conversations,
)
from memopolis.analysis.run.run import Run
from memopolis.sim.errors import RunFolderError

_UNWRITTEN: dict[Path, list[Conversation]] = {}
"""Conversations of this process with runs in folders that cannot be written, by folder."""


def keep(run: Run, asked: Sequence[Conversation]) -> str:
    """Keep conversations in the folder of a run; takes some time.

    Returns "" if they are kept, else why they are kept only until the page is closed.
    """
    try:
        keep_conversations(run.folder, asked)
    except RunFolderError as error:
        _UNWRITTEN.setdefault(run.folder, []).extend(asked)
        return f"Kept only until the server stops: {error}"
    return ""


def kept(run: Run) -> list[Conversation]:
    """Return the conversations up to a moment, the newest first; takes some time.

    Raises RunFolderError if the file with them cannot be read.
    """
    asked = [*read_conversations(run.folder), *_UNWRITTEN.get(run.folder, ())]
    return [one for one in reversed(asked) if one.step <= run.ticks]
