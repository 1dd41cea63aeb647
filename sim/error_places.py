"""Add notes to errors in code of the user: file, line, block, agent and step.

An error keeps its type and message. The note is added once, where the running society is known;
`described` joins message and note in one line.
"""

import sysconfig
import traceback
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from memopolis.sim.errors import AGENT, MemopolisError

if TYPE_CHECKING:
    from memopolis.sim.society_base import SocietyBase

_OWN = "memopolis"
_MODELS = ("memopolis.agents.", "memopolis.scenarios.")
_MADE = ("<frozen", "<string>", "<__array")
"""Prefixes of file names without source: of Python, dataclasses and NumPy."""


_INSTALLED = frozenset(("site-packages", "dist-packages"))
"""Names of folders of installed packages, of which a user and a system may have further ones."""


class ErrorPlace(str):
    """A note that was added by this module."""

    __slots__ = ()


def place_of(error: BaseException) -> str:
    """Return the note with the place of an error, "" if there is none."""
    notes = getattr(error, "__notes__", ())
    return next((note for note in notes if isinstance(note, ErrorPlace)), "")


def described(error: BaseException, *, with_type: bool = False) -> str:
    """Return the message and the place of an error in one line."""
    # Python suggests a similar name for a misspelt one, but not in the text of the error.
    is_lookup = isinstance(error, AttributeError | NameError)
    trace = error.__traceback__
    summary = traceback.TracebackException(type(error), error, trace) if is_lookup else error
    message = " ".join(str(summary).split())
    if with_type or not isinstance(error, MemopolisError):
        message = f"{type(error).__name__}: {message}".removesuffix(": ")
    place = place_of(error)
    return f"{message}; {place}" if place else message


def note_place(
    error: BaseException, society: "SocietyBase[Any] | None" = None, doing: object = None
) -> None:
    """Add a note to an error that was raised in code of the user.

    `doing` is the active block, shock, measure, survey, or part of the world of the society.
    """
    if place_of(error):
        return
    classes = [type(value) for value in (society, doing) if value is not None]
    # Top-level packages of classes outside of this package.
    tops = {cls.__module__.partition(".")[0] for cls in classes} - {_OWN, "builtins"}
    frame_line = _innermost(error, tops)
    if frame_line is None:
        return
    frame, line = frame_line
    code = frame.f_code
    name = code.co_qualname.rpartition("<locals>.")[2]
    where = f"{_shown(code.co_filename)}:{line}"
    if name != "<module>":
        where += f" in {name}"
    context = ", ".join(_context(error, society, doing))
    error.add_note(ErrorPlace(f"{where} ({context})" if context else where))


def _innermost(error: BaseException, tops: set[str]) -> tuple[FrameType, int] | None:
    """Return the innermost frame of the user, or of a shipped block in a scenario of the user."""
    users, models = None, None
    for frame, line in traceback.walk_tb(error.__traceback__):
        module = str(frame.f_globals.get("__name__", ""))
        if module.startswith(_MODELS):
            models = frame, line
        elif _is_users(module.partition(".")[0], frame.f_code.co_filename, tops):
            users = frame, line
    return users or (models if tops else None)


def _is_users(top: str, file: str, tops: set[str]) -> bool:
    if top == _OWN or file.startswith(_MADE):
        return False
    if top in tops:
        return True
    return not (file.startswith(_libraries()) or _INSTALLED.intersection(Path(file).parts))


@cache
def _libraries() -> tuple[str, ...]:
    """Return the folders of Python and of packages installed with it."""
    paths = sysconfig.get_paths()
    return tuple({paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")})


def _shown(file: str) -> str:
    """Return a path relative to the working folder if the file is below it."""
    path = Path(file)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else file


def _context(
    error: BaseException, society: "SocietyBase[Any] | None", doing: object
) -> Iterator[str]:
    from memopolis.sim.block import Block

    if isinstance(doing, Block):
        yield f"block {doing.name}"
    elif doing is not None:
        name = getattr(doing, "name", "")
        kind = type(doing).__name__
        yield f"{kind.lower()} {name}" if isinstance(name, str) and name else kind
    if society is None:
        return
    agent = _agent(error, society, doing)
    if agent:
        yield agent
    elif isinstance(doing, Block) and hasattr(doing, "population"):
        yield f"population {doing.population.name}"
    if society.time:
        yield f"step {society.clock.tick}"
        yield f"{society.clock.now:%Y-%m-%d %H:%M}"
    else:
        yield "while the society was built"


def _agent(error: BaseException, society: "SocietyBase[Any]", doing: object) -> str:
    """Return the agent of an error, or the active agent, such as citizen 17 "Amy Nguyen"."""
    turn = getattr(getattr(doing, "chance", None), "agent", None)
    unique_id: Any = getattr(error, AGENT, getattr(turn, "unique_id", None))
    for population in society.populations if unique_id is not None else ():
        if population.find(unique_id) is not None:
            name, plain = society.name_of(unique_id), f"{population.name} {unique_id}"
            return plain if name in {plain, ""} else f'{plain} "{name}"'
    return ""
