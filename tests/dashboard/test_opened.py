"""A citizen opened on the page, in runs that recorded more or fewer tables."""

from pathlib import Path

import pytest
from tests.dashboard.odd_texts import NAMES, ODD, OddTexts

from memopolis import Run, load_run
from memopolis.dashboard.life.minds import minds_of, own_model
from memopolis.dashboard.life.opened import NONE_YET, NOT_RECORDED, open_life
from memopolis.sim.errors import MemopolisError
from memopolis.sim.settings import Settings


def test_a_life_links_to_the_previous_and_next_citizen(odd_run: Run) -> None:
    first, last = open_life(odd_run, 1), open_life(odd_run, 5)
    assert (first.before, first.after, first.is_present) == (None, 2, True)
    assert (last.before, last.after) == (4, None)
    assert not first.missing_memories


def test_an_unknown_agent_is_reported_in_one_line(odd_run: Run) -> None:
    unknown = open_life(odd_run, 99)
    assert unknown.life is None
    assert "there is no agent 99" in unknown.missing_memories
    assert (unknown.before, unknown.after) == (None, None)
    with pytest.raises(MemopolisError, match="99"):
        unknown.restored_agent.search("storm")


def test_unusual_texts_are_stored_found_shown_and_drawn(odd_run: Run) -> None:
    one = open_life(odd_run, 2)
    assert one.required_life.name == NAMES[1]
    assert set(ODD.values()) <= set(one.required_life.memories["text"])
    results = one.restored_agent.search("the storm", k=100)
    assert ODD["script"] in results["text"].tolist()
    assert one.restored_agent.interview("What about the storm?").evidence.shape[0] > 0


def test_thoughts_show_their_evidence(odd_run: Run) -> None:
    life = open_life(odd_run, 2).required_life
    (thought,) = life.thoughts.to_dict("records")
    assert len(thought["rests_on"]) == len(thought["evidence"]) > 0
    assert [life.memories.loc[one, "text"] for one in thought["rests_on"]] == thought["evidence"]


def test_a_run_without_memories_names_the_setting(tmp_path: Path) -> None:
    changes = {"record.tables": ("agents", "measures")}
    OddTexts(agents=2, rng=1, **changes).run(tmp_path / "run", days=1)
    one = open_life(load_run(tmp_path / "run"), 1)
    assert one.missing_memories == NOT_RECORDED
    assert "record.tables" in NOT_RECORDED


def test_there_are_no_memories_at_the_start(odd_run: Run) -> None:
    assert open_life(odd_run.until(0), 1).missing_memories == NONE_YET


def test_only_a_model_named_by_the_user_answers() -> None:
    assert list(minds_of({})) == ["rule"]
    named: dict[str, object] = {"mind": "llm", "llm.model": "tiny"}
    assert minds_of(named) == {"rule": "the rules", "llm": "the model tiny"}


def test_a_watched_society_offers_its_own_model() -> None:
    assert own_model(Settings()) == {}
    few = {"share": 0.05, "blocks": ["think"], "classes": ["firm"], "cassette": "a", "replay": True}
    asked = own_model(Settings().with_changes({"mind": "replay", "llm": few}))
    assert (asked["mind"], asked["llm.replay"], asked["llm.cassette"]) == ("llm", False, "none")
    # It answers for any agent, and not only for those that used it in the run.
    assert not {"llm.share", "llm.blocks", "llm.classes"} & asked.keys()
