"""`memopolis mcp`: serve runs, or a memory, to an assistant over standard input and output."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from memopolis.mcp_server.runs_folder import RunsFolder
from memopolis.sim.extras import require

if TYPE_CHECKING:
    from mcp.server import MCPServer


def serve_memory(folder: Path) -> None:
    """Serve an assistant's own memory until the client disconnects."""
    _require()
    from memopolis.mcp_server.server import make_memory_server

    _serve(make_memory_server(folder), folder)


def serve(place: Path, *, write: bool, mind: Mapping[str, object]) -> None:
    """Serve runs until the client disconnects. Standard output is reserved for the protocol."""
    from memopolis.analysis.interview.agent_society import mind_settings

    _require()
    RunsFolder(place)  # rejected before the slow imports
    mind_settings(mind)
    from memopolis.mcp_server.server import make_server

    _serve(make_server(place, write=write, mind=mind), place)


def _require() -> None:
    require("mcp", "mcp", what="`memopolis mcp`")


def _serve(server: "MCPServer", place: Path) -> None:
    if sys.stdin.isatty():
        sys.stderr.write(
            f"memopolis: serving {place} to an MCP client on standard input and output; "
            "docs/mcp.md describes how to configure clients. Ctrl-C stops it.\n"
        )
    server.run(transport="stdio")
