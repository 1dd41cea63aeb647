"""Judge runs by stylised facts: numbers computed from tables, with tolerances."""
