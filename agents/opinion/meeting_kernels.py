"""Sequential meetings of pairs, compiled: each meeting changes opinions for the next one.

The update equals that of `attitude_models.repulsion`, and without rejection that of
`attitude_models.deffuant`, as a test checks.
"""

from numba import njit

from memopolis.sim.arrays import Float64, Int64


@njit(cache=True, nogil=True)
def meet(
    opinions: Float64,
    first: Int64,
    second: Int64,
    bound: float,
    reject: float,
    rate: float,
    backfire: Float64,
    low: float,
    high: float,
) -> None:
    """Apply meetings in order and update opinions in place."""
    for k in range(first.shape[0]):
        i, j = first[k], second[k]
        gap = opinions[j] - opinions[i]
        if abs(gap) < bound:
            opinions[i] += rate * gap
            opinions[j] -= rate * gap
        elif abs(gap) > reject:
            opinions[i] = min(max(opinions[i] - rate * backfire[i] * gap, low), high)
            opinions[j] = min(max(opinions[j] + rate * backfire[j] * gap, low), high)
