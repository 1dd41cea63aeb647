"""`memopolis validate`: the hurricane against real data, and against arms that lack something."""

import tempfile
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from memopolis.commands.terminal import asides, results, table
from memopolis.sim.replicate import replicate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memopolis.analysis.compare import Interval
    from memopolis.analysis.facts.fact import Value
    from memopolis.analysis.load import Run
    from memopolis.sim.replicate import Finished

ARMS: Mapping[str, Mapping[str, object]] = {
    "normal": {},
    "no storm": {"storm": "none"},
    "recall none": {"recall": "none"},
    "recall random": {"recall": "random"},
}
"""Changes of the settings by arm; arms share their seeds, hence their luck."""

_NO_RESPONSE = ("evacuated_share", "departures", "prepared_share")
"""Measures that stay at 0 without a storm."""
_OUTCOMES = ("evacuated_share", "government_trust", "emergency_preparedness")
"""Measures in which arms are compared."""


@dataclass(frozen=True)
class Row:
    """One judged number over seeds.

    Attributes:
        id: Of the fact it belongs to.
        what: What it is.
        interval: Over seeds.
        judged: Its tolerance, and how it is written.
    """

    id: str
    what: str
    interval: "Interval"
    judged: "Value"

    @property
    def holds(self) -> bool | None:
        """Whether the mean over seeds lies within; None where no seed has anything to measure."""
        return self.judged.tolerates(self.interval.mean) if self.interval.seeds else None


def validate_hurricane(
    *, seeds: int, agents: int, out: Path | None = None, workers: int | None = None
) -> bool:
    """Run all arms over seeds and print what holds.

    Args:
        seeds: How many seeds, >= 2.
        agents: Citizens of each run.
        out: Folder of the runs; None for one that is removed at the end.
        workers: Processes; None for as many as cores.

    Returns:
        Whether everything holds.

    Raises:
        MemopolisError: If a run is not possible.
    """
    with tempfile.TemporaryDirectory() as spare:
        folders = _run_arms(out if out is not None else Path(spare), seeds, agents, workers)
        from memopolis.analysis import load_run

        arms = {arm: [load_run(folder) for folder in runs] for arm, runs in folders.items()}
        holds = [
            _print_rows("Facts: the hurricane against real data", fact_rows(arms)),
            _print_rows("Without a storm", no_storm_rows(arms["no storm"])),
            _print_rows("Decisions name their memories", evidence_rows(arms["normal"])),
            _print_differences(arms),
        ]
    return all(holds)


def fact_rows(arms: Mapping[str, Sequence["Run"]]) -> list[Row]:
    """The numbers of every fact over seeds; each run is paired with that without a storm."""
    from memopolis.analysis.facts.hurricane import facts_of

    values: dict[tuple[str, str], list[Value]] = {}
    for run, calm in zip(arms["normal"], arms["no storm"], strict=True):
        for fact in facts_of(run, calm):
            for value in fact.values:
                values.setdefault((fact.id, value.what), []).append(value)
    return [_row(name, what, seen) for (name, what), seen in values.items()]


def no_storm_rows(runs: Sequence["Run"]) -> list[Row]:
    """What must not happen where there is no storm."""
    from memopolis.analysis.facts.fact import Value

    return [
        _row("null", name, [Value(name, float(run.measure(name).max()), 0, 0) for run in runs])
        for name in _NO_RESPONSE
    ]


def evidence_rows(runs: Sequence["Run"]) -> list[Row]:
    """Share of attitude and thought updates that name the memories they rest on.

    An answer that names none and leaves the attitude where it was is no update.
    """
    from memopolis.analysis.facts.fact import Value

    shares: dict[str, list[Value]] = {"attitude": [], "thought": []}
    for run in runs:
        decisions = run.table("decisions").sort_values(["agent", "item", "tick"])
        named = decisions["evidence"].str.len() > 0
        before = decisions.groupby(["agent", "kind", "item"], observed=True)["value"].shift()
        # The first answer has none before it to differ from.
        changed = (decisions["value"] != before) & before.notna()
        update = named | changed | (decisions["kind"] == "thought")
        for kind, values in shares.items():
            chosen = named[update & (decisions["kind"] == kind)]
            values.append(Value(kind, float(chosen.mean()), low=1, unit="%"))
    return [_row("memory", f"{kind} updates", values) for kind, values in shares.items()]


