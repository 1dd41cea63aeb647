"""A validation plan: the arms of a scenario and the checks of their results."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memopolis.commands.sections import Section, Verdict, compared_section

if TYPE_CHECKING:
    from memopolis.analysis.run.run import Run

type Runs = Mapping[str, Sequence[Run]]
"""Runs by arm, of the same seeds in the same order."""

RECORDED = "measures,agents"
"""Tables that are recorded if a validation needs no others."""

WITH_MEMORIES = f"{RECORDED},memories,decisions"
"""Tables that are recorded in the arm whose use of memory is counted."""

WITHOUT_MEMORY = frozenset({"household"})
"""Populations that stand for groups of citizens, who remember and decide for them."""

_MEMORY_USE = (
    "Per agent and simulated week in the arm `{arm}`, mean over seeds. Memories: events stored. "
    "Recalls: memories that decisions recalled as evidence. Decisions: other than attitudes and "
    "thoughts; plans of daily life are recorded on request only and not counted. Attitude "
    "updates: ratings that are based on a memory. No figure may be 0, except for households, "
    "which stand for their members."
)

_LIVES = (
    "Memories of the arm `{arm}`, mean over seeds, without thoughts. Distinct: memories per agent "
    "and week that differ from the agent's others of that week in text, person or place. Names "
    "others, names reasons: shares of memories that name another agent, and a feeling or a cause. "
    "Merged: memories per agent and week that a night merged into one with a count. Held: "
    "memories of an agent at the end, with thoughts."
)

NIGHT: Mapping[str, tuple[str, Mapping[str, object]]] = {
    "no review": ("nights rehearse no memories", {"sleep.replay": 0}),
    "no merging": ("nights merge no repeats", {"sleep.repeats": 0}),
    "no forgetting": ("nights forget no trivia", {"sleep.forget_trivia": 0.0}),
    "no tags": ("memories have no tags", {"sleep.tags": False}),
    "no summaries": ("nights write no summaries", {"sleep.summaries": 0.0}),
    "no night": (
        "none of these five",
        {
            "sleep.replay": 0,
            "sleep.repeats": 0,
            "sleep.forget_trivia": 0.0,
            "sleep.tags": False,
            "sleep.summaries": 0.0,
        },
    ),
}
"""Arms without a part of the night: description and settings, by name."""

_WITHOUT = (
    "The arm `{arm}` (here `scored`) minus arms without one part of the night, paired by seed. An "
    "interval that contains 0 shows no effect on this outcome; summaries serve models, "
    "interviews and searches, so they should change nothing else; tags also order the review."
)

VERDICTS = (
    "Intervals are Student's t over seeds and may exceed the possible range. Seeds: number of "
    "seeds that meet the tolerance on their own. Surely: the whole interval is within the "
    "tolerance; on average: the mean is within, but the interval crosses the bound; NO: the mean "
    "is outside. Numbers without a tolerance are listed for information."
)


def memory_use_section(arm: str, runs: "Sequence[Run]") -> Section:
    """Return a table of how much each population remembers, recalls, decides and thinks.

    Args:
        arm: Name of the arm.
        runs: Its runs, one per seed, with the tables of `WITH_MEMORIES`.
    """
    import pandas as pd

    from memopolis.analysis.metrics.memory_use import COLUMNS, count_memory_use

    seeds = [count_memory_use(run) for run in runs]
    mean = sum(seeds[1:], seeds[0]) / len(seeds)
    checks = tuple(
        (
            f"memory use of {population}: {column}",
            Verdict.SURELY if all(one.loc[population, column] > 0 for one in seeds) else Verdict.NO,
        )
        for population in mean.index
        if population not in WITHOUT_MEMORY
        for column in COLUMNS
    )
    rows = tuple(
        (str(name), f"{row['agents']:,.0f}", *(f"{row[column]:.2f}" for column in COLUMNS))
        for name, row in mean.iterrows()
    )
    head = ("", "agents", *(column.replace("_", " ") for column in COLUMNS))
    return Section(
        "memory_use",
        "Memory, decisions and thoughts of all agents",
        _MEMORY_USE.format(arm=arm),
        head,
        rows,
        pd.DataFrame(mean).reset_index(),
        checks,
    )


def lives_section(arm: str, runs: "Sequence[Run]") -> Section:
    """Return a table of what the memories of each population are like.

    Args:
        arm: Name of the arm.
        runs: Its runs, one per seed, with the table memories.
    """
    import numpy as np

    from memopolis.analysis.metrics.memory_use import LIFE_COLUMNS, describe_memories

    seeds = [describe_memories(run) for run in runs]
    mean = sum(seeds[1:], seeds[0]) / len(seeds)
    mean = mean.drop(index=[name for name in WITHOUT_MEMORY if name in mean.index])
    rows = tuple(
        (str(name), *("-" if np.isnan(row[c]) else f"{row[c]:.2f}" for c in LIFE_COLUMNS))
        for name, row in mean.iterrows()
    )
    head = ("", *(column.replace("_", " ") for column in LIFE_COLUMNS))
    frame = mean.reset_index()
    title = "What memories are like"
    return Section("lives", title, _LIVES.format(arm=arm), head, rows, frame, ())


def without_section(
    arm: str,
    arms: Runs,
    outcomes: "Mapping[str, Callable[[Run], float]]",
) -> Section:
    """Return a table of the differences that each part of the night makes.

    Args:
        arm: Name of the arm with all parts.
        arms: Runs by arm, of the same seeds in the same order.
        outcomes: Functions that return an outcome of a run, by name.
    """
    from memopolis.analysis.facts import recall_table

    compared = {"scored": arms[arm]} | {name: arms[name] for name in NIGHT if name in arms}
    frame = recall_table(compared, outcomes)
    title = "What each part of the night changes"
    return compared_section("night", title, _WITHOUT.format(arm=arm), frame)


@dataclass(frozen=True)
class Plan:
    """How one scenario is validated.

    Attributes:
        scenario: Name of the scenario.
        arms: Arms with descriptions; all use the same seeds, so the same citizens and draws.
        agents: Default number of citizens per run.
        changes: Returns the settings of each arm; takes a folder for the files they need.
        sections: Returns all tables of the validation; takes the number of seeds and the runs.
    """

    scenario: str
    arms: Mapping[str, str]
    agents: int
    changes: Callable[[Path], Mapping[str, Mapping[str, object]]]
    sections: Callable[[int, Runs], list[Section]]
