"""Analyse the sensitivity of outcomes: Sobol indices and Morris elementary effects, by SALib."""

import itertools
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from memopolis.analysis.compare.intervals import check_confidence
from memopolis.analysis.sweep.results import SweepResults, load_sweep
from memopolis.sim.errors import ParameterError, RunFolderError
from memopolis.sim.sweep.sampling import LEVELS_OF_MORRIS, problem, shares
from memopolis.sim.sweep.seeds import bootstrap_seed

type Method = Literal["sobol", "morris"]

METHODS: Mapping[str, Method] = {"saltelli": "sobol", "saltelli_total": "sobol", "morris": "morris"}
"""Method of analysis by sampling of the design."""

COLUMNS = ("outcome", "index", "factor", "other", "value", "low", "high")
_INDICES: Mapping[Method, Mapping[str, str]] = {
    "sobol": {"first": "S1", "total": "ST"},
    "morris": {"mu_star": "mu_star", "mu": "mu", "sigma": "sigma"},
}
"""Indices of each factor by method, and their names in SALib."""
_RESAMPLES = 300


@dataclass(frozen=True)
class Sensitivity:
    """Sensitivity of one outcome to the factors of a sweep.

    Attributes:
        outcome: Name of the outcome.
        method: "sobol" or "morris".
        factors: Names of the factors, in the order of the design.
        table: A row per index: outcome, index, factor, other, value, low, high. For "sobol" the
            indices are first, total and, for sampling "saltelli", second (of two factors, the
            second one in `other`), as shares of the outcome's variance. For "morris" they are
            mu_star, mu and sigma, in units of the outcome over the whole range of the factor; mu
            and sigma have no interval.
        confidence: Of the intervals.
        samples: Number of base samples, or trajectories, that were used.
        notes: Remarks for readers, such as missing runs; "" for none.
    """

    outcome: str
    method: Method
    factors: tuple[str, ...]
    table: pd.DataFrame
    confidence: float
    samples: int
    notes: str = ""

    def top(self, count: int) -> "Sensitivity":
        """Return only the factors with the largest total indices or effects mu*."""
        largest = self.table[self.table["index"].isin(["total", "mu_star"])]
        order = largest.sort_values("value", ascending=False, kind="stable")["factor"]
        kept = set(order.head(count))
        rows = self.table["factor"].isin(kept) & self.table["other"].isin({"", *kept})
        factors = tuple(name for name in self.factors if name in kept)
        return replace(self, table=self.table[rows], factors=factors)


def sensitivity(
    sweep: SweepResults | str | Path,
    outcome: str,
    *,
    confidence: float = 0.95,
    minus: SweepResults | str | Path | None = None,
) -> Sensitivity:
    """Compute the sensitivity of an outcome, from its means over replications.

    A base sample (or a trajectory) with a missing value is omitted; `notes` reports it. Returns
    indices with intervals.

    Args:
        sweep: A sweep whose design has a sampling of `METHODS`, or its folder.
        outcome: Name of an outcome, or a measure that the runs recorded.
        confidence: Of the intervals, in (0, 1), from 300 resamples.
        minus: A sweep of another arm with the same points and seeds, whose outcome is subtracted
            run by run; None for the outcome itself.

    Raises:
        ParameterError: If the sampling is another one, `confidence` is not between 0 and 1, or
            `minus` has other points or seeds.
        RunFolderError: If fewer than two base samples are complete, or there is no sweep.
        UnknownNameError: If runs did not record the outcome.

    Source: Sobol 2001, doi:10.1016/S0378-4754(00)00270-6; Saltelli et al. 2010,
    doi:10.1016/j.cpc.2009.09.018; Morris 1991, doi:10.2307/1269043; Campolongo et al. 2007,
    doi:10.1016/j.envsoft.2006.10.004; Herman and Usher 2017 (SALib), doi:10.21105/joss.00097.
    """
    results = sweep if isinstance(sweep, SweepResults) else load_sweep(sweep)
    design = results.design
    method = METHODS.get(design.sampling)
    if method is None:
        raise ParameterError(
            f"the sweep in {results.folder} has sampling {design.sampling}; indices need "
            f"sampling = {' or '.join(f'"{name}"' for name in METHODS)} in the design"
        )
    check_confidence(confidence)
    other = load_sweep(minus) if isinstance(minus, str | Path) else minus
    analysed: Mapping[str, Any]
    values, complete, notes = _means(results, outcome, other)
    if values[complete].std() == 0:
        same = f"{outcome} is {values[complete][0, 0]:g} at every point, so it depends on no factor"
        analysed, notes = {}, [*notes, same]
    elif method == "sobol":
        analysed = _sobol(results, values[complete].ravel(), confidence)
    else:
        analysed = _morris(results, values, complete, confidence)
    table = _tidy(results.factors, _INDICES[method], analysed)
    return Sensitivity(
        outcome,
        method,
        tuple(results.factors),
        table.assign(outcome=outcome)[list(COLUMNS)],
        confidence,
        int(complete.sum()),
        "; ".join(notes),
    )


