"""The blocks of the hurricane read and write what they declare, and nothing else."""

from functools import cache

import numpy as np
from tests.contracts.block_access import Access, columns_of, examine, same, twin

from memopolis.scenarios.hurricane.blocks.endure_storm import LEVELS
from memopolis.scenarios.hurricane.scenario import Hurricane

AGENTS = 100
TICKS = (30, 31, 69, 117, 139, 188)
"""Hours of a Dorian run with daily life, thoughts and news; hours in which something rarer
happens are searched in a run of the same seed."""


@cache
def hurricane_access() -> Access:
    return examine(Hurricane(agents=AGENTS, rng=4), tuple(sorted({*TICKS, *eventful_hours()})))


def eventful_hours() -> set[int]:
    """Return hours in which the wind rises, people prepare, leave and return, and fear falls."""
    society = Hurricane(agents=AGENTS, rng=4)
    people, homes = society.population("citizen"), society.population("household")
    assert society.weather is not None
    gusts = [society.weather.at(tick).gust_kt.max() for tick in range(society.ticks)]
    hours = {int(np.argmax(np.array(gusts) >= LEVELS[0][0]))}
    first: dict[str, int] = {}
    prepared = [0]
    alert = society.clock.ticks(society.settings.decision.alert)
    threat, before = people.cohort()["threat"], institutions_of(society)
    for tick in range(society.ticks):
        society.step()
        now, after = people.cohort()["threat"], institutions_of(society)
        # A forecast may take all threat away while people are still alert.
        is_calm = people.cohort()["alerted"] < tick - alert
        if ((threat > 0) & (now == 0) & is_calm).any():
            first.setdefault("threat", tick)
        for name, value in after.items():
            if value != before[name]:
                first.setdefault(name, tick)
        prepared.append(people.cohort()["prepared"].sum())
        threat, before = now, after
    hours.update(first.values())
    hours.add(int(np.argmax(np.diff(prepared))))
    for name in ("left_at", "returned_at"):
        when = homes.cohort()[name]
        hours.add(int(when[when >= 0].min()))
    return hours


def institutions_of(society: Hurricane) -> dict[str, float]:
    """Return how many stores are open, and the order that the government considers right."""
    firms, government = society.population("firm"), society.population("government")
    return {
        "open": float(firms["open"].sum()),
        "order": float(government["considered_order"][0]),
    }


def test_a_copy_continues_as_its_original() -> None:
    society = Hurricane(agents=60, rng=4)
    for _ in range(110):
        society.step()
    other = twin(society)
    for _ in range(30):
        society.step()
        other.step()
    for one, two in zip(society.populations, other.populations, strict=True):
        assert all(same(v, columns_of(two)[n]) for n, v in columns_of(one).items())


def test_blocks_read_only_what_they_declare() -> None:
    assert hurricane_access().undeclared_reads == {}


def test_blocks_write_only_what_they_declare() -> None:
    assert hurricane_access().undeclared_writes == {}


def test_blocks_change_nothing_when_they_perceive() -> None:
    assert hurricane_access().changed_by_perceiving == {}


def test_every_block_acts_in_the_examined_hours() -> None:
    society = Hurricane(agents=AGENTS, rng=4)
    names = {f"{p.name}.{block.name}" for p in society.populations for block in p.blocks}
    # Work moves money and sleep may rehearse: neither writes a citizen's status. The government
    # follows the public in its own state.
    assert names - hurricane_access().ran <= {
        "citizen.work",
        "citizen.sleep",
        # Dorian damages too few homes to hit one of these.
        "household.recover",
        "firm.watch_forecasts",
        "firm.watch_storm",
        "government.watch_forecasts",
        "government.follow_public",
    }
