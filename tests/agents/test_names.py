import numpy as np

from memopolis.agents.names import names_of
from memopolis.sim.chance import Chance


def test_a_household_shares_its_family_name() -> None:
    names = names_of(["female", "male", "male"], np.array([4, 4, 5]), Chance(1))
    first, second, third = (name.split(" ")[1] for name in names)
    assert first == second != third


def test_names_are_spread_and_follow_from_the_seed() -> None:
    rows = np.arange(500)
    gender = np.where(rows % 2, "male", "female")
    names = names_of(gender, rows, Chance(1))
    assert len(set(names)) > 400
    assert (names == names_of(gender, rows, Chance(1))).all()
    assert (names[:400] == names_of(gender[:400], rows[:400], Chance(1))).all()
