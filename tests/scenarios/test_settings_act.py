"""Every setting of every scenario changes what a run records, or is refused.

Each setting is changed by itself in a small society; the run must leave its base run before the
end. What a setting needs of others to act is stated in `NEEDS`, or by `acts_with` of its field.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from tests.scenarios.recorded import Trace

from memopolis.scenarios.hurricane.scenario import Hurricane
from memopolis.scenarios.places.place_files import SHIPPED_PLACES
from memopolis.scenarios.polarization.scenario import Polarization
from memopolis.scenarios.ubi.scenario import BasicIncome
from memopolis.sim.errors import AnswerError
from memopolis.sim.mind import building
from memopolis.sim.mind.call import ScriptedClient
from memopolis.sim.mind.prompting import SHIPPED
from memopolis.sim.settings import LlmSettings, nest
from memopolis.sim.settings_text import SettingRow, describe
from memopolis.sim.society import Society

pytestmark = pytest.mark.extras

type Changes = dict[str, Any]

NEVER = {
    # These must not change a run.
    "threads": "tests/golden/test_determinism.py asserts equal tables",
    "parts": "tests/sim/parts asserts equal tables",
    "executor": "tests/sim/parts asserts equal tables",
    "checkpoint.every": "checkpoints observe a run; tests/sim/running",
    "checkpoint.minutes": "checkpoints observe a run; tests/sim/running",
    "checkpoint.keep": "checkpoints observe a run; tests/sim/running",
    "new_columns": "profiles with new columns are refused without it; tests/sim/tables",
    # Evacuees hear an all-clear in all runs with shipped news.
    "evacuation.quiet": "tests/scenarios/hurricane/test_return_home.py shows it without news",
    # These say how a server is called, and no server is called here; tests/sim/mind.
    "llm.base_url": "address of the server",
    "llm.in_flight": "pace of the calls",
    "llm.rate": "pace of the calls",
    "llm.timeout": "patience with the server",
    "llm.retries": "patience with the server",
    "llm.max_wait": "patience with the server",
    "llm.min_answered": "ends a run whose model does not answer",
    "llm.price_in": "only for the cost that is shown",
    "llm.price_out": "only for the cost that is shown",
    "llm.cassette": "a copy of the answers",
    "llm.replay": "the same answers from a cassette",
    # Another embedder needs a package or a server; tests/sim/memory/vectors.
    "embedder": "tests/sim/memory/vectors/embedders",
    # A store keeps a copy of the memories of a run; tests/sim/memory/qdrant.
    "memory.store": "where a copy is kept",
    "memory.url": "address of the store",
    "memory.path": "folder of the store",
    "memory.collection": "name of the copy",
    # These serve searches, prompts and interviews; tests/agents/test_sleep.py.
    "sleep.relate": "links are found when first read, too",
    "sleep.tags": "tags are not recorded",
    "sleep.summaries": "a rule reads no summaries",
    "sleep.key_memories": "decisions recall key memories only if a setting says so",
}
"""Settings that change no table, with the reason or where they are tested."""


@dataclass(frozen=True)
class Case:
    """How the settings of a scenario are tried.

    Attributes:
        scenario: Its class.
        base: Settings of the base run.
        values: What a setting is changed to, where a rule by its type would not do.
        needs: Settings added to the base run, by the setting or group that needs them.
        refused: Settings that are always refused, with the reason.
    """

    scenario: type[Society[Any]]
    base: Changes
    values: Changes
    needs: Mapping[str, Changes]
    refused: Mapping[str, str] = field(default_factory=dict)


# The answers in place of a model fit few questions, which would end the run.
MODEL: Changes = {"mind": "llm", "llm.model": "one", "llm.min_answered": 0}
"""A model answers, see `_answering`."""

GROUPS: Changes = {**MODEL, "mind": "archetype", "archetype.least": 2}

ASKED: Changes = {"survey.ask": "gun_control"}

_folder = TemporaryDirectory(prefix="settings")


def _file(name: str, text: str) -> str:
    """Write a file of the user; gives its path."""
    path = Path(_folder.name) / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def _news(start: str, topic: str) -> str:
    head = "time,text,topic,stance,importance"
    return _file(f"{topic}.csv", f"{head}\n{start},A whale was seen.,{topic},-0.8,0.9\n")


def _orders(kind: str) -> str:
    row = f"2019-09-01 18:30,2019-09-02 12:00,ordered,{kind}"
    return _file("orders.csv", f"announced,effective,area,kind\n{row}\n")


def _prompts() -> str:
    """A folder with a prompt of the user's own."""
    shipped = (SHIPPED / "thought.jinja").read_text(encoding="utf-8")
    _file("thought.jinja", f"{shipped}\nBe brief.\n")
    return _folder.name


