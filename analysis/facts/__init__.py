"""Stylised facts that a scenario should show, computed from tables and judged by tolerances."""
