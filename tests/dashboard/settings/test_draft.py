"""What is typed into the settings form: fields, checks, changes, TOML and the command line."""

import shlex
import tomllib
from datetime import datetime

import pytest

from memopolis.commands.options.shared import SocietyOptions
from memopolis.commands.run import settings_of
from memopolis.dashboard.settings.fields import (
    GENERAL,
    MOST_USED,
    WHOLE,
    Draft,
    sections_of,
    value_at,
)
from memopolis.dashboard.settings.text import text_of
from memopolis.sim.memory.retrieval.profiles import Profile
from memopolis.sim.scenario_names import find_scenario
from memopolis.sim.settings import Field, Settings, SettingsGroup
from memopolis.sim.settings_text import describe
from memopolis.sim.society import Society

SHIPPED = ("hurricane", "polarization", "ubi")


class ClubSettings(SettingsGroup):
    """Where friends meet."""

    seats: int = Field(5, "Seats", ge=1, le=9)


class VillageSettings(Settings):
    friends: int = Field(2, "Friends on either side of the street", ge=0, le=10)
    club: ClubSettings = ClubSettings()


def kind_of(name: str) -> type[Settings]:
    return VillageSettings if name == "village" else find_scenario(name).settings_class


def changes(draft: Draft) -> dict[str, object]:
    return draft.changes_of(draft.kind())


@pytest.mark.parametrize("name", [*SHIPPED, "village"])
def test_every_setting_has_one_field_with_its_default(name: str) -> None:
    kind = kind_of(name)
    keys = [field.key for section in sections_of(kind) for field in section.fields]
    assert sorted(keys) == sorted(row.key for row in describe(kind))
    draft = Draft(kind)
    assert draft.settings == kind()
    for key in keys:
        draft.write(key, draft.default(key))
        assert draft.errors == {}, key
    assert changes(draft) == {}
    assert draft.toml() == ""


def test_settings_of_the_scenario_come_first() -> None:
    names = [section.name for section in sections_of(VillageSettings)]
    assert names[:3] == [MOST_USED, "club", GENERAL]
    assert names[-1] == "survey"
    first, club, *_ = sections_of(VillageSettings)
    assert [field.key for field in first.fields] == ["agents", "days", "friends"]
    assert club.description == "Where friends meet."
    used = [field.key for field in sections_of(kind_of("ubi"))[0].fields]
    assert used == ["agents", "days", "start", "place", "amount", "funding", "schedule", "who"]


def test_form_fields_match_the_types() -> None:
    fields = Draft(kind_of("polarization")).fields
    forms = {
        "agents": "number",
        "llm.rate": "number",
        "arm": "choice",
        "symmetric": "switch",
        "network.kind": "text",
        "start": "text",
        "record.tables": "text",
        "retrieval": "lines",
    }
    assert {key: fields[key].form for key in forms} == forms


def test_only_changed_settings_are_passed_on() -> None:
    draft = Draft(kind_of("hurricane"))
    draft.write("agents", "500")
    draft.write("needs.hunger_rate", "0.2")
    draft.write("days", "14.0")
    assert changes(draft) == {"agents": "500", "needs.hunger_rate": "0.2"}
    assert not draft.changed("days")
    draft.back("agents")
    assert draft.text("agents") == "1000"
    assert changes(draft) == {"needs.hunger_rate": "0.2"}
    # The draft of a run with other settings lists the differences from them.
    now = kind_of("hurricane")().with_changes({"agents": 80, "needs.hunger_rate": 0.2})
    assert draft.changes_of(now) == {"agents": "1000"}
    draft.clear()
    assert changes(draft) == {}


def test_each_error_is_shown_next_to_its_field() -> None:
    draft = Draft(kind_of("hurricane"))
    wrong = {
        "agents": "many",
        "days": "0",
        "llm.share": "7",
        "recall": "all",
        "start": "tomorrow",
        "record.tables": "measures, dreams",
        "retrieval": "[x",
        "cognition.opinion.rate": "2",
        "government.messages": "perhaps",
    }
    for key, text in wrong.items():
        draft.write(key, text)
    draft.write("evacuation.beds", "0.5")
    assert set(draft.errors) == set(wrong)
    assert all(key in line and "\n" not in line for key, line in draft.errors.items())
    assert not any("more)" in line for line in draft.errors.values())
    assert draft.settings is None
    assert draft.toml() == draft.command("hurricane", 1) == ""
    assert {key: draft.text(key) for key in wrong} == wrong
    for key in wrong:
        draft.back(key)
    assert draft.errors == {}
    assert draft.settings == kind_of("hurricane")().with_changes({"evacuation.beds": 0.5})


