"""What stands in each column of the tables of a run and of a sweep: units, meanings, keys.

Columns of `agents_<population>` are described where the attributes are declared, and a run's
manifest tells them; all others are described here, by the name of their table.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Column:
    """One column.

    Attributes:
        meaning: What it says.
        unit: Its unit, "" for none.
        key: Whether it is part of what names a row.
    """

    meaning: str
    unit: str = ""
    key: bool = False


def _key(meaning: str, unit: str = "") -> Column:
    return Column(meaning, unit, key=True)


TICK = _key("Step, from 0; its date is start + tick x tick_hours of the manifest", "steps")
_AGENT = _key("unique_id of the agent")
_POPULATION = _key("Population of the agent")
_BLOCK = _key("Block that asked")
_EVIDENCE = Column("Ids of the agent's memories that it rests on")
_MIND = Column("How it was reached: rule, model, replay or fallback")

AGENTS: Mapping[str, Column] = {"tick": TICK, "agent": _AGENT}
"""Columns of `agents_<population>` before its attributes."""

TABLES: Mapping[str, Mapping[str, Column]] = {
    "measures": {
        "tick": TICK,
        "measure": _key("Name of the measure; the manifest declares it"),
        "group": _key("Value of its grouping attribute; empty for everyone"),
        "value": Column("Mean or sum over the agents; NaN where nobody counts", "as declared"),
    },
    "memories": {
        "tick": _key("Step in which it was stored; below 0 before the run", "steps"),
        "population": _POPULATION,
        "agent": _key("unique_id of who remembers it"),
        "id": _key("Number of the memory in the agent's life, from 0"),
        "topic": Column("What it belongs to, such as social or disaster"),
        "kind": Column("event or thought"),
        "text": Column("Hash of its text in `texts`"),
        "actor": Column("unique_id of who did or told it, -1 for nobody"),
        "place": Column("Number of the zone, -1 for none"),
        "importance": Column("How much it matters, 0 to 1"),
        "valence": Column("How bad (-1) or good (1) it is"),
        "confidence": Column("How sure it is, 0 to 1"),
        "emotion": Column("Emotion word, empty for none"),
        "continues": Column("Whether it goes on with the memory before it"),
    },
    "texts": {
        "hash": _key("Hash of the text, which other tables name it by"),
        "text": Column("Template; {actor}, {place} and {evidence} stand for what memories say"),
    },
    "decisions": {
        "tick": TICK,
        "block": _BLOCK,
        "kind": Column("Kind of the question, such as stay_or_go, attitude, thought"),
        "population": _POPULATION,
        "agent": _key("unique_id of who decides"),
        "item": _key("What it is about, such as the key of an attitude; else empty"),
        "value": Column("Rating, probability, or number of the choice", "of the question"),
        "choice": Column("Name of what was chosen; empty where nothing is chosen"),
        "text": Column("Hash of a text in `texts`, 0 for none"),
        "emotion": Column("Emotion word, empty for none"),
        "reason": Column("Why, in few words"),
        "evidence": _EVIDENCE,
        "mind": _MIND,
    },
    "ledger": {
        "tick": TICK,
        "from": _key("Kind of account that pays"),
        "to": _key("Kind of account that is paid"),
        "why": _key("What for"),
        "cents": Column("Sum of these payments in the step", "cents"),
        "payments": Column("How many they are"),
    },
    "survey": {
        "tick": TICK,
        "survey": _key("Name of the survey"),
        "population": _POPULATION,
        "agent": _key("unique_id of who was asked"),
        "item": _key("Name of the item"),
        "value": Column("Rating, or number of the choice; NaN without an answer", "of the item"),
        "choice": Column("Name of what was chosen, else empty"),
        "text": Column("Answer in words, else empty"),
        "reason": Column("Why, in few words"),
        "evidence": _EVIDENCE,
        "mind": _MIND,
    },
    "model_calls": {
        "tick": TICK,
        "block": _BLOCK,
        "agent": _key("unique_id of whom it was asked for, the first of a group"),
        "ordinal": _key("Number of the question among those of agent, block and step"),
        "attempt": _key("0, or 1 where the answer was asked again"),
        "hash": Column("Hash of the whole call, as cassettes know it"),
        "prompt": Column("Hash of the messages in `prompts`"),
        "answer": Column("Hash of the answer in `prompts`, 0 for none"),
        "tokens_in": Column("Length of the prompt", "tokens"),
        "tokens_out": Column("Length of the answer", "tokens"),
        "outcome": Column("ok, or what went wrong"),
    },
    "prompts": {
        "hash": _key("Hash of the text"),
        "text": Column("Messages of a call, or an answer, in words"),
    },
}
"""Columns by table, in the order of the page; every scenario may have these."""

STATIC: Mapping[str, Mapping[str, Column]] = {
    "zones": {
        "number": _key("Number of the zone, as in places"),
        "zone": Column("Postal code"),
        "name": Column("Name of the place"),
        "label": Column("Name in figures, unlike all others"),
        "county": Column("County"),
        "lat": Column("Latitude of the centre", "degrees"),
        "lon": Column("Longitude of the centre", "degrees"),
        "population": Column("People who live there, in the census"),
        "housing_units": Column("Homes, in the census; empty where it is not known"),
        "wages_usd": Column("Wages of its people, by tax returns", "USD/year"),
        "land_km2": Column("Area of land", "km2"),
        "coast_km": Column("Distance of the centre to the coast", "km"),
        "sea_bearing": Column("Direction of the sea, clockwise from north", "degrees"),
        "band": Column("Surge band: A, B, C or none"),
        "ordered": Column("Whether orders to the zones of the coast mean it"),
        "central": Column("Whether it belongs to the centre of the region"),
    },
    "weather": {
        "tick": TICK,
        "zone": _key("Number of the zone"),
        "wind_kt": Column("Sustained wind", "kt"),
        "gust_kt": Column("Gusts", "kt"),
        "rain_in": Column("Rain in the step", "inches"),
        "wind_from": Column("Where the wind comes from, clockwise from north", "degrees"),
        "forecast_kt": Column("Strongest wind that the latest forecast gives", "kt"),
        "order": Column("Order in force: 0 none, 1 voluntary, 2 mandatory"),
    },
    "track": {
        "tick": TICK,
        "lat": Column("Latitude of the storm's centre", "degrees"),
        "lon": Column("Longitude of the storm's centre", "degrees"),
        "wind_kt": Column("Strongest wind of the storm", "kt"),
        "pressure_mb": Column("Pressure at the centre; empty where it is not known", "mb"),
    },
    "ties": {
        "source": _key("unique_id of one of the two"),
        "target": _key("unique_id of the other"),
        "kind": _key("Kind of tie, such as friend"),
    },
    "outlets": {
        "outlet": _key("Number of the outlet"),
        "name": Column("Its name"),
        "slant": Column("Its slant, from -1 to 1"),
    },
}
"""Columns of tables that belong to a scenario and are written once."""

HELD: Mapping[str, Column] = {
    "agent": _AGENT,
    "id": _key("Number of the memory in the agent's life, as in `memories`"),
    "accessed": Column("Step in which it was last recalled, or stored", "steps"),
    "accesses": Column("How often it was recalled"),
    "thought": Column("Id of the thought it is linked to, -1 for none"),
}
"""Columns of `memory/<population>.parquet`: what each agent still remembers at the end."""

CALL_TIMINGS: Mapping[str, Column] = {
    **{name: TABLES["model_calls"][name] for name in ("tick", "block", "agent", "ordinal")},
    "attempt": TABLES["model_calls"]["attempt"],
    "tries": Column("How often it was sent"),
    "seconds": Column("How long the answer took", "s"),
}
"""Columns of `timings/model_calls.parquet`."""

TIMINGS: Mapping[str, Column] = {
    "written": Column("Date and time at which the run ended"),
    "seconds": Column("Wall time of the run", "s"),
    "step_seconds": Column("Wall time inside steps", "s"),
    "ticks": Column("Steps taken", "steps"),
    "agent_steps_per_second": Column("Agents times steps, by second", "1/s"),
    "blocks": Column("Wall time of each block, by its name", "s"),
}
"""Entries of `timings/timings.json`."""

POINTS: Mapping[str, Column] = {
    "point": _key("Number of the design point, from 0"),
    "FACTOR": Column("Value of a factor at the point; one column each, by its name"),
    "outcome": _key("Name of the outcome"),
    "mean": Column("Mean over the runs that succeeded", "of the outcome"),
    "low": Column("Lower end of its interval, Student's t over replications", "of the outcome"),
    "high": Column("Upper end", "of the outcome"),
    "sd": Column("Standard deviation over the runs", "of the outcome"),
    "runs": Column("How many have the number"),
}
"""Columns of the frame `points` of a sweep."""

RUNS: Mapping[str, Column] = {
    "run": _key("Name of the run: 12 letters of its key; its folder is runs/<run>"),
    "point": Column("Number of the design point, from 0"),
    "replication": Column("Number of the replication of the point, from 0"),
    "seed": Column("Seed of the run"),
    "FACTOR": Column("Value of a factor at the point; one column each, by its name"),
    "status": Column("pending, running, succeeded, failed or interrupted"),
    "error": Column("Why it failed, in one line; else empty"),
    "traceback": Column("File with the traceback; empty for none"),
    "tries": Column("How often it was begun"),
    "seconds": Column("Wall time of its last try; NaN before", "s"),
    "step_seconds": Column("Wall time inside steps; NaN before", "s"),
    "OUTCOME": Column("An outcome, NaN where the run did not succeed; one column each"),
    "folder": Column("Folder of the run"),
}
"""Columns of the frame `runs` of a sweep, of runs.csv and of the view `runs`."""
