"""`memopolis validate`: the hurricane against real data, and against arms that lack something."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from memopolis.commands.sections import (
    Section,
    compared_section,
    everything_holds,
    judged_section,
    markdown_table,
    summary_of,
)
from memopolis.commands.terminal import asides, results
from memopolis.sim.errors import ParameterError
from memopolis.sim.replicate import replicate

if TYPE_CHECKING:
    import pandas as pd

    from memopolis.analysis.load import Run

ARMS: Mapping[str, str] = {
    "scored": "as it is: memories recalled by score",
    "no storm": "no storm, hence no orders",
    "none": "nothing recalled but what is perceived in the same hour",
    "random": "as many memories recalled, at random",
    "mandatory": "the shipped orders from a file, hence without closures and reversed lanes",
    "voluntary": "the same file with each mandatory order made voluntary",
    "no order": "no orders, closures and reversed lanes",
}
"""Arms and what they are; all share their seeds, hence their luck and their citizens."""

_VERDICTS = (
    "Intervals are Student's t over seeds and may pass what is possible. Seeds: how many satisfy "
    "the tolerance by themselves. Surely: the whole interval lies within; on average: the mean "
    "does and the interval crosses the bound; NO: the mean lies outside. A number without a "
    "tolerance is told along."
)
_FACTS = (
    "Stylised facts of real evacuations, measured in the arm `scored`; where a baseline is needed "
    "it is the arm `no storm` of the same seed. The storm is calibrated on Dorian alone, so "
    "magnitudes of Dorian itself are fitted and not predicted. Dorian had no voluntary order: the "
    "two numbers of H-P1 that need one compare the citizens ordered to leave across the arms "
    "`mandatory`, `voluntary` and `no order`, which differ in the order alone (none of them has "
    "closures or reversed lanes). Fear is measured against the run without a storm: a negative "
    "share left is less fear than there."
)
_NO_STORM = (
    "The arm `no storm`: nothing may look like a response to a storm. Small drifts and the rhythm "
    "of a week are allowed for."
)
_RECALL = (
    "The arm `scored` minus the arms `none` and `random`, paired by seed: what recall by score "
    "changes. Attitudes are in points of 0 to 10, evacuated shares from 0 to 1. An outcome whose "
    "interval contains 0 may not depend on which memories are recalled."
)
_MEMORY = (
    "Of the decisions recorded in the arm `scored`. An answer on an attitude for which nothing was "
    "recalled that bears on it names no memory and changes nothing: it is no update, and its share "
    "of all answers stands in the last row. Thoughts are compared in pairs of one day that rest on "
    "different memories, both as they read."
)


def validate_hurricane(
    *,
    seeds: int,
    agents: int,
    out: Path | None = None,
    workers: int | None = None,
    markdown: Path | None = None,
) -> bool:
    """Run all arms over seeds, and print and write what holds.

    Args:
        seeds: How many seeds, >= 2.
        agents: Citizens of each run.
        out: Folder of the runs, of the tables as CSV and of `validation.md`; None for one that
            is removed at the end.
        workers: Processes; None for as many as cores.
        markdown: Another file to write as `validation.md`.

    Returns:
        Whether everything holds.

    Raises:
        MemopolisError: If a run is not possible.
    """
    # Minutes before it is needed: a file that cannot be written is said at once.
    if markdown is not None and not markdown.resolve().parent.is_dir():
        raise ParameterError(f"{markdown.parent} is no folder; name a file in one that exists")
    with tempfile.TemporaryDirectory() as spare:
        folder = (out if out is not None else Path(spare)).resolve()
        sections, page = _judge(_run_arms(folder, seeds, agents, workers), seeds, agents, markdown)
        for section in sections:
            section.write(folder)
        for file in filter(None, (folder / "validation.md", markdown)):
            file.write_text(page, encoding="utf-8")
    _print(sections, out)
    return everything_holds(sections)


def sections_of(arms: "Mapping[str, Sequence[Run]]") -> list[Section]:
    """Every table of the validation.

    Args:
        arms: Runs by arm, of the same seeds in the same order.
    """
    from memopolis.analysis.facts import memory_table, null_arm_table, recall_table

    recalls = recall_table({name: arms[name] for name in ("scored", "none", "random")})
    return [
        judged_section(
            "facts", "Facts: against real data", f"{_FACTS} {_VERDICTS}", _facts_of(arms)
        ),
        judged_section("no_storm", "Without a storm", _NO_STORM, null_arm_table(arms["no storm"])),
        compared_section("recall", "What recall changes", _RECALL, recalls, against="random"),
        judged_section("memory", "Memory is used", _MEMORY, memory_table(arms["scored"])),
    ]


def _facts_of(arms: "Mapping[str, Sequence[Run]]") -> "pd.DataFrame":
    """Facts of the normal arm; what it leaves open of H-P1 is filled by the arms of orders."""
    import pandas as pd

    from memopolis.analysis.facts import facts_table, orders_table

    facts = facts_table(arms["scored"], arms["no storm"])
    names = {"mandatory": "mandatory", "voluntary": "voluntary", "none": "no order"}
    orders = orders_table({order: arms[name] for order, name in names.items()})
    filled = (facts["seeds"] == 0) & facts["what"].isin(orders["what"])
    together = pd.concat([facts[~filled], orders[orders["what"].isin(facts["what"][filled])]])
    return together.sort_values("fact", kind="stable", ignore_index=True)


def _judge(
    folders: Mapping[str, Sequence[Path]], seeds: int, agents: int, markdown: Path | None
) -> tuple[list[Section], str]:
    from memopolis.analysis import load_run

    arms = {arm: [load_run(folder) for folder in runs] for arm, runs in folders.items()}
    sections = sections_of(arms)
    version = arms["scored"][0].manifest["versions"]["memopolis"]
    # Where the file lies tells readers nothing.
    file = markdown if markdown is not None and not markdown.is_absolute() else "FILE"
    command = f"memopolis validate --seeds {seeds} --agents {agents} --markdown {file}"
    summary = "\n".join(f"- {line}" for line in summary_of(sections))
    page = (
        "# Validation\n\n"
        f"The hurricane over seeds 1 to {seeds}, {agents:,} citizens in each run, Memopolis "
        f"{version}. All arms share their seeds, hence their citizens and their luck. Made, and "
        f"made again, by\n\n```sh\n{command}\n```\n\n{summary}\n\n"
        f"{markdown_table(('arm', 'what it is'), list(ARMS.items()))}\n\n"
    )
    return sections, page + "\n".join(section.markdown for section in sections)


def _changes(folder: Path) -> dict[str, dict[str, object]]:
    """Settings that make the arms; orders of one's own bring no closures, so both are files."""
    from memopolis.scenarios.hurricane.zones import DATA

    shipped = (DATA / "orders_dorian.csv").read_text(encoding="utf-8")
    files = {"mandatory": shipped, "voluntary": shipped.replace(",mandatory", ",voluntary")}
    folder.mkdir(parents=True, exist_ok=True)
    for order, text in files.items():
        (folder / f"orders_{order}.csv").write_text(text, encoding="utf-8")
    return {
        "scored": {},
        "no storm": {"storm": "none"},
        "none": {"recall": "none"},
        "random": {"recall": "random"},
        **{order: {"orders": str(folder / f"orders_{order}.csv")} for order in files},
        "no order": {"orders": "none"},
    }


