"""What the commands of the command line do; `cli/commands.toml` lists them.

A request that is not possible raises a `MemopolisError`, which `failures.py` prints in one line.
"""
