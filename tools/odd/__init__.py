"""Tables of the READMEs of scenarios, written from the code: `python -m tools.odd NAME`."""
