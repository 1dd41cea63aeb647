"""Validation of the hurricane against real data and null arms."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from memopolis.commands.sections import Section, compared_section, judged_section
from memopolis.commands.validations.plan import (
    NIGHT,
    VERDICTS,
    Plan,
    Runs,
    lives_section,
    memory_use_section,
    without_section,
)

if TYPE_CHECKING:
    import pandas as pd

ARMS: Mapping[str, str] = {
    "scored": "default: memories recalled by score",
    "no storm": "no storm, and therefore no orders",
    "none": "no recall except of the same hour",
    "random": "as many memories recalled, at random",
    "mandatory": "the shipped orders from a file, without closures and reversed lanes",
    "voluntary": "the same file with all mandatory orders made voluntary",
    "no order": "no orders, closures and reversed lanes",
    **{name: description for name, (description, _) in NIGHT.items()},
}
"""Arms with descriptions; all share their seeds, and so citizens and random numbers."""

_FACTS = (
    "Stylised facts of real evacuations, measured in the arm `scored`, relative to the arm `no "
    "storm` of the same seed where a baseline is needed. The storm response is calibrated on "
    "Dorian alone, so magnitudes of Dorian are fitted, not predicted. Dorian had no voluntary "
    "order. The two numbers of H-P1 that need one therefore compare citizens under orders across "
    "the arms `mandatory`, `voluntary` and `no order`, which differ only in the order (none of "
    "them has closures or reversed lanes). Fear is relative to the run without a storm: a "
    "negative remaining share means less fear than there."
)
_NO_STORM = (
    "The arm `no storm`: nothing may resemble a response to a storm, apart from small drifts and "
    "the weekly rhythm."
)
_RECALL = (
    "The arm `scored` minus the arms `none` and `random`, paired by seed: the effect of recall by "
    "score. Attitudes are in points from 0 to 10, evacuated shares from 0 to 1. If the interval "
    "of an outcome contains 0, the outcome may not depend on which memories are recalled."
)
_MEMORY = (
    "Decisions recorded in the arm `scored`. If no relevant memory is recalled for an attitude, "
    "the answer names no memory and changes nothing. Such an answer is not an update; the last "
    "row has its share of all answers. Thoughts are compared, as texts, in pairs of the same day "
    "that are based on different memories."
)


_EVERYDAY = (
    "evacuated share",
    "government trust, mean over time",
    "emergency preparedness, mean over time",
    "trips, mean over time",
    "joy, mean over time",
    "stock of stores, mean over time",
)
"""Outcomes in which the parts of the night are compared."""


def sections_of(arms: "Runs") -> list[Section]:
    """Return all tables of the validation."""
    from memopolis.analysis.facts import memory_table, null_arm_table, recall_table
    from memopolis.analysis.facts.memory_use import LIVES, OUTCOMES

    recalls = recall_table({name: arms[name] for name in ("scored", "none", "random")})
    return [
        judged_section(
            "facts", "Facts: against real data", f"{_FACTS} {VERDICTS}", _facts_of(arms)
        ),
        judged_section("no_storm", "Without a storm", _NO_STORM, null_arm_table(arms["no storm"])),
        compared_section("recall", "What recall changes", _RECALL, recalls, against="random"),
        judged_section("memory", "Memory is used", _MEMORY, memory_table(arms["scored"])),
        memory_use_section("scored", arms["scored"]),
        lives_section("scored", arms["scored"]),
        without_section("scored", arms, {**{n: OUTCOMES[n] for n in _EVERYDAY}, **LIVES}),
    ]


def _facts_of(arms: "Runs") -> "pd.DataFrame":
    """Return the facts of the normal arm; the arms of orders supply the missing numbers of H-P1."""
    import pandas as pd

    from memopolis.analysis.facts import facts_table, orders_table

    facts = facts_table(arms["scored"], arms["no storm"])
    names = {"mandatory": "mandatory", "voluntary": "voluntary", "none": "no order"}
    orders = orders_table({order: arms[name] for order, name in names.items()})
    filled = (facts["seeds"] == 0) & facts["what"].isin(orders["what"])
    together = pd.concat([facts[~filled], orders[orders["what"].isin(facts["what"][filled])]])
    return together.sort_values("fact", kind="stable", ignore_index=True)


def changes_of(folder: Path) -> dict[str, dict[str, object]]:
    """Return the settings of each arm; orders from a file have no closures, so both are files."""
    from memopolis.scenarios.hurricane.zones import DATA

    shipped = (DATA / "orders_dorian.csv").read_text(encoding="utf-8")
    files = {"mandatory": shipped, "voluntary": shipped.replace(",mandatory", ",voluntary")}
    folder.mkdir(parents=True, exist_ok=True)
    for order, text in files.items():
        (folder / f"orders_{order}.csv").write_text(text, encoding="utf-8")
    return {
        "scored": {},
        "no storm": {"storm": "none"},
        "none": {"recall": "none"},
        "random": {"recall": "random"},
        **{order: {"orders": str(folder / f"orders_{order}.csv")} for order in files},
        "no order": {"orders": "none"},
        **{name: dict(changes) for name, (_, changes) in NIGHT.items()},
    }


PLAN = Plan("hurricane", ARMS, 1_000, changes_of, lambda _, arms: sections_of(arms))
