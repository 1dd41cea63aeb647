"""`memopolis challenge`: frozen predictions of held-out events, scored against what happened."""

import math
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from memopolis.analysis.challenge.case import Case, find_cases
from memopolis.analysis.challenge.predicting import ENGINE, NULL, predict
from memopolis.analysis.challenge.scoring import Scores, score
from memopolis.analysis.challenge.submission import BASELINES, check_engines, read_submission
from memopolis.analysis.facts.basis import Basis
from memopolis.analysis.facts.fact import format_number
from memopolis.commands.options.studies import ChallengeOptions
from memopolis.commands.sections import Section
from memopolis.commands.terminal import (
    counting_runs,
    markdown_table,
    output_folder,
    print_line,
    stdout_console,
)
from memopolis.sim.files import write_whole

type Row = dict[Any, Any]
"""A row of a table of scores, by column."""

RESULTS = "<!-- results -->"  # line of a page after which the results are written
_WIDTH = 150  # minimum line width without a terminal, in characters
_BOARD = (
    "engine", "predicted", "score", "95% interval", "skill", "error", "within", "covered", "rank r",
)  # fmt: skip
_EACH = (
    "case", "quantity", "predicted", "90% interval", "observed", "bounds", "error", "score",
    "passes",
)  # fmt: skip
_EACH_PAGE = (
    "case", "quantity", "predicted (90% interval)", "observed (bounds)", "error", "passes",
)  # fmt: skip
_RANKS = ("engine", "group", "outcomes", "rank r", "95% interval")


def run_challenge(options: ChallengeOptions) -> None:
    """Predict cases, and score the predictions and those of baselines and other engines.

    The results are written to the file `markdown`, after a line `RESULTS` if it has one.
    """
    with output_folder(options.out, options.markdown) as folder:
        # All that can be wrong is checked first, because the runs may take minutes.
        cases = find_cases(options.cases or (), seeds=options.seeds, agents=options.agents)
        files = (*sorted(BASELINES.glob("*.csv")), *(options.submissions or ()))
        others = [read_submission(file, cases) for file in files]
        check_engines([ENGINE, NULL, *(other.engine for other in others)])
        own = predict(cases, folder, workers=options.workers, counting=counting_runs)
        scores = score(cases, [*own, *others])
        sections = [*_boards(scores), *_outcomes(scores)]
        for section in [*sections, *_ranks(scores)]:
            section.print(stdout_console(width=_WIDTH))
        _write(folder, cases, scores, sections, options.markdown)
    if options.out is not None:
        print_line(f"Runs, frozen.json, predictions, tables as CSV and challenge.md: {options.out}")


def _write(
    folder: Path,
    cases: Sequence[Case],
    scores: Scores,
    sections: Sequence[Section],
    markdown: Path | None,
) -> None:
    scores.leaderboard.to_csv(folder / "leaderboard.csv", index=False)
    scores.each.to_csv(folder / "scores.csv", index=False)
    scores.ranks.to_csv(folder / "ranks.csv", index=False)
    page = "\n".join([_list_cases(cases), *(section.markdown for section in sections)])
    write_whole(folder / "challenge.md", page)
    if markdown is not None:
        text = markdown.read_text(encoding="utf-8") if markdown.is_file() else ""
        before, line, _ = text.partition(RESULTS)
        write_whole(markdown, f"{before}{line}\n\n{page}" if line else page)


def _list_cases(cases: Sequence[Case]) -> str:
    rows = [
        (
            case.name,
            case.title,
            case.date.isoformat(),
            f"{case.seeds} seeds, {next(iter(case.arms.values())).agents:,} citizens",
            case.freeze()["sha256"][:12],
        )
        for case in cases
    ]
    return markdown_table(("case", "title", "date", "runs of each arm", "frozen"), rows) + "\n"


def _boards(scores: Scores) -> list[Section]:
    """Return the leaderboard of each set of outcomes."""
    sections = []
    for name, frame in scores.leaderboard.groupby("set", sort=False):
        rows = tuple(_board_cells(row) for row in frame.to_dict("records"))
        sections.append(_section(f"leaderboard {name}", _BOARD, rows, frame))
    return sections


