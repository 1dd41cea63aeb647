"""`memopolis calibrate`: calibrate settings with uncertainty, and print the posterior."""

from pathlib import Path

import pandas as pd

from memopolis.analysis.calibration.design import design_from_toml
from memopolis.analysis.calibration.report import Calibration, check_arviz
from memopolis.analysis.calibration.sampler import calibrate
from memopolis.commands.options.studies import CalibrateOptions
from memopolis.commands.running import stoppable
from memopolis.commands.terminal import counting_runs, print_line, print_note, print_table, short
from memopolis.sim.files import writing_to

_IDENTIFIED = 0.1  # contraction from which a parameter counts as identified


def calibrate_design(options: CalibrateOptions) -> None:
    """Calibrate a design, print its tables, and write figures."""
    if options.arviz is not None:
        check_arviz(options.arviz)
    design = design_from_toml(options.design)
    folder = options.out or Path("calibrations", options.design.stem)
    with counting_runs("calibrate") as shown, stoppable(shown) as progress:
        result = calibrate(
            design,
            folder,
            coverage=options.coverage,
            executor=options.executor,
            workers=options.workers,
            progress=progress,
            force=options.force,
        )
    print_calibration(result)
    _write_figures(result)
    if options.arviz is not None:
        result.write_arviz(options.arviz)
        print_line(f"ArviZ   {options.arviz}")


def print_calibration(result: Calibration) -> None:
    """Print all tables of a calibration."""
    head = ("generation", "simulations", "missing", "closer", "tolerance", "effective")
    rows = [tuple(short(row[name]) for name in head) for _, row in result.generations.iterrows()]
    print_table("Generations", head, rows, numbers=head)
    _print_posterior(result.summary)
    if len(result.predictions):
        _print_checks(result.predictive_checks())
    if result.coverage is not None:
        _print_coverage(result.coverage)


def _print_posterior(frame: pd.DataFrame) -> None:
    head = ("parameter", "default", "prior 95%", "median", "80%", "95%", "contraction")
    rows = [
        (
            str(row["parameter"]),
            short(row["default"]),
            _interval(row["prior_low"], row["prior_high"]),
            short(row["median"]),
            _interval(row["low80"], row["high80"]),
            _interval(row["low95"], row["high95"]),
            f"{row['contraction']:.2f}",
        )
        for row in frame.to_dict("records")
    ]
    print_table("Posterior", head, rows, numbers=("default", "median", "contraction"))
    if frame["contraction"].max() < _IDENTIFIED:
        print_note("Note: the targets identify no parameter: every posterior is like its prior")


def _print_checks(frame: pd.DataFrame) -> None:
    head = ("name", "use", "observed", "mean", "95%", "inside")
    rows = [
        (
            str(row["name"]),
            str(row["use"]),
            "-" if row["inside"] is None else short(row["observed"]),
            short(row["mean"]),
            _interval(row["low95"], row["high95"]),
            {True: "yes", False: "NO"}.get(row["inside"], ""),
        )
        for row in frame.to_dict("records")
    ]
    print_table("Posterior predictive checks", head, rows, numbers=("observed", "mean"))


def _print_coverage(frame: pd.DataFrame) -> None:
    head = ("parameter", "level", "covered", "coverage", "95% interval", "passes")
    rows = [
        (
            str(row["parameter"]),
            f"{row['level']:.0%}",
            f"{row['covered']} of {row['datasets']}",
            f"{row['coverage']:.1%}",
            f"{row['low']:.1%} to {row['high']:.1%}",
            "yes" if row["passes"] else "NO",
        )
        for row in frame.to_dict("records")
    ]
    print_table("Coverage of intervals on simulated data", head, rows)


def _interval(low: float, high: float) -> str:
    return f"{short(low)} to {short(high)}"


def _write_figures(result: Calibration) -> None:
    from memopolis.analysis.figures.calibration import calibration_figures
    from memopolis.analysis.figures.style import as_png

    for name, figure in calibration_figures(result).items():
        file = result.folder / f"{name}.png"
        with writing_to(file):
            file.write_bytes(as_png(figure))
        print_line(f"Figure  {file}")
    print_line(f"Tables  {result.folder}: summary, draws, simulations, predictive_checks (CSV)")
