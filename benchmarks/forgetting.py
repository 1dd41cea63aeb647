"""What agents keep over months, and how recall falls with age.

Prints tables: how many adults hold a memory of the storm during 300 days after which nothing
happens, and how many memories they hold; what a memory alone keeps of a flood through ten years of
routine; and, for each scenario, how well an exponential and a power function of age describe recall
per stored memory.
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.agents.ages import ADULT
from memopolis.scenarios.hurricane import Hurricane
from memopolis.scenarios.polarization import Polarization
from memopolis.scenarios.ubi import BasicIncome
from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.night.sleep import Night
from memopolis.sim.memory.streams.layout import BYTES
from memopolis.sim.society import Society

STORM = "disaster"  # topic of memories of the storm
DAYS = (10, 30, 60, 90, 120, 150, 200, 250, 300)
NOTHING: dict[str, Any] = {"record": {"tables": ()}}


def print_storm(agents: int, seed: int, days: int) -> None:
    """Print by day how many adults hold a memory of the storm of a hurricane's first two weeks."""
    society = Hurricane(agents=agents, days=days, rng=seed, **NOTHING)
    people = society.population("citizen")
    adults = np.flatnonzero(people["age"] >= ADULT)
    print(f"Hurricane, {agents} citizens, seed {seed}")
    print("| day | adults with a memory of the storm | held, mean | held, most | bytes forgotten |")
    print("| ---: | ---: | ---: | ---: | ---: |")
    for day in range(1, days + 1):
        for _ in range(24):
            society.step()
        if day in DAYS:
            streams, memory = people.memory.streams, people.memory
            memory.flush()
            owners, _, slots = streams.listed(adults)
            about = streams.at("topic", slots) == memory.topic_numbers[STORM]
            during = about & (streams.at("time", slots) >= 0)
            remembering = len(np.unique(owners[during])) / len(adults)
            count = streams.count
            stored = int(count.sum()) * BYTES
            unused = len(streams.state()["words"]) * 4 - stored
            pages = (count + 31) // 32 * 32
            partial = int((pages - count).sum()) * BYTES
            forgotten = (unused - partial) / (unused + stored)
            print(
                f"| {day} | {remembering:.1%} | {count.mean():.0f} | {count.max()} "
                f"| {forgotten:.1%} |",
                flush=True,
            )


def print_flood(years: int) -> None:
    """Print what one agent keeps of a flood among ten memories of routine a day."""
    memory = Memory(agents=1)
    (agent,) = memory
    agent.stream.add("disaster", "The flood took our house.", importance=0.9, valence=-0.9)
    rng = np.random.default_rng(1)
    night = Night(repeats=2, forget_below=0.5)
    print(f"\nOne agent, ten memories of routine a day for {years} years")
    print("| year | flood | held | stored so far |")
    print("| ---: | --- | ---: | ---: |")
    for day in range(1, 365 * years + 1):
        for hour in range(10):
            memory.now = 24 * day + hour
            number, importance = int(rng.integers(40)), float(rng.uniform(0, 0.5))
            agent.stream.add("life", f"Routine {number}.", importance=importance)
        agent.sleep(night)
        if day % 365 == 0:
            kept = "kept" if len(agent.stream.read([0])) else "forgotten"
            print(f"| {day // 365} | {kept} | {len(agent.stream)} | {memory.issued[0]:,} |")


@dataclass
class Curve:
    """Recalls and held memories by age in ticks."""

    recalled: dict[int, int] = field(default_factory=dict)
    held: dict[int, int] = field(default_factory=dict)

    def fit(self) -> tuple[float, float, float, float]:
        """Return R2 of an exponential and of a power function, the exponent, and the half-life.

        Least squares of the logarithm of recall per stored memory on age, and on its logarithm,
        weighted by the number of recalls, over ages in bins of equal logarithmic width.
        """
        ages = np.array(sorted(age for age in self.held if age > 0))
        recalled = np.array([self.recalled.get(age, 0) for age in ages.tolist()], float)
        held = np.array([self.held[age] for age in ages.tolist()], float)
        bins = np.unique(np.floor(4 * np.log2(ages)), return_inverse=True)[1]
        r, h = np.bincount(bins, recalled), np.bincount(bins, held)
        centre = np.bincount(bins, ages * held) / h
        some = r >= 20
        y, weights = np.log(r[some] / h[some]), np.sqrt(r[some])
        slope, by_age = regress(centre[some], y, weights)
        exponent, by_power = regress(np.log(centre[some]), y, weights)
        return by_age, by_power, exponent, np.log(0.5) / slope


def regress(
    x: NDArray[np.float64], y: NDArray[np.float64], weights: NDArray[np.float64]
) -> tuple[float, float]:
    """Return slope and R2 of a weighted linear regression."""
    slope, constant = np.polyfit(x, y, 1, w=weights)
    square = weights**2
    mean = np.average(y, weights=square)
    rest = (square * (y - slope * x - constant) ** 2).sum()
    return float(slope), float(1 - rest / (square * (y - mean) ** 2).sum())


def observe(society: Society[Any], steps: int) -> Curve:
    """Run a society, and count the ages of the memories that its citizens recall in each step."""
    memory, curve = society.population("citizen").memory, Curve()
    for _ in range(steps):
        society.step()
        memory.flush()
        _, _, slots = memory.streams.listed()
        now, times = society.clock.tick, memory.streams.at("time", slots)
        recalled = memory.streams.at("accessed", slots) == now
        for counts, ages in ((curve.held, now - times), (curve.recalled, (now - times)[recalled])):
            for age, count in zip(*np.unique(ages, return_counts=True), strict=True):
                counts[int(age)] = counts.get(int(age), 0) + int(count)
    return curve


SCENARIOS: dict[str, tuple[Callable[..., Society[Any]], dict[str, Any], int]] = {
    "hurricane": (Hurricane, {"days": 60, "sleep": {"replay": 0}}, 60 * 24),
    "polarization": (Polarization, {"days": 365}, 365),
    "basic income": (BasicIncome, {"days": 3650}, 120),
}


def print_curves(agents: int, seed: int) -> None:
    """Print how recall per stored memory falls with age in the scenarios."""
    print(f"\nRecall per stored memory by age, {agents} citizens, seed {seed}")
    print("| scenario | R2, exponential | R2, power | exponent | half-life in ticks |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name, (build, settings, steps) in SCENARIOS.items():
        curve = observe(build(agents=agents, rng=seed, **settings, **NOTHING), steps)
        by_age, by_power, exponent, half_life = curve.fit()
        print(
            f"| {name} | {by_age:.3f} | {by_power:.3f} | {exponent:.2f} | {half_life:.0f} |",
            flush=True,
        )


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agents", type=int, default=300)
    parser.add_argument("--days", type=int, default=300)
    parser.add_argument("--years", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.days:
        print_storm(arguments.agents, arguments.seed, arguments.days)
    if arguments.years:
        print_flood(arguments.years)
    print_curves(arguments.agents, arguments.seed)


if __name__ == "__main__":
    main()
