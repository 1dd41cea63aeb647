"""Known results of the models, compared with simulations.

The expected values in `known_results.csv` were computed by an independent implementation of the
published models; `low` and `high` bound the mean over seeds.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from memopolis.agents.opinion.baumann import Baumann
from memopolis.agents.opinion.deffuant import Deffuant
from memopolis.agents.opinion.friedkin_johnsen import FriedkinJohnsen
from memopolis.agents.opinion.hegselmann_krause import HegselmannKrause
from memopolis.sim.arrays import Float64
from memopolis.sim.chance import Chance
from memopolis.sim.statistics.polarization import clusters

type Results = Mapping[str, float]
"""Measured results by case."""

KNOWN_RESULTS = Path(__file__).with_name("known_results.csv")


def compare_with_known(
    model: str, seeds: Iterable[int], *, bounds: Collection[float] = ()
) -> pd.DataFrame:
    """Simulate a model, and compare it with its known results.

    - "deffuant" counts clusters of 1,000 agents after 300 rounds at mu 0.5, with at least 2 % of
      the agents each; "hegselmann_krause" counts clusters of 625 agents after 200 steps. The case
      "consensus" is 1 if one cluster remains.
    - "friedkin_johnsen" measures the maximum deviation from the closed form, with 50 agents.
    - "baumann" measures three regimes, with 500 agents, T 10, dt 0.05 and the parameters of a
      replication: mean of |x| where opinions converge, the share of the larger side in radical
      cases, and the rank correlation of activity and |x|.

    Returns the columns case, expected, low, high, measured and seed. `bounds` of confidence select
    cases; empty for all.
    """
    table = pd.read_csv(KNOWN_RESULTS)
    known = table[table["model"] == model].drop(columns="model")
    bound = known["case"].str.extract(r"bound=([\d.]+)", expand=False).astype(float)
    if bounds:
        known = known[bound.isin(list(bounds))]
        bound = bound[known.index]
    each = bound.dropna().unique().tolist()
    measured = pd.DataFrame(
        [(case, float(n), s) for s in seeds for case, n in _MEASURES[model](s, each).items()],
        columns=["case", "measured", "seed"],
    )
    return known.merge(measured, on="case")


def _deffuant(seed: int, bounds: Collection[float]) -> Results:
    start = _uniform(1_000, seed)
    ends = {b: Deffuant(bound=b, rate=0.5).evolve(start, steps=300, seed=seed)[-1] for b in bounds}
    return _count_clusters({b: clusters(end, gap=b / 2) for b, end in ends.items()})


def _hegselmann_krause(seed: int, bounds: Collection[float]) -> Results:
    start = _uniform(625, seed)
    ends = {b: HegselmannKrause(bound=b).evolve(start, steps=200)[-1] for b in bounds}
    return _count_clusters({b: clusters(end, gap=b / 2, least=0) for b, end in ends.items()})


def _count_clusters(count: Mapping[float, int]) -> Results:
    agreed = {f"bound={bound:g}, consensus": number == 1 for bound, number in count.items()}
    return {f"bound={bound:g}": number for bound, number in count.items()} | agreed


def _friedkin_johnsen(seed: int, _: Collection[float]) -> Results:
    """Simulate random ties (probability 0.2) on top of a ring, with susceptibilities below 0.9."""
    agents, chance = 50, Chance(seed)
    tied = chance.uniform("reference.ties", np.arange(agents**2)).reshape(agents, agents) < 0.2
    ties = (tied | np.eye(agents, k=1, dtype=bool) | np.eye(agents, k=1 - agents, dtype=bool)) * 1.0
    susceptibility = 0.9 * chance.uniform("reference.open", np.arange(agents))
    model, start = FriedkinJohnsen(susceptibility=susceptibility), 10 * _uniform(agents, seed)
    end = model.evolve(start, ties, steps=300)[-1]
    return {"closed form": float(np.abs(end - model.limit(start, ties)).max())}


def _baumann(seed: int, _: Collection[float]) -> Results:
    from scipy.stats import spearmanr

    start = 2 * _uniform(500, seed) - 1
    agreed = Baumann(controversy=0.05, homophily=2).evolve(start, steps=200, seed=seed)[-1]
    results = {"controversy=0.05 homophily=2, mean |x|": float(np.abs(agreed).mean())}
    for homophily in (0.0, 0.5, 1.0, 2.0, 3.0):
        model = Baumann(controversy=3, homophily=homophily)
        end = model.evolve(start, steps=200, seed=seed)[-1]
        case = f"controversy=3 homophily={homophily:g}"
        results[f"{case}, larger side"] = max((end > 0).mean(), (end < 0).mean())
    activity = model.activity(len(start), seed=seed)
    results[f"{case}, activity and |x|"] = spearmanr(activity, np.abs(end)).statistic
    return results


def _uniform(agents: int, seed: int) -> Float64:
    return Chance(seed).uniform("reference.start", np.arange(agents))


_MEASURES: Mapping[str, Callable[[int, Collection[float]], Results]] = {
    "deffuant": _deffuant,
    "hegselmann_krause": _hegselmann_krause,
    "friedkin_johnsen": _friedkin_johnsen,
    "baumann": _baumann,
}