VALUES: Changes = {
    "agents": 121,
    "profiles": _file("people.csv", "agent,age\n1,33\n"),
    "memories": _file("past.csv", "agent,topic,text\n1,social,I saw a whale.\n"),
    "recall": "none",
    "mind": "llm",
    "record.tables": "measures",
    "retrieval": {"mine": {"importance": 1.0}},
    "llm.model": "two",
    "llm.blocks": "think",
    "llm.classes": "firm",
    "llm.context_tokens": 0,
    "llm.budget_tokens": 0,
    "llm.budget_calls": 0,
    "llm.fallback": "error",
    "llm.prompts": _prompts(),
    "archetype.by": "age",
    "archetype.answers": 2,
    "survey.ask": "gun_control",
    "survey.share": 0.5,
    "cognition.profile": "recall",
    "retention.limit": 5,
}
NEEDS: dict[str, Changes] = {
    "retention.evict": {"retention.limit": 5},
    "mind": {"llm.model": "one", "llm.min_answered": 0},
    "llm": MODEL,
    "llm.fallback": {**MODEL, "llm.budget_calls": 0},
    "archetype": GROUPS,
    "archetype.least": {**GROUPS, "archetype.least": 1},
    "retrieval": {"cognition.profile": "mine", "retrieval.mine.recency": 1.0},
    "survey.at": ASKED,
    "survey.every": ASKED,
    "survey.share": ASKED,
    "cognition.opinion.reject": {"cognition.opinion.backfire": 0.5},
}
NO_GROUPS = {"cognition.opinion.backfire_by_group": "citizens have no groups to differ by"}

