"""A resource that tells what stands in each column of the tables."""

from memopolis.analysis.columns import AGENTS, HELD, RUNS, STATIC, TABLES

URI = "memopolis://columns"
_ALL = {
    **TABLES,
    **STATIC,
    "agents_POPULATION (attributes: describe_run)": AGENTS,
    "memory_POPULATION (query_sql)": HELD,
    "runs (query_sql, of a sweep)": RUNS,
}


def columns() -> str:
    """What stands in each column of the tables, with units; a star where it names the row."""
    lines = ["# Columns of the tables", ""]
    for table, told in _ALL.items():
        lines += [f"## {table}", ""]
        for name, one in told.items():
            unit = f" ({one.unit})" if one.unit else ""
            lines.append(f"- {name}{'*' * one.key}{unit}: {one.meaning}")
        lines.append("")
    return "\n".join(lines)
