"""Validation of polarization against surveys, published models and null arms."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from memopolis.commands.sections import Section, compared_section, judged_section
from memopolis.commands.validations.plan import (
    RECORDED,
    VERDICTS,
    WITH_MEMORIES,
    Plan,
    Runs,
    lives_section,
    memory_use_section,
)

if TYPE_CHECKING:
    import pandas as pd

    from memopolis.analysis.run.run import Run

ARMS: Mapping[str, str] = {
    "control": "friends talk, people read the feed, no persuaders",
    "echo": "with persuaders of the citizen's own side",
    "cross": "with persuaders of the other side",
    "random": "with persuaders of a random side",
    "neutral": "with persuaders whose messages have no stance",
    "none": "no talking, reading or posting",
    "flat feed": "control, with a feed that does not rank by similarity",
    "cut": "control, with a third of like-minded messages removed from the feed",
    "symmetric": "control, with two mirrored parties",
    "recall none": "control, with no recall except of the same day",
    "recall random": "control, with as many memories recalled, at random",
}
"""Arms with descriptions; all share their seeds, and so citizens and random numbers."""

CLUSTER_SEEDS = 40
"""Seeds over which clusters are counted, because each run counts a whole number of them."""

_MODELS = (
    "Published opinion models alone, without memory, as in `memopolis.agents.opinion`. A cluster "
    "has at least 2 % of the agents. Expected values are the published or computed counts, with a "
    "tolerance of half a cluster."
)
_FACTS = (
    "Measured in whole runs, in which opinions change through recalled memories. Differences "
    "between arms are paired by seed. P-P5 requires an interval that excludes 0, that is "
    "`surely`. Numbers without a tolerance are listed for information, because field evidence is "
    "not conclusive."
)
_RECALL = (
    "The arm `control` (here `scored`) minus the arms without recall and with random memories, "
    "paired by seed: the effect of memory."
)


def changes_of(_: Path) -> dict[str, dict[str, object]]:
    """Return the settings of each arm."""
    named = ("control", "echo", "cross", "random", "neutral", "none")
    arms: dict[str, dict[str, object]] = {
        **{arm: {"arm": arm} for arm in named},
        "flat feed": {"feed.strength": 0.0},
        "cut": {"feed.cut": 0.33},
        "symmetric": {"symmetric": True},
        "recall none": {"recall": "none"},
        "recall random": {"recall": "random"},
    }
    recorded = {arm: {"record.tables": RECORDED, **changes} for arm, changes in arms.items()}
    recorded["echo"]["record.tables"] = WITH_MEMORIES
    return recorded


def sections_of(seeds: int, arms: "Runs") -> list[Section]:
    """Return all tables of the validation.

    Args:
        seeds: Number of seeds of the opinion models without memory.
        arms: Runs by arm, of the same seeds in the same order.
    """
    from memopolis.analysis.facts import polarization_table, recall_table

    names = {"scored": "control", "none": "recall none", "random": "recall random"}
    recalls = recall_table({name: arms[arm] for name, arm in names.items()}, _outcomes())
    return [
        judged_section("models", "Models by themselves", _MODELS, _models(seeds)),
        judged_section(
            "facts", "Facts of whole runs", f"{_FACTS} {VERDICTS}", polarization_table(arms)
        ),
        compared_section("recall", "What recall changes", _RECALL, recalls, against="none"),
        memory_use_section("echo", arms["echo"]),
        lives_section("echo", arms["echo"]),
    ]


def _models(seeds: int) -> "pd.DataFrame":
    """Return the facts of the opinion models alone; cluster counts need more seeds."""
    import pandas as pd

    from memopolis.agents.opinion.reference import compare_with_known
    from memopolis.analysis.facts import model_facts_table

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


def _outcomes() -> "Mapping[str, Callable[[Run], float]]":
    from memopolis.analysis.facts.polarization import at_end

    columns = ("variance", "extreme_share", "party_gap", "bimodality", "warmth")
    return {column: partial(at_end, column=column) for column in columns}


PLAN = Plan("polarization", ARMS, 1_000, changes_of, sections_of)
