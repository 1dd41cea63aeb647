"""Types of the callbacks `progress`, which report the progress of a run or of many runs."""

from collections.abc import Callable
from datetime import datetime

type StepProgress = Callable[[int, int, datetime], None]
"""Called after each step with steps done, total steps and the date."""

type RunProgress = Callable[[int, int, int], None]
"""Called after each run with the numbers of runs succeeded, failed and in total."""
