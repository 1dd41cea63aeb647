"""Arguments shared by several tools: types, bounds and descriptions."""

from typing import Annotated

from pydantic import Field

from memopolis.mcp_server.paging import MOST_KB, MOST_ROWS

_MOST_STEPS = 1_000_000
_MOST_AGENT = 2**31 - 1

RunName = Annotated[
    str, Field(description="Name of the run, from list_runs; omit it if there is only one")
]
AgentId = Annotated[
    int,
    Field(
        ge=0,
        le=_MOST_AGENT,
        description="Number (unique_id) of the citizen or other agent, from list_citizens",
    ),
]
Step = Annotated[
    int | None,
    Field(
        ge=0,
        le=_MOST_STEPS,
        description="Number of steps after which to look at the run; omit it for the end",
    ),
]
FromStep = Annotated[
    int | None, Field(ge=0, le=_MOST_STEPS, description="First step; from the start if null")
]
ToStep = Annotated[
    int | None, Field(ge=0, le=_MOST_STEPS, description="Last step; to the end if null")
]
Limit = Annotated[int, Field(ge=1, le=MOST_ROWS, description="Maximum number of rows")]
Offset = Annotated[
    int,
    Field(ge=0, le=2**40, description="Number of rows to skip: next_offset of the previous answer"),
]
MaxKb = Annotated[
    int, Field(ge=4, le=MOST_KB, description="Maximum size of the answer in kB; raise it for more")
]
Most = Annotated[int, Field(ge=1, le=100, description="Maximum number of memories")]
Words = Annotated[str, Field(min_length=1, max_length=1_000, description="Search text")]
Kind = Annotated[str, Field(description='Only "event" or "thought"; "" for both')]
AnyTopic = Annotated[
    str, Field(max_length=200, description='Only memories of this topic; "" for any')
]
Emotion = Annotated[str, Field(description='"positive", "negative" or "urgent"; "" for any')]
Depth = Annotated[
    int, Field(ge=0, le=5, description="Maximum number of links from the five best memories")
]
Least = Annotated[float, Field(ge=0, le=1, description="Minimum score of a memory")]
LeastPriority = Annotated[
    float | None,
    Field(ge=0, le=1, description="Minimum priority of a memory; the median of all if null"),
]
