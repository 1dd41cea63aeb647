"""Serve runs to MCP clients: tools for tables, measures, citizens and their memories.

Only this package imports `mcp` (extra `mcp`). It reads runs by `analysis.run` and interviews agents
by `analysis.interview`, as every other part of the project does.
"""
