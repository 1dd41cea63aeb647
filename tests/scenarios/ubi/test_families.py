import numpy as np

from memopolis.scenarios.ubi.families import choose_heads, find_heads, find_partners
from memopolis.scenarios.ubi.people import DEPENDANT, HEAD, OTHER_ADULT, SPOUSE

AGE = np.array([22, 24, 28, 46, 25])
FEMALE = np.array([True, False, False, False, True])


def test_partners_are_of_the_other_sex_similar_age_and_unique() -> None:
    alone = np.array([False, True, True, True, False])
    draw = np.array([0.9, 0.9])
    results = find_partners(np.array([0, 4]), alone, age=AGE, female=FEMALE, draw=draw)
    # Of 24 and 28 the first takes the second; the one of 46 is too old for anybody.
    assert results.tolist() == [2, 1]
    none_left = find_partners(np.array([0, 4, 0]), alone, age=AGE, female=FEMALE, draw=np.zeros(3))
    assert none_left.tolist() == [1, 2, -1]


def test_the_head_is_a_grown_member_by_relation_then_by_age() -> None:
    relation = np.array([DEPENDANT, OTHER_ADULT, SPOUSE, DEPENDANT, DEPENDANT, HEAD])
    house = np.array([0, 0, 0, 1, 1, 2])
    age = np.array([30, 60, 40, 9, 12, 50])
    headless = np.array([True, True, False])
    # The spouse takes precedence; without adults, the oldest child is chosen.
    assert choose_heads(relation, house, age, headless).tolist() == [2, 4]
    relation[2], age[2] = DEPENDANT, 17
    assert choose_heads(relation, house, age, headless).tolist() == [0, 4]


def test_heads_decide_then_spouses_then_the_oldest() -> None:
    household, relation = np.array([0, 0, 1, 1, 2, 2]), np.array([1, 0, 2, 1, 2, 2])
    heads = find_heads(np.arange(10, 16), household, relation, np.array([80, 30, 5, 40, 9, 12]))
    assert heads.tolist() == [11, 13, 15]
