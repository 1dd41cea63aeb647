"""Arguments that several tools take: types, bounds, and what clients are told of them."""

from typing import Annotated

from pydantic import Field

from memopolis.mcp_server.paging import MOST_ROWS

_MOST_STEPS = 1_000_000
_MOST_AGENT = 2**31 - 1

RunName = Annotated[
    str,
    Field(description="Name of the run, as list_runs tells it; leave it out if there is only one"),
]
AgentId = Annotated[
    int,
    Field(
        ge=0,
        le=_MOST_AGENT,
        description="Number (unique_id) of the citizen or other agent, as list_citizens tells it",
    ),
]
Step = Annotated[
    int | None,
    Field(
        ge=0,
        le=_MOST_STEPS,
        description="Look at the run as it stood after so many steps; leave it out for its end",
    ),
]
FromStep = Annotated[
    int | None, Field(ge=0, le=_MOST_STEPS, description="First step wanted; from the start if null")
]
ToStep = Annotated[
    int | None, Field(ge=0, le=_MOST_STEPS, description="Last step wanted; to the end if null")
]
Limit = Annotated[int, Field(ge=1, le=MOST_ROWS, description="Most rows of the answer")]
Offset = Annotated[
    int, Field(ge=0, le=2**40, description="Rows to pass over: next_offset of the answer before")
]
Most = Annotated[int, Field(ge=1, le=100, description="Most memories")]
Words = Annotated[
    str, Field(min_length=1, max_length=1_000, description="What is asked for, in words")
]
