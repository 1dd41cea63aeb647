"""A resource that describes the columns of all tables."""

from memopolis.sim.recording.schema import AGENTS, HELD, SWEEP_RUNS, TABLES

URI = "memopolis://columns"
_ALL = {
    **TABLES,
    "agents_POPULATION (attributes: describe_run)": AGENTS,
    "memory_POPULATION (query_sql)": HELD,
    "runs (query_sql, of a sweep)": SWEEP_RUNS,
}


def columns() -> str:
    """Describe each column with its unit; a star marks the columns of the key."""
    lines = ["# Columns of the tables", ""]
    for table, schema in _ALL.items():
        lines += [f"## {table}", ""]
        for name, one in schema.columns.items():
            unit = f" ({one.unit})" if one.unit else ""
            lines.append(f"- {name}{'*' * one.key}{unit}: {one.meaning}")
        lines.append("")
    return "\n".join(lines)
