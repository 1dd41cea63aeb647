"""Facts P-P1 to P-P3 and P-P6: published models of opinion, without memory.

The tables are those of `memopolis.agents.opinion.reference`: a row per case, statistic and seed,
with the expected range and the measured value.
"""

from collections.abc import Mapping

import pandas as pd

from memopolis.analysis.facts.fact import Value, judged_rows

STATEMENTS: Mapping[str, str] = {
    "P-P1": "Bounded confidence ends in as many clusters as published",
    "P-P2": "Friedkin-Johnsen converges to its closed form",  # Friedkin and Johnsen 1990
    "P-P3": "Activity-driven opinions have three regimes",  # Baumann et al. 2020
    "P-P6": "More active agents are more extreme",  # Baumann et al. 2020
}
"""Statement of each fact."""


def model_facts_table(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Judge the results of published models by fact, as `judge_facts`.

    Each table has the columns case, low, high, measured and seed.
    """
    rows: list[dict[str, object]] = []
    for fact, table in tables.items():
        for case, same in table.groupby("case", sort=False):
            first = same.iloc[0]
            values = [
                Value(str(case), float(number), float(first["low"]), float(first["high"]))
                for number in same["measured"]
            ]
            rows += judged_rows(fact, STATEMENTS[fact], [values])
    return pd.DataFrame(rows)
