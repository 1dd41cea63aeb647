"""Citizens decide whether to post by the voices that they recall."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from memopolis import Polarization, load_run
from memopolis.analysis.interview.record_answers import answer_from_record
from memopolis.scenarios.polarization.blocks.speak_up import REASONS, compute_post_probability
from memopolis.sim.mind.mind import MINDS, Answer, Mind, Question

AGENTS = 300
VOICE = "Somebody spoke about gun laws."


def decide(
    folder: Path, voices: float = 0.0, days: int = 1, mind: Mind | None = None, **changes: Any
) -> pd.DataFrame:
    """Return the decisions to post of a run, in which all citizens recall a voice at first.

    Args:
        folder: Folder of the run.
        voices: Stance of the voice relative to the side of its listener; 0 for no voice.
        days: Length of the run.
        mind: Mind of the society; the rules if omitted.
        changes: Other settings.
    """
    society = Polarization(agents=AGENTS, days=days, rng=3, **changes)
    citizens = society.population("citizen").cohort()
    if voices:
        side = np.sign(citizens["attitude.gun_control"] - 5)
        citizens.memory.stream.add("gun_control", VOICE, importance=0.5, valence=voices * side)
    if mind is not None:
        society.mind = mind
    decisions = load_run(society.run(folder)).decisions
    return decisions[decisions["kind"] == "speak_up"].reset_index(drop=True)


def list_posts(folder: Path) -> pd.DataFrame:
    """Return which citizens posted when."""
    people = load_run(folder).agents_of("citizen", "posted")
    return people.loc[people["posted"] > 0, ["tick", "agent"]].reset_index(drop=True)


def test_the_probability_is_the_activity_without_voices_and_follows_agreement() -> None:
    activity = np.array([0.1, 0.1, 0.1, 0.9])
    agreement = np.array([0.0, 1.0, -1.0, 1.0])
    expected = [0.1, 0.2 / (1 + np.exp(-2)), 0.2 / (1 + np.exp(2)), 1.0]
    assert compute_post_probability(activity, agreement, weight=2.0) == pytest.approx(expected)
    neutral = compute_post_probability(activity, agreement, weight=0.0)
    assert neutral == pytest.approx(activity)


def test_citizens_speak_up_among_those_who_agree(tmp_path: Path) -> None:
    posts = {}
    for voices, reason in ((0.8, REASONS[1]), (-0.8, REASONS[2]), (0.0, REASONS[0])):
        folder = tmp_path / str(voices)
        decisions = decide(folder, voices, feed={"climate": 3.0})
        assert set(decisions["reason"]) == {reason}
        assert (decisions["evidence"].str.len() == (1 if voices else 0)).all()
        is_posting = decisions["choice"] == "post"
        assert is_posting.equals(decisions["draw"] < decisions["probability"])
        posts[voices] = set(decisions.loc[is_posting, "agent"])
        assert set(list_posts(folder)["agent"]) == posts[voices]
    assert posts[-0.8] < posts[0.0] < posts[0.8]


def test_without_recall_posting_is_a_matter_of_activity(tmp_path: Path) -> None:
    decisions = decide(tmp_path / "none", days=4, recall="none")
    assert set(decisions["reason"]) == {REASONS[0]}
    people = load_run(tmp_path / "none").people("citizen").set_index("agent")
    activity = people.loc[decisions["agent"], "activity"].to_numpy()
    assert decisions["probability"].to_numpy() == pytest.approx(activity, rel=1e-6)
    decide(tmp_path / "scored", days=4, feed={"climate": 5.0})
    none, scored = (list_posts(tmp_path / name) for name in ("none", "scored"))
    first = none["tick"] == none["tick"].min()
    assert none[first].equals(scored[scored["tick"] == scored["tick"].min()])
    assert not none.equals(scored)


class Posts(Mind):
    """Lets everyone post who is asked."""

    def answer(self, question: Question) -> Answer:
        if question.kind != "speak_up":
            return question.rule(question)
        assert question.options == ("stay silent", "post")
        model = np.full(len(question.cohort), MINDS.index("model"), np.uint8)
        return Answer(np.ones(len(question.cohort)), how=model)


def test_a_mind_may_decide_instead_of_the_draw(tmp_path: Path) -> None:
    folder = tmp_path / "posts"
    decisions = decide(folder, days=3, mind=Posts())
    assert set(decisions["choice"]) == {"post"}
    assert decisions["probability"].isna().all()
    # Citizens that are not asked on a day do not post again.
    pd.testing.assert_frame_equal(list_posts(folder), decisions[["tick", "agent"]])


def test_citizens_explain_why_they_posted(tmp_path: Path) -> None:
    decisions = decide(tmp_path / "run", 0.8, days=2)
    run = load_run(tmp_path / "run")
    silent = decisions[decisions["choice"] == "stay silent"].iloc[0]
    answer = answer_from_record(run, run.life(int(silent["agent"])), "Why did you stay silent?")
    assert answer is not None
    assert "I said nothing in public" in answer.text
    assert "because most people that I had heard agreed with me" in answer.text
    assert VOICE in answer.text
