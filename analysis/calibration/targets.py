"""Targets of a calibration: summary statistics of simulations, with observed values."""

import math
from collections.abc import Mapping, Sequence

from pydantic import Field

from memopolis.analysis.calibration.priors import Finite
from memopolis.sim.errors import ParameterError
from memopolis.sim.toml_files import Entry, read_entry


class Target(Entry):
    """A summary statistic of the simulations, and its observed value."""

    name: str  # name in tables and figures
    value: Finite = math.nan  # observed value; NaN for a check without one
    # Standard deviation of the observation and of what the model leaves out; normal noise of this
    # size is added to simulations (Wilkinson 2013, doi:10.1515/sagmb-2013-0010)
    error: Finite = Field(0.0, ge=0)
    outcome: str = ""  # outcome of a run, see `read_outcomes`
    arm: str = ""  # arm whose outcome it is; "" for the only one
    minus: str = ""  # another arm whose outcome is subtracted; "" for none
    source: str = ""  # source of the value


def read_target(name: str, written: object, arms: Sequence[str], *, is_check: bool) -> Target:
    """Read a target, as {value = 0.53, error = 0.05}, from a mapping with the fields of `Target`.

    A check, which is predicted but not used, needs neither of the two. Raises ParameterError if it
    is no such mapping, or an entry is missing or invalid.
    """
    if not isinstance(written, Mapping) or not (is_check or {"value", "error"} <= written.keys()):
        raise ParameterError(
            f"target {name} is {written!r}; write it as {{value = 0.5, error = 0.05}}"
        )
    target = read_entry(Target, {"outcome": name, **written, "name": name}, f"target {name}")
    for key, arm in (("arm", target.arm), ("minus", target.minus)):
        if arm not in arms and (key == "arm" or arm):
            known = ", ".join(filter(None, arms)) or "none, since the design has no arms"
            raise ParameterError(f"target {name}: {key} is {arm!r}; there are {known}")
    return target
