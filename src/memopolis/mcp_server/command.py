"""`memopolis mcp`: runs served to an assistant over standard input and output."""

import sys
from collections.abc import Mapping
from pathlib import Path

from memopolis.mcp_server.runs_folder import RunsFolder
from memopolis.sim.extras import require


def serve(place: Path, *, write: bool, mind: Mapping[str, object]) -> None:
    """Serve runs until the client goes. Standard output belongs to the protocol.

    Args:
        place: Folder of a run, or of runs.
        write: Whether tools that make runs are served.
        mind: Settings of the mind that answers interviews; none for the rule mind.

    Raises:
        ExtraError: If `mcp` is not installed.
        RunFolderError: If there is no such folder.
        SettingsError: If there is no such mind.
    """
    from memopolis.analysis.interview.agent_society import mind_settings

    require("mcp", "mcp", what="`memopolis mcp`")
    RunsFolder(place)  # refused before a second goes by with imports
    mind_settings(mind)
    from memopolis.mcp_server.server import make_server

    server = make_server(place, write=write, mind=mind)
    if sys.stdin.isatty():
        sys.stderr.write(
            f"memopolis: serving {place} to an MCP client on standard input and output; "
            "docs/mcp.md says how clients are told of it. Ctrl-C ends it.\n"
        )
    server.run(transport="stdio")
