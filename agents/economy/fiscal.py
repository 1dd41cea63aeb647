"""Fiscal policy: extend or reduce benefits over the business cycle."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memopolis.sim.errors import ParameterError

type FloatArray = NDArray[np.float64]


def weigh_review(need: ArrayLike, strain: ArrayLike, *, threshold: float) -> FloatArray:
    """Choose the direction of benefits by the need for them and the strain on the budget.

    Args:
        need: Need for support, negative in good times, any shape.
        strain: Strain on the budget, negative with a surplus, same shape.
        threshold: Difference from which benefits change, >= 0.

    Returns:
        1 to extend, -1 to reduce, 0 to keep, same shape.

    Raises:
        ParameterError: If the threshold is negative.

    Source:
        A fiscal rule that reacts to the cycle and to the budget: Gali and Perotti 2003, Economic
        Policy 18:533-572; Bohn 1998, Quarterly Journal of Economics 113:949-963 (both recalled).
        The three steps are this project's.
    """
    if threshold < 0:
        raise ParameterError(f"threshold is {threshold:g}; it must be >= 0")
    balance = np.asarray(need, np.float64) - np.asarray(strain, np.float64)
    return np.where(np.abs(balance) > threshold, np.sign(balance), 0.0)


def adjust_support(support: ArrayLike, sign: ArrayLike, *, step: float, bound: float) -> FloatArray:
    """Change the factor on benefits by one step, within bounds around 1.

    Args:
        support: Factor, >= 0, any shape.
        sign: -1, 0 or 1, same shape.
        step: Size of a step, >= 0.
        bound: Maximum distance of the factor from 1, in [0, 1].

    Returns:
        In [1 - bound, 1 + bound], same shape.

    Raises:
        ParameterError: If the step is negative or the bound is out of range.

    Source:
        This project.
    """
    if step < 0 or not 0 <= bound <= 1:
        raise ParameterError(
            f"step is {step:g} and bound is {bound:g}; step must be >= 0 and bound in [0, 1]"
        )
    moved = np.asarray(support, np.float64) + step * np.asarray(sign, np.float64)
    return np.clip(moved, 1 - bound, 1 + bound)
