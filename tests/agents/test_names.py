import numpy as np

from memopolis.agents.names import draw_names, replace_family_names
from memopolis.sim.chance import Chance


def test_a_household_shares_its_family_name() -> None:
    names = draw_names(["female", "male", "male"], np.array([4, 4, 5]), Chance(1))
    first, second, third = (name.split(" ")[1] for name in names)
    assert first == second != third


def test_names_are_varied_and_follow_from_the_seed() -> None:
    rows = np.arange(500)
    gender = np.where(rows % 2, "male", "female")
    names = draw_names(gender, rows, Chance(1))
    assert len(set(names)) > 400
    assert (names == draw_names(gender, rows, Chance(1))).all()
    assert (names[:400] == draw_names(gender[:400], rows[:400], Chance(1))).all()


def test_members_of_a_household_have_different_given_names() -> None:
    household, gender = np.arange(900) // 6, np.array(["female", "male"])[np.arange(900) % 2]
    names = draw_names(gender, household, Chance(2))
    assert len(set(names)) < 900
    assert len(set(zip(household.tolist(), names, strict=True))) == 900


def test_a_child_has_the_family_name_of_its_mother() -> None:
    names = replace_family_names(
        np.array(["Ann Smith", "Bob Hill"], object),
        np.array(["Eve Stone", "Mary Ann Lake"], object),
    )
    assert names.tolist() == ["Ann Stone", "Bob Lake"]
