"""Feelings at the start: as two years of private life leave them."""

import numpy as np
import pytest

from memopolis.scenarios.ubi.attitudes import COGNITION
from memopolis.scenarios.ubi.household_settings import MonthSettings
from memopolis.scenarios.ubi.months import draw_initial_feelings, trouble_probability
from memopolis.sim.chance import Chance

ROWS = np.arange(20_000)
AGE = np.where(ROWS % 4 == 0, 10, 40)
QUINTILE = ROWS % 5 + 1


def test_misfortune_is_more_frequent_among_the_poor() -> None:
    settings = MonthSettings(troubles=0.1, burden=(1.5, 1.2, 1, 0.8, 0.5), unequal=0.5)
    often = trouble_probability(QUINTILE, ROWS, settings, Chance(1))
    by_quintile = [float(often[n == QUINTILE].mean()) for n in range(1, 6)]
    assert by_quintile == pytest.approx([0.15, 0.12, 0.1, 0.08, 0.05], rel=0.05)
    assert np.log(often[QUINTILE == 3]).std() == pytest.approx(0.5, rel=0.05)


def test_similar_people_have_similar_misfortune() -> None:
    settings = MonthSettings(troubles=0.1, burden=(1, 1, 1, 1, 1), unequal=0.0)
    assert set(trouble_probability(np.array([0, 3]), np.arange(2), settings, Chance(1))) == {0.1}


def test_initial_feelings_contain_the_remains_of_past_events() -> None:
    felt = draw_initial_feelings(AGE, QUINTILE, MonthSettings(), COGNITION, Chance(1), trivia=0.25)
    sad, glad = felt["emotion.sadness"], felt["emotion.joy"]
    assert (sad[AGE < 18] == 5).all()
    assert 5 < glad[AGE >= 18].mean() < 6
    grown = AGE >= 18
    assert sad[grown & (QUINTILE == 1)].mean() > sad[grown & (QUINTILE == 5)].mean() > 5
    assert sad.max() <= 10


def test_without_private_events_all_feelings_start_at_the_baseline() -> None:
    calm = MonthSettings(troubles=0.0, joys=0.0)
    felt = draw_initial_feelings(AGE, QUINTILE, calm, COGNITION, Chance(1), trivia=0.25)
    assert all((level == 5).all() for level in felt.values())
