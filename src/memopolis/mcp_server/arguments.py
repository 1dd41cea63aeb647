"""Arguments of the tools: types, bounds and descriptions, which pydantic checks."""

import re
from collections.abc import Collection
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from memopolis.sim.chance import LARGEST_SEED
from memopolis.sim.errors import UnknownNameError, did_you_mean
from memopolis.sim.memory.streams.encoding import BUILT_IN, MOST_TAGS

MOST_ROWS = 500  # maximum rows that a client may request
MOST_STEPS = 1_000_000
NAME = r"^\w[\w.-]{0,79}$"  # names that a client may give to a new run
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
# Seeds have up to 256 bits, and JavaScript rounds numbers of more than 53.
_SEED_FORMS = [{"type": "integer", "minimum": 0}, {"type": "string", "pattern": "^[0-9]{1,78}$"}]

_Text = Annotated[str, Field(max_length=200)]
_Names = Annotated[list[str] | None, Field(max_length=200)]
_Step = Annotated[int, Field(ge=0, le=MOST_STEPS)]
_Share = Annotated[float, Field(ge=0, le=1)]
_Valence = Annotated[float, Field(ge=-1, le=1)]
_Tags = Annotated[list[str] | None, Field(max_length=MOST_TAGS)]

# Runs and tables
Run = Annotated[
    str, Field(description="Name of the run, from list_runs; omit it if there is only one")
]
RunOrSweep = Annotated[str, Field(description="Name of a run or a sweep")]
Control = Annotated[str, Field(description="Name of a run, such as the control")]
Treatment = Annotated[str, Field(description="Name of another run, such as the treatment")]
Groups = Annotated[bool, Field(description="Whether to include the outcomes of every group")]
Part = Annotated[
    Literal["", "settings", "shocks", "measures", "tables", "attributes"],
    Field(description="Describe this part in detail, such as the columns of tables"),
]
Step = Annotated[
    _Step | None, Field(description="Number of steps after which to look; null for the end")
]
FromStep = Annotated[_Step | None, Field(description="First step; from the start if null")]
ToStep = Annotated[_Step | None, Field(description="Last step; to the end if null")]
Every = Annotated[int, Field(ge=1, le=MOST_STEPS, description="Interval between steps, such as 24")]
TableName = Annotated[_Text, Field(description="Name of the table, from describe_run")]
Columns = Annotated[_Names, Field(description="Names of columns; all if null")]
RowsOf = Annotated[int | None, Field(description="Only rows of the agent with this number")]
Measures = Annotated[_Names, Field(description="Names of measures; all if null")]
Group = Annotated[
    _Text, Field(description='Group of the measures; "" for all agents, "*" for each group')
]
Sql = Annotated[str, Field(min_length=1, max_length=10_000, description="One query: SELECT ...")]
Limit = Annotated[
    int, Field(ge=1, le=MOST_ROWS, description="Maximum number of rows; `note` counts the others")
]

# Agents of a run
Agent = Annotated[
    int, Field(ge=0, lt=2**31, description="Number of the agent (unique_id), from list_citizens")
]
NamePart = Annotated[_Text, Field(description="Part of the name, or the number; any if empty")]
Conditions = Annotated[
    list[str] | None,
    Field(
        max_length=20,
        description='Conditions on the status, combined by "and", such as "age >= 65", '
        '"evacuated = true", "zone_name = North Charleston"',
    ),
]
ShownColumns = Annotated[
    list[str] | None,
    Field(max_length=50, description="Columns besides number and name; a selection if null"),
]
Population = Annotated[_Text, Field(description='Such as "firm"; citizens if empty')]
Decisions = Annotated[
    int, Field(ge=0, le=100, description="Number of latest decisions and thoughts")
]
Question = Annotated[str, Field(min_length=1, max_length=2_000, description="The question")]
Recalled = Annotated[int, Field(ge=1, le=50, description="Maximum number of recalled memories")]

