"""`memopolis validate`: compare scenarios with real data and with null arms."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path

from memopolis.analysis import load_run
from memopolis.commands.options.studies import ValidateOptions
from memopolis.commands.sections import Section, Verdict, all_pass, summary_of
from memopolis.commands.terminal import (
    counting_runs,
    output_folder,
    print_line,
    stdout_console,
)
from memopolis.commands.validations.plan import Plan, read_texts
from memopolis.sim.errors import UnknownNameError
from memopolis.sim.replicate import replicate_arms

PLANS = ("hurricane", "polarization", "ubi")
"""Scenarios that can be validated; each names the module of its plan."""

_WIDTH = 100  # minimum line width without a terminal, in characters


def validate_scenarios(options: ValidateOptions) -> bool:
    """Run all arms of scenarios over seeds, print and write the verdicts; return whether all pass.

    The folder `out` gets the runs, CSV tables and `validation.md`, with one folder per scenario;
    None for a temporary folder. `markdown` is another file for a copy of `validation.md`.
    """
    scenarios, markdown = tuple(options.scenarios or PLANS), options.markdown
    for name in scenarios:
        if name not in PLANS:
            raise UnknownNameError(f"no validation for {name!r}; available: {', '.join(PLANS)}")
    modules = [import_module(f"memopolis.commands.validations.{name}") for name in scenarios]
    plans: list[Plan] = [module.PLAN for module in modules]
    with output_folder(options.out, markdown) as folder:
        pages, judged = [], []
        for plan in plans:
            sections = _judged(plan, folder / plan.scenario, options)
            _print(plan, sections)
            pages.append(_page(plan, sections, options.agents))
            judged += sections
        intro = read_texts("shared")["intro"].format(
            seeds=options.seeds, command=_command(scenarios, options)
        )
        notes = dict.fromkeys(section.note for section in judged if section.on_page)
        page = "\n".join([intro, "\n\n".join(filter(None, notes)) + "\n", *pages])
        for file in filter(None, (folder / "validation.md", markdown)):
            file.write_text(page, encoding="utf-8")
    if options.out is not None:
        print_line(f"Runs, tables as CSV and validation.md: {options.out}")
    return all_pass(judged)


def _judged(plan: Plan, folder: Path, options: ValidateOptions) -> list[Section]:
    runs = _run_arms(plan, folder, options)
    arms = {arm: [load_run(run_folder) for run_folder in folders] for arm, folders in runs.items()}
    sections = plan.sections(options.seeds, arms)
    for section in sections:
        section.write(folder)
    return sections


def _page(plan: Plan, sections: Sequence[Section], agents: int | None) -> str:
    marked = (Verdict.NO, Verdict.NOT_MEASURED)  # the tables mark what passes on average
    summary = "\n".join(f"- {line}" for line in summary_of(sections, marked))
    arms = "; ".join(f"`{arm}`: {description}" for arm, description in plan.arms.items())
    tables = "\n".join(section.markdown for section in sections if section.on_page)
    return (
        f"## {plan.scenario}\n\n{agents or plan.agents:,} citizens in each run.\n\n{summary}\n\n"
        f"Arms: {arms}.\n\n{tables}"
    )


def _command(scenarios: tuple[str, ...], options: ValidateOptions) -> str:
    # An absolute path is of no use to readers of the page.
    markdown = options.markdown
    file = markdown if markdown is not None and not markdown.is_absolute() else "FILE"
    named = "" if scenarios == PLANS else f" {' '.join(scenarios)}"
    size = "" if options.agents is None else f" --agents {options.agents}"
    return f"memopolis validate{named} --seeds {options.seeds}{size} --markdown {file}"


def _run_arms(plan: Plan, folder: Path, options: ValidateOptions) -> Mapping[str, list[Path]]:
    folder.mkdir(parents=True, exist_ok=True)
    arms = {
        folder / arm.replace(" ", "-"): {"agents": options.agents or plan.agents, **changes}
        for arm, changes in plan.changes(folder).items()
    }
    with counting_runs(plan.scenario) as progress:
        made = replicate_arms(
            plan.scenario,
            arms,
            seeds=range(1, options.seeds + 1),
            workers=options.workers,
            progress=progress,
        )
    return dict(zip(plan.arms, made.values(), strict=True))


def _print(plan: Plan, sections: Sequence[Section]) -> None:
    console = stdout_console(width=_WIDTH)
    console.print(f"{plan.scenario}\n", style="bold")
    for section in sections:
        section.print(console)
    for line in summary_of(sections):
        console.print(line, markup=False)
    console.print()
