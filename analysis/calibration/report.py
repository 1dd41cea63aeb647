"""Results of a calibration: posterior, checks and coverage as tables in its folder, and ArviZ."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.analysis.calibration.design import Array, CalibrationDesign
from memopolis.analysis.compare.intervals import binomial_interval
from memopolis.sim.errors import ParameterError, RunFolderError
from memopolis.sim.extras import require
from memopolis.sim.files import refuse_outer_links, write_whole, writing_to
from memopolis.sim.settings_text import value_of

if TYPE_CHECKING:
    from xarray import DataTree

DESIGN = "calibration.json"  # file that identifies the folder of a calibration
LEVELS = (0.8, 0.95)  # levels of the intervals
_TABLES = ("generations", "simulations", "draws", "summary", "predictions", "coverage")


@dataclass(frozen=True)
class Calibration:
    """Results of a calibration.

    Attributes:
        folder: Its folder.
        design: Its design.
        generations: A row per generation: generation, simulations, missing (simulations without
            all targets), closer (share within the previous tolerance), tolerance, effective
            (effective number of accepted particles).
        simulations: A row per simulation: generation, parameters, summaries (without noise),
            distance (with noise), weight, accepted.
        draws: Equally weighted draws of the posterior, a column per parameter.
        summary: A row per parameter, see `summarise`.
        predictions: Summaries of simulations with parameters from the posterior, with noise.
        coverage: See `coverage_table`; None if it was not checked.
    """

    folder: Path
    design: CalibrationDesign
    generations: pd.DataFrame
    simulations: pd.DataFrame
    draws: pd.DataFrame
    summary: pd.DataFrame
    predictions: pd.DataFrame
    coverage: pd.DataFrame | None = None

    def predictive_checks(self) -> pd.DataFrame:
        """Compare the targets and checks with simulations from the posterior.

        Returns a row per target and check: name, use ("target" or "check"), observed, error, mean,
        low95, high95 and inside (whether the observed value is between low95 and high95; None if
        there is none).
        """
        rows = []
        for summary in self.design.summaries:
            values = self.predictions[summary.name].to_numpy(np.float64)
            known = values[np.isfinite(values)]
            low, high = np.quantile(known, ends_of(0.95)) if len(known) else (np.nan, np.nan)
            rows.append(
                {
                    "name": summary.name,
                    "use": "target" if summary.name in self.design.targets else "check",
                    "observed": summary.value,
                    "error": summary.error,
                    "mean": float(known.mean()) if len(known) else np.nan,
                    "low95": float(low),
                    "high95": float(high),
                    "inside": bool(low <= summary.value <= high)
                    if len(known) and not np.isnan(summary.value)
                    else None,
                }
            )
        return pd.DataFrame(rows)

    def save(self) -> None:
        """Write the design and all tables as CSV files into the folder.

        Raises RunFolderError if they cannot be written.
        """
        tables = {name: getattr(self, name) for name in _TABLES}
        tables["predictive_checks"] = self.predictive_checks()
        with writing_to(self.folder):
            for name, table in tables.items():
                if table is not None:
                    write_whole(self.folder / f"{name}.csv", table.to_csv(index=False))

    def to_arviz(self) -> "DataTree":
        """Return posterior, prior, posterior predictive and observed data for ArviZ.

        Raises ExtraError if arviz-base is not installed.
        """
        require("arviz", "arviz_base", what="to_arviz")
        from arviz_base import from_dict

        first = self.simulations["generation"] == 0
        names, targets = self.design.names, [summary.name for summary in self.design.summaries]
        observed = {summary.name: summary.value for summary in self.design.summaries}
        return from_dict(
            {
                "posterior": _chain(self.draws, names),
                "prior": _chain(self.simulations[first], names),
                "prior_predictive": _chain(self.simulations[first], targets),
                "posterior_predictive": _chain(self.predictions, targets),
                "observed_data": {
                    name: np.array(value)
                    for name, value in observed.items()
                    if value == value  # noqa: PLR0124
                },
            }
        )

    def write_arviz(self, file: Path) -> None:
        """Write `to_arviz` as netCDF (.nc) or Zarr (.zarr).

        Raises:
            ParameterError: If the name has another ending.
            ExtraError: If a package is not installed.
            RunFolderError: If it cannot be written.
        """
        check_arviz(file)
        data = self.to_arviz()
        with writing_to(file):
            if file.suffix == ".nc":
                data.to_netcdf(file, engine="h5netcdf")
            else:
                data.to_zarr(file)


def summarise(design: CalibrationDesign, scores: Array, weights: Array) -> pd.DataFrame:
    """Summarise the posterior in a row per parameter, from weighted particles.

    Returns the columns parameter, default, prior, prior_low and prior_high (95 %), median, low80,
    high80, low95, high95, and contraction: 1 minus the variance of the posterior relative to the
    prior, on the scale on which the prior is normal. Near 0, the targets do not identify the
    parameter (Schad, Betancourt and Vasishth 2021, doi:10.1037/met0000275). `scores` has shape
    (particles, parameters), `weights` shape (particles,), 1 in total.
    """
    from scipy.special import ndtri

    defaults = design.society.settings_class()
    levels = [0.5, *(share for level in LEVELS for share in ends_of(level))]
    rows = []
    for prior, own in zip(design.priors, scores.T, strict=True):
        low, high = prior.value(ndtri(ends_of(0.95)))
        median, *ends = prior.value(quantiles(own, weights, levels)).tolist()
        rows.append(
            {
                "parameter": prior.name,
                "default": float(value_of(defaults, prior.name, math.nan)),
                "prior": str(prior),
                "prior_low": low,
                "prior_high": high,
                "median": median,
                **dict(zip(("low80", "high80", "low95", "high95"), ends, strict=True)),
                "contraction": 1 - float(weights @ (own - weights @ own) ** 2),
            }
        )
    return pd.DataFrame(rows)


def coverage_table(covered: NDArray[np.bool_], names: Sequence[str]) -> pd.DataFrame:
    """Count how often intervals of named parameters contain the true value, see `find_covered`.

    Data sets share the simulations from which they are inferred, so they are not independent: for
    parameters that the targets do not identify, coverage varies less than its binomial interval.
    Returns a row per parameter and level: parameter, level, covered, datasets, coverage, low and
    high (binomial interval, Clopper and Pearson) and passes (whether it contains the level).
    """
    rows = []
    for column, name in enumerate(names):
        for number, level in enumerate(LEVELS):
            own = covered[:, column, number]
            low, high = binomial_interval(int(own.sum()), len(own), method="exact")
            rows.append(
                {
                    "parameter": name,
                    "level": level,
                    "covered": int(own.sum()),
                    "datasets": len(own),
                    "coverage": float(own.mean()) if len(own) else np.nan,
                    "low": low,
                    "high": high,
                    "passes": low <= level <= high,
                }
            )
    return pd.DataFrame(rows)


def quantiles(values: Array, weights: Array, shares: Sequence[float]) -> Array:
    """Return weighted quantiles, shape (shares,).

    The n-th of N equally weighted values has the share n / (N + 1), which the next value of the
    same distribution is expected to exceed, so that intervals of few particles are not too narrow.
    With unequal weights, N is the effective number.
    """
    order = np.argsort(values, kind="stable")
    weight = weights[order] / weights.sum()
    size = effective_size(weight)
    middle = np.cumsum(weight) - weight / 2
    return np.interp(shares, 0.5 + (middle - 0.5) * size / (size + 1), values[order])


def effective_size(weights: Array) -> float:
    """Return the number of equally weighted particles that estimate means equally well.

    Source: Kong, Liu and Wong 1994, doi:10.1080/01621459.1994.10476469.
    """
    return float(weights.sum() ** 2 / (weights**2).sum()) if len(weights) else 0.0


def ends_of(level: float) -> tuple[float, float]:
    """Return the shares below both ends of a central interval."""
    return (1 - level) / 2, (1 + level) / 2


def check_arviz(file: Path) -> None:
    """Refuse a file that `write_arviz` cannot write, before anything is simulated."""
    packages = {".nc": "h5netcdf", ".zarr": "zarr"}
    if file.suffix not in packages:
        raise ParameterError(f"--arviz is {file}; name a file that ends in .nc or .zarr")
    require("arviz", "arviz_base", packages[file.suffix], what=f"a file {file.suffix}")


def check_folder(folder: Path, design: CalibrationDesign) -> None:
    """Create the folder of a calibration, or refuse one that contains anything else.

    Raises RunFolderError if it contains another design or other files, or cannot be written.
    """
    refuse_outer_links(folder, top_only=True)
    file, text = folder / DESIGN, json.dumps(design.to_dict(), indent=1) + "\n"
    with writing_to(folder):
        if file.is_file():
            if _read_json(file) != json.loads(text):
                raise RunFolderError(
                    f"{folder} contains the calibration of another design; choose another folder, "
                    f"or remove {file} to reuse the runs that both designs share"
                )
            return
        if folder.is_dir() and any(not _is_own(path.name) for path in folder.iterdir()):
            raise RunFolderError(f"{folder} contains other files; choose an empty or new folder")
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(file, text)


def _is_own(name: str) -> bool:
    return name.startswith((".", "generation-")) or Path(name).suffix in {".csv", ".png", ".nc"}


def _read_json(file: Path) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        return None


def _chain(table: pd.DataFrame, names: list[str]) -> dict[str, Any]:
    """Return columns as one chain, shape (1, draws)."""
    return {name: table[name].to_numpy(np.float64)[None, :] for name in names}
