"""News that shakes: what is reported in the days after a shooting at a school."""

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
    """News after a school shooting, with the day on which it is on air, from 0 of the event."""
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
