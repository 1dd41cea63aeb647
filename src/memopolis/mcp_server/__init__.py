"""Runs served to any MCP client: tables, measures, citizens and their memories as tools.

Only here is `mcp` imported (extra `mcp`). The server reads what everything else reads: runs by
`analysis.load`, somebody who is asked by `analysis.respondent`.
"""