def differences(arms: Mapping[str, Sequence["Run"]], other: str) -> dict[str, "Interval"]:
    """Paired differences of the normal arm to another, by outcome.

    Returns:
        The evacuated share at the end, and the mean over the run of every attitude.
    """
    from memopolis.analysis.compare import paired_difference

    result = {}
    for name in _OUTCOMES:
        normal, changed = ([_outcome(run, name) for run in arms[arm]] for arm in ("normal", other))
        result[name] = paired_difference(normal, changed)
    return result


def _outcome(run: "Run", name: str) -> float:
    path = run.measure(name)
    return float(path.iloc[-1] if name == "evacuated_share" else path.mean())


def _row(name: str, what: str, values: Sequence["Value"]) -> Row:
    from memopolis.analysis.compare import interval

    return Row(name, what, interval([value.value for value in values]), values[0])


def _run_arms(folder: Path, seeds: int, agents: int, workers: int | None) -> dict[str, list[Path]]:
    made = {}
    with _bar(seeds * len(ARMS)) as told:
        for number, (arm, changes) in enumerate(ARMS.items()):
            made[arm] = replicate(
                "hurricane",
                {"agents": agents, **changes},
                seeds=range(1, seeds + 1),
                folder=folder / arm.replace(" ", "-"),
                workers=workers,
                progress=lambda done, _, before=number * seeds: told(before + done, 0),  # type: ignore[misc]
            )
    return made


@contextmanager
def _bar(total: int) -> "Iterator[Finished]":
    console = asides()
    columns = (TextColumn("runs"), BarColumn(bar_width=None), MofNCompleteColumn())
    with Progress(
        *columns, TimeRemainingColumn(), console=console, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("runs", total=total)
        yield lambda done, _: bar.update(task, completed=done)


def _print_rows(title: str, rows: Sequence[Row]) -> bool:
    columns = ("", "what", "mean", "95% interval", "tolerated", "holds")
    shown = table(title, *columns, numbers=("mean",))
    marks = {True: "yes", False: "[bold red]NO[/]", None: "-"}
    for row in rows:
        tolerated = escape(row.judged.tolerance)
        shown.add_row(row.id, escape(row.what), *_written(row), tolerated, marks[row.holds])
    results().print(shown)
    return all(row.holds is not False for row in rows)


def _written(row: Row) -> tuple[str, str]:
    from memopolis.analysis.facts.fact import written

    unit, span = row.judged.unit, row.interval
    if not span.seeds:
        return "-", "nothing to measure"
    low, high = (written(end, unit).removesuffix(unit).strip() for end in (span.low, span.high))
    return written(span.mean, unit), f"{low} to {high}"


def _print_differences(arms: Mapping[str, Sequence["Run"]]) -> bool:
    """Print what memory changes; it must change something against random memories."""
    columns = ("", "outcome", "mean", "95% interval", "not 0")
    shown = table("What recall changes: normal minus another arm", *columns)
    for column in shown.columns:
        column.no_wrap = True
    by_arm = {arm: differences(arms, arm) for arm in ("recall none", "recall random")}
    for arm, outcomes in by_arm.items():
        for name, span in outcomes.items():
            ends = f"{span.low:+.3f} to {span.high:+.3f}"
            shown.add_row(arm, name, f"{span.mean:+.3f}", ends, "yes" if span.excludes(0) else "no")
    results().print(shown)
    differs = any(span.excludes(0) for span in by_arm["recall random"].values())
    if not differs:
        results().print("[bold red]NO[/]: nothing differs from random memories")
    return differs
