"""One switch that prevents all calls to models, for tests and dry runs."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from memopolis.sim.errors import StateError

VARIABLE = "MEMOPOLIS_MODELS"
"""Environment variable that prevents calls to models if its value is "off"."""

_refused: ContextVar[bool] = ContextVar("models refused", default=False)


def models_allowed() -> bool:
    """Whether a call may reach a real model."""
    return not _refused.get() and os.environ.get(VARIABLE, "").strip().lower() != "off"


def check_allowed() -> None:
    """Refuse a call to a real model if models are off. Raises StateError if models are off."""
    if not models_allowed():
        raise StateError(
            f"a model cannot be called, since models are off: by {VARIABLE}=off or no_models()"
        )


@contextmanager
def no_models() -> Iterator[None]:
    """Refuse every call to a real model within a `with` block."""
    before = _refused.set(True)
    try:
        yield
    finally:
        _refused.reset(before)
