"""Validation of basic income against studies, public figures and null arms."""

from memopolis.analysis.facts.basic_income import FACTS, static_gini_table
from memopolis.analysis.facts.fact import judge_arms
from memopolis.analysis.facts.reading import outcome_of
from memopolis.commands.sections import Section
from memopolis.commands.validations.plan import Plan, Runs
from memopolis.scenarios.ubi.microdata import static_gini

_OUTCOMES = ("unemployment", "hours", "consumption", "price_level", "participation")


def _sections(plan: Plan, _: int, arms: Runs) -> list[Section]:
    outcomes = {name: outcome_of(name, "mean") for name in _OUTCOMES}
    return [
        plan.judged("static", static_gini_table(static_gini)),
        plan.judged("facts", judge_arms(arms, FACTS)),
        plan.memory_use("tax", arms["tax"]),
        plan.lives("tax", arms["tax"]),
        plan.without("tax", arms, outcomes),
    ]


PLAN = Plan("ubi", _sections)
