"""What a run may spend on a model, charged before anything is sent."""

from collections.abc import Mapping, Sequence

from memopolis.sim.errors import ParameterError


class Budget:
    """Most tokens and calls of a run.

    A call is charged before it is sent: the tokens of its prompt as the engine counts them,
    and the most its answer may have. So what is left depends on the questions alone, in the
    order of their rows, and never on what came back or how fast.

    Args:
        tokens: Most tokens of all prompts and answers; None for no limit.
        calls: Most calls; None for no limit.

    Attributes:
        tokens: Most tokens.
        calls: Most calls.
        tokens_charged: Tokens charged so far, counted only where they are limited.
        calls_charged: Calls charged so far.
        reached: Whether a call was refused; then all later ones are.

    Raises:
        ParameterError: If a limit is negative.
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
        """Charge a batch of calls, in its order.

        Args:
            costs: Tokens of each call.

        Returns:
            How many of the first ones may be sent; the others are not charged.
        """
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
        """What was charged so far, for a saved run."""
        return {
            "tokens": self.tokens_charged,
            "calls": self.calls_charged,
            "reached": int(self.reached),
        }

    def restore(self, state: Mapping[str, int]) -> None:
        """Go on from what `state` gave."""
        self.tokens_charged, self.calls_charged = state["tokens"], state["calls"]
        self.reached = bool(state["reached"])
