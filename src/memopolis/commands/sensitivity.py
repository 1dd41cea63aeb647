"""`memopolis sensitivity`: sensitivity indices of the outcomes of a sweep."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from memopolis.analysis.sweep.results import load_sweep
from memopolis.analysis.sweep.sensitivity import Sensitivity, sensitivity
from memopolis.commands.options.studies import SensitivityOptions
from memopolis.commands.terminal import markdown_table, print_line, print_note, print_table, short
from memopolis.sim.errors import ParameterError, UnknownNameError
from memopolis.sim.files import writing_to

_SOBOL = {"first": "first", "total": "total"}
_MORRIS = {"mu_star": "mu*", "mu": "mu", "sigma": "sigma"}


def show_sensitivity(options: SensitivityOptions) -> None:
    """Print sensitivity indices, draw them, and write them to a CSV file."""
    sweep, top = load_sweep(options.folder), options.top
    other = None if options.minus is None else load_sweep(options.minus)
    names = options.outcomes or sweep.outcomes
    if not names:
        raise UnknownNameError(
            f"the sweep in {options.folder} has no outcomes; name one with --outcome"
        )
    computed = [
        sensitivity(sweep, name, confidence=options.confidence, minus=other) for name in names
    ]
    figure, numbers = _write(computed, options.out or options.folder / "sensitivity.png", top)
    if options.markdown:
        print_line(_markdown(computed, top))
        return
    for result in computed:
        _print(result if top is None else result.top(top))
        if result.notes:
            print_note(f"Note: {result.notes}")
    print_line(f"Figure  {figure}")
    print_line(f"Table   {numbers}")


def _markdown(computed: Sequence[Sensitivity], top: int | None) -> str:
    """Return a Markdown table: a row per factor, a column per outcome, the largest effects first.

    Factors are those with the largest effects on any outcome, relative to the largest one on it.
    Sobol indices are the first and the total one.
    """
    indices = ("mu_star",) if computed[0].method == "morris" else ("first", "total")
    relative = pd.DataFrame(
        {
            result.outcome: _of(result, indices[-1]).set_index("factor")["value"]
            for result in computed
        }
    )
    relative = relative / relative.max().replace(0, 1)
    order = relative.sum(axis=1).sort_values(ascending=False, kind="stable").index[:top]
    rows = [
        (f"`{factor}`", *(_cell(result, indices, factor) for result in computed))
        for factor in order
    ]
    heads = (f"`{result.outcome}`" + ", first / total" * (len(indices) > 1) for result in computed)
    return markdown_table(("setting", *heads), rows)


def _cell(one: Sensitivity, indices: Sequence[str], factor: Any) -> str:
    """Return the indices of a factor with half their intervals."""
    tables = (_of(one, index).set_index("factor") for index in indices)
    return " / ".join(" ± ".join(_cells(table.loc[factor])) for table in tables)


def _print(one: Sensitivity) -> None:
    what = "base samples" if one.method == "sobol" else "trajectories"
    title = f"{one.outcome}: {one.samples} {what}, {one.confidence:.0%} intervals"
    indices = _SOBOL if one.method == "sobol" else _MORRIS
    by_index = {name: _of(one, name).set_index("factor") for name in indices}
    head = ("factor", *(cell for name in indices.values() for cell in (name, f"± {name}")))
    first = by_index["mu_star" if one.method == "morris" else "total"]
    factors = first.sort_values("value", ascending=False).index
    rows = [
        (str(factor), *(cell for name in indices for cell in _cells(by_index[name].loc[factor])))
        for factor in factors
    ]
    print_table(title, head, rows, numbers=head[1:])
    pairs = _of(one, "second")
    if len(pairs):
        ordered = pairs.sort_values("value", ascending=False).iterrows()
        rows = [(f"{row['factor']} x {row['other']}", *_cells(row)) for _, row in ordered]
        head = ("factors", "second", "± second")
        print_table("Interactions of two factors", head, rows, numbers=head[1:])


def _of(one: Sensitivity, index: str) -> pd.DataFrame:
    return one.table[one.table["index"] == index]


def _cells(row: pd.Series) -> tuple[str, str]:
    half = row["high"] - row["value"]
    return short(row["value"]), short(half) if half == half else ""  # noqa: PLR0124 - not a number


def _write(computed: Sequence[Sensitivity], figure: Path, top: int | None) -> tuple[Path, Path]:
    from memopolis.analysis.figures.sensitivity import sensitivity_figure
    from memopolis.analysis.figures.style import as_png

    if figure.suffix != ".png":
        raise ParameterError(f"--out is {figure}; name a PNG file, such as {figure}.png")
    numbers = figure.with_suffix(".csv")
    drawn = [result if top is None else result.top(top) for result in computed]
    with writing_to(figure):
        figure.parent.mkdir(parents=True, exist_ok=True)
        figure.write_bytes(as_png(sensitivity_figure(drawn)))
        pd.concat([result.table for result in computed]).to_csv(numbers, index=False)
    return figure, numbers
