"""Limit the tokens and calls of a run, charged before a call is sent."""

from collections.abc import Mapping, Sequence

from memopolis.sim.errors import ParameterError


class Budget:
    """Limit the tokens and calls of a run; None for no limit.

    A call is charged before it is sent: the tokens of its prompt, as counted by Memopolis, plus the
    maximum length of its answer. The remaining budget therefore depends on the questions and the
    order of agents only, never on the replies or their order. Tokens are counted only if they are
    limited. Once a call is refused, `reached` is true and all later calls are refused, too.
    """

    def __init__(self, tokens: int | None = None, calls: int | None = None) -> None:
        for name, limit in (("tokens", tokens), ("calls", calls)):
            if limit is not None and limit < 0:
                raise ParameterError(f"a budget of {limit} {name}: allowed are 0 and more, or None")
        self.tokens = tokens
        self.calls = calls
        self.tokens_charged = 0
        self.calls_charged = 0
        self.reached = False

    def charge(self, costs: Sequence[int]) -> int:
        """Charge calls, given the tokens of each; return how many of the first ones may be sent."""
        return next((at for at, cost in enumerate(costs) if not self._charge(cost)), len(costs))

    def _charge(self, cost: int) -> bool:
        tokens, calls = self.tokens_charged + cost, self.calls_charged + 1
        over = (self.tokens is not None and tokens > self.tokens) or (
            self.calls is not None and calls > self.calls
        )
        self.reached |= over
        if not self.reached:
            self.tokens_charged, self.calls_charged = tokens, calls
        return not self.reached

    def state(self) -> dict[str, int]:
        """Return the charges so far, for a checkpoint."""
        return {
            "tokens": self.tokens_charged,
            "calls": self.calls_charged,
            "reached": int(self.reached),
        }

    def restore(self, state: Mapping[str, int]) -> None:
        """Continue from the result of `state`."""
        self.tokens_charged, self.calls_charged = state["tokens"], state["calls"]
        self.reached = bool(state["reached"])
