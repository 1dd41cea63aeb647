"""A whole run in numbers that can be read and compared line by line.

`MEMOPOLIS_REFRESH_GOLDEN=1 pytest tests/golden` writes the file anew.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from memopolis.scenarios.hurricane.scenario import Hurricane

GOLDEN = Path(__file__).parent / "hurricane.txt"
HEAD = "A hurricane run of 200 citizens with seed 1, in numbers. See CONTRIBUTING.md, Tests."


def numbers(folder: Path) -> Iterator[str]:
    """What a run came to, a fact a line; digits that hold on every processor."""
    memories, decisions, measures, ledger, citizens = (
        pd.read_parquet(folder / "tables" / name)
        for name in ("memories", "decisions", "measures", "ledger", "agents_citizen")
    )
    yield HEAD
    yield ""
    yield "# measures, every third day at noon: all, then by group"
    noon = measures[(measures["tick"] % 72 == 12)]
    for (measure, group), rows in noon.groupby(["measure", "group"], observed=True):
        values = " ".join(f"{value:.4g}" for value in rows.sort_values("tick")["value"])
        yield f"{f'{measure} {group}'.strip():<36} {values}"
    yield ""
    yield "# memories, by topic and kind: how many, mean importance, mean valence"
    for (topic, kind), rows in memories.groupby(["topic", "kind"], observed=True):
        means = f"{rows['importance'].mean():.3f} {rows['valence'].mean():+.3f}"
        yield f"{f'{topic} {kind}':<36} {len(rows)} {means}"
    yield ""
    yield "# decisions, by kind, item and reason: how many, mean value, mean evidence"
    for (kind, item, reason), rows in decisions.groupby(["kind", "item", "reason"], observed=True):
        value = rows["value"].mean()
        evidence = rows["evidence"].map(len).mean()
        name = " ".join(str(part) for part in (kind, item, reason) if part != "")
        yield f"{name:<64} {len(rows)} {value:.4f} {evidence:.3f}"
    yield ""
    yield "# money, by payer, payee and reason: cents, payments"
    for (source, to, why), rows in ledger.groupby(["from", "to", "why"], observed=True):
        yield f"{f'{source} {to} {why}':<36} {rows['cents'].sum()} {rows['payments'].sum()}"
    yield ""
    yield "# citizens at the end: mean"
    end = citizens[citizens["tick"] == citizens["tick"].max()]
    for name in sorted(end.select_dtypes(["number", "bool"]).columns.drop(["tick", "agent"])):
        yield f"{name:<36} {end[name].mean():.5g}"


def test_a_run_comes_out_as_it_did(tmp_path: Path) -> None:
    folder = Hurricane(agents=200, rng=1).run(tmp_path / "run")
    text = "\n".join(numbers(folder)) + "\n"
    if os.environ.get("MEMOPOLIS_REFRESH_GOLDEN"):
        GOLDEN.write_text(text, encoding="utf-8")
    expected = GOLDEN.read_text(encoding="utf-8")
    assert text.splitlines() == expected.splitlines()
