"""Options of commands: a dataclass per command, whose fields become its options and arguments.

Nothing slow is imported here, so that `memopolis --help` starts quickly.
"""
