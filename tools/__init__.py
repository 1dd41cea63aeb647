"""Scripts of maintainers, which write shipped tables and parts of the READMEs."""
