"""The hurricane against real data, and against arms that lack something."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from memopolis.commands.sections import Section, compared_section, judged_section
from memopolis.commands.validations.plan import VERDICTS, Plan, Runs

if TYPE_CHECKING:
    import pandas as pd

ARMS: Mapping[str, str] = {
    "scored": "as it is: memories recalled by score",
    "no storm": "no storm, hence no orders",
    "none": "nothing recalled but what is perceived in the same hour",
    "random": "as many memories recalled, at random",
    "mandatory": "the shipped orders from a file, hence without closures and reversed lanes",
    "voluntary": "the same file with each mandatory order made voluntary",
    "no order": "no orders, closures and reversed lanes",
}
"""Arms and what they are; all share their seeds, hence their luck and their citizens."""

_FACTS = (
    "Stylised facts of real evacuations, measured in the arm `scored`; where a baseline is needed "
    "it is the arm `no storm` of the same seed. The storm is calibrated on Dorian alone, so "
    "magnitudes of Dorian itself are fitted and not predicted. Dorian had no voluntary order: the "
    "two numbers of H-P1 that need one compare the citizens ordered to leave across the arms "
    "`mandatory`, `voluntary` and `no order`, which differ in the order alone (none of them has "
    "closures or reversed lanes). Fear is measured against the run without a storm: a negative "
    "share left is less fear than there."
)
_NO_STORM = (
    "The arm `no storm`: nothing may look like a response to a storm. Small drifts and the rhythm "
    "of a week are allowed for."
)
_RECALL = (
    "The arm `scored` minus the arms `none` and `random`, paired by seed: what recall by score "
    "changes. Attitudes are in points of 0 to 10, evacuated shares from 0 to 1. An outcome whose "
    "interval contains 0 may not depend on which memories are recalled."
)
_MEMORY = (
    "Of the decisions recorded in the arm `scored`. An answer on an attitude for which nothing was "
    "recalled that bears on it names no memory and changes nothing: it is no update, and its share "
    "of all answers stands in the last row. Thoughts are compared in pairs of one day that rest on "
    "different memories, both as they read."
)


def sections_of(arms: "Runs") -> list[Section]:
    """Every table of the validation.

    Args:
        arms: Runs by arm, of the same seeds in the same order.
    """
    from memopolis.analysis.facts import memory_table, null_arm_table, recall_table

    recalls = recall_table({name: arms[name] for name in ("scored", "none", "random")})
    return [
        judged_section(
            "facts", "Facts: against real data", f"{_FACTS} {VERDICTS}", _facts_of(arms)
        ),
        judged_section("no_storm", "Without a storm", _NO_STORM, null_arm_table(arms["no storm"])),
        compared_section("recall", "What recall changes", _RECALL, recalls, against="random"),
        judged_section("memory", "Memory is used", _MEMORY, memory_table(arms["scored"])),
    ]


def _facts_of(arms: "Runs") -> "pd.DataFrame":
    """Facts of the normal arm; what it leaves open of H-P1 is filled by the arms of orders."""
    import pandas as pd

    from memopolis.analysis.facts import facts_table, orders_table

    facts = facts_table(arms["scored"], arms["no storm"])
    names = {"mandatory": "mandatory", "voluntary": "voluntary", "none": "no order"}
    orders = orders_table({order: arms[name] for order, name in names.items()})
    filled = (facts["seeds"] == 0) & facts["what"].isin(orders["what"])
    together = pd.concat([facts[~filled], orders[orders["what"].isin(facts["what"][filled])]])
    return together.sort_values("fact", kind="stable", ignore_index=True)


def changes_of(folder: Path) -> dict[str, dict[str, object]]:
    """Settings that make the arms; orders of one's own bring no closures, so both are files."""
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
    }


PLAN = Plan("hurricane", ARMS, 1_000, changes_of, lambda _, arms: sections_of(arms))
