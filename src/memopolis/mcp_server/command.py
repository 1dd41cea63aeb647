"""`memopolis mcp`: serve runs, or a memory, to an assistant over standard input and output."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from memopolis.commands.options.reading import McpOptions
from memopolis.mcp_server.runs_folder import RunsFolder
from memopolis.sim.errors import ParameterError
from memopolis.sim.extras import require

if TYPE_CHECKING:
    from mcp.server import MCPServer


def serve(options: McpOptions) -> None:
    """Serve runs, or an assistant's own memory, until the client disconnects.

    Standard output is reserved for the protocol.
    """
    place, memory = options.place, options.memory
    if (place is None) == (memory is None):
        raise ParameterError("give either the folder of runs or --memory FOLDER")
    require("mcp", "mcp", what="`memopolis mcp`")
    if memory is not None:
        from memopolis.mcp_server.server import make_memory_server

        _serve(make_memory_server(memory), memory)
    elif place is not None:
        _serve(_make_server(options, place), place)


def _make_server(options: McpOptions, place: Path) -> "MCPServer":
    from memopolis.analysis.interview.agent_society import mind_settings

    mind = {} if options.mind == "rule" else options.mind_settings
    RunsFolder(place)  # rejected before the slow imports
    mind_settings(mind)
    from memopolis.mcp_server.server import make_server

    return make_server(place, write=options.write, mind=mind)


def _serve(server: "MCPServer", place: Path) -> None:
    if sys.stdin.isatty():
        sys.stderr.write(
            f"memopolis: serving {place} to an MCP client on standard input and output; "
            "docs/mcp.md describes how to configure clients. Ctrl-C stops it.\n"
        )
    server.run(transport="stdio")
