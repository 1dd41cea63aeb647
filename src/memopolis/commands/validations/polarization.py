"""Validation of polarization against surveys, published models and null arms."""

from functools import partial

import pandas as pd

from memopolis.agents.opinion.reference import compare_with_known
from memopolis.analysis.facts.fact import judge_arms
from memopolis.analysis.facts.memory_use import recall_table
from memopolis.analysis.facts.polarization import FACTS, at_end, model_facts_table
from memopolis.commands.sections import Section
from memopolis.commands.validations.plan import Plan, Runs

CLUSTER_SEEDS = 40
"""Seeds over which clusters are counted, because each run counts a whole number of them."""
_OUTCOMES = ("variance", "extreme_share", "party_gap", "bimodality", "warmth")


def _sections(plan: Plan, seeds: int, arms: Runs) -> list[Section]:
    names = {"scored": "control", "none": "recall none", "random": "recall random"}
    outcomes = {column: partial(at_end, column=column) for column in _OUTCOMES}
    recalls = recall_table({name: arms[arm] for name, arm in names.items()}, outcomes)
    return [
        plan.judged("models", _models(seeds)),
        plan.judged("facts", judge_arms(arms, FACTS)),
        plan.compared("recall", recalls, against="none"),
        plan.memory_use("echo", arms["echo"]),
        plan.lives("echo", arms["echo"]),
    ]


def _models(seeds: int) -> pd.DataFrame:
    """Return the facts of the opinion models alone; cluster counts need more seeds."""
    few, many = range(1, seeds + 1), range(1, max(seeds, CLUSTER_SEEDS) + 1)
    counted = {
        "Deffuant": compare_with_known("deffuant", many),
        "Hegselmann-Krause": compare_with_known("hegselmann_krause", many),
    }
    clusters = pd.concat([t.assign(case=f"{name} " + t["case"]) for name, t in counted.items()])
    baumann = compare_with_known("baumann", few)
    ranks = baumann["case"].str.endswith("activity and |x|")
    return model_facts_table(
        {
            "P-P1": clusters,
            "P-P2": compare_with_known("friedkin_johnsen", few),
            "P-P3": baumann[~ranks],
            "P-P6": baumann[ranks],
        }
    )


PLAN = Plan("polarization", _sections)