def _section(
    name: str, head: tuple[str, ...], rows: tuple[tuple[str, ...], ...], frame: pd.DataFrame
) -> Section:
    """Return a section with its title and caption in `challenge.toml`."""
    file = Path(__file__).with_name("challenge.toml")
    text = tomllib.loads(file.read_text(encoding="utf-8"))[name]
    return Section(name, text["title"], text["caption"].strip(), head, rows, frame, ())


def _board_cells(row: Row) -> tuple[str, ...]:
    low, high = (f"{row[f'coverage_{end}']:.0%}".rstrip("%") for end in ("low", "high"))
    covered = f"{row['covered']} of {row['coverable']} ({low} to {high}%)"
    rank = row["rank_correlation"]
    return (
        str(row["engine"]),
        f"{row['predicted']} of {row['outcomes']}",
        f"{row['score']:.2f}",
        _range(row["score_low"], row["score_high"]),
        f"{row['skill']:+.0%}",
        f"{row['error']:.2f}" if row["predicted"] else "-",
        f"{row['within']} of {row['predicted']}" if row["predicted"] else "-",
        covered if row["coverable"] else "-",
        "-" if math.isnan(rank) else f"{rank:+.2f}",
    )


def _ranks(scores: Scores) -> list[Section]:
    """Return the rank correlation by group of held-out outcomes, where there is one."""
    if scores.ranks.empty:
        return []
    chosen = scores.ranks[
        (scores.ranks["set"] == "held out") & scores.ranks["rank_correlation"].notna()
    ]
    rows = tuple(
        (
            str(row["engine"]),
            str(row["group"]),
            str(row["outcomes"]),
            f"{row['rank_correlation']:+.2f}",
            _range(row["low"], row["high"]),
        )
        for row in chosen.to_dict("records")
    )
    return [_section("ranks", _RANKS, rows, chosen)] if rows else []


def _outcomes(scores: Scores) -> list[Section]:
    """Return the predictions of Memopolis, outcome by outcome, held-out ones first."""
    own = scores.each[scores.each["engine"] == ENGINE] if len(scores.each) else scores.each
    if own.empty:
        return []
    own = own.sort_values("basis", key=lambda basis: basis != Basis.INDEPENDENT, kind="stable")
    rows = tuple(_outcome_cells(row) for row in own.to_dict("records"))
    section = _section("outcomes", _EACH, rows, own)
    return [replace(section, page=markdown_table(_EACH_PAGE, [_outcome_page(row) for row in rows]))]


def _outcome_page(row: Sequence[str]) -> tuple[str, ...]:
    """Return the cells of a page: numbers with their intervals, without the score."""
    case, quantity, predicted, interval, observed, bounds, error, _, passes = row
    return case, quantity, f"{predicted} ({interval})", f"{observed} ({bounds})", error, passes


def _outcome_cells(row: Row) -> tuple[str, ...]:
    unit = str(row["unit"])

    def shown(*keys: str) -> str:
        numbers = [row[key] for key in keys]
        if any(map(math.isnan, numbers)):
            return "-"
        return " to ".join(
            format_number(number, unit).removesuffix(unit).strip() for number in numbers
        )

    marks = " r" * (row["label"] == "recalled") + " t" * (row["bounds"] == "tolerance")
    basis = "" if row["basis"] == Basis.INDEPENDENT else f" ({row['basis']})"
    error = shown("error_low", "error_high")
    return (
        str(row["case"]),
        f"{row['what']}, {unit}",
        shown("predicted"),
        shown("interval_low", "interval_high"),
        shown("value"),
        shown("low", "high") + marks,
        shown("error") + (f" ({error})" if error != "-" else ""),
        f"{row['score']:.2f}",
        ("yes" if row["within"] else "NO") + basis,
    )


def _range(low: float, high: float) -> str:
    return "-" if math.isnan(low) else f"{low:.2f} to {high:.2f}"
