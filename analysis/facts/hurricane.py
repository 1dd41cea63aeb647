"""Placeholder, filled next."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memopolis.analysis.facts.fact import Fact
    from memopolis.analysis.load import Run


def has_storm(run: "Run") -> bool:
    """Whether a storm comes near in a run."""
    return bool(run.facts.get("nearest")) and "evacuated_share" in set(run.measures["measure"].unique())


def facts_of(run: "Run", paired: "Run | None" = None) -> "list[Fact]":
    """All facts of a run."""
    return []
