"""Validation of the hurricane against real data and null arms."""

from pathlib import Path

import pandas as pd

from memopolis.analysis.facts.fact import judge_arms, judge_facts
from memopolis.analysis.facts.hurricane import ORDERS, effect_of_orders, facts_of, no_response
from memopolis.analysis.facts.memory_use import LIVES, OUTCOMES, memory_use, recall_table
from memopolis.analysis.facts.time_use import everyday_life
from memopolis.commands.sections import Section
from memopolis.commands.validations.plan import Plan, Runs, Settings
from memopolis.scenarios.hurricane.track import DATA

_EVERYDAY = (
    "evacuated share",
    "government trust, mean over time",
    "emergency preparedness, mean over time",
    "trips, mean over time",
    "joy, mean over time",
    "stock of stores, mean over time",
)
"""Outcomes in which the parts of the night are compared."""


def _sections(plan: Plan, _: int, arms: Runs) -> list[Section]:
    scored = arms["scored"]
    recalls = recall_table({name: arms[name] for name in ("scored", "none", "random")})
    return [
        plan.judged("facts", _facts_of(arms)),
        plan.judged("day", judge_facts([[everyday_life(run)] for run in arms["no storm"]])),
        plan.judged("no_storm", judge_facts([[no_response(run)] for run in arms["no storm"]])),
        plan.compared("recall", recalls, against="random"),
        plan.judged("memory", judge_facts([[memory_use(run)] for run in scored])),
        plan.memory_use("scored", scored),
        plan.lives("scored", scored),
        plan.without("scored", arms, {**{n: OUTCOMES[n] for n in _EVERYDAY}, **LIVES}),
    ]


def _facts_of(arms: Runs) -> pd.DataFrame:
    """Return the facts of the normal arm; the arms of orders supply the missing numbers of H-P1."""
    pairs = zip(arms["scored"], arms["no storm"], strict=True)
    facts = judge_facts([facts_of(run, paired) for run, paired in pairs])
    names = {"mandatory": "mandatory", "voluntary": "voluntary", "none": "no order"}
    by_order = {order: arms[name] for order, name in names.items()}
    orders = judge_arms(by_order, [effect_of_orders], ORDERS)
    filled = (facts["seeds"] == 0) & facts["what"].isin(orders["what"])
    together = pd.concat([facts[~filled], orders[orders["what"].isin(facts["what"][filled])]])
    return together.sort_values("fact", kind="stable", ignore_index=True)


def _write_orders(folder: Path) -> Settings:
    """Write the orders of two arms; orders from a file have no closures, so both are files."""
    shipped = (DATA / "orders_dorian.csv").read_text(encoding="utf-8")
    files = {"mandatory": shipped, "voluntary": shipped.replace(",mandatory", ",voluntary")}
    folder.mkdir(parents=True, exist_ok=True)
    settings = {}
    for order, text in files.items():
        file = folder / f"orders_{order}.csv"
        file.write_text(text, encoding="utf-8")
        settings[order] = {"orders": str(file)}
    return settings


PLAN = Plan("hurricane", _sections, _write_orders)
