"""Friends and relatives elsewhere offer a place to stay to people under an order."""

import numpy as np
from tests.scenarios.remembered import read_memories

from memopolis.agents.conversation import INVITATION
from memopolis.scenarios.hurricane.people import ADULT
from memopolis.scenarios.hurricane.scenario import Hurricane


def find_offers(society: Hurricane) -> list[tuple[int, int, int]]:
    """Return row, tick and actor of each remembered offer."""
    people = society.population("citizen")
    return [
        (row, memory.time, memory.actor)
        for row, agent in enumerate(people.agents)
        for memory in read_memories(agent)
        if memory.topic == INVITATION
    ]


def test_offers_come_from_other_zones_once_there_is_an_order() -> None:
    society = Hurricane(agents=200, rng=2, record={"tables": ()}, evacuation={"offers": 0.1})
    announced = min(
        society.clock.tick_of(notice.when)
        for notice in society.circumstances.orders.announcements
        if notice.kind == "mandatory"
    )
    society.run_for(announced + 24)
    people, homes = society.population("citizen"), society.population("household")
    offers = find_offers(society)
    assert len(offers) > 20
    for row, tick, actor in offers:
        assert tick >= announced
        assert people["age"][row] >= ADULT
        (other,) = np.flatnonzero(people.ids == actor)
        assert people["home"][other] != people["home"][row]
        assert homes["kin_elsewhere"][people["household"][other]]


def test_without_an_order_no_agent_offers_a_place() -> None:
    society = Hurricane(
        agents=100, rng=2, days=3, orders="none", record={"tables": ()},
        evacuation={"offers": 1.0},
    )  # fmt: skip
    society.run_for(72)
    assert not find_offers(society)
