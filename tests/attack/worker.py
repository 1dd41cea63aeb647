"""What a worker process does: make the shared runs and run the cases."""

import os
import signal
import time
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from tests.attack.case import Case, Outcome, shorten
from tests.attack.workshop import SharedRun, Workshop

_LONGEST = 240
"""Seconds after which a case is broken off."""


class Family(NamedTuple):
    """Cases that are about one thing, in the module of the family's name.

    Attributes:
        title: What they are about.
        runs: Names of the shared runs that they copy.
    """

    title: str
    runs: tuple[str, ...] = ()


_ALL = ("finished", "killed", "opinions", "opinions-killed")
FAMILIES = {
    "links": Family("Links and foreign files in a run folder", ("finished", "killed", "opinions")),
    "strangers": Family("Run folders made by a stranger", _ALL),
    "named": Family("Files of a stranger that name servers, code or files"),
    "damaged": Family("Damaged run folders", ("finished", "killed")),
    "checkpoints": Family("Crafted checkpoints", ("killed", "opinions-killed")),
    "crafted_memories": Family("Crafted and damaged memories"),
    "keys": Family("API keys and model servers", ("opinions",)),
    "models": Family("Answers of models, and servers without answers", ("opinions",)),
    "manifests": Family("Names of scenarios and wrong manifests", ("opinions",)),
    "folders": Family("Odd folders, full disks, too many agents", ("opinions",)),
    "user_code": Family("Mistakes in the code of users"),
    "page": Family("Page in the browser", ("opinions",)),
    "assistant": Family("Assistant over MCP", ("opinions",)),
    "limits": Family("Limits of memory"),
    "memory_use": Family("Threads and arguments of one memory"),
    "tables": Family("Tables of users and recorded tables", ("finished", "opinions")),
    "settings_acting": Family("Settings that must act"),
}
"""Families in the order in which they are printed."""


def prepare() -> None:
    """Remove keys and model servers of the user from the environment of this process."""
    for name in [one for one in os.environ if one.startswith(("OPENAI_", "MEMOPOLIS_"))]:
        del os.environ[name]


def make(shared: SharedRun, root: Path) -> None:
    """Make a shared run."""
    shared.make(root)


def cases_of(name: str) -> list[Case]:
    """Return the cases of a family."""
    cases: list[Case] = import_module(f"tests.attack.{name}").CASES
    return cases


def run_case(name: str, place: int, root: Path) -> tuple[Outcome, float]:
    """Run one case; return its outcome and its seconds."""
    workshop, began = Workshop(root), time.perf_counter()
    signal.signal(signal.SIGALRM, _break_off)
    signal.alarm(_LONGEST)
    try:
        outcome = cases_of(name)[place].run(workshop)
    except Exception as error:  # noqa: BLE001 - a case that breaks is a row, not the end
        outcome = Outcome(passed=False, got=shorten(f"the case broke: {error!r}"))
    finally:
        signal.alarm(0)
        workshop.remove()
    return outcome, time.perf_counter() - began


def _break_off(*_: object) -> None:
    raise TimeoutError(f"it did not end within {_LONGEST} s")
