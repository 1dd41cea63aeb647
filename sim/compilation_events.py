"""Events of numba that measure compilation; registered when this module is imported."""

from typing import Any, override

from numba.core import event

from memopolis.sim.compilation import compilation


class _Listener(event.Listener):
    @override
    def on_start(self, event: Any) -> None:
        compilation.begin()

    @override
    def on_end(self, event: Any) -> None:
        compilation.end()


event.register("numba:compile", _Listener())  # type: ignore[no-untyped-call]
