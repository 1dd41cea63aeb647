"""Golden files of whole runs, compared line by line.

`MEMOPOLIS_REFRESH_GOLDEN=1 pytest tests/golden` rewrites the files.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from memopolis.scenarios.hurricane.scenario import Hurricane
from memopolis.scenarios.polarization.scenario import Polarization
from memopolis.scenarios.ubi.scenario import BasicIncome
from memopolis.sim.society import Society

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Golden:
    """A run that is kept.

    Attributes:
        name: Of its file.
        society: Makes it.
        head: First line of the file, which says what it is.
        when: In words, the ticks whose measures are kept.
        every: Ticks from one of these to the next.
        first: The first of them.
    """

    name: str
    society: Callable[[], Society[Any]]
    head: str
    when: str
    every: int
    first: int = 0


GOLDEN = (
    Golden(
        "hurricane",
        lambda: Hurricane(agents=200, rng=1),
        "A hurricane run of 200 citizens with seed 1, in numbers. See CONTRIBUTING.md, Tests.",
        "every third day at noon",
        every=72,
        first=12,
    ),
    Golden(
        "polarization",
        # Every block and the news in one run.
        lambda: Polarization(agents=200, days=21, arm="cross", event="shooting", rng=1),
        "A polarization run of 200 citizens with seed 1, persuaders of the other side and a "
        "shooting, in numbers.",
        "every fifth day",
        every=5,
    ),
    Golden(
        "ubi",
        lambda: BasicIncome(agents=200, days=18 * 30, start=6, rng=1),
        "A town of 200 citizens with seed 1 and a basic income from month 6, paid for by a tax, in "
        "numbers.",
        "every sixth month",
        every=6,
    ),
)
"""Runs that are kept; a scenario adds one by a line here and the command above."""


def numbers(folder: Path, golden: Golden) -> Iterator[str]:
    """Return the results of a run, one fact per line, with digits equal on every processor."""
    yield golden.head
    yield ""
    yield f"# measures, {golden.when}: all, then by group"
    yield from _measures(_table(folder, "measures"), golden)
    yield ""
    yield "# memories, by topic and kind: how many, mean importance, mean valence"
    for (topic, kind), rows in _by(_table(folder, "memories"), "topic", "kind"):
        means = f"{rows['importance'].mean():.3f} {rows['valence'].mean():+.3f}"
        yield f"{f'{topic} {kind}':<36} {len(rows)} {means}"
    yield ""
    yield "# decisions, by kind, item and reason: how many, mean value, mean evidence"
    for parts, rows in _by(_table(folder, "decisions"), "kind", "item", "reason"):
        means = f"{rows['value'].mean():.4f} {rows['evidence'].map(len).mean():.3f}"
        yield f"{' '.join(str(part) for part in parts if part != ''):<64} {len(rows)} {means}"
    if (folder / "tables" / "ledger").exists():
        yield ""
        yield "# money, by payer, payee and reason: cents, payments"
        for parts, rows in _by(_table(folder, "ledger"), "from", "to", "why"):
            yield f"{' '.join(parts):<36} {rows['cents'].sum()} {rows['payments'].sum()}"
    yield ""
    yield "# citizens at the end: mean"
    citizens = _table(folder, "agents_citizen")
    end = citizens[citizens["tick"] == citizens["tick"].max()]
    for name in sorted(end.select_dtypes(["number", "bool"]).columns.drop(["tick", "agent"])):
        yield f"{name:<36} {end[name].mean():.5g}"


def _measures(measures: pd.DataFrame, golden: Golden) -> Iterator[str]:
    kept = measures[measures["tick"] % golden.every == golden.first]
    for (measure, group), rows in _by(kept, "measure", "group"):
        values = " ".join(f"{value:.4g}" for value in rows.sort_values("tick")["value"])
        yield f"{f'{measure} {group}'.strip():<36} {values}"


def _table(folder: Path, name: str) -> pd.DataFrame:
    return pd.read_parquet(folder / "tables" / name)


def _by(table: pd.DataFrame, *names: str) -> Iterator[tuple[Any, pd.DataFrame]]:
    return iter(table.groupby(list(names), observed=True))


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden.name)
def test_a_run_equals_its_golden_file(golden: Golden, tmp_path: Path) -> None:
    folder = golden.society().run(tmp_path / "run")
    text = "\n".join(numbers(folder, golden)) + "\n"
    file = FOLDER / f"{golden.name}.txt"
    if os.environ.get("MEMOPOLIS_REFRESH_GOLDEN"):
        file.write_text(text, encoding="utf-8")
    assert text.splitlines() == file.read_text(encoding="utf-8").splitlines()
