"""Blocks of polarization, the basic income and a village read and write what they declare."""

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from tests.contracts.block_access import Access, examine

from memopolis.scenarios.polarization.scenario import Polarization
from memopolis.scenarios.ubi.scenario import BasicIncome

AGENTS = 100
VILLAGE_TICKS = (8, 12, 31, 44)
POLARIZATION_TICKS = (0, 1, 4)
BASIC_INCOME_TICKS = (0, 1, 12)
"""The first month, with news of the policy; its first payment; and a panel, after a year."""


@cache
def polarization_access() -> Access:
    society = Polarization(agents=AGENTS, rng=4, arm="echo", event="shooting", event_day=0)
    return examine(society, POLARIZATION_TICKS)


@pytest.fixture
def village_access(village: Callable[..., Any]) -> Access:
    made = village(agents=40, start="2026-01-05")
    made.live()
    return examine(made, VILLAGE_TICKS)


def test_blocks_of_polarization_use_only_what_they_declare() -> None:
    assert polarization_access().undeclared_reads == {}
    assert polarization_access().undeclared_writes == {}
    society = Polarization(agents=AGENTS, rng=4, arm="echo")
    names = {f"{p.name}.{block.name}" for p in society.populations for block in p.blocks}
    # Following changes whom citizens follow, and sleep their memories, neither of which is status.
    assert names - polarization_access().ran == {"citizen.follow", "citizen.sleep_by_hour"}


@cache
def basic_income_access() -> Access:
    # Rare events are made frequent.
    often = {"births": 5.0, "deaths": 5.0, "moves": 0.5, "leave_home": 0.9}
    society = BasicIncome(
        agents=AGENTS, rng=4, start=1, demography=often, firms={"menu": 0.006}, panel={"every": 4}
    )
    return examine(society, BASIC_INCOME_TICKS)


def test_blocks_change_nothing_when_they_perceive(village_access: Access) -> None:
    assert polarization_access().changed_by_perceiving == {}
    assert basic_income_access().changed_by_perceiving == {}
    assert village_access.changed_by_perceiving == {}


def test_blocks_of_the_basic_income_use_only_what_they_declare() -> None:
    assert basic_income_access().undeclared_reads == {}
    assert basic_income_access().undeclared_writes == {}


def test_every_block_of_the_basic_income_acts_in_the_examined_months() -> None:
    society = BasicIncome(agents=AGENTS, rng=4, start=1)
    names = {f"{p.name}.{block.name}" for p in society.populations for block in p.blocks}
    # Borrowing moves money, a headline is news, and sleep changes memories: none is status.
    silent = {"household.borrow", "statistics_bureau.choose_headline", "citizen.sleep_by_hour"}
    assert names - basic_income_access().ran <= silent


def test_blocks_of_a_village_use_only_what_they_declare(village_access: Access) -> None:
    assert village_access.undeclared_reads == {}
    assert village_access.undeclared_writes == {}
