"""Targets of a calibration: summary statistics of simulations, with observed values."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memopolis.sim.errors import ParameterError, did_you_mean

_KEYS = ("value", "error", "outcome", "arm", "minus", "source")


@dataclass(frozen=True)
class Target:
    """A summary statistic of the simulations, and its observed value."""

    name: str  # name in tables and figures
    outcome: str  # outcome of a run, see `read_outcomes`
    value: float  # observed value; NaN for a check without one
    # Standard deviation of the observation and of what the model leaves out; normal noise of this
    # size is added to simulations (Wilkinson 2013, doi:10.1515/sagmb-2013-0010)
    error: float
    arm: str = ""  # arm whose outcome it is; "" for the only one
    minus: str = ""  # another arm whose outcome is subtracted; "" for none
    source: str = ""  # source of the value


def read_target(name: str, written: object, arms: Sequence[str], *, is_check: bool) -> Target:
    """Read a target, as {value = 0.53, error = 0.05}, from a mapping with the fields of `Target`.

    A check, which is predicted but not used, needs neither of the two. Raises ParameterError if it
    is no such mapping, or an entry is missing or invalid.
    """
    if not isinstance(written, Mapping):
        raise ParameterError(
            f"target {name} is {written!r}; write it as {{value = 0.5, error = 0.05}}"
        )
    unknown = next((key for key in written if key not in _KEYS), None)
    if unknown is not None:
        advice = did_you_mean(str(unknown), _KEYS)
        raise ParameterError(
            f"target {name} has no key {unknown!r}; {advice}allowed are {', '.join(_KEYS)}"
        )
    missing = {"value": math.nan, "error": 0.0} if is_check else {}
    value, error = (_number(name, key, written, missing) for key in ("value", "error"))
    if error < 0:
        raise ParameterError(f"target {name}: error is {error:g}; it must be at least 0")
    texts = {key: written.get(key, "") for key in ("outcome", "arm", "minus", "source")}
    for key, text in texts.items():
        if not isinstance(text, str):
            raise ParameterError(f"target {name}: {key} is {text!r}; a text is needed")
    for key in ("arm", "minus"):
        if texts[key] not in arms and (key == "arm" or texts[key]):
            known = ", ".join(filter(None, arms)) or "none, since the design has no arms"
            raise ParameterError(f"target {name}: {key} is {texts[key]!r}; there are {known}")
    return Target(name, texts["outcome"] or name, value, error, *list(texts.values())[1:])


def _number(
    name: str, key: str, written: Mapping[str, object], missing: Mapping[str, float]
) -> float:
    if key not in written and key in missing:
        return missing[key]
    number = written.get(key)
    if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
        raise ParameterError(f"target {name}: {key} is {number!r}; a finite number is needed")
    return float(number)
