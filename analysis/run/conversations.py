"""Keep questions to agents and their answers in the folder of a run, one JSON object per line."""

import json
import os
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Annotated

import pandas as pd
from pydantic import ConfigDict, Field, FiniteFloat, TypeAdapter, ValidationError

from memopolis.sim.errors import RunFolderError, reason_of
from memopolis.sim.files import refuse_links, writing_to
from memopolis.sim.run_folder.folder import CONVERSATIONS

MOST_BYTES = 32 * 2**20  # largest file that is read or extended
_LOCK = threading.Lock()

type _Number = Annotated[int, Field(gt=-(2**63), lt=2**63)]


@dataclass(frozen=True)
class Conversation:
    """A question to an agent, and its answer."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    step: _Number  # number of steps after which it was asked
    agent: _Number  # unique_id of the agent
    name: str
    question: str
    answer: str  # the answer in words
    mind: str  # how the answer was reached: rule, model, replay or fallback
    value: FiniteFloat | None = None  # a rating; None for an answer in words
    evidence: tuple[int, ...] = ()  # ids of the memories that the answer is based on
    texts: tuple[str, ...] = ()  # texts of these memories
    group: str = ""  # description of the group that was asked, "" for a single agent
    fault: str = ""  # reason for the fallback, "" if there was none


def keep_conversations(folder: Path, asked: Sequence[Conversation]) -> None:
    """Append conversations to the file of a run.

    Raises RunFolderError if the file cannot be written, is a link or has become too large.
    """
    path = folder / CONVERSATIONS
    lines = "".join(
        f"{json.dumps(asdict(conversation), ensure_ascii=True)}\n" for conversation in asked
    ).encode()
    refuse_links(path)
    with writing_to(path), _LOCK, path.open("ab") as file:
        if file.tell() + len(lines) > MOST_BYTES:
            raise RunFolderError(
                f"{path} would exceed {MOST_BYTES // 2**20} MB; move it elsewhere to keep more"
            )
        file.write(lines)
        file.flush()
        os.fsync(file.fileno())


def read_conversations(folder: Path) -> list[Conversation]:
    """Read the conversations of a run, the oldest first.

    Raises RunFolderError if the file is a link, too large, or not what `keep_conversations` writes.
    """
    path = folder / CONVERSATIONS
    refuse_links(path)
    if not path.is_file():
        return []
    try:
        if (size := path.stat().st_size) > MOST_BYTES:
            raise RunFolderError(f"{path} has {size:,} bytes; at most {MOST_BYTES:,} are read")
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise RunFolderError(f"{path} cannot be read: {reason_of(error)}") from None
    return [_parse(path, row, line) for row, line in enumerate(lines, 1) if line.strip()]


def conversation_table(asked: Sequence[Conversation]) -> pd.DataFrame:
    """Return conversations as a table, one row for each."""
    return pd.DataFrame(
        [asdict(conversation) for conversation in asked],
        columns=[field.name for field in fields(Conversation)],
    )


def _parse(path: Path, row: int, line: bytes) -> Conversation:
    try:
        return TypeAdapter(Conversation).validate_json(line, strict=True)
    except ValidationError:
        raise RunFolderError(
            f"{path}, line {row}: this is no conversation that a page has kept; remove the line"
        ) from None
