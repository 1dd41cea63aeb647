"""How what listens to a run asks it to stop between two steps."""

INTERRUPTED = 130
"""Exit code after ctrl-C, as shells give it."""
TERMINATED = 143
"""Exit code after SIGTERM, which clusters send before they end a job."""


class StopRun(KeyboardInterrupt):
    """Raised by what a run tells of its progress: stop here and keep everything.

    The step is whole then, so a checkpoint is written and nothing has to be done again. A
    KeyboardInterrupt of any other kind stops a run at once, in the middle of a step.

    Args:
        code: What the process should exit with.
    """

    def __init__(self, code: int = INTERRUPTED) -> None:
        super().__init__("stopped by the user" if code == INTERRUPTED else "told to end")
        self.code = code
