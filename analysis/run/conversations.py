"""Keep questions to agents and their answers in the folder of a run, one JSON object per line."""

import json
import math
import os
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import pandas as pd

from memopolis.sim.errors import RunFolderError, reason_of
from memopolis.sim.files import refuse_links, writing_to
from memopolis.sim.run_folder.folder import CONVERSATIONS

MOST_BYTES = 32 * 2**20  # largest file that is read or extended
_MOST = 2**63  # bound of numbers
_LOCK = threading.Lock()


@dataclass(frozen=True)
class Conversation:
    """A question to an agent, and its answer."""

    step: int  # number of steps after which it was asked
    agent: int  # unique_id of the agent
    name: str
    question: str
    answer: str  # the answer in words
    mind: str  # how the answer was reached: rule, model, replay or fallback
    value: float | None = None  # a rating; None for an answer in words
    evidence: tuple[int, ...] = ()  # ids of the memories that the answer is based on
    texts: tuple[str, ...] = ()  # texts of these memories
    group: str = ""  # description of the group that was asked, "" for a single agent


def keep_conversations(folder: Path, asked: Sequence[Conversation]) -> None:
    """Append conversations to the file of a run.

    Raises RunFolderError if the file cannot be written, is a link or has become too large.
    """
    path = folder / CONVERSATIONS
    lines = "".join(f"{json.dumps(asdict(one), ensure_ascii=True)}\n" for one in asked).encode()
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
        [asdict(one) for one in asked], columns=[one.name for one in fields(Conversation)]
    )


def _parse(path: Path, row: int, line: bytes) -> Conversation:
    try:
        plain: Any = json.loads(line)
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in plain.items()
        }
        _check(values)
        asked = Conversation(**values)
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError, OverflowError):
        raise RunFolderError(
            f"{path}, line {row}: this is no conversation that a page has kept; remove the line"
        ) from None
    return asked


def _check(values: dict[str, Any]) -> None:
    """Check the types of all values."""
    known = {name: values.get(name, ()) for name in ("evidence", "texts")}
    lists_of = {"evidence": int, "texts": str}
    rating = values.get("value")
    if not (
        all(type(values[name]) is int and abs(values[name]) < _MOST for name in ("step", "agent"))
        and all(type(values[name]) is str for name in ("name", "question", "answer", "mind"))
        and type(values.get("group", "")) is str
        and all(type(many) is tuple for many in known.values())
        and all(type(one) is lists_of[name] for name, many in known.items() for one in many)
        and (rating is None or (type(rating) in {int, float} and math.isfinite(rating)))
    ):
        raise TypeError(values)