def test_incompatible_settings_are_reported() -> None:
    draft = Draft(kind_of("ubi"))
    draft.write("days", "90")
    assert "the policy would begin after the run" in draft.errors["start"]
    assert draft.settings is None
    draft.write("amount", "0")
    assert draft.errors == {}


def test_an_error_of_several_fields_stops_the_form() -> None:
    class Together(Settings):
        def model_post_init(self, _context: object) -> None:
            if self.agents > 5:
                raise ValueError("too many of them")

        agents: int = Field(5, "Citizens")

    draft = Draft(Together)
    draft.write("agents", "6")
    assert "too many" in draft.errors[WHOLE]
    assert draft.settings is None


CHANGES = {
    "agents": "500",
    "days": "3",
    "news": 'a "b".csv',
    "start": "2026-02-03 04:00",
    "llm.rate": "2.5",
    "llm.model": "é 😀",
    "survey.at": "2026-02-04, 2026-02-05 12:00",
    "record.tables": "none",
    "record.agents_every": "12",
    "retrieval": "[mine]\nrecency = 2\nfading = 'fixed'\n[mine.where]\ntopic = 'news'",
}


def test_toml_and_command_give_the_same_settings() -> None:
    draft = Draft(VillageSettings)
    for key, text in CHANGES.items():
        draft.write(key, text)
    assert draft.errors == {}
    assert draft.settings is not None
    read = VillageSettings().with_changes(tomllib.loads(draft.toml()))
    assert read == draft.settings
    words = shlex.split(draft.command("my town.py:Village", 7))
    assert words[:3] == ["memopolis", "run", "my town.py:Village"]
    assert words[-2:] == ["--seed", "7"]
    named = {"--agents": "500", "--days": "3"}
    assert {word: words[words.index(word) + 1] for word in named} == named
    sets = [words[at + 1] for at, word in enumerate(words) if word == "--set"]
    sets += [f"{word[2:]}={text}" for word, text in named.items()]
    asked = SocietyOptions(sets=sets)

    class Villagers(Society[VillageSettings]):
        """A population without agents."""

    assert settings_of(Villagers, asked) == draft.settings


def test_a_form_starts_with_the_settings_of_the_run() -> None:
    kind = kind_of("ubi")
    now = kind().with_changes({"agents": 300, "amount": 250, "llm.rate": 3})
    draft = Draft(kind, now)
    assert draft.settings == now
    assert draft.typed == {"agents": "300", "amount": "250", "llm.rate": "3"}
    draft.write("days", "many")
    draft.begin(kind())
    assert draft.typed == draft.errors == {}


def test_copied_settings_contain_no_password() -> None:
    draft = Draft(Settings)
    draft.write("llm.base_url", "http://me:secret@host/v1?key=secret")
    assert draft.settings is not None
    assert "secret" in str(changes(draft))
    assert "secret" not in draft.toml() + draft.command("x", 1)


def test_typed_values_are_parsed() -> None:
    assert [text_of(value) for value in (None, (), True, 3.0, 0.1, 1e30)] == [
        "none",
        "none",
        "true",
        "3",
        "0.1",
        "1e+30",
    ]
    assert text_of((0.5, 1.0)) == "0.5,1"
    assert text_of(datetime(2026, 1, 1)) == "2026-01-01 00:00"
    result = text_of({"mine": Profile(recency=2.0)})
    assert Settings().with_changes({"retrieval": tomllib.loads(result)}).retrieval == {
        "mine": Profile(recency=2.0)
    }
    assert value_at(Settings(), "llm.share") == 1.0


def test_the_search_finds_by_name_and_meaning() -> None:
    fields = Draft(kind_of("hurricane")).fields.values()
    assert [f.key for f in fields if f.matches("reversed lanes")] == ["roads.contraflow"]
    assert "needs.hunger_rate" in [f.key for f in fields if f.matches("HUNGER rate")]
    assert len([f for f in fields if f.matches("")]) == len(fields)
