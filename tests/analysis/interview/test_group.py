"""A sample of people is asked in words or for a rating, with evidence, and nothing changes."""

from pathlib import Path

import numpy as np
import pytest

from memopolis import Hurricane, Run, load_run
from memopolis.analysis.interview.group import ask_people, sample_people
from memopolis.analysis.run.tables import table_digests
from memopolis.sim.errors import ParameterError

TRUST = "How much do you trust the government?"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("group") / "run"
    return load_run(Hurricane(agents=60, days=6, rng=1).run(folder))


def test_the_sample_are_adults_in_the_place(run: Run) -> None:
    moment = run.until(60)
    people = moment.people().set_index("agent")
    zone = int(people["zone"][people["zone"] >= 0].mode().iloc[0])
    drawn = sample_people(moment, 5, zone=zone)
    assert drawn == sample_people(moment, 5, zone=zone)
    assert 1 <= len(drawn) <= 5
    assert (people.loc[drawn, "age"] >= 18).all()
    assert (people.loc[drawn, "zone"] == zone).all()
    assert len(sample_people(moment, 1000)) == (people["age"] >= 18).sum()
    assert sample_people(run.until(59), 5) != sample_people(moment, 5)


def test_an_empty_group_or_question_is_refused(run: Run) -> None:
    with pytest.raises(ParameterError, match="no adult"):
        sample_people(run, 5, zone=9999)
    with pytest.raises(ParameterError, match="0 people"):
        sample_people(run, 0)
    with pytest.raises(ParameterError, match="empty"):
        next(ask_people(run, [1], " "))


def test_answers_in_words_have_evidence(run: Run) -> None:
    before = table_digests(run.folder)
    agents = sample_people(run, 3)
    answers = list(ask_people(run, agents, "Why did you stay?", group="3 adults"))
    assert [one.agent for one in answers] == agents
    for one in answers:
        assert (one.step, one.group, one.mind) == (run.ticks, "3 adults", "rule")
        assert one.value is None
        memories = run.life(one.agent).memories
        assert list(one.texts) == memories.loc[list(one.evidence), "text"].tolist()
    assert any(one.evidence for one in answers)
    assert table_digests(run.folder) == before


def test_a_rating_is_the_attitude_that_the_question_names(run: Run) -> None:
    agents = sample_people(run, 3)
    people = run.people().set_index("agent")
    for one in ask_people(run, agents, TRUST, form="rating"):
        expected = people["attitude.government_trust"][one.agent]
        assert one.value == pytest.approx(expected, abs=1e-5)
        assert one.answer == f"{expected:.1f} of 10 (government trust)"


def test_other_ratings_come_from_memories(run: Run) -> None:
    values = [
        one.value
        for one in ask_people(run, sample_people(run, 5), "Was the storm bad?", form="rating")
    ]
    known = np.array([value for value in values if value is not None])
    assert len(known)
    assert ((known >= 0) & (known <= 10)).all()


def test_a_run_in_a_folder_is_only_read(run: Run, tmp_path: Path) -> None:
    assert not (run.folder / "conversations.jsonl").exists()
    assert list(tmp_path.iterdir()) == []
