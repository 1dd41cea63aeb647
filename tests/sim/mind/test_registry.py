import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memopolis.agents.blocks.cognition import Think, UpdateAttitudes
from memopolis.agents.citizen import Citizen
from memopolis.analysis import load_run
from memopolis.analysis.report.summary import summary
from memopolis.sim.chance import Chance
from memopolis.sim.errors import ParameterError, SettingsError
from memopolis.sim.mind import registry
from memopolis.sim.mind.archetype import Archetype
from memopolis.sim.mind.building import build_mind
from memopolis.sim.mind.call import Call, ScriptedClient
from memopolis.sim.mind.llm import LlmMind
from memopolis.sim.mind.mind import Answer, Mind, Question, RuleMind
from memopolis.sim.mind.mix import members
from memopolis.sim.mind.registry import add_mind, mind_builder, mind_names
from memopolis.sim.settings import Settings
from memopolis.sim.settings_text import describe
from memopolis.sim.society import Society


class Child(Citizen):
    pass


class Town(Society[Settings]):
    def build(self, settings: Settings) -> None:
        for kind in (Citizen, Child):
            self.populate(kind, settings.agents, blocks=[UpdateAttitudes(), Think()])


def nines(call: Call) -> str:
    one = {"reason": "so", "rating": 9}
    several = "answers" in call.schema["properties"]
    return json.dumps({"answers": [one] * 5} if several else one)


def lived(kind: str = "llm", agents: int = 30, **llm: Any) -> tuple[Town, ScriptedClient]:
    """A town a day later, with the mind that its settings name; all judge once in it."""
    town = Town(agents=agents, tick=24, rng=4, llm={"blocks": ("update_attitudes",), **llm})
    client = ScriptedClient(nines)
    town.mind = build_mind(town, kind, client=client)
    town.step()
    return town, client


def judged_nine(town: Town, population: str) -> Any:
    return town.population(population)["attitude.government_trust"] == 9


def test_without_a_model_the_rule_decides() -> None:
    assert isinstance(build_mind(Town(agents=3, rng=1)), RuleMind)


def test_the_model_answers_the_blocks_that_are_named() -> None:
    town, client = lived()
    assert {call.block for call in client.calls} == {"update_attitudes"}
    assert judged_nine(town, "citizen").all()
    assert judged_nine(town, "child").all()


def test_the_model_answers_for_the_classes_that_are_named() -> None:
    town, _ = lived(classes=("child",))
    assert not judged_nine(town, "citizen").any()
    assert judged_nine(town, "child").all()


def test_the_model_answers_for_a_share_fixed_by_the_seed() -> None:
    town, client = lived(agents=200, share=0.2)
    for name in ("citizen", "child"):
        chosen = members(town.population(name).cohort(), 0.2, Chance(4))
        np.testing.assert_array_equal(judged_nine(town, name), chosen)
        assert 20 < chosen.sum() < 60
    assert town.mind.facts()["calls"] == len(client.calls)


def test_the_archetype_mind_asks_a_group_at_a_time() -> None:
    town, client = lived("archetype", agents=200)
    assert judged_nine(town, "citizen").all()
    # Two populations of 200, two attitudes, groups of 100 or more.
    assert len(client.calls) <= 8
    facts = town.mind.facts()
    assert (facts["answers"], facts["groups"]) == (800, len(client.calls))


def test_a_run_reports_its_groups_and_what_they_cost(tmp_path: Path) -> None:
    town = Town(agents=200, days=2, tick=24, rng=4, llm={"blocks": ("update_attitudes",)})
    town.mind = build_mind(town, "archetype", client=ScriptedClient(nines))
    run = load_run(town.run(tmp_path / "run"))
    rows = dict(summary(run))
    calls = len(run.table("model_calls"))
    assert rows["Model"].startswith(f"scripted: {calls} calls, ")
    assert rows["Groups asked"] == f"{calls} for 1,600 answers ({calls / 1_600:.2%})"
    assert set(run.table("decisions")["mind"]) == {"model"}


def test_a_run_by_rule_reports_no_mind(tmp_path: Path) -> None:
    run = load_run(Town(agents=3, days=1, rng=4).run(tmp_path / "run"))
    assert run.manifest["mind"] == {}
    assert "Model" not in dict(summary(run))


def test_other_packages_can_register_minds() -> None:
    town = Town(agents=3, rng=1)
    assert isinstance(build_mind(town, "llm", client=ScriptedClient(nines)), LlmMind)
    assert isinstance(build_mind(town, "archetype", client=ScriptedClient(nines)), Archetype)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"llm.blocks": ("stay_or_goo",)}, "llm.blocks names 'stay_or_goo'.*think"),
        ({"llm.classes": ("citizens",)}, "llm.classes names 'citizens'.*child, citizen"),
        ({"archetype.by": ("gendre",), "mind": "archetype"}, "archetype.by names 'gendre'.*gender"),
    ],
)
def test_an_unknown_name_is_refused(change: dict[str, Any], message: str) -> None:
    settings = Settings(agents=3, mind="llm").with_changes(change)
    with pytest.raises(SettingsError, match=message):
        Town(settings, rng=1)


@pytest.mark.parametrize("name", mind_names())
def test_every_shipped_name_has_a_builder(name: str) -> None:
    assert callable(mind_builder(name))


def test_an_unknown_mind_is_refused_with_the_registered_names() -> None:
    with pytest.raises(SettingsError, match=r"'oracle'.*rule \| llm \| replay \| archetype"):
        Settings(mind="oracle")


def test_a_registered_mind_is_named_in_settings(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Stubborn(Mind):
        def answer(self, question: Question) -> Answer:
            ruled = question.rule(question)
            if question.kind != "attitude":
                return ruled
            return Answer(np.full(len(question.cohort), 2.0, np.float32))

    monkeypatch.setattr(registry, "_added", {})
    add_mind("stubborn", lambda _: Stubborn())
    assert next(row for row in describe(Settings) if row.key == "mind").options[-1] == "stubborn"
    town = Town(agents=3, tick=24, rng=4, mind="stubborn")
    assert isinstance(town.mind, Stubborn)
    folder = town.run(tmp_path / "run", days=1)
    assert load_run(folder).manifest["settings"]["mind"] == "stubborn"


def test_a_registered_function_must_return_a_mind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_added", {"none": lambda _: None})
    with pytest.raises(ParameterError, match="None is not a mind"):
        Town(agents=3, rng=1, mind="none")


@pytest.mark.parametrize("name", ["rule", " "])
def test_names_of_shipped_minds_are_taken(name: str) -> None:
    with pytest.raises(ParameterError, match="choose a name other than rule, llm"):
        add_mind(name, lambda _: RuleMind())
