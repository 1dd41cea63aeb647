"""What a single memory does: to feelings, to the attitude of its topic, and to no other."""

import numpy as np
import pytest

from memopolis import Filter, Polarization
from memopolis.scenarios.polarization.attitudes import ATTITUDES, OPINION
from memopolis.sim.settings import nest

HOLDERS = 4


def silent(**status: float) -> Polarization:
    """A few citizens of settled opinion that hear and believe only the messages of a test."""
    settled = nest({"dispositions.settled": 1.0, "dispositions.settled_strong": 1.0})
    society = Polarization(agents=HOLDERS, rng=1, arm="none", **settled)
    citizens = society.population("citizen").cohort()
    for name, value in status.items():
        citizens[name.replace("__", ".")] = np.full(HOLDERS, value, np.float32)
    return society


def tell(society: Polarization, topic: str, stance: float) -> None:
    """Send the first two citizens a message of some weight."""
    citizens = society.population("citizen")
    citizens.memory.of(np.arange(2)).stream.add(
        topic, "Stricter gun laws save lives.", valence=stance, importance=1.0, confidence=1.0
    )


@pytest.mark.parametrize(
    ("stance", "more", "less"),
    [(0.5, "joy", "anger"), (0.95, "anger", "joy"), (-0.9, "anger", "joy")],
)
def test_agreement_pleases_and_opposed_or_shared_outrage_angers(
    stance: float, more: str, less: str
) -> None:
    society = silent(attitude__gun_control=9.0)
    tell(society, "gun_control", stance)
    society.step()
    status = society.population("citizen").cohort()
    moved, other = (status[f"emotion.{feeling}"] for feeling in (more, less))
    assert (moved[:2] > 5.2).all()
    assert (moved[:2] > other[:2]).all()
    assert (other[:2] > 5).all() == (stance > 0)
    assert (moved[2:] == 5).all()
    assert all((status[f"emotion.{feeling}"] == 5).all() for feeling in ("sadness", "fear"))


def test_a_message_pleases_only_those_whom_it_supports() -> None:
    society = silent(attitude__gun_control=1.0)
    tell(society, "gun_control", -0.5)
    society.step()
    assert (society.population("citizen").cohort()["emotion.joy"][:2] > 5.2).all()


@pytest.mark.parametrize("topic", ["gun_control", "background_checks"])
def test_a_message_changes_only_the_attitude_of_its_topic(topic: str) -> None:
    society = silent(attitude__gun_control=4.0, attitude__background_checks=4.0)
    tell(society, topic, 1.0)
    society.step()
    status = society.population("citizen").cohort()
    for name in ("gun_control", "background_checks"):
        moved = status[f"attitude.{name}"] - 4
        if name == topic:
            assert (moved[:2] > 0.01).all()
            assert not moved[2:].any()
        else:
            assert not moved.any()


def test_an_attitude_follows_friedkin_and_johnsen() -> None:
    society = silent(attitude__gun_control=4.0)
    tell(society, "gun_control", 1.0)
    society.step()
    citizens = society.population("citizen")
    results = citizens.memory.observed.of([0]).stream.search(
        ATTITUDES[0].query, k=1, profile=OPINION, where=Filter(topic="gun_control")
    )
    weight = float(results.scores[0, 0])  # importance, confidence and freshness are 1
    opinion = society.settings.cognition.opinion
    social = (opinion.own_weight * 4 + weight * 10) / (opinion.own_weight + weight)
    expected = opinion.susceptibility * social + (1 - opinion.susceptibility) * 4
    got = citizens.cohort()["attitude.gun_control"][0]
    # The day's thoughts, which came after, have changed what words are rare, and so the score.
    assert got - 4 == pytest.approx(expected - 4, rel=0.03)


def test_own_messages_change_no_attitude() -> None:
    society = silent(attitude__gun_control=4.0)
    tell(society, "social", 1.0)
    society.step()
    assert (society.population("citizen").cohort()["attitude.gun_control"] == 4).all()
