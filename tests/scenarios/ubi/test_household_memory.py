"""Recalled hardship and pay change hours and spending, and both decisions are remembered."""

import numpy as np
import pytest
from tests.scenarios.ubi.street import Street, give, live, memories_of, set_status, street

from memopolis.agents.economy.consumption import raise_buffer, restrain_spending
from memopolis.agents.economy.labour_supply import weigh_work_experience
from memopolis.scenarios.ubi.blocks.household_budget import DecideConsumption
from memopolis.scenarios.ubi.blocks.supply_labour import SupplyLabour
from memopolis.scenarios.ubi.household_settings import ConsumptionSettings, LabourSupplySettings
from memopolis.scenarios.ubi.memories import DecisionTexts, remember_decisions

STEADY = LabourSupplySettings(join_income_effect=0.0, join_substitution=0.0, income_effect=-0.1)


def hours_after(topic: str, text: str, valence: float) -> list[float]:
    town = street()
    give(town, "citizen", SupplyLabour(STEADY))
    town.citizens.memory[0].stream.add(topic, text, importance=0.8, valence=valence)
    live(town)
    return [float(hours) for hours in town.citizens.cohort()["wanted_hours"]]


def test_people_who_recall_losing_their_job_work_a_little_more() -> None:
    hours = hours_after("job", "I lost my job.", -0.8)
    most = STEADY.experience.precaution
    assert 40 < hours[0] <= 40 * np.exp(most)
    assert hours[1:] == [40, 20, 0, 0], "others recall nothing"


def test_pay_experience_moves_hours_in_its_direction() -> None:
    assert hours_after("pay", "My pay rose.", 0.7)[0] > 40
    assert hours_after("pay", "My pay fell.", -0.7)[0] < 40


def test_private_troubles_do_not_move_hours() -> None:
    assert hours_after("family", "There was a quarrel in the family.", -0.9)[0] == 40


def spending(*, hardship: bool) -> Street:
    made = street()
    give(made, "household", DecideConsumption(ConsumptionSettings()))
    if hardship:
        text = "We could not pay for all we needed."
        made.citizens.memory[0].stream.add("money", text, importance=0.8, valence=-0.9)
    live(made)
    return made


def test_households_that_recall_hardship_spend_less() -> None:
    with_it, without = (
        made.households.cohort()["consumption"].tolist()
        for made in (spending(hardship=True), spending(hardship=False))
    )
    assert with_it[0] < without[0]
    assert with_it[1:] == without[1:]


def test_decisions_to_work_less_are_remembered_with_their_reason() -> None:
    town = street()
    give(town, "citizen", SupplyLabour(STEADY))
    live(town)
    assert memories_of(town, 0) == [], "the first decision is nothing new"
    set_status(town, "household", basic_income=[200_000, 0, 0])
    live(town, 6)
    assert memories_of(town, 0)[0] == "I decided to work fewer hours, since there is other income."
    assert memories_of(town, 1) == []


def test_decisions_to_spend_less_are_remembered_by_the_head() -> None:
    made = spending(hardship=False)
    made.households["disposable"] = [100_000, 400_000, 300_000]
    assert made.ledger is not None
    made.ledger.pay(1, 0, 150_000, "income lost")
    live(made)
    assert memories_of(made, 0) == ["We spent less this month, since less money came in."]
    assert memories_of(made, 2) == []


def test_small_changes_are_remembered_once_they_add_up() -> None:
    town = street()
    agents = town.citizens.cohort()
    texts = DecisionTexts(("",), ("Less.",), ("Nothing.",), ("More.",))
    reason = np.zeros(5, np.intp)
    noted, remembered = np.full(5, np.nan), []
    for level in (40.0, 39.0, 38.0, 37.0):
        noted = remember_decisions(
            agents, np.full(5, level), noted, texts, reason, topic="work", least=0.06
        )
        town.citizens.memory.flush()
        remembered.append(int(agents.memory.stream.counts[0]))
    assert remembered == [0, 0, 0, 1]
    assert noted.tolist() == [37] * 5


def test_the_effects_of_experience_are_neutral_without_memories_and_bounded() -> None:
    nothing, all_of_it = np.zeros(2), np.ones(2)
    work = {"precaution": 0.02, "pay_effect": 0.01}
    assert weigh_work_experience(nothing, nothing, **work).tolist() == [0, 0]
    assert weigh_work_experience(all_of_it, -all_of_it, **work).tolist() == pytest.approx(
        [0.01] * 2
    )
    assert raise_buffer(np.array([2.0]), np.array([1.0]), caution=0.5).tolist() == [3]
    assert raise_buffer(np.array([2.0]), np.array([0.0]), caution=0.5).tolist() == [2]
    assert restrain_spending(np.array([100.0]), np.array([1.0]), restraint=0.03).tolist() == [97]
    assert restrain_spending(np.array([100.0]), np.array([0.0]), restraint=0.03).tolist() == [100]
