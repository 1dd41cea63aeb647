"""Every error that Memopolis raises intentionally.

MemopolisError
├── SettingsError (ValueError)       a setting is unknown, of the wrong type or out of range
├── ParameterError (ValueError)      an argument of a function is out of range
├── RowError (IndexError)            there is no agent in that row of a memory
├── UnknownNameError (KeyError)      a name (attribute, scenario, place, profile) does not exist
├── DataFileError (ValueError)       a file of data is missing, unreadable or has a bad row
├── TrustError (PermissionError)     a run folder names code, a file or a server, see SECURITY.md
├── RunFolderError (OSError)         a run folder exists already, is missing, broken or not writable
├── SchemaError (TypeError)          a value does not fit the declared type of a column
├── ReplicationError (RuntimeError)  one of several runs did not finish
├── ExtraError (ImportError)         a package is missing that comes with an extra
├── ServerError (ConnectionError)    a server cannot be reached, or returns an unexpected answer
├── ReplayError (LookupError)        a question was never asked when answers were recorded
├── AnswerError (RuntimeError)       a model gave no answer, and no rule may decide in its place
├── BlockError (TypeError)           a behaviour is declared in a way that cannot run
└── StateError (AttributeError)      state was put where it could not be saved

Each is also the builtin error that a caller would expect, so that Python code that catches
`KeyError` or `ValueError` continues to work.
"""

import os
from collections.abc import Iterable
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

AGENT = "_memopolis_agent"
"""Attribute of an error that holds the unique_id of the agent it concerns."""


class MemopolisError(Exception):
    """Root of the tree; `entry` is the position of the offending value in an array."""

    entry: int | None = None

    def __str__(self) -> str:
        # KeyError shows the repr of its argument, which would quote the whole sentence.
        return str(self.args[0]) if self.args else ""


class SettingsError(MemopolisError, ValueError):
    """A setting is unknown, of the wrong type or out of range."""


class ParameterError(MemopolisError, ValueError):
    """An argument of a function is out of range."""


class RowError(MemopolisError, IndexError):
    """There is no agent in that row."""


class UnknownNameError(MemopolisError, KeyError):
    """A name does not exist; the message lists those that do."""


class DataFileError(MemopolisError, ValueError):
    """A file of data is missing, unreadable or has a bad row or column."""


class RunFolderError(MemopolisError, OSError):
    """A run folder exists already, is missing, is broken or cannot be written."""


class TrustError(MemopolisError, PermissionError):
    """A run folder names code, a file or a server, `named`, that the user did not ask for."""

    def __init__(self, message: str, named: str = "") -> None:
        super().__init__(message)
        self.named = named or message


class ReplicationError(MemopolisError, RuntimeError):
    """One of several runs did not finish; the message names the seeds."""


class ExtraError(MemopolisError, ImportError):
    """A package is missing that comes with an extra; the message names it."""


class ServerError(MemopolisError, ConnectionError):
    """A server cannot be reached, or returns an unexpected answer."""


class PartLostError(MemopolisError, ConnectionError):
    """The process of a part of a society has died."""


class ReplayError(MemopolisError, LookupError):
    """A question was never asked, or asked differently, when the answers were recorded."""


class AnswerError(MemopolisError, RuntimeError):
    """A model gave no answer that can be used, and no rule may decide in its place."""


class SchemaError(MemopolisError, TypeError):
    """A value does not fit the declared type of a column."""


class BlockError(MemopolisError, TypeError):
    """A behaviour is declared in a way that cannot run."""


class StateError(MemopolisError, AttributeError):
    """State was put where it could not be saved with the run."""


def reason_of(error: OSError) -> str:
    """Return the message of the operating system for an error, without additions of libraries."""
    return os.strerror(error.errno) if error.errno else str(error)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a question for the nearest known name, such as "did you mean days? ", or ""."""
    written = {each.lower(): each for each in known}  # as a spreadsheet may write it, "Age"
    name = name.lower()
    # Their ratio of common letters alone would prefer memory_firm to memories for "memry".
    near = get_close_matches(name, written, n=max(1, len(written)))
    if not near:
        return ""
    return f"did you mean {written[min(near, key=lambda each: _edit_distance(name, each))]}? "


def _edit_distance(a: str, b: str) -> int:
    """Return the number of letters to insert, delete or replace to turn one text into another."""
    row = list(range(len(b) + 1))
    for i, letter in enumerate(a, start=1):
        before, row[0] = row[0], i
        for j, other in enumerate(b, start=1):
            replaced = before + (letter != other)
            before = row[j]
            row[j] = min(replaced, row[j] + 1, row[j - 1] + 1)
    return row[len(b)]


def mark_agent(error: BaseException, unique_id: int) -> None:
    """Record the agent that an error concerns."""
    setattr(error, AGENT, unique_id)


def mark_entry(
    error: MemopolisError, unique_ids: "NDArray[np.int64] | None", rows: "NDArray[np.int64]"
) -> None:
    """Record the agent of the invalid entry of an array, by its row and the unique_ids of rows."""
    if error.entry is not None and error.entry < len(rows) and unique_ids is not None:
        mark_agent(error, int(unique_ids[rows[error.entry]]))
