"""Write the report of a run: one HTML file with embedded figures that needs no network."""

from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from memopolis.analysis.facts.fact import Fact
from memopolis.analysis.facts.hurricane import check_pair, facts_of, has_storm
from memopolis.analysis.labels import date_form, flatten_settings
from memopolis.analysis.report.html import figure_html, rows_html, section, write_page
from memopolis.analysis.report.summary import summary
from memopolis.analysis.run.run import Run, load_run
from memopolis.sim.scenario_names import typed_name

_MARKS = (
    "Every setting has an origin. <b>Found</b>, <b>computed</b> and <b>calibrated</b> values "
    "are based on sources or data; <b>illustrative</b> ones are starting values that have not been "
    "measured, and <b>recalled</b> ones were written down from memory and not verified. "
    "A result that depends on one of the latter two is an example, not a finding: vary it."
)
_SAMPLES = 3


def write_report(folder: str | Path, paired: str | Path | None = None) -> Path:
    """Write the report of a run into its folder.

    Returns the path of report.html. Raises RunFolderError if either run has not ended, or the file
    cannot be written, or ParameterError if the runs have different seeds or start at different
    times.

    Args:
        folder: Folder of the run.
        paired: Folder of the run with the same seed and settings but no storm or orders, if any:
            it adds the figure and the facts that need it.
    """
    run = load_run(folder)
    control = load_run(paired) if paired is not None else None
    if control is not None:
        check_pair(run, control)
    figures = "".join(figure_html(*figure) for figure in _figures(run, control))
    parts = (
        _warning(run),
        rows_html(summary(run)),
        section("Figures", figures) if figures else "",
        _facts(run, control),
        _lives(run),
        _settings(run),
        _reproduction(run),
    )
    return write_page(run.folder / "report.html", f"{run.title}, seed {run.seed}", "\n".join(parts))


def _warning(run: Run) -> str:
    if run.status == "succeeded":
        return ""
    reason = run.manifest["error"]
    return f'<p class="warning">This run was {escape(run.status)}. {escape(reason)}</p>'


def _figures(run: Run, paired: Run | None) -> Iterator[tuple[Any, str]]:
    from memopolis.analysis.figures.catalogue import draw_figures

    return draw_figures(run, paired)


def _facts(run: Run, paired: Run | None) -> str:
    if not has_storm(run):
        return ""
    rows = [row for fact in facts_of(run, paired) for row in _fact_rows(fact)]
    note = (
        "<p>One seed can miss a tolerance by chance; <code>memopolis validate</code> judges the "
        "mean over many. It also measures what this run lacks, such as facts that need another "
        "arm of the same seed.</p>"
    )
    head = ("", "The simulation should show", "measured", "tolerance", "passes")
    return section("Facts of this run", note + rows_html(rows, head=head))


def _fact_rows(fact: Fact) -> Iterator[tuple[str, ...]]:
    for i, value in enumerate(fact.values):
        name = f"{fact.statement}: {value.what}" if i == 0 else value.what
        passes = {True: "yes", False: "no", None: ""}[value.passes]
        if value.shown == "-":
            passes = "not in this run"
        yield fact.id if i == 0 else "", name, value.shown, value.tolerance, passes


def _lives(run: Run) -> str:
    """List thoughts of a few agents, spread over the population."""
    first = next(iter(run.manifest["populations"]))
    if not {"decisions", "memories", f"agents_{first}"} <= set(run.tables):
        return ""
    ids = sorted(run.agents["agent"].unique())
    chosen = {ids[len(ids) * (2 * i + 1) // (2 * _SAMPLES)] for i in range(_SAMPLES)}
    parts = []
    for life in (run.life(int(agent)) for agent in sorted(chosen)):
        thoughts = life.thoughts.drop_duplicates("text") if len(life.thoughts) else life.thoughts
        if len(thoughts):
            times = thoughts["time"].dt.strftime(date_form(run.hours))
            rows = list(zip(times, thoughts["text"], strict=True))
            parts.append(f"<h3>{escape(life.name)}</h3>{rows_html(rows)}")
    note = "<p>Thoughts of some agents, formed from the memories of each day.</p>"
    return section("Lives", note + "".join(parts)) if parts else ""


def _settings(run: Run) -> str:
    origins = run.manifest["origins"]
    rows = [(name, value, str(origins.get(name, ""))) for name, value in _setting_rows(run)]
    head = ("setting", "value", "origin of its default" if origins else "")
    table = rows_html(rows, head=head)
    return section(
        "Settings",
        f"<p>{_MARKS}</p><details><summary>All settings of this run</summary>{table}</details>",
    )


def _setting_rows(run: Run) -> list[tuple[str, str]]:
    """Return the settings of a run as text, lists joined by commas."""
    return [
        (name, ", ".join(map(str, value)) if isinstance(value, list) else str(value))
        for name, value in flatten_settings(run.settings).items()
        if value != {}
    ]


def _reproduction(run: Run) -> str:
    versions = [(name, str(v)) for name, v in run.manifest["versions"].items()]
    text = (
        "<p>The same version with the same settings and seed gives the same tables:</p>"
        f"<details open><summary>The command, with every setting</summary>"
        f"<pre>{escape(command(run))}</pre></details>"
    )
    data = [(name, f"{digest[:16]}…") for name, digest in run.manifest["data"].items()]
    tables = rows_html(versions, head=("package", "version"))
    if data:
        tables += f"<details><summary>Hashes of the data files</summary>{rows_html(data)}</details>"
    return section("How to reproduce it", text + tables)


def command(run: Run) -> str:
    """Return the command that reproduces a run, as far as its settings are plain values."""
    from shlex import quote

    # A class in a script or file is found by its reference only; a notebook has none.
    scenario = typed_name(run.manifest["reference"] or run.manifest["scenario"])
    parts = [f"memopolis run {quote(scenario)} --seed {run.seed}"]
    for name, value in _setting_rows(run):
        if name == "days":
            parts.append(f"--set {quote(f'days={_days(run, value)}')}")
        elif name == "agents":
            parts.append(f"--agents {value}")
        elif value not in {"None", ""} and not name.startswith("record."):
            parts.append(f"--set {quote(f'{name}={value}')}")
    return " \\\n    ".join(parts)


def _days(run: Run, setting: str) -> str:
    """Return the length of a run in days.

    This is the setting, unless the run was given another length (`run(days=...)`).
    """
    steps = run.manifest["until"] - run.manifest["began"]
    hours = float(run.manifest["settings"]["tick"])
    try:
        set_steps = 24 * float(setting) / hours
    except ValueError:  # an edited manifest
        return setting
    # As in `Clock.ticks`: the nearest number of steps, at least 1.
    is_set = abs(set_steps - steps) <= 0.5 or (steps == 1 and set_steps < 1)
    return setting if is_set else str(steps * hours / 24)
