"""`memopolis sensitivity`: what outcomes of a sweep depend on."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.markup import escape

from memopolis.commands.terminal import WIDTH, asides, results, short, table
from memopolis.sim.errors import ParameterError, RunFolderError, UnknownNameError, reason_of

if TYPE_CHECKING:
    import pandas as pd

    from memopolis.analysis.sweep.sensitivity import Sensitivity

_SOBOL = {"first": "first", "total": "total"}
_MORRIS = {"mu_star": "mu*", "mu": "mu", "sigma": "sigma"}


def show_sensitivity(
    sweep: Path, outcomes: Sequence[str], *, confidence: float = 0.95, out: Path | None = None
) -> None:
    """Print what outcomes depend on, draw it, and write the numbers beside the figure.

    Args:
        sweep: Folder of a sweep.
        outcomes: Which; none for all that the design names.
        confidence: Of the intervals.
        out: The figure, a PNG; None for sensitivity.png in the sweep's folder.

    Raises:
        MemopolisError: If there is no such sweep or outcome, or nothing to work out.
    """
    from memopolis.analysis.sweep.results import load_sweep
    from memopolis.analysis.sweep.sensitivity import sensitivity

    read = load_sweep(sweep)
    wanted = list(outcomes) or read.outcomes
    if not wanted:
        raise UnknownNameError(f"the sweep in {sweep} takes no outcomes; name one by --outcome")
    found = [sensitivity(read, name, confidence=confidence) for name in wanted]
    for one in found:
        _print(one)
        if one.notes:
            asides().print(f"[bold]Note[/bold] {escape(one.notes)}", soft_wrap=True)
    figure, numbers = _write(found, out if out is not None else sweep / "sensitivity.png")
    results().print(f"Figure  {figure}", soft_wrap=True, markup=False)
    results().print(f"Table   {numbers}", soft_wrap=True, markup=False)


def _print(one: "Sensitivity") -> None:
    what = "base samples" if one.method == "sobol" else "trajectories"
    title = f"{one.outcome}: {one.samples} {what}, {one.confidence:.0%} intervals"
    indices = _SOBOL if one.method == "sobol" else _MORRIS
    console = results(width=WIDTH)
    by_index = {name: _of(one, name).set_index("factor") for name in indices}
    head = ("factor", *(cell for name in indices.values() for cell in (name, f"± {name}")))
    shown = table(escape(title), *head, numbers=head[1:])
    first = by_index[next(iter(indices))] if one.method == "morris" else by_index["total"]
    for factor in first.sort_values("value", ascending=False).index:
        cells = [part for name in indices for part in _cells(by_index[name].loc[factor])]
        shown.add_row(escape(str(factor)), *cells)
    console.print(shown)
    pairs = _of(one, "second")
    if len(pairs):
        both = table(
            "Two together", "factors", "second", "± second", numbers=("second", "± second")
        )
        for _, row in pairs.sort_values("value", ascending=False).iterrows():
            both.add_row(escape(f"{row['factor']} x {row['other']}"), *_cells(row))
        console.print(both)


def _of(one: "Sensitivity", index: str) -> "pd.DataFrame":
    return one.table[one.table["index"] == index]


def _cells(row: "pd.Series") -> tuple[str, str]:
    half = row["high"] - row["value"]
    return short(row["value"]), short(half) if half == half else ""  # noqa: PLR0124 - not a number


def _write(found: "Sequence[Sensitivity]", figure: Path) -> tuple[Path, Path]:
    import pandas as pd

    from memopolis.analysis.figures.sensitivity import sensitivity_figure
    from memopolis.analysis.figures.style import as_png

    if figure.suffix != ".png":
        raise ParameterError(f"--out is {figure}; the figure is a PNG, so name it {figure}.png")
    numbers = figure.with_suffix(".csv")
    try:
        figure.parent.mkdir(parents=True, exist_ok=True)
        figure.write_bytes(as_png(sensitivity_figure(found)))
        pd.concat([one.table for one in found]).to_csv(numbers, index=False)
    except OSError as error:
        raise RunFolderError(f"{figure} cannot be written: {reason_of(error)}") from None
    return figure, numbers
