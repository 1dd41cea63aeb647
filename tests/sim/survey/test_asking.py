"""Asking: what the rule answers in a society, and that asking changes nothing."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from memopolis.analysis.run.tables import table_digests
from memopolis.scenarios.hurricane import Hurricane
from memopolis.sim.block import Block
from memopolis.sim.errors import ParameterError, SettingsError
from memopolis.sim.mind.call import Call, ScriptedClient
from memopolis.sim.mind.llm import LlmMind
from memopolis.sim.mind.mind import MINDS, Answer, Mind, Question, RuleMind
from memopolis.sim.mind.mix import by_block
from memopolis.sim.population import Agent, Cohort, attribute
from memopolis.sim.running.building import load_state
from memopolis.sim.settings import Settings
from memopolis.sim.society import Society
from memopolis.sim.state.saving import save_state
from memopolis.sim.survey.asking import ask_survey
from memopolis.sim.survey.named import CES_D, GUN_CONTROL
from memopolis.sim.survey.survey import Answers, Item, Survey

SMALL = {"agents": 60, "days": 3.0, "start": "2019-08-31"}


class Voter(Agent):
    """An agent with an opinion, an age and a mood."""

    age: int = attribute(40)
    attitude: dict[str, float] = attribute({"gun_control": 5.0}, low=0, high=10)
    emotion: dict[str, float] = attribute(
        {"sadness": 5.0, "joy": 5.0, "fear": 5.0, "disgust": 5.0, "anger": 5.0}
    )
    energy: float = attribute(0.9)
    social: float = attribute(0.6)


class Town(Society[Settings]):
    """Voters who do nothing."""

    def build(self, settings: Settings) -> None:
        self.populate(Voter, settings.agents)


class Plain(Agent):
    """An agent with memories only."""


class Hamlet(Society[Settings]):
    """People who remember."""

    def build(self, settings: Settings) -> None:
        self.populate(Plain, settings.agents)


def survey_answers(town: Society[Any], survey: Survey) -> dict[str, Answers]:
    return {one.item.name: one for one in ask_survey(town, survey)}


def values(answers: Answers) -> list[float]:
    return [float(value) for value in answers.value]


# From a status


def test_gun_control_depends_on_the_attitude() -> None:
    town = Town(agents=4, rng=1)
    attitudes = np.array([0, 3.2, 5, 9.9], np.float32)
    town.populations[0].cohort()["attitude.gun_control"] = attitudes
    answers = survey_answers(town, replace(GUN_CONTROL, noise=0.0))
    assert values(answers["support"]) == [0, 3, 5, 10]
    assert values(answers["sales_law"]) == [0, 0, 1, 2]
    assert values(answers["access"]) == [0, 0, 1, 2]
    assert values(answers["background_checks"]) == [0, 1, 2, 3]
    assert answers["why"].text == ("", "", "", "")


EXACT = replace(CES_D, disposition=0.0, noise=0.0)


def test_deviations_of_answers_have_the_chosen_size_and_a_fixed_part() -> None:
    town = Town(agents=400, rng=1)
    status = town.populations[0].cohort()
    status["emotion.sadness"] = np.full(400, 7.5, np.float32)
    low = replace(CES_D, disposition=0.3, noise=0.0)
    first, again = (np.array(values(survey_answers(town, low)["cesd_18"])) for _ in range(2))
    assert (first == again).all()
    assert first.mean() == pytest.approx(1.5, abs=0.1)
    loud = np.array(values(survey_answers(town, replace(CES_D, noise=0.6))["cesd_18"]))
    assert loud.std() > first.std()


def test_the_cesd_depends_on_feelings_and_needs() -> None:
    town = Town(agents=3, rng=1)
    status = town.populations[0].cohort()
    status["emotion.sadness"] = np.array([5, 7.5, 10], np.float32)
    status["emotion.joy"] = np.array([7.5, 5, 0], np.float32)
    status["energy"] = np.array([0.9, 0.2, 0], np.float32)
    answers = survey_answers(town, EXACT)
    assert values(answers["cesd_18"]) == [0, 2, 3]  # sad: 3 x 0, 3 x 1/2 = 1.5 up, 3 x 1
    assert values(answers["cesd_12"]) == [3, 2, 0]  # happy: 3 x 7.5 / 7.5, 3 x 5 / 7.5, 0
    assert values(answers["cesd_20"]) == [0, 2, 3]  # no energy: 3 x (0.4 - 0.2) / 0.4 = 1.5 up
    assert answers["cesd_18"].decisions.evidence.shape == (3, 0)


def test_children_are_not_asked() -> None:
    town = Town(agents=3, rng=1)
    town.populations[0].cohort()["age"] = np.array([17, 18, 80])
    (answers, *_) = ask_survey(town, GUN_CONTROL)
    assert answers.decisions.question.cohort.rows.tolist() == [1, 2]


def test_a_share_selects_the_same_agents_each_time() -> None:
    town = Town(agents=400, rng=1)
    survey = Survey("some", GUN_CONTROL.items, share=0.25)
    first, second = (ask_survey(town, survey)[0].decisions.question.cohort.rows for _ in range(2))
    assert first.tolist() == second.tolist()
    assert 60 < len(first) < 140


def test_an_unknown_population_is_refused() -> None:
    with pytest.raises(SettingsError, match="no population 'cats'"):
        ask_survey(Town(agents=2, rng=1), Survey("a", GUN_CONTROL.items, population="cats"))


# From memories


def hamlet() -> Hamlet:
    made = Hamlet(agents=3, rng=1)
    memory = made.populations[0].memory
    memory.deferred = False
    ann, bob, _ = memory
    ann.stream.add("bridge", "The new bridge is a joy to cross", importance=0.8, valence=1)
    ann.stream.add("bridge", "The bridge was closed again", importance=0.2, valence=-1)
    ann.stream.add("food", "Fed the cat", importance=0.9, valence=-1)
    bob.stream.add("food", "Baked bread", importance=0.9, valence=1)
    memory.flush()
    return made


def test_a_rating_follows_relevant_memories() -> None:
    item = Item("bridge", "What do you think of the bridge?", low=0, high=10, query="the bridge")
    answers = survey_answers(hamlet(), Survey("town", (item,)))["bridge"]
    # importance 0.8 good, 0.2 bad: mean valence 0.6, so 10 x (1 + 0.6) / 2 = 8
    assert answers.value[0] == 8
    assert np.isnan(answers.value[1:]).all()
    assert sorted(answers.decisions.evidence[0][:2].tolist()) == [0, 1]
    assert answers.decisions.reason.tolist() == [1, 2, 2]


def test_sign_reverses_the_effect_of_memories() -> None:
    item = Item("bad", "Is the bridge a nuisance?", query="the bridge", sign=-1)
    assert survey_answers(hamlet(), Survey("town", (item,)))["bad"].value[0] == 2


def test_a_choice_is_the_option_with_the_most_memories() -> None:
    item = Item("what", "What matters?", form="choice", options=("bread", "bridge"))
    answers = survey_answers(hamlet(), Survey("town", (item,)))["what"]
    assert answers.value[:2].tolist() == [1, 0]
    assert np.isnan(answers.value[2])
    assert sorted(answers.decisions.evidence[0].tolist())[-2:] == [0, 1]


def test_a_free_text_lists_recalled_memories() -> None:
    item = Item("bridge", "What of the bridge?", form="text", query="the bridge")
    texts = survey_answers(hamlet(), Survey("town", (item,)))["bridge"].text
    assert "The bridge was closed again" in texts[0]
    assert "cat" not in texts[0]
    assert texts[1:] == ("", "")


# Other minds


class Writer(Mind):
    """A mind that writes a new text for everybody, and rates far too high."""

    def answer(self, question: Question) -> Answer:
        n = len(question.cohort)
        if question.kind != "survey_item":
            return question.rule(question)
        if question.form == "text":
            memory = question.cohort.population.memory
            texts = [f"The storm of {question.tick} and {row}" for row in question.cohort.rows]
            return Answer(np.full(n, np.nan), text=memory.texts.intern_many(texts))
        return Answer(np.full(n, 99.0 if question.form == "rating" else 1.0))


def test_any_mind_answers_within_the_scale() -> None:
    town = Town(agents=2, rng=1)
    town.mind = Writer()
    answers = survey_answers(town, GUN_CONTROL)
    assert values(answers["support"]) == [10, 10]
    assert answers["why"].text == ("The storm of 0 and 0", "The storm of 0 and 1")


def reply(call: Call) -> str:
    """Whatever the schema asks for: the rating 1, the last option, or a text."""
    fields = call.schema["properties"]
    if "rating" in fields:
        return json.dumps({"reason": "So I feel.", "rating": 1})
    if "choice" in fields:
        return json.dumps({"reason": "So I see it.", "choice": fields["choice"]["enum"][-1]})
    return json.dumps({"text": f"Guns are on my mind, says {call.agent}."})


def test_a_model_receives_the_wording_and_answers() -> None:
    town = Town(agents=2, rng=1)
    client = ScriptedClient(reply)
    town.mind = LlmMind(client, seed=1)
    answers = survey_answers(town, GUN_CONTROL)
    assert values(answers["support"]) == [1, 1]
    assert values(answers["background_checks"]) == [3, 3]
    ids = town.populations[0].ids.tolist()
    assert answers["why"].text == tuple(f"Guns are on my mind, says {one}." for one in ids)
    assert set(answers["why"].decisions.how.tolist()) == {MINDS.index("model")}
    assert len(client.calls) == 10
    assert {(call.block, call.ordinal) for call in client.calls} == {
        ("survey", n) for n in range(5)
    }
    asked = client.calls[0].messages[-1].text
    assert GUN_CONTROL.items[0].text in asked
    assert "take part in a survey" in asked


# Nothing changes


class Written(Hurricane):
    """A hurricane in which a mind writes texts for surveys, and summaries as models do."""

    def build(self, settings: Any) -> None:
        super().build(settings)
        self.mind = Writer()


class AskEveryStep(Written):
    """A hurricane with two surveys in every step."""

    def build(self, settings: Any) -> None:
        super().build(settings)
        self.surveys.on(range(self.ticks), GUN_CONTROL)
        self.surveys.on(range(self.ticks), CES_D)


@pytest.mark.parametrize("recall", ["scored", "random", "none"])
def test_surveys_do_not_change_the_run(tmp_path: Path, recall: str) -> None:
    # Where no model answers, tables leave out feelings that only a model or OCC can move.
    changes = {**SMALL, "recall": recall, "cognition.appraisal": "occ"}
    Hurricane(rng=3, **changes).run(tmp_path / "plain")
    Hurricane(rng=3, survey={"ask": "ces_d,gun_control", "every": 6}, **changes).run(
        tmp_path / "asked"
    )
    Written(rng=3, **changes).run(tmp_path / "unasked")
    AskEveryStep(rng=3, **changes).run(tmp_path / "written")
    plain, asked, unasked, written = (
        table_digests(tmp_path / name) for name in ("plain", "asked", "unasked", "written")
    )
    assert asked.pop("survey") != written.pop("survey")
    assert {"memories", "decisions", "texts", "measures", "ledger"} <= set(plain)
    assert asked == plain
    assert written == unasked


class Modelled(Hurricane):
    """A hurricane in which a model forms the thoughts and answers surveys."""

    def build(self, settings: Any) -> None:
        super().build(settings)
        model = LlmMind(ScriptedClient(speak), seed=self.seed, log=self.log_calls)
        self.mind = by_block({"think": model, "survey": model}, RuleMind())


def speak(call: Call) -> str:
    if "intensities" not in call.schema["properties"]:
        return reply(call)
    feelings = dict.fromkeys(call.schema["properties"]["intensities"]["properties"], 6)
    text = f"A thought of {call.agent}."
    return json.dumps({"text": text, "emotion": "Fear", "intensities": feelings})


def test_surveys_do_not_change_a_run_with_a_model(tmp_path: Path) -> None:
    changes = {**SMALL, "agents": 20, "days": 2.0}
    Modelled(rng=3, **changes).run(tmp_path / "plain")
    Modelled(rng=3, survey={"ask": "gun_control", "every": 12}, **changes).run(tmp_path / "asked")
    plain, asked = (table_digests(tmp_path / name) for name in ("plain", "asked"))
    calls = {"model_calls", "prompts", "survey"}  # tables of questions and answers
    assert calls - {"survey"} <= set(plain)
    assert {k: v for k, v in asked.items() if k not in calls} == {
        k: v for k, v in plain.items() if k not in calls
    }


def state(society: Society[Any]) -> dict[str, Any]:
    people = society.populations[0]
    streams = people.memory.streams
    slots, _ = streams.live(np.arange(len(people)))
    columns = people.memory.status.state()["arrays"]
    return {
        # As bytes, since missing values are not equal to themselves.
        **{f"status {name}": column.tobytes() for name, column in columns.items()},
        **{f"memory {name}": column.tolist() for name, column in streams.all_at(slots).items()},
        "texts": [people.memory.texts[n] for n in people.memory.texts.numbers.tolist()],
        "rng": society.rng.bit_generator.state,
        "random": society.random.getstate(),
    }


def test_a_survey_changes_no_status_memory_or_random_stream() -> None:
    society = Hurricane(rng=3, **SMALL)
    for _ in range(30):
        society.step()
    society.mind = Writer()
    before = state(society)
    assert len(ask_survey(society, CES_D)) == 20
    assert len(ask_survey(society, GUN_CONTROL)) == 5
    assert state(society) == before


def test_surveys_are_always_recorded_and_are_not_decisions(tmp_path: Path) -> None:
    Hurricane(rng=3, survey={"ask": "ces_d"}, record={"tables": ()}, **SMALL).run(tmp_path / "a")
    assert {path.name for path in (tmp_path / "a" / "tables").iterdir()} <= {
        "survey",
        "texts",
        "zones",
        "weather",
    }
    frame = pd.read_parquet(tmp_path / "a" / "tables" / "survey")
    assert set(frame["tick"]) == {71}
    assert len(frame) == 20 * frame["agent"].nunique()


# In a society


class Age(Block):
    """Grow older and sadder."""

    def step(self, cohort: Cohort) -> None:
        cohort["emotion.sadness"] = np.minimum(cohort["emotion.sadness"] + 1, 10)


class Ageing(Town):
    """Voters whose mood sinks."""

    def build(self, settings: Settings) -> None:
        super().build(settings)
        self.give(self.populations[0], Age())


def test_a_survey_is_asked_at_the_end_of_its_step() -> None:
    town = Ageing(agents=2, rng=1)
    town.survey("2026-01-01 03:00", EXACT)
    sad = []
    for _ in range(5):
        town.step()
        sad.append([values(one) for one in town.surveyed if one.item.name == "cesd_18"])
    assert sad == [[], [], [], [[2.0, 2.0]], []]  # 9 after four steps: 3 x 4/5 = 2.4


def test_a_date_that_has_passed_is_refused() -> None:
    town = Ageing(agents=2, rng=1)
    town.run_for(5)
    with pytest.raises(ParameterError, match="has passed"):
        town.survey("2026-01-01 01:00", CES_D)


def test_a_restored_society_keeps_planned_surveys(
    tmp_path: Path,
) -> None:
    whole = Hurricane(rng=3, **SMALL)
    whole.survey("2019-08-31 20:00", CES_D)
    whole.run_for(10)
    later = load_state(save_state(whole, tmp_path / "state"))
    for society in (whole, later):
        society.run_for(11)
    assert len(later.surveyed) == 20
    for one, other in zip(whole.surveyed, later.surveyed, strict=True):
        assert values(one) == values(other)


def test_a_survey_from_a_file_is_in_the_manifest_with_its_hash(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        'name = "mood"\n[[items]]\nname = "joy"\ntext = "How glad?"\nreads = "emotion.joy"\n'
    )
    town = Town(agents=2, rng=1, days=1, survey={"ask": str(path)})
    town.run(tmp_path / "run")
    assert pd.read_parquet(tmp_path / "run" / "tables" / "survey")["value"].tolist() == [5, 5]
    assert "mine.toml" in town.data_hashes()
