"""Arms of the same seeds, side by side, and what a statistics bureau published in each."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    from memopolis.analysis.run.run import Run

BUREAU = "agents_statistics_bureau"

type Arms = Mapping[str, Run]
"""One run of each arm, all of the same seed."""


def by_seed(arms: "Mapping[str, Sequence[Run]]") -> list[Arms]:
    """Turn runs by arm, of the same seeds in the same order, into arms by seed."""
    return [dict(zip(arms, same, strict=True)) for same in zip(*arms.values(), strict=True)]


def published(run: "Run", column: str) -> pd.Series:
    """A figure of the statistics bureau, by tick."""
    table = run.table(BUREAU, [column])
    return table.set_index("tick")[column].astype(float)
