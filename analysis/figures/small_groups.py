"""Groups of agents that are too small for a line of their shares."""

from collections.abc import Sequence

from memopolis.analysis.run.run import Run

LEAST = 30
"""Number of agents from which shares of a group are drawn (choice): one household moves the share
of a smaller group by several points."""


def drop_small(run: Run, population: str, attribute: str, groups: Sequence[str]) -> list[str]:
    """Return the groups of an attribute with at least `LEAST` agents; all if it is not recorded.

    If all groups are small, all are returned.
    """
    if not attribute or not run.has(f"agents_{population}", attribute):
        return list(groups)
    counts = run.first_rows(population)[attribute].astype(str).str.lower().value_counts()
    large = [group for group in groups if counts.get(group.lower(), 0) >= LEAST]
    return large or list(groups)
