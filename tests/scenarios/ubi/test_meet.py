"""Meetings of a month: whom people meet, what they pass on, and what follows from it."""

from typing import Any

import numpy as np
import pytest

from memopolis.agents.everyday import RECEIVED
from memopolis.scenarios.ubi.blocks.goods_market import ConsumeGoods
from memopolis.scenarios.ubi.blocks.labour_market import FindWork
from memopolis.scenarios.ubi.blocks.meet import find_member
from memopolis.scenarios.ubi.blocks.remember_shopping import (
    CHEAPER,
    DEARER,
    find_most_noticeable,
)
from memopolis.scenarios.ubi.months import OPENING
from memopolis.scenarios.ubi.people import ADULT
from memopolis.scenarios.ubi.scenario import BasicIncome

REPORTED = RECEIVED.removeprefix("{actor}")


def live(months: int = 9, **settings: Any) -> BasicIncome:
    society = BasicIncome(rng=2, agents=300, amount=0, days=30 * months, threads=1, **settings)
    for _ in range(months):
        society.step()
    return society


@pytest.fixture(scope="module")
def society() -> BasicIncome:
    return live()


def list_memories(society: BasicIncome) -> list[tuple[int, Any]]:
    """Return the row and each memory of the citizens."""
    people = society.citizens.cohort()
    return [(one.row, each) for one in people for each in one.stream.read(one.stream.list_ids())]


def is_heard(society: BasicIncome, memory: Any) -> bool:
    """Whether a memory is of what another citizen said."""
    teller = society.citizens.name_of(memory.actor) if memory.actor >= 0 else None
    return teller is not None and memory.text.startswith(teller + REPORTED)


def test_a_member_is_another_one_of_the_group() -> None:
    group = np.array([3, 1, 3, -1, 3, 1, 7, -1])
    draw = np.linspace(0, 0.999, 8)
    members = find_member(group, draw)
    alone = (group < 0) | (group == 7)
    assert (members[alone] == -1).all()
    assert (group[members[~alone]] == group[~alone]).all()
    assert (members[~alone] != np.flatnonzero(~alone)).all()


def test_each_other_member_can_be_met() -> None:
    group = np.zeros(4, np.int64)
    met = {find_member(group, np.full(4, draw))[0] for draw in (0.0, 0.4, 0.9)}
    assert met == {1, 2, 3}


def test_people_hear_from_adults_whom_they_can_meet(society: BasicIncome) -> None:
    age, friends = society.citizens["age"], society.citizens.ties["friend"]
    household = society.citizens["household"]
    heard = [(row, one) for row, one in list_memories(society) if is_heard(society, one)]
    assert len(heard) > len(society.citizens)
    for row, one in heard[:200]:
        teller = society.citizens.row_of(one.actor)
        assert min(age[row], age[teller]) >= ADULT
    at_home = [
        household[row] == household[society.citizens.row_of(one.actor)] for row, one in heard
    ]
    are_friends = [society.citizens.row_of(one.actor) in friends.of(row) for row, one in heard]
    assert 0.1 < np.mean(at_home) < 0.9
    assert np.mean(are_friends) > 0.1


def test_those_without_work_hear_of_vacancies() -> None:
    hints = []
    find = FindWork._recall_vacancies

    def note(block: FindWork, citizens: Any) -> Any:
        firm = find(block, citizens)
        searches = block._searches(citizens)
        assert (firm[~searches] == -1).all()
        hints.append((firm >= 0).sum())
        return firm

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FindWork, "_recall_vacancies", note)
        society = live()
        assert sum(hints) > 0
        hints.clear()
        live(3, **{"talk.tell": 0.0})
        assert sum(hints) == 0
    heard = [one for _, one in list_memories(society) if one.text.endswith(REPORTED + OPENING)]
    assert heard


def test_no_talk_without_the_probability_to_tell() -> None:
    quiet = live(3, **{"talk.tell": 0.0})
    assert not any(REPORTED in one.text for _, one in list_memories(quiet))


def test_the_most_noticeable_price_is_remembered() -> None:
    change = np.array([[[0.0, 0.01], [0.02, 0.0]], [[-0.02, 0.0], [0.015, 0.0]]])
    kind, felt = find_most_noticeable(change)
    assert kind.tolist() == [1, 1]
    assert felt.tolist() == [0.02, 0.015]  # a rise counts one and a half times as much as a cut


def test_remembered_prices_are_those_of_known_shops(society: BasicIncome) -> None:
    market = next(one for one in society.households.blocks if isinstance(one, ConsumeGoods))
    households = society.households.cohort().rows
    assert (market.sellers[households[households < len(market.sellers)]] >= 0).all()
    memories = [one for _, one in list_memories(society) if one.topic == "prices"]
    prices = [one for one in memories if one.text in (*DEARER, *CHEAPER)]
    assert prices
    assert all((one.valence < 0) == (one.text in DEARER) for one in prices)