HURRICANE = Case(
    Hurricane,
    {"agents": 24, "days": 5, "start": "2019-09-01T12:00", "tick": 2.0},
    {
        **VALUES,
        "days": 1,
        "tick": 1.0,
        "start": "2019-09-01T00:00",
        "place": str(SHIPPED_PLACES / "columbia" / "zones.csv"),
        "past_storms": "none",
        "storm_name": "Zelda",
        "storm": "florence",
        "orders": "none",
        "news": _news("2019-09-02", "disaster"),
        "wind": "holland_2010",
        "llm.classes": "household",
        "survey.at": "2019-09-02",
        "sleep.replay": 20,
        "sleep.repeats": 0,
        "sleep.trivia": 0.0,
        "sleep.forget_below": 0.999,
        "sleep.merge": 3,
        "plans.conformity": 10.0,
        "decision.constant": -2.0,
        "decision.alert": 3.0,
        "decision.evening": 0.0,
        "decision.most_concerned": 0.0,
        "roads.table": "derived",
    },
    {
        **NEEDS,
        # Many leave at once, so that the reversed lanes are needed.
        "roads.contraflow": {"roads.capacity": 0.05, "agents": 100},
        "retention.decay": {"sleep.forget_below": 0.999},
        # What is rehearsed is recalled sooner, which shows where not everything is recalled.
        "sleep.replay": {"cognition.memories": 3, "decision.memories": 3, "days": 7},
        # The storm has to be recalled for some days before it is a key memory.
        "decision.key_memories": {"sleep.key_memories": 1.0, "decision.memories": 1, "days": 9},
        # All leave, and some return.
        "evacuation.back_family": {"days": 9, "decision.constant": 5.0},
        "evacuation.back_hotel": {"days": 9, "decision.constant": 5.0},
        "evacuation.back_other": {"days": 9, "decision.constant": 5.0},
        "evacuation.back_shelter": {
            "days": 9,
            "decision.constant": 5.0,
            "evacuation.shelter": 1.0,
            "evacuation.beds": 1.0,
        },
        "evacuation.family": {"decision.constant": 5.0},
        "evacuation.beds": {"decision.constant": 5.0, "evacuation.shelter": 1.0},
        # Before the storm, when thoughts intend what plans of daily life contain.
        "plans.intention": {"start": "2019-08-26T00:00"},
        "decision.evening": {"decision.constant": 2.0},
        # Some adults of a household are ready, and others are not.
        "decision.most_concerned": {"decision.constant": -8.0, "decision.spread": 6.0, "days": 9},
        "decision.voluntary": {"orders": _orders("voluntary")},
        # Friends report everyday plans if nothing more important happens.
        "plans.conformity": {"storm": "none", "social.least": 0.02, "social.tell": 1.0},
        # The rule writes the steps that it composes; a model is asked for others.
        "plans.write_steps": MODEL,
        "cognition.conviction_rate": {"days": 7},  # a firmer attitude moves less the next time
    },
    NO_GROUPS,
)
_GUNS = {"news": _news("2026-01-02", "gun_control")}
POLARIZATION = Case(
    Polarization,
    {"agents": 30, "days": 5},
    {
        **VALUES,
        "place": "columbia",
        # A response a day: a short run has no more to recall than the default.
        "subjects.memories": 2,
        **_GUNS,
        "days": 2,
        "start": "2026-01-02",
        "event": "shooting",
        "event_day": 2,
        "network.cross_share": 0.8,  # 1 is too much for the smaller side of so few
        "llm.classes": "outlet",
        "survey.at": "2026-01-02",
        "network.kind": "growth",
        "people.democrats": 0.2,
        "people.republicans": 0.2,
        "feed.size": 1,
        "cognition.memories": 2,
        "retention.decay": 0.95,
        "cognition.opinion.backfire_by_group": {"Democrat": 0.5},
    },
    {
        **NEEDS,
        # Nothing of a few days has faded at the usual bound.
        "retention.decay": {"sleep.forget_below": 0.999},
        "start": _GUNS,  # dates matter to what is dated
        "event": {"days": 12},
        "media.news_delay": _GUNS,
        "media.news_trust": _GUNS,
        "persuasion": {"arm": "echo"},
        # Conversations enough for more than five similar views.
        "talk.reinforce": {"arm": "echo"},
        "cognition.appraisal": {"news": _news("2026-01-02", "disaster")},
    },
)
UBI = Case(
    BasicIncome,
    {"agents": 120, "days": 24 * 30, "start": 4},
    {
        **VALUES,
        "place": "columbia",
        "news": _news("2019-01-02", "policy"),
        "days": 180,
        "start": 5,
        "survey.at": "2019-02-01",
        "taxes.brackets": "2024",
        "taxes.most_surtax": 0.05,
        "benefits.take_up": 0.0,
        "benefits.unemployment_months": 1,
        "demography.pair": 0.0,
        "firms.credit": 0.0,
        "labour_market.wage_patience": 1,
        "bank.arrears": 1,
        "panel.size": 20,
        "sleep.replay": 0,
        "sleep.merge": 3,
        "review.span": 6.0,
        # More than there are to recall would change nothing.
        "review.memories": 1,
        "bank.memory.memories": 1,
    },
    {
        **NEEDS,
        # Few, since every prompt takes time.
        **{key: {**NEEDS[key], "agents": 30} for key in ("mind", "llm", "llm.fallback")},
        **{key: {**NEEDS[key], "agents": 30} for key in ("archetype", "archetype.least")},
        "policy.low_income": {"who": "low_income"},
        "policy.enrolment": {"who": "unemployed"},
        "benefits.take_up": {"agents": 150},
        "demography.pair": {"demography.leave_home": 1.0},
        # In a short run, support only moves away from its start, whatever is weighed.
        "review": {"review.every": 1, "review.threshold": 0.02, "days": 1440},
        "firms.memory.wage": {"labour_market.wage_patience": 1},
        "firms.patience": {"firms.credit": 0.0, "firms.buffer": 0.0, "firms.citizens": 10.0},
        # Wages differ by more than the least gain only after years of small steps.
        "labour_market.on_the_job": {"labour_market.wage_step": 0.05},
        "labour_market.better_pay": {"labour_market.wage_step": 0.05},
        "firms.entry": {"firms.patience": 1, "firms.credit": 0.0, "firms.citizens": 10.0},
        "firms.entry_shortage": {"firms.overtime": 0.0},  # so that demand is unmet
    },
    NO_GROUPS,
)
CASES = {"hurricane": HURRICANE, "polarization": POLARIZATION, "ubi": UBI}


