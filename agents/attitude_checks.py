"""What the numbers of a model of attitude change may be; asked before and while it runs."""

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.errors import ParameterError

Floats = NDArray[np.floating]


def check_confidence(bound: float, rate: float) -> None:
    """Raise ParameterError unless the bound is at least 0 and the rate in [0, 1]."""
    if not bound >= 0 or not 0 <= rate <= 1:
        raise ParameterError(
            f"bound {bound} and rate {rate}: a bound of at least 0 and a rate in [0, 1] are needed"
        )


def check_rejection(bound: float, reject: float, backfire: float | Floats) -> None:
    """Raise ParameterError unless rejection begins at or beyond the bound and backfire is >= 0."""
    if not reject >= bound or not np.all(np.asarray(backfire) >= 0):
        raise ParameterError(
            f"reject {reject} with bound {bound}, backfire {backfire}: a distance of rejection of "
            f"at least the bound and a backfire of at least 0 are needed"
        )


def check_susceptibility(susceptibility: float | Floats, own_weight: float) -> None:
    """Raise ParameterError unless susceptibility is in [0, 1] and the own weight at least 0."""
    part = np.asarray(susceptibility)
    if not np.all((part >= 0) & (part <= 1)) or not 0 <= own_weight < np.inf:
        raise ParameterError(
            f"susceptibility {susceptibility} and own weight {own_weight}: one in [0, 1] and "
            f"one of at least 0 are needed"
        )


def check_bias(bias: float | Floats, own_weight: float) -> None:
    """Raise ParameterError unless the bias is at least 0 and the own weight above 0."""
    if not np.all(np.asarray(bias) >= 0) or not 0 < own_weight < np.inf:
        raise ParameterError(
            f"bias {bias} and own weight {own_weight}: one of at least 0 and one above 0 are needed"
        )


def check_reinforcement(coupling: float, controversy: float, step: float) -> None:
    """Raise ParameterError unless coupling and controversy are >= 0 and the step in (0, 1]."""
    if not coupling >= 0 or not controversy >= 0 or not 0 < step <= 1:
        raise ParameterError(
            f"coupling {coupling}, controversy {controversy}, step {step}: two of at least 0 "
            f"and a step in (0, 1] are needed"
        )
