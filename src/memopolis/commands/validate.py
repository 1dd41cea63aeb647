"""`memopolis validate`: scenarios against real data, and against arms that lack something."""

import tempfile
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path

from memopolis.commands.sections import Section, everything_holds, markdown_table, summary_of
from memopolis.commands.terminal import counting_runs, results
from memopolis.commands.validations.plan import Plan
from memopolis.sim.errors import ParameterError, UnknownNameError
from memopolis.sim.replicate import replicate_arms

PLANS = ("hurricane", "polarization", "ubi")
"""Scenarios that can be validated, by the name of the module of their plan."""

_INTRO = """# Validation

Facts that the scenarios should reproduce, measured over seeds 1 to {seeds}. All arms of a scenario
share their seeds, and so their citizens and random numbers. This page is the output of

<!-- checked: takes minutes -->

```sh
{command}
```

Failed checks are listed; the README of each scenario explains the cause.
"""


def plan_of(scenario: str) -> Plan:
    """The plan of a scenario.

    Raises:
        UnknownNameError: If it has none.
    """
    if scenario not in PLANS:
        raise UnknownNameError(
            f"no validation of {scenario!r}; there are those of {', '.join(PLANS)}"
        )
    plan: Plan = import_module(f"memopolis.commands.validations.{scenario}").PLAN
    return plan


def validate_scenarios(
    scenarios: Sequence[str] = PLANS,
    *,
    seeds: int,
    agents: int | None = None,
    out: Path | None = None,
    workers: int | None = None,
    markdown: Path | None = None,
) -> bool:
    """Run all arms of scenarios over seeds, and print and write what holds.

    Args:
        scenarios: Names of the scenarios.
        seeds: How many seeds, >= 2.
        agents: Citizens of each run; None for as many as each plan says.
        out: Folder of the runs, of the tables as CSV and of `validation.md`, a folder a
            scenario below it; None for one that is removed at the end.
        workers: Processes; None for as many as cores.
        markdown: Another file to write as `validation.md`.

    Returns:
        Whether everything holds.

    Raises:
        MemopolisError: If a run is not possible.
    """
    plans = [plan_of(name) for name in scenarios]
    # Minutes before it is needed: a file that cannot be written is said at once.
    if markdown is not None and not markdown.resolve().parent.is_dir():
        raise ParameterError(f"{markdown.parent} is no folder; name a file in one that exists")
    with tempfile.TemporaryDirectory() as spare:
        folder = (out if out is not None else Path(spare)).resolve()
        pages, found = [], []
        for plan in plans:
            sections = _judged(plan, folder / plan.scenario, seeds, agents, workers)
            _print(plan, sections)
            pages.append(_page(plan, sections, agents))
            found += sections
        command = _command(scenarios, seeds, agents, markdown)
        page = "\n".join([_INTRO.format(seeds=seeds, command=command), *pages])
        for file in filter(None, (folder / "validation.md", markdown)):
            file.write_text(page, encoding="utf-8")
    if out is not None:
        told = f"Runs, tables as CSV and validation.md: {out}"
        results().print(told, soft_wrap=True, markup=False)
    return everything_holds(found)


def _judged(
    plan: Plan, folder: Path, seeds: int, agents: int | None, workers: int | None
) -> list[Section]:
    from memopolis.analysis import load_run

    runs = _run_arms(plan, folder, seeds, agents or plan.agents, workers)
    arms = {arm: [load_run(one) for one in folders] for arm, folders in runs.items()}
    sections = plan.sections(seeds, arms)
    for section in sections:
        section.write(folder)
    return sections


def _page(plan: Plan, sections: Sequence[Section], agents: int | None) -> str:
    told = "\n".join(f"- {line}" for line in summary_of(sections))
    arms = markdown_table(("arm", "description"), list(plan.arms.items()))
    tables = "\n".join(section.markdown for section in sections)
    return (
        f"## {plan.scenario}\n\n{agents or plan.agents:,} citizens in each run.\n\n{told}\n\n"
        f"{arms}\n\n{tables}"
    )


def _command(
    scenarios: Sequence[str], seeds: int, agents: int | None, markdown: Path | None
) -> str:
    # Where the file lies tells readers nothing.
    file = markdown if markdown is not None and not markdown.is_absolute() else "FILE"
    named = "" if tuple(scenarios) == PLANS else f" {' '.join(scenarios)}"
    size = "" if agents is None else f" --agents {agents}"
    return f"memopolis validate{named} --seeds {seeds}{size} --markdown {file}"


def _run_arms(
    plan: Plan, folder: Path, seeds: int, agents: int, workers: int | None
) -> Mapping[str, list[Path]]:
    folder.mkdir(parents=True, exist_ok=True)
    arms = {
        folder / arm.replace(" ", "-"): {"agents": agents, **changes}
        for arm, changes in plan.changes(folder).items()
    }
    with counting_runs(plan.scenario) as progress:
        made = replicate_arms(
            plan.scenario, arms, seeds=range(1, seeds + 1), workers=workers, progress=progress
        )
    return dict(zip(plan.arms, made.values(), strict=True))


def _print(plan: Plan, sections: Sequence[Section]) -> None:
    console = results()
    if not console.is_terminal:
        console.width = max(console.width, 100)
    console.print(f"{plan.scenario}\n", style="bold")
    for section in sections:
        section.print(console)
    for line in summary_of(sections):
        console.print(line, markup=False)
    console.print()
