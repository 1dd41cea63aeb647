"""Declare every table of a run once: columns, types, units, meanings, key and sort order.

The recorder, the readers in `analysis`, docs/tables.md and the column help of the MCP server all
use these declarations. Attributes in `agents_<population>` are declared on the agent class; the
manifest of the run lists them.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Column:
    """Describe one column.

    Attributes:
        type: Type of its values, as Arrow names it; "text" for strings.
        meaning: What its values mean.
        unit: Unit of its values, "" for none.
        key: Whether it is part of the key.
    """

    type: str
    meaning: str
    unit: str = ""
    key: bool = False


@dataclass(frozen=True)
class TableSchema:
    """Describe one table.

    Attributes:
        columns: Columns by name, in the order of the documentation.
        static: Whether it is written once, at the start, and keeps the order of its rows.
    """

    columns: Mapping[str, Column]
    static: bool = False

    @property
    def key(self) -> tuple[str, ...]:
        """Names of the columns that identify a row."""
        return tuple(name for name, column in self.columns.items() if column.key)


def _key(kind: str, meaning: str, unit: str = "") -> Column:
    return Column(kind, meaning, unit, key=True)


_TICK = _key("int32", "Step, from 0; begins at start + tick x tick_hours of the manifest", "steps")
_AGENT = _key("int32", "unique_id of the agent")
_POPULATION = _key("text", "Population of the agent")
_BLOCK = _key("text", "Block that asked the question")
_CALLED_FOR = _key("int32", "unique_id of the agent the call was made for, the first of a group")
_ORDINAL = _key("int32", "Number of the question among those of the agent, block and step")
_ATTEMPT = _key("int8", "0 for the first attempt, 1 for a repeated question")
_EVIDENCE = Column("list of int32", "Ids of the agent's memories that the answer is based on")
_MIND = Column("text", "How the answer was reached: rule, model, replay or fallback")
_EMOTION = Column("text", "Emotion word, empty for none")
_REASON = Column("text", "Reason in a few words")

TABLES: Mapping[str, TableSchema] = {
    "measures": TableSchema(
        {
            "tick": _TICK,
            "measure": _key("text", "Name of the measure; the manifest declares it"),
            "group": _key("text", "Value of the grouping attribute; empty for all agents"),
            "value": Column(
                "float64", "Mean or sum over the agents; NaN where no agent counts", "as declared"
            ),
        }
    ),
    "memories": TableSchema(
        {
            "tick": _key(
                "int32", "Step in which it was stored; below 0 for memories before the run", "steps"
            ),
            "population": _POPULATION,
            "agent": _key("int32", "unique_id of the agent that remembers it"),
            "id": _key("int32", "Number of the memory in the agent's life, from 0"),
            "topic": Column("text", "Topic, such as social or disaster"),
            "kind": Column("text", "event or thought"),
            "text": Column("int64", "Hash of its text in `texts`"),
            "actor": Column("int32", "unique_id of the agent that acted or spoke, -1 for none"),
            "place": Column("int16", "Number of the zone, -1 for none"),
            "importance": Column("float32", "Importance, 0 to 1"),
            "valence": Column("float32", "Valence, from bad (-1) to good (1)"),
            "confidence": Column("float32", "Confidence that it is true, 0 to 1"),
            "emotion": _EMOTION,
            "continues": Column("bool", "Whether it continues the memory before it"),
        }
    ),
    "texts": TableSchema(
        {
            "hash": _key("int64", "Hash by which other tables refer to the text"),
            "text": Column(
                "text", "Template; {actor}, {place} and {evidence} are filled from the memory"
            ),
        }
    ),
    "decisions": TableSchema(
        {
            "tick": _TICK,
            "block": _BLOCK,
            "kind": Column("text", "Kind of the question, such as stay_or_go, attitude, thought"),
            "population": _POPULATION,
            "agent": _key("int32", "unique_id of the agent that decides"),
            "item": _key("text", "Subject, such as the key of an attitude; else empty"),
            "value": Column(
                "float32", "Rating, probability, or number of the choice", "of the question"
            ),
            "choice": Column("text", "Name of the choice; empty where nothing is chosen"),
            "text": Column("int64", "Hash of a text in `texts`, 0 for none"),
            "emotion": _EMOTION,
            "reason": _REASON,
            "evidence": _EVIDENCE,
            "mind": _MIND,
            "probability": Column(
                "float32", "Probability of the action that a draw decided; NaN without a draw"
            ),
            "draw": Column(
                "float32", "The draw from [0, 1); the action is taken if it is below `probability`"
            ),
            "threshold": Column(
                "float32", "Value of the rule at which the choice changes; NaN for none"
            ),
            "together": Column(
                "list of int32", "unique_ids of the other agents of a group that decided together"
            ),
        }
    ),
    "ledger": TableSchema(
        {
            "tick": _TICK,
            "from": _key("text", "Kind of account that pays"),
            "to": _key("text", "Kind of account that receives"),
            "why": _key("text", "Purpose of the payment"),
            "cents": Column("int64", "Sum of these payments in the step", "cents"),
            "payments": Column("int64", "Number of payments"),
        }
    ),
    "survey": TableSchema(
        {
            "tick": _TICK,
            "survey": _key("text", "Name of the survey"),
            "population": _POPULATION,
            "agent": _key("int32", "unique_id of the agent that answers"),
            "item": _key("text", "Name of the item"),
            "value": Column(
                "float32", "Rating, or number of the choice; NaN without an answer", "of the item"
            ),
            "choice": Column("text", "Name of the choice, else empty"),
            "text": Column("text", "Answer in words, else empty"),
            "reason": _REASON,
            "evidence": _EVIDENCE,
            "mind": _MIND,
        }
    ),
    "model_calls": TableSchema(
        {
            "tick": _TICK,
            "block": _BLOCK,
            "agent": _CALLED_FOR,
            "ordinal": _ORDINAL,
            "attempt": _ATTEMPT,
            "hash": Column("text", "Hash of the whole call, as used by cassettes"),
            "prompt": Column("int64", "Hash of the messages in `prompts`"),
            "answer": Column("int64", "Hash of the answer in `prompts`, 0 for none"),
            "tokens_in": Column("int64", "Length of the prompt", "tokens"),
            "tokens_out": Column("int64", "Length of the answer", "tokens"),
            "outcome": Column("text", "ok, or the kind of error"),
        }
    ),
    "prompts": TableSchema(
        {
            "hash": _key("int64", "Hash of the text"),
            "text": Column("text", "Messages of a call, or an answer"),
        }
    ),
    "zones": TableSchema(
        {
            "number": _key("int64", "Number of the zone"),
            "zone": Column("text", "Postal code"),
            "name": Column("text", "Name of the place"),
            "label": Column("text", "Unique name used in figures"),
            "county": Column("text", "County"),
            "lat": Column("float64", "Latitude of the centre", "degrees"),
            "lon": Column("float64", "Longitude of the centre", "degrees"),
            "population": Column("float64", "Residents, by census"),
            "housing_units": Column("text", "Housing units, by census; empty if unknown"),
            "wages_usd": Column("float64", "Wages of the residents, by tax returns", "USD/year"),
            "land_km2": Column("float64", "Area of land", "km2"),
            "coast_km": Column("float64", "Distance from the centre to the coast", "km"),
            "sea_bearing": Column(
                "float64", "Direction of the sea, clockwise from north", "degrees"
            ),
            "band": Column("text", "Surge band: A, B, C or none"),
            "ordered": Column("bool", "Whether orders for coastal zones apply to it"),
            "central": Column("bool", "Whether it belongs to the centre of the region"),
        },
        static=True,
    ),
    "weather": TableSchema(
        {
            "tick": _TICK,
            "zone": _key("int16", "Number of the zone"),
            "wind_kt": Column("float32", "Sustained wind", "kt"),
            "gust_kt": Column("float32", "Gusts", "kt"),
            "rain_in": Column("float32", "Rain in the step", "inches"),
            "wind_from": Column(
                "float32", "Direction the wind comes from, clockwise from north", "degrees"
            ),
            "forecast_kt": Column("float32", "Strongest wind in the latest forecast", "kt"),
            "order": Column("int8", "Order in force: 0 none, 1 voluntary, 2 mandatory"),
        },
        static=True,
    ),
    "track": TableSchema(
        {
            "tick": _TICK,
            "lat": Column("float64", "Latitude of the storm's centre", "degrees"),
            "lon": Column("float64", "Longitude of the storm's centre", "degrees"),
            "wind_kt": Column("float32", "Strongest wind of the storm", "kt"),
            "pressure_mb": Column("float32", "Pressure at the centre; empty if unknown", "mb"),
        },
        static=True,
    ),
    "ties": TableSchema(
        {
            "source": _key("int64", "unique_id of the first agent"),
            "target": _key("int64", "unique_id of the second agent"),
            "kind": _key("text", "Kind of tie, such as friend"),
        },
        static=True,
    ),
    "outlets": TableSchema(
        {
            "outlet": _key("int64", "Number of the outlet"),
            "name": Column("text", "Name of the outlet"),
            "slant": Column("float32", "Slant, from -1 to 1"),
        },
        static=True,
    ),
}
"""Tables of `tables/` by name. A scenario may add static tables of its own."""

AGENTS = TableSchema({"tick": _TICK, "agent": _AGENT})
"""Columns of `agents_<population>` before its attributes."""

HELD = TableSchema(
    {
        "agent": _AGENT,
        "id": _key("int32", "Number of the memory in the agent's life, as in `memories`"),
        "accessed": Column("int32", "Step in which it was last recalled, or stored", "steps"),
        "accesses": Column("int32", "Number of recalls"),
        "thought": Column("int32", "Id of the thought it is linked to, -1 for none"),
        "times": Column("int32", "Number of occasions it stands for, 1 unless it was merged"),
        "since": Column("int32", "Step of the first of these occasions", "steps"),
    }
)
"""Columns of `memory/<population>.parquet`: memories that agents still hold at the end."""

CALL_TIMINGS = TableSchema(
    {
        **{
            name: _key("text" if name == "block" else "int64", one.meaning, one.unit)
            for name, one in TABLES["model_calls"].columns.items()
            if one.key
        },
        "tries": Column("int64", "Number of times the call was sent"),
        "seconds": Column("float64", "Time until the answer arrived", "s"),
    }
)
"""Columns of `timings/model_calls.parquet`."""

TIMINGS = TableSchema(
    {
        "written": Column("text", "Date and time at which the run ended"),
        "seconds": Column("number", "Wall time of the run", "s"),
        "step_seconds": Column("number", "Wall time inside steps", "s"),
        "ticks": Column("number", "Steps taken", "steps"),
        "agent_steps_per_second": Column("number", "Agents times steps, by second", "1/s"),
        "blocks": Column("numbers by name", "Wall time of each block, by its name", "s"),
    }
)
"""Entries of `timings/timings.json`."""


def schema_of(table: str) -> TableSchema:
    """Return the schema of a table by its name; one without columns for an unknown static table."""
    if table.startswith("agents_"):
        return AGENTS
    return TABLES.get(table, TableSchema({}, static=True))


def sort_key(table: str) -> tuple[str, ...]:
    """Return the columns by which a table is sorted; empty for static tables."""
    schema = schema_of(table)
    return () if schema.static else schema.key


def grows_by_step(table: str) -> bool:
    """Check whether rows are added to a table in each step and carry their tick."""
    return "tick" in sort_key(table)
