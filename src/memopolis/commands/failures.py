"""Report errors and warnings in one line on standard error.

The command line imports this module at the start, so it imports nothing slow.
"""

import codecs
import errno
import io
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast

import typer
from typer.core import TyperGroup

from memopolis.commands.shown_text import harmless
from memopolis.sim.error_places import described, note_place, place_of
from memopolis.sim.errors import MemopolisError, reason_of
from memopolis.sim.recording.stopping import INTERRUPTED

WRONG_INPUT = 2  # exit code of any error that the user can fix

# Typer does not export this class; BadParameter, which it exports, is a subclass.
_UsageError = cast("type[Exception]", typer.BadParameter.__mro__[1])


class Commands(TyperGroup):
    """Commands that report errors in one line on standard error."""

    def main(self, *args: Any, **options: Any) -> Any:
        """Run the command line."""
        _replace_unencodable()
        return super().main(*args, **options)

    def invoke(self, ctx: Any) -> Any:
        """Run a command; report an error in one line and exit with its code."""
        try:
            with one_line_warnings(_print_line):
                return super().invoke(ctx)
        except KeyboardInterrupt as stop:
            raise _exit(str(stop) or "interrupted", getattr(stop, "code", INTERRUPTED)) from None
        except Exception as error:  # noqa: BLE001 - raised again if it cannot be reported
            # Compiled code reports a ctrl-C during its import as an ImportError.
            if isinstance(error, ImportError) and _was_interrupted(error):
                raise _exit("interrupted", INTERRUPTED) from None
            raise _exit(_describe(error), WRONG_INPUT) from None


def _replace_unencodable() -> None:
    """Print a question mark for each character that standard output cannot encode.

    UTF-8 encodes all characters but those of invalid names. Standard error never raises an error.
    """
    out = sys.stdout
    if isinstance(out, io.TextIOWrapper) and codecs.lookup(out.encoding).name != "utf-8":
        out.reconfigure(errors="replace")


@contextmanager
def one_line_warnings(show: Callable[[str], None]) -> Iterator[None]:
    """Show each warning of the engine in one line."""

    def show_warning(message: Warning | str, category: type[Warning], *where: Any) -> None:
        if issubclass(category, RuntimeWarning):
            show(f"memopolis: {' '.join(str(message).split())}")
        else:
            before(message, category, *where)

    with warnings.catch_warnings():
        before = warnings.showwarning
        warnings.showwarning = show_warning  # type: ignore[assignment]
        yield


def _describe(error: Exception) -> str:
    """Describe an error that the user can fix; raise any other unchanged."""
    note_place(error)
    place = place_of(error)
    match error:
        case MemopolisError():
            return described(error)
        case _UsageError():
            return _describe_usage(error)
        case UnicodeEncodeError() if error.reason == "surrogates not allowed":
            return f"{error.object!a} is not valid UTF-8; rename it"
        case OSError() if error.errno != errno.EPIPE:
            message = f"{error.filename or 'a file'}: {reason_of(error)}"
            return f"{message}; {place}" if place else message
        case MemoryError():
            what = f" ({error})" if str(error) else ""
            return f"out of memory{what}; set fewer agents or days, or close other programs"
        case _ if place:  # raised by the user's own code
            return described(error)
    raise error


def _describe_usage(error: Exception) -> str:
    message = getattr(error, "message", str(error)).rstrip(".")
    line = getattr(error, "format_message", lambda: message)().rstrip(".")
    path = getattr(getattr(error, "ctx", None), "command_path", "memopolis")
    return f"{line}; see `{path} --help`"


def _was_interrupted(error: BaseException | None) -> bool:
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _exit(message: str, code: int) -> typer.Exit:
    sys.stdout.flush()
    _print_line(f"memopolis: {' '.join(message.split())}")
    return typer.Exit(code)


def _print_line(text: str) -> None:
    sys.stderr.write(f"{harmless(text)}\n")
