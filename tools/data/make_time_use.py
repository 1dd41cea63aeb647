"""Create the table of time use that ships, from minutes by group of the American Time Use Survey.

Run by maintainers of the data:

    python tools/data/make_time_use.py FILE

FILE has the columns day, status, age_band, n, activity, mean_minutes, share_that_did and
mean_minutes_if_did by group of at least 150 diaries. Care of the household and of others are
joined.
"""

import sys
from pathlib import Path

import pandas as pd

TABLE = Path(__file__).parents[2] / "agents" / "day" / "time_use.csv"
CARE = {"care of household": "care", "care of others": "care"}
KEY = ["day", "status", "age_band", "activity"]


def main(file: str) -> None:
    """Write the table."""
    rows = pd.read_csv(file)
    rows["activity"] = rows["activity"].replace(CARE)
    rows["not"] = 1 - rows["share_that_did"]
    groups = rows.groupby(KEY, sort=True)
    joined = groups.agg(minutes=("mean_minutes", "sum"), without=("not", "prod"))
    joined["share"] = 1 - joined["without"]
    table = joined.reset_index()[[*KEY, "share", "minutes"]]
    table.round({"share": 4, "minutes": 1}).to_csv(TABLE, index=False, lineterminator="\n")


if __name__ == "__main__":
    main(sys.argv[1])
