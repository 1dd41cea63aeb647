"""News reports in the days after a school shooting."""

import numpy as np

from memopolis.scenarios.polarization.messages import DATA
from memopolis.sim.timeline import News
from memopolis.sim.world.columns import Column, read_table

_COLUMNS = {
    "day": Column("whole", least=0),
    "topic": Column("text"),
    "stance": Column("number", least=-1, most=1),
    "importance": Column("number", least=0, most=1),
    "text": Column("text"),
}


def shooting() -> list[tuple[int, News]]:
    """Return news of a school shooting, with the day of publication, from 0."""
    table = read_table(DATA / "shooting.csv", _COLUMNS)
    columns = zip(
        np.asarray(table["day"], int).tolist(),
        table["text"],
        table["topic"],
        table["stance"],
        table["importance"],
        strict=True,
    )
    return [
        (day, News(str(text), str(topic), float(stance), float(importance)))
        for day, text, topic, stance, importance in columns
    ]
