import numpy as np
import pytest
from tests.agents.test_plan import MakeVillage

from memopolis.agents.traffic_jams import ON_THE_WAY, OUT, annoyance, remember_jams


def test_annoyance_rises_with_the_delay() -> None:
    bad = annoyance(np.array([0.0, 0.5, 2.0, 10.0]))
    assert bad[0] == 0
    assert (np.diff(bad) > 0).all()
    assert bad[2] == pytest.approx(0.6, abs=0.01)
    assert bad[3] < 1


def test_jams_are_remembered_with_their_delay(village: MakeVillage) -> None:
    made = village(agents=6)
    people = made.citizens.cohort()
    hours = np.array([0.0, 0.4, 0.6, 1.2, 3.4, 99.0])
    remember_jams(people, hours, np.zeros(6, np.int16), OUT)
    remember_jams(people, np.zeros(6), np.zeros(6, np.int16), ON_THE_WAY)
    made.citizens.memory.flush()
    memories = [agent.memory.stream.read(agent.memory.stream.list_ids()) for agent in people]
    assert [len(one) for one in memories] == [0, 0, 1, 1, 1, 1]
    texts = [one[0].text for one in memories[2:]]
    assert [text.split(" for ")[1].split(" on ")[0] for text in texts] == [
        "half an hour",
        "an hour",
        "3 hours",
        "48 hours or more",
    ]
    worse = [one[0].valence for one in memories[2:]]
    assert worse == sorted(worse, reverse=True)
    assert memories[4][0].valence == pytest.approx(-annoyance(hours[4:5])[0], abs=0.01)
    assert memories[4][0].importance == pytest.approx(annoyance(hours[4:5])[0], abs=0.01)
