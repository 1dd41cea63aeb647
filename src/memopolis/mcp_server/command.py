"""`memopolis mcp`: serve runs, or a memory, to an assistant over standard input and output."""

import sys

from memopolis.analysis.interview.agent_society import mind_settings
from memopolis.commands.options.reading import McpOptions
from memopolis.sim.errors import ParameterError
from memopolis.sim.extras import require


def serve(options: McpOptions) -> None:
    """Serve runs, or an assistant's own memory, until the client disconnects.

    Standard output is reserved for the protocol.
    """
    place, memory = options.place, options.memory
    if (place is None) == (memory is None):
        raise ParameterError("give either the folder of runs or --memory FOLDER")
    require("mcp", "mcp", what="`memopolis mcp`")
    from memopolis.mcp_server.server import make_memory_server, make_server

    if memory is not None:
        server = make_memory_server(memory)
    elif place is not None:
        mind = {} if options.mind == "rule" else options.mind_settings
        mind_settings(mind)
        server = make_server(place, write=options.write, mind=mind)
    if sys.stdin.isatty():
        sys.stderr.write(
            f"memopolis: serving {memory or place} to an MCP client on standard input and output; "
            "docs/mcp.md describes how to configure clients. Ctrl-C stops it.\n"
        )
    server.run(transport="stdio")
