"""What the numbers of a model of attitude change may be; asked before and while it runs."""

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError

Floats = NDArray[np.floating]


def check_confidence(bound: float, rate: float) -> None:
    """Raise ParameterError unless the bound is at least 0 and the rate in [0, 1]."""
    if not bound >= 0 or not 0 <= rate <= 1:
        raise ParameterError(
            f"bound is {bound} and rate is {rate}; bound must be >= 0 and rate in [0, 1]"
        )


def check_rejection(bound: float, reject: float, backfire: float | Floats) -> None:
    """Raise ParameterError unless reject is at least the bound and backfire at least 0."""
    if not reject >= bound or not np.all(np.asarray(backfire) >= 0):
        raise ParameterError(
            f"reject is {reject} with bound {bound}, backfire is {backfire}; reject must be at "
            f"least bound, and backfire must be >= 0"
        )


def check_susceptibility(susceptibility: float | Floats, own_weight: float) -> None:
    """Raise ParameterError unless susceptibility is in [0, 1] and own_weight at least 0."""
    part = np.asarray(susceptibility)
    if not np.all((part >= 0) & (part <= 1)) or not 0 <= own_weight < np.inf:
        raise ParameterError(
            f"susceptibility is {susceptibility} and own_weight is {own_weight}; susceptibility "
            f"must be in [0, 1] and own_weight finite and >= 0"
        )


def check_bias(bias: float | Floats, own_weight: float) -> None:
    """Raise ParameterError unless the bias is at least 0 and own_weight above 0."""
    if not np.all(np.asarray(bias) >= 0) or not 0 < own_weight < np.inf:
        raise ParameterError(
            f"bias is {bias} and own_weight is {own_weight}; bias must be >= 0 and own_weight > 0"
        )


def check_reinforcement(coupling: float, controversy: float, step: float) -> None:
    """Raise ParameterError unless coupling and controversy are >= 0 and the step in (0, 1]."""
    if not coupling >= 0 or not controversy >= 0 or not 0 < step <= 1:
        raise ParameterError(
            f"coupling is {coupling}, controversy is {controversy} and step is {step}; coupling "
            f"and controversy must be >= 0, and step in (0, 1]"
        )
