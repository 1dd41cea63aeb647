"""A client that answers by a function: for tests, and to try a scenario without a model."""

from collections.abc import Callable, Sequence

from memopolis.sim.errors import mark_agent
from memopolis.sim.mind.call import Call, Heard, Reply

_CHARACTERS = 4
"""Characters of a token, about: a script is to be quick."""


class ScriptedClient:
    """Answers each call by a function of it.

    Args:
        answer: Gives the text of the answer, or a whole reply.
        name: Name of the model it plays.

    Attributes:
        calls: All that were asked, in order.
        heard: Receives each reply when it arrives; None for no receiver.
    """

    def __init__(self, answer: Callable[[Call], str | Reply], *, name: str = "scripted") -> None:
        self.name = name
        self.calls: list[Call] = []
        self.heard: Heard | None = None
        self._answer = answer

    def complete(self, calls: Sequence[Call]) -> list[Reply]:
        """Answer all calls, in their order."""
        self.calls += calls
        replies = []
        for call in calls:
            replies.append(self._reply(call))
            if self.heard is not None:
                self.heard(call, replies[-1])
        return replies

    def _reply(self, call: Call) -> Reply:
        try:
            answer = self._answer(call)
        except Exception as error:
            mark_agent(error, call.agent)
            raise
        if isinstance(answer, Reply):
            return answer
        asked = sum(len(message.text) for message in call.messages)
        return Reply(answer, tokens_in=asked // _CHARACTERS, tokens_out=len(answer) // _CHARACTERS)