# Searches of a memory
Words = Annotated[str, Field(min_length=1, max_length=1_000, description="Search text")]
Most = Annotated[int, Field(ge=1, le=100, description="Maximum number of memories")]
Kind = Annotated[
    Literal["", "event", "thought"], Field(description='Only memories of this kind; "" for both')
]
AnyTopic = Annotated[_Text, Field(description='Only memories of this topic; "" for any')]
Situations = Annotated[
    _Tags, Field(description=f"Situations, of which a memory has one: {', '.join(BUILT_IN)}")
]
Emotion = Annotated[
    Literal["", "positive", "negative", "urgent"],
    Field(description='Only memories of this emotion; "" for any'),
]
Depth = Annotated[
    int, Field(ge=0, le=5, description="Maximum number of links from the five best memories")
]
Least = Annotated[_Share, Field(description="Minimum score of a memory")]
LeastPriority = Annotated[
    _Share | None, Field(description="Minimum priority; the median of all if null")
]

# New runs
Scenario = Annotated[_Text, Field(description="Name of a scenario, such as hurricane")]
Settings = Annotated[
    dict[str, Any] | None,
    Field(description='Settings by name, such as {"days": 3, "needs.hunger_rate": 0.2}'),
]
Seed = Annotated[
    int,
    Field(ge=0, le=LARGEST_SEED, description="Random seed, a number or its digits as a text"),
    WithJsonSchema({"anyOf": _SEED_FORMS}),
]
Moment = Annotated[
    str, Field(max_length=40, description="Step or date and time from which the fork diverges")
]
NewName = Annotated[
    str, Field(pattern=rf"^$|{NAME}", description="Name of the new run; chosen if empty")
]

# Own memory
Text = Annotated[str, Field(min_length=1, max_length=10_000, description="The memory, in words")]
NewText = Annotated[str, Field(max_length=10_000, description='New text; "" to keep it')]
Topic = Annotated[str, Field(max_length=100, description='Such as "family"; at most 255 topics')]
NewTopic = Annotated[str, Field(max_length=100, description='New topic; "" to keep it')]
Importance = Annotated[_Share, Field(description="How important it is, 0 to 1")]
NewShare = Annotated[_Share | None, Field(description="0 to 1; null to keep it")]
Confidence = Annotated[_Share, Field(description="How certain it is, 0 to 1")]
Valence = Annotated[
    _Valence | None, Field(description="-1 (bad) to 1 (good); read from the words if null")
]
NewValence = Annotated[_Valence | None, Field(description="-1 to 1; null to keep it")]
Tags = Annotated[
    _Tags,
    Field(
        description=f"Situations and feelings: {', '.join(BUILT_IN)}, and up to "
        f"{MOST_TAGS - len(BUILT_IN)} others; read from time, topic and words if null"
    ),
]
NewTags = Annotated[_Tags, Field(description="New tags; null to keep them")]
Merge = Annotated[
    bool, Field(description="Whether to update a nearly identical memory instead of adding one")
]
Id = Annotated[int, Field(ge=0, lt=2**31, description="Number of the memory")]
Ids = Annotated[list[Id], Field(min_length=1, max_length=100, description="Numbers of memories")]
Since = Annotated[
    datetime | None, Field(description="First date and time; local without a time zone")
]


def _end_of_day(until: object) -> object:
    """Return the last minute of a day without a time, which pydantic would read as its first."""
    return f"{until}T23:59" if isinstance(until, str) and _DAY.fullmatch(until) else until


Until = Annotated[
    datetime | None,
    BeforeValidator(_end_of_day),
    Field(description="Last date and time; the whole day without a time"),
]


def check_known(wrong: str, name: str, known: Collection[str]) -> None:
    """Raise an UnknownNameError that begins with `wrong` if a name is not a known one."""
    if name not in known:
        near = did_you_mean(name[:80], known)
        listed = ", ".join(map(str, known)) or "none"
        raise UnknownNameError(f"{wrong} {name[:80]!r}; {near}there are {listed}")
