"""Settings that had no effect: each changes a table now, or is refused with the reason."""

import os
from functools import cache, partial
from pathlib import Path

from tests.attack.case import Case, Outcome, judge
from tests.attack.commands import CommandResult, call
from tests.attack.workshop import Workshop

_BASES: dict[str, tuple[str, ...]] = {
    "hurricane": ("--agents", "40", "--days", "7"),
    "polarization": ("--agents", "40", "--days", "14", "--set", "event=shooting"),
    "ubi": ("--agents", "60", "--days", "180", "--set", "start=2"),
}
_SETTINGS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("ubi", ("news=none",)),
    ("ubi", ("cognition.think_at=3",)),
    ("polarization", ("news=default",)),
    ("polarization", ("cognition.think_at=3",)),
    ("polarization", ("cognition.conviction_rate=0.9",)),
    ("hurricane", ("sleep.cluster=true",)),
    ("hurricane", ("sleep.replay=0", "cognition.memories=3", "decision.memories=3")),
)
"""Scenarios, each with a setting and those without which it would have no effect."""


def _run(folder: Path, scenario: str, sets: tuple[str, ...], out: str) -> CommandResult:
    words = [word for one in sets for word in ("--set", one)]
    usual = ("run", scenario, *_BASES[scenario], "--seed", "1", "--no-report", "--out", out)
    return call(*usual, *words, cwd=folder)


@cache
def _base(root: Path, scenario: str, needed: tuple[str, ...]) -> dict[str, str]:
    """Run a scenario once in this process; return the hashes of its tables.

    Args:
        root: Folder for the run.
        scenario: Name of the scenario.
        needed: Settings without which the compared setting would have no effect.
    """
    from memopolis.analysis.run.tables import table_digests

    out = f"base-{scenario}-{len(needed)}"
    folder = root / f"{out}-{os.getpid()}"
    folder.mkdir()
    result = _run(folder, scenario, needed, out)
    if result.code:
        raise RuntimeError(result.summary)
    return table_digests(folder / out)


def _acts(workshop: Workshop, *, scenario: str, sets: tuple[str, ...]) -> Outcome:
    """Run a scenario with a setting changed and compare its tables."""
    from memopolis.analysis.run.tables import table_digests

    base = _base(workshop.folder.parent, scenario, sets[1:])
    result = _run(workshop.folder, scenario, sets, "run")
    if result.code:
        key = sets[0].partition("=")[0]
        faults = result.refusal_faults()
        faults += [] if key in result.summary else [f"the reason names no {key}: {result.summary}"]
        return judge(faults, result.summary)
    changed = table_digests(workshop.folder / "run")
    differ = sorted(name for name in {*base, *changed} if base.get(name) != changed.get(name))
    return judge([] if differ else ["no table differs"], f"other tables: {', '.join(differ)}")


CASES = [
    Case(
        f"{scenario} with {' '.join(sets)}",
        "another table, or refused with the reason",
        partial(_acts, scenario=scenario, sets=sets),
    )
    for scenario, sets in _SETTINGS
]
