"""Facts P-P1 to P-P3 and P-P6: what published models of opinion do by themselves.

The tables are those of `memopolis.agents.opinion.reference`: one row a case, statistic and seed,
with what is expected of it and what was measured.
"""

from collections.abc import Mapping

import pandas as pd

from memopolis.analysis.facts.fact import Value
from memopolis.analysis.facts.seeds import rows_of

STATEMENTS: Mapping[str, tuple[str, str]] = {
    "P-P1": ("Bounded confidence ends in as many clusters as published", "B2, own runs"),
    "P-P2": ("Friedkin-Johnsen ends where its closed form says", "Friedkin and Johnsen 1990"),
    "P-P3": ("Activity-driven opinions have three regimes", "Baumann et al. 2020"),
    "P-P6": ("Who is more active is more extreme", "Baumann et al. 2020"),
}
"""What each fact says, and where it is from."""


def model_facts_table(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Judge what models do by themselves.

    Args:
        tables: By fact, each with the columns case, low, high, measured and seed.

    Returns:
        As `facts_table`.
    """
    rows: list[dict[str, object]] = []
    for fact, table in tables.items():
        statement, _ = STATEMENTS[fact]
        for case, same in table.groupby("case", sort=False):
            first = same.iloc[0]
            values = [
                Value(str(case), float(number), float(first["low"]), float(first["high"]))
                for number in same["measured"]
            ]
            rows += rows_of(fact, statement, [values])
    return pd.DataFrame(rows)
