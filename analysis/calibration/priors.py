"""Prior distributions of settings, as quantile functions.

All inference takes place in scores: a score is the standard normal quantile of the prior share
below a value. There, every prior is a standard normal distribution, kernels need no bounds, and a
regression cannot leave the prior's range.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field, FiniteFloat, Strict

from memopolis.sim.errors import ParameterError
from memopolis.sim.toml_files import Entry, read_entry

type Kind = Literal["uniform", "normal", "lognormal"]
type Finite = Annotated[FiniteFloat, Strict()]
type _Positive = Annotated[FiniteFloat, Strict(), Field(gt=0)]

KINDS: Mapping[str, tuple[str, ...]] = {
    "uniform": ("low", "high"),
    "normal": ("mean", "sd"),
    "lognormal": ("median", "sigma"),
}
"""Parameters of each kind of prior; sigma is the standard deviation of the logarithm."""

_MOST = 8.0  # largest absolute score; beyond it, shares cannot be distinguished from 0 and 1


@dataclass(frozen=True)
class Prior:
    """Prior distribution of one setting."""

    name: str  # name of the setting
    kind: Kind  # kind of distribution
    centre: float  # mean of a normal, median of a lognormal prior; not used if uniform
    spread: float  # standard deviation, of the logarithm if lognormal; not used if uniform
    low: float  # smallest value; normal and lognormal priors are truncated to [low, high]
    high: float  # largest value

    def value(self, scores: ArrayLike) -> NDArray[np.float64]:
        """Return the values of scores, shape (n,)."""
        from scipy.special import ndtr

        shares = ndtr(np.clip(np.asarray(scores, np.float64), -_MOST, _MOST))
        values = self._distribution.ppf(shares)
        values = np.exp(values) if self.kind == "lognormal" else values
        clipped: NDArray[np.float64] = np.clip(values, self.low, self.high)
        return clipped

    def score(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return the scores of values within [low, high], shape (n,)."""
        from scipy.special import ndtri

        shares = self._distribution.cdf(self._scaled(values))
        scores: NDArray[np.float64] = np.clip(ndtri(shares), -_MOST, _MOST)
        return scores

    @property
    def weight(self) -> float:
        """Share of the distribution without truncation that is within [low, high]."""
        from scipy.special import ndtr

        return float(np.diff(ndtr(self._standard_ends))[0])

    @property
    def _distribution(self) -> Any:
        """The distribution on the scale on which it is uniform or normal."""
        from scipy.stats import truncnorm, uniform

        if self.kind == "uniform":
            return uniform(self.low, self.high - self.low)
        return truncnorm(*self._standard_ends, self._scaled(self.centre), self.spread)

    @property
    def _standard_ends(self) -> NDArray[np.float64]:
        """Both ends in standard deviations from the centre."""
        ends = self._scaled([self.low, self.high])
        return np.asarray((ends - self._scaled(self.centre)) / self.spread)

    def _scaled(self, values: ArrayLike) -> NDArray[np.float64]:
        known = np.asarray(values, np.float64)
        if self.kind != "lognormal":
            return known
        with np.errstate(divide="ignore"):  # the end of a prior without a limit is 0
            return np.log(np.maximum(known, 0))

    def __str__(self) -> str:
        if self.kind == "uniform":
            return f"uniform {self.low:g} to {self.high:g}"
        first, second = KINDS[self.kind]
        bounds = f" in [{self.low:g}, {self.high:g}]"
        limited = bounds if math.isfinite(self.low) or math.isfinite(self.high) else ""
        return f"{self.kind} {first} {self.centre:g}, {second} {self.spread:g}{limited}"


class _Written(Entry):
    prior: Kind
    low: Finite | None = None
    high: Finite | None = None
    mean: Finite | None = None
    sd: _Positive | None = None
    median: _Positive | None = None
    sigma: _Positive | None = None


def read_prior(
    name: str, written: object, limits: tuple[float, float] = (-math.inf, math.inf)
) -> Prior:
    """Read the prior of a setting, as {prior = "uniform", low = 0, high = 1}.

    Normal and lognormal priors may also have `low` and `high`; they are truncated to these and to
    the limits of the setting. Raises ParameterError if it is no such mapping, a number is not
    allowed, or a uniform prior exceeds the limits.
    """
    if not isinstance(written, Mapping) or "prior" not in written:
        raise ParameterError(
            f'parameter {name} is {written!r}; write it as {{prior = "uniform", low = 0, high = 1}}'
        )
    entry = read_entry(_Written, written, f"parameter {name}")
    kind, needed = entry.prior, KINDS[entry.prior]
    if not {*needed} <= entry.model_fields_set <= {"prior", "low", "high", *needed}:
        raise ParameterError(
            f"parameter {name}: a {kind} prior has {' and '.join(needed)}, not "
            f"{', '.join(key for key in written if key != 'prior') or 'nothing'}"
        )
    low, high = (
        limit if (own := getattr(entry, key)) is None else own
        for key, limit in zip(("low", "high"), limits, strict=True)
    )
    if not low < high:
        raise ParameterError(f"parameter {name}: low is {low:g} and high {high:g}; low < high")
    if low < limits[0] or high > limits[1]:
        raise ParameterError(
            f"parameter {name}: the prior covers {low:g} to {high:g}; the setting allows "
            f"{limits[0]:g} to {limits[1]:g}"
        )
    if kind == "uniform":
        return Prior(name, kind, 0.0, 1.0, low, high)
    centre, spread = (getattr(entry, key) for key in needed)
    prior = Prior(name, kind, centre, spread, low, high)
    if prior.weight < 1e-3:
        raise ParameterError(
            f"parameter {name}: the prior {prior} has nearly no weight between its ends; move its "
            f"{needed[0]} between them"
        )
    return prior