def _run_arms(folder: Path, seeds: int, agents: int, workers: int | None) -> dict[str, list[Path]]:
    made: dict[str, list[Path]] = {}
    with _bar(seeds * len(ARMS)) as bar:
        for arm, changes in _changes(folder).items():
            before = seeds * len(made)
            bar.update(bar.task_ids[0], description=arm)
            made[arm] = replicate(
                "hurricane",
                {"agents": agents, **changes},
                seeds=range(1, seeds + 1),
                folder=folder / arm.replace(" ", "-"),
                workers=workers,
                progress=lambda done, _, before=before: bar.update(  # type: ignore[misc]
                    bar.task_ids[0], completed=before + done
                ),
            )
    return made


@contextmanager
def _bar(total: int) -> Iterator[Progress]:
    console = asides()
    columns = (TextColumn("{task.description:>9}"), BarColumn(bar_width=None), MofNCompleteColumn())
    with Progress(
        *columns,
        TextColumn("runs"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as bar:
        bar.add_task("runs", total=total)
        yield bar


def _print(sections: Sequence[Section], out: Path | None) -> None:
    console = results()
    if not console.is_terminal:
        console.width = max(console.width, 100)
    for section in sections:
        section.print(console)
    for line in summary_of(sections):
        console.print(line, markup=False)
    if out is not None:
        console.print(f"Runs, tables as CSV and validation.md: {out}", soft_wrap=True, markup=False)
