"""Known results of the models, measured by simulation, as one table per result.

Each table has one row per case and seed: `case`; `expected`, the reference value; `low` and
`high`, bounds on the mean over seeds; `measured`; `seed`. The expected values were computed by an
independent implementation of the published models.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import product

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from memopolis.agents.opinion.baumann import Baumann
from memopolis.agents.opinion.deffuant import Deffuant
from memopolis.agents.opinion.friedkin_johnsen import FriedkinJohnsen
from memopolis.agents.opinion.hegselmann_krause import HegselmannKrause
from memopolis.agents.opinion.model import Floats
from memopolis.sim.chance import Chance
from memopolis.sim.statistics.polarization import clusters

DEFFUANT_CLUSTERS: Mapping[float, float] = {
    0.5: 1.0,
    0.4: 1.0,
    0.3: 1.0,
    0.27: 1.4,
    0.25: 1.9,
    0.2: 2.0,
    0.15: 2.9,
    0.12: 3.7,
    0.1: 4.5,
    0.07: 6.2,
    0.05: 8.6,
}
"""Mean number of clusters of 1,000 agents at mu 0.5, by bound; a cluster has at least 2%."""

HEGSELMANN_KRAUSE_CLUSTERS: Mapping[float, float] = {
    0.05: 8.1,
    0.1: 4.0,
    0.15: 2.6,
    0.18: 2.0,
    0.2: 1.9,
    0.22: 1.4,
    0.25: 1.0,
}
"""Mean number of clusters of 625 agents, by bound; clusters of any size."""

DEFFUANT_CONSENSUS: Mapping[float, bool] = {0.3: True, 0.2: False}
"""Whether one cluster remains, by bound; true in 98 of 100 seeds at 0.3, false in all at 0.2."""

HEGSELMANN_KRAUSE_CONSENSUS: Mapping[float, bool] = {0.18: False, 0.25: True}
"""Whether one cluster remains, by bound; false in 99 of 100 seeds at 0.18, true in all at 0.25."""

_EXCEPTIONS = 0.1
"""Share of seeds that may deviate from a certain outcome."""

_TOLERANCE = 0.5
"""Tolerance on the mean number of clusters."""
_COLUMNS = ["case", "expected", "low", "high", "measured", "seed"]


def deffuant_table(
    seeds: Iterable[int], bounds: Iterable[float] = tuple(DEFFUANT_CLUSTERS)
) -> pd.DataFrame:
    """Count the clusters of Deffuant's model: 1,000 agents, mu 0.5, 300 rounds.

    Args:
        seeds: Seeds of initial opinions, uniform on [0, 1], and of meetings.
        bounds: Bounds, a subset of those in `DEFFUANT_CLUSTERS`.

    Returns:
        Columns case ("bound=0.3", and "bound=0.3, consensus", measured as 1 or 0), expected,
        low, high, measured, seed.
    """
    return _build_table(seeds, bounds, DEFFUANT_CLUSTERS, DEFFUANT_CONSENSUS, _deffuant)


def hegselmann_krause_table(
    seeds: Iterable[int], bounds: Iterable[float] = tuple(HEGSELMANN_KRAUSE_CLUSTERS)
) -> pd.DataFrame:
    """Count the clusters of Hegselmann and Krause's model: 625 agents, 200 steps.

    Args:
        seeds: Seeds of initial opinions, uniform on [0, 1].
        bounds: Bounds, a subset of those in `HEGSELMANN_KRAUSE_CLUSTERS`.

    Returns:
        Columns case ("bound=0.25", and "bound=0.25, consensus", measured as 1 or 0), expected,
        low, high, measured, seed.
    """
    return _build_table(
        seeds,
        bounds,
        HEGSELMANN_KRAUSE_CLUSTERS,
        HEGSELMANN_KRAUSE_CONSENSUS,
        _hegselmann_krause,
    )


def friedkin_johnsen_error(seeds: Iterable[int], agents: int = 50) -> pd.DataFrame:
    """Return the maximum deviation of Friedkin and Johnsen's model from its closed form.

    Args:
        seeds: Seeds of initial opinions, ties (each pair with probability 0.2, and a ring) and
            susceptibility (uniform on [0, 0.9]).
        agents: Number of agents.

    Returns:
        Columns case, expected (0), low, high (1e-6), measured, seed.
    """
    rows = [
        ("closed form", 0.0, 0.0, 1e-6, _friedkin_johnsen(agents, seed), seed) for seed in seeds
    ]
    return pd.DataFrame(rows, columns=_COLUMNS)


def baumann_table(seeds: Iterable[int], agents: int = 500) -> pd.DataFrame:
    """Measure the regimes of Baumann's model, with T 10, dt 0.05 and a replication's parameters.

    Args:
        seeds: Seeds of initial opinions, uniform on [-1, 1], and of contacts.
        agents: Number of agents.

    Returns:
        Columns case, expected, low, high, measured, seed. Cases: the mean of |x| where opinions
        converge, and the share of the larger side in five radical cases, from one-sided to
        polarized; in the last one also the rank correlation of activity and |x|.
    """
    rows = [row for seed in seeds for row in _baumann(agents, seed)]
    return pd.DataFrame(rows, columns=_COLUMNS)


_SIDES = (
    # homophily, expected share of the larger side, least, most
    (0.0, 1.0, 0.99, 1.0),
    (0.5, 1.0, 0.99, 1.0),
    (1.0, 0.68, 0.5, 0.85),
    (2.0, 0.56, 0.5, 0.7),
    (3.0, 0.55, 0.5, 0.7),
)
"""Radical cases, alpha 3: opinions end on one side, or on two sides of about equal size."""


def _baumann(agents: int, seed: int) -> list[tuple[str, float, float, float, float, int]]:
    start = 2 * _uniform(agents, seed) - 1
    agreed = Baumann(controversy=0.05, homophily=2).evolve(start, steps=200, seed=seed)[-1]
    rows = [("controversy=0.05 homophily=2, mean |x|", 0.0, 0.0, 0.01, _mean_size(agreed), seed)]
    for homophily, expected, low, high in _SIDES:
        model = Baumann(controversy=3, homophily=homophily)
        end = model.evolve(start, steps=200, seed=seed)[-1]
        case = f"controversy=3 homophily={homophily:g}"
        rows.append((f"{case}, larger side", expected, low, high, _larger_side(end), seed))
    active = model.activity(agents, seed=seed)
    linked = float(spearmanr(active, np.abs(end)).statistic)
    rows.append((f"{case}, activity and |x|", 0.53, 0.3, 0.7, linked, seed))
    return rows


def _deffuant(bound: float, seed: int) -> int:
    end = Deffuant(bound=bound, rate=0.5).evolve(_uniform(1_000, seed), steps=300, seed=seed)[-1]
    return clusters(end, gap=bound / 2)


def _hegselmann_krause(bound: float, seed: int) -> int:
    end = HegselmannKrause(bound=bound).evolve(_uniform(625, seed), steps=200)[-1]
    return clusters(end, gap=bound / 2, least=0)


def _friedkin_johnsen(agents: int, seed: int) -> float:
    chance, rows = Chance(seed), np.arange(agents)
    tied = chance.uniform("reference.ties", np.arange(agents**2)).reshape(agents, agents) < 0.2
    ties = (tied | np.eye(agents, k=1, dtype=bool) | np.eye(agents, k=1 - agents, dtype=bool)) * 1.0
    model = FriedkinJohnsen(susceptibility=0.9 * chance.uniform("reference.open", rows))
    start = 10 * _uniform(agents, seed)
    end = model.evolve(start, ties, steps=300)[-1]
    return float(np.abs(end - model.limit(start, ties)).max())


def _build_table(
    seeds: Iterable[int],
    bounds: Iterable[float],
    expected: Mapping[float, float],
    consensus: Mapping[float, bool],
    count: Callable[[float, int], int],
) -> pd.DataFrame:
    rows: list[tuple[str, float, float, float, float, int]] = []
    for bound, seed in product(bounds, seeds):
        groups, mean = count(bound, seed), expected[bound]
        case = f"bound={bound:g}"
        rows.append((case, mean, mean - _TOLERANCE, mean + _TOLERANCE, groups, seed))
        if bound in consensus:
            low, high = (1 - _EXCEPTIONS, 1.0) if consensus[bound] else (0.0, _EXCEPTIONS)
            agreed = float(groups == 1)
            rows.append((f"{case}, consensus", float(consensus[bound]), low, high, agreed, seed))
    return pd.DataFrame(rows, columns=_COLUMNS)


def _uniform(agents: int, seed: int) -> Floats:
    return Chance(seed).uniform("reference.start", np.arange(agents))


def _mean_size(opinions: Floats) -> float:
    return float(np.abs(opinions).mean())


def _larger_side(opinions: Floats) -> float:
    return float(max((opinions > 0).mean(), (opinions < 0).mean()))
