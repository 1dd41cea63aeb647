"""The report of a run: one HTML file that carries its figures and needs no network."""

from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memopolis.analysis.facts.hurricane import check_pair
from memopolis.analysis.facts.registry import judged_by
from memopolis.analysis.load import Run, load_run
from memopolis.analysis.report_page import figure_html, rows_html, section, write_page
from memopolis.analysis.summary import summary
from memopolis.analysis.wording import date_form
from memopolis.sim.scenario_names import typed_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from memopolis.analysis.facts.fact import Fact

_MARKS = (
    "Every setting has an origin. <b>Found</b>, <b>computed</b> and <b>calibrated</b> values "
    "rest on sources or on data; <b>illustrative</b> ones are starting values that nobody has "
    "measured, and <b>recalled</b> ones were written down from memory and not checked again. "
    "A result that hangs on one of the latter two is an example, not a finding: vary it."
)
_SAMPLES = 3


def write_report(folder: str | Path, paired: str | Path | None = None) -> Path:
    """Write the report of a run into its folder.

    Args:
        folder: Of the run.
        paired: Of the run of the same seed and settings without storm and orders, if there is
            one: it adds the figure and the facts that need it.

    Returns:
        Path of report.html.

    Raises:
        RunFolderError: If either is no run that has ended, or the file cannot be written.
        ParameterError: If the pair has another seed or begins at another time.
    """
    run = load_run(folder)
    control = load_run(paired) if paired is not None else None
    if control is not None:
        check_pair(run, control)
    figures = "".join(figure_html(figure, caption) for figure, caption in _figures(run, control))
    parts = (
        _warning(run),
        rows_html(summary(run)),
        section("Figures", figures),
        _facts(run, control),
        _lives(run),
        _settings(run),
        _again(run),
    )
    return write_page(run.folder / "report.html", f"{run.title}, seed {run.seed}", "\n".join(parts))


def _warning(run: Run) -> str:
    if run.status == "succeeded":
        return ""
    reason = str(run.manifest.get("error") or "")
    return f'<p class="warning">This run was {escape(run.status)}. {escape(reason)}</p>'


def _figures(run: Run, paired: Run | None) -> "Iterator[tuple[Figure, str]]":
    """Figures that this run has the tables for, the most telling first."""
    from memopolis.analysis.plots.telling import told

    return told(run, paired)


def _facts(run: Run, paired: Run | None) -> str:
    judged = judged_by(run)
    if judged is None:
        return ""
    rows = [row for fact in judged.facts(run, paired) for row in _fact_rows(fact)]
    note = (
        "<p>One seed can miss a tolerance by luck; <code>memopolis validate</code> judges the mean "
        "over many. It also measures what is not in this run, such as what needs another arm of "
        "the same seed.</p>"
    )
    head = ("", "The simulation should show", "measured", "tolerance", "holds")
    return section("Facts of this run", note + rows_html(rows, head=head))


def _fact_rows(fact: "Fact") -> Iterator[tuple[str, ...]]:
    for i, value in enumerate(fact.values):
        name = f"{fact.statement}: {value.what}" if i == 0 else value.what
        holds = {True: "yes", False: "no", None: ""}[value.holds]
        if value.shown == "-":
            holds = "not in this run"
        yield fact.id if i == 0 else "", name, value.shown, value.tolerance, holds


def _lives(run: Run) -> str:
    """Thoughts of a few agents, spread over the population: what the numbers are made of."""
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
    note = "<p>What some of them thought, from the memories of each day.</p>"
    return section("Lives", note + "".join(parts)) if parts else ""


def _settings(run: Run) -> str:
    origins = run.manifest.get("origins", {})
    rows = [(name, value, str(origins.get(name, ""))) for name, value in _flat(run.settings)]
    head = ("setting", "value", "origin of its default" if origins else "")
    table = rows_html(rows, head=head)
    return section(
        "Settings",
        f"<p>{_MARKS}</p><details><summary>All settings of this run</summary>{table}</details>",
    )


def _flat(settings: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, value in settings.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        elif isinstance(value, list):
            yield prefix + name, ", ".join(map(str, value))
        else:
            yield prefix + name, str(value)


def _again(run: Run) -> str:
    versions = [(name, str(v)) for name, v in run.manifest.get("versions", {}).items()]
    text = (
        "<p>The same version with the same settings and seed gives the same tables:</p>"
        f"<details open><summary>The command, with every setting</summary>"
        f"<pre>{escape(command(run))}</pre></details>"
    )
    data = [(name, f"{digest[:16]}…") for name, digest in run.manifest.get("data", {}).items()]
    tables = rows_html(versions, head=("package", "version"))
    if data:
        tables += f"<details><summary>Hashes of the data files</summary>{rows_html(data)}</details>"
    return section("How to make it again", text + tables)


def command(run: Run) -> str:
    """The command line that makes a run again, as far as its settings are plain values."""
    from shlex import quote

    parts = [f"memopolis run {quote(typed_name(run.manifest['scenario']))} --seed {run.seed}"]
    for name, value in _flat(run.settings):
        if name == "agents":
            parts.append(f"--agents {value}")
        elif value not in {"None", ""} and not name.startswith("record."):
            parts.append(f"--set {quote(f'{name}={value}')}")
    return " \\\n    ".join(parts)