def _settings() -> list[Any]:
    """Every setting that has a second value, with the name of its scenario."""
    return [
        pytest.param(name, row, id=f"{name}-{row.key}")
        for name, case in CASES.items()
        for row in describe(case.scenario.settings_class)
        if row.key not in {*NEVER, *case.refused}
        and not (row.low == row.high and row.low is not None)
    ]


@pytest.fixture(autouse=True)
def _answering(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a function answer in place of a model server."""

    def make_client(llm: LlmSettings, *, replay: bool) -> ScriptedClient:
        del replay
        return ScriptedClient(lambda _: '{"reason": "So.", "rating": 5}', name=llm.model)

    monkeypatch.setattr(building, "make_client", make_client)


@cache
def _base(name: str, added: tuple[tuple[str, Any], ...]) -> Trace:
    return _trace(name, dict(added))


def _trace(name: str, changes: Mapping[str, Any]) -> Trace:
    case = CASES[name]
    return Trace(case.scenario(rng=3, **nest({**case.base, **changes})))


@pytest.mark.parametrize(("name", "row"), _settings())
def test_a_setting_changes_what_a_run_records(name: str, row: SettingRow) -> None:
    case = CASES[name]
    needed = _needed(case, row)
    value = _other(case, row)
    base = _base(name, tuple(sorted(needed.items(), key=lambda item: item[0])))
    changed = _trace(name, {**needed, row.key: value})
    try:
        differs = any(one != other for one, other in zip_longest(base, changed))
    except AnswerError:
        differs = True  # llm.fallback=error ends a run in which no answer can be used
    assert differs, f"{row.key}={value!r} changes no table; make it act, refuse it or remove it"


def _needed(case: Case, row: SettingRow) -> Changes:
    """Settings that the setting needs: its own, else those of its group."""
    group = row.key.partition(".")[0]
    declared = {key: allowed[0] for key, allowed in row.acts_with.items()}
    return {**case.needs.get(row.key, case.needs.get(group, {})), **declared}


def _other(case: Case, row: SettingRow) -> Any:
    if row.key in case.values:
        return case.values[row.key]
    kind = row.type.removesuffix(" or none")
    if kind == "choice":
        return next(option for option in row.options if option != row.default)
    if kind == "true or false":
        return row.default == "false"
    if kind in ("number", "whole number"):
        number = _far(row)
        return round(number) if kind == "whole number" else number
    if kind == "list" and row.default.replace(",", "").replace(".", "").isdigit():
        return tuple(reversed([float(part) for part in row.default.split(",")]))
    pytest.fail(f"say in VALUES what {row.key} ({row.type}) is changed to")


def _far(row: SettingRow) -> float:
    """Return a number in the range, far from the default: above it where there is room."""
    most = row.high if row.high is not None else float("inf")
    if row.default == "none":
        return row.low or most
    default = float(row.default)
    above = min(8 * default if default > 0 else 1.0, most)
    if above > default:
        return above
    return row.low if row.low and not row.range.startswith("above") else default / 8