def _means(
    results: SweepResults, outcome: str, minus: SweepResults | None
) -> tuple[NDArray[np.float64], NDArray[np.bool_], list[str]]:
    """Return means by base sample and point, which samples are complete, and remarks."""
    design = results.design
    values = results.values_of(outcome)
    if minus is not None:
        _check_paired(results, minus)
        values = values - minus.values_of(outcome)
    values = values.where(np.isfinite(values))
    means = values.groupby(results.runs["point"]).mean().to_numpy(np.float64)
    blocks = means.reshape(design.samples, -1)
    complete = ~np.isnan(blocks).any(axis=1)
    notes = []
    if values.isna().any():
        notes.append(_describe_missing(results, values, complete))
    if complete.sum() < 2:
        few = f"samples is {design.samples} in {results.folder}; indices need at least 2"
        raise RunFolderError("; ".join(notes) or few)
    return blocks, complete, notes


def _check_paired(results: SweepResults, minus: SweepResults) -> None:
    """Refuse a sweep with other points, replications or seeds."""
    seeds = [
        [(run.point, run.replication, run.seed) for run in sweep.kept.runs]
        for sweep in (results, minus)
    ]
    if results.kept.points != minus.kept.points or seeds[0] != seeds[1]:
        raise ParameterError(
            f"{results.folder} and {minus.folder} have other points or seeds; sweep the same "
            "design, with the same seed, and only other settings"
        )


def _describe_missing(results: SweepResults, values: pd.Series, complete: NDArray[np.bool_]) -> str:
    statuses = results.runs.loc[values.isna(), "status"].value_counts()
    text = ", ".join(
        f"{count} {status if status != 'succeeded' else 'without a value'}"
        for status, count in statuses.items()
    )
    what = "trajectories" if results.design.sampling == "morris" else "base samples"
    return (
        f"{values.isna().sum()} of {len(values)} runs are missing ({text}), so "
        f"{(~complete).sum()} of {len(complete)} {what} are omitted; `memopolis sweep` on "
        f"{results.folder} runs the pending ones, and with --retry-failed those that failed"
    )


def _sobol(
    results: SweepResults, values: NDArray[np.float64], confidence: float
) -> Mapping[str, Any]:
    from SALib.analyze import sobol

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a resample may have only one value
        analysed: Mapping[str, Any] = sobol.analyze(
            problem(len(results.factors)),
            values,
            calc_second_order=results.design.sampling == "saltelli",
            num_resamples=_RESAMPLES,
            conf_level=confidence,
            seed=bootstrap_seed(results.design.seed),
        )
    return analysed


def _morris(
    results: SweepResults,
    values: NDArray[np.float64],
    complete: NDArray[np.bool_],
    confidence: float,
) -> Mapping[str, Any]:
    from SALib.analyze import morris

    design, factors = results.design, len(results.factors)
    if design.points != results.kept.points:
        raise RunFolderError(
            f"{results.folder} was planned by another version of SALib, which draws other "
            "trajectories; install that version, or repeat the sweep in another folder"
        )
    sample = shares("morris", factors, samples=design.samples, seed=design.seed)
    analysed: Mapping[str, Any] = morris.analyze(
        problem(factors),
        sample.reshape(len(complete), -1, factors)[complete].reshape(-1, factors),
        values[complete].ravel(),
        num_resamples=_RESAMPLES,
        conf_level=confidence,
        num_levels=LEVELS_OF_MORRIS,
        seed=bootstrap_seed(design.seed),
    )
    return analysed


def _tidy(
    factors: list[str], indices: Mapping[str, str], analysed: Mapping[str, Any]
) -> pd.DataFrame:
    """Return a row per index from a result of SALib; NaN for indices and intervals it lacks."""
    unknown = np.full(len(factors), np.nan)
    rows = [
        (index, *row)
        for index, key in indices.items()
        for row in zip(
            factors,
            [""] * len(factors),
            analysed.get(key, unknown),
            analysed.get(f"{key}_conf", unknown),
            strict=True,
        )
    ]
    if "S2" in analysed:
        rows += [
            ("second", factors[i], factors[j], analysed["S2"][i, j], analysed["S2_conf"][i, j])
            for i, j in itertools.combinations(range(len(factors)), 2)
        ]
    table = pd.DataFrame(rows, columns=["index", "factor", "other", "value", "half"])
    return table.assign(low=table["value"] - table["half"], high=table["value"] + table["half"])
