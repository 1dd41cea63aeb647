"""Measure the engine's own time per call of a model.

Prints the processor time of a call in the engine, without the client: writing the prompt with and
without a context of memories, and sending, reading and applying the answer. A script answers in
place of a model; `memopolis audit` measures groups of agents with a real one.
"""

# ruff: noqa: E402 - libraries read these when they are imported
import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import argparse
import json
import re
import time
from collections.abc import Sequence

from memopolis.scenarios.hurricane import Hurricane
from memopolis.sim.mind.call import Call, Reply, ScriptedClient
from memopolis.sim.mind.llm import LlmMind
from memopolis.sim.mind.mind import Answer, Question, RuleMind
from memopolis.sim.mind.mix import by_block
from memopolis.sim.mind.prompting import Prompt, Prompts

BLOCK = "update_attitudes"
HELD = re.compile(r"now ([\d.]+) on a scale")


def scripted(call: Call) -> str:
    """Answer with the current attitude."""
    held = HELD.search(call.messages[-1].text)
    assert held is not None
    return json.dumps({"reason": "", "rating": float(held[1])})


class TimedPrompts(Prompts):
    """Prompts that note the processor time in which they are written."""

    seconds = 0.0

    def of(self, question: Question) -> list[Prompt]:
        begin = time.thread_time()
        prompts = super().of(question)
        self.seconds += time.thread_time() - begin
        return prompts


class Timed(LlmMind):
    """A model mind that measures the time and number of its prompts and answers."""

    def __init__(self, client: "Clocked", context_tokens: int) -> None:
        self.written = TimedPrompts(context_tokens=context_tokens)
        super().__init__(client, seed=1, prompts=self.written)
        self.answering = 0.0

    def answer(self, question: Question) -> Answer:
        begin = time.thread_time()
        answer = super().answer(question)
        self.answering += time.thread_time() - begin
        return answer


class Clocked(ScriptedClient):
    """A scripted client that measures its own time."""

    def __init__(self) -> None:
        super().__init__(scripted)
        self.seconds = 0.0
        self.count = 0

    def complete(self, calls: Sequence[Call]) -> list[Reply]:
        begin = time.thread_time()
        replies = [Reply(scripted(call)) for call in calls]
        self.seconds += time.thread_time() - begin
        self.count += len(calls)
        return replies


def overhead(agents: int, days: float) -> list[str]:
    """Time a call in the engine, with and without a context of memories."""
    lines = [
        f"The engine's own time a call, in ms: {agents:,} citizens, {days:g} days, block {BLOCK}",
        f"{'tokens of context':<20}{'calls':>10}{'prompt':>12}{'send, read, apply':>20}{'all':>10}",
    ]
    for context in (0, 600):
        client = Clocked()
        made = Hurricane(agents=agents, days=days, rng=1)
        mind = Timed(client, context)
        made.mind = by_block({BLOCK: mind}, RuleMind())
        for _ in range(made.ticks):
            made.step()
        rest = mind.answering - mind.written.seconds - client.seconds
        prompting = mind.written.seconds
        whole = (prompting, rest, prompting + rest)
        prompt, around, both = (seconds / client.count * 1e3 for seconds in whole)
        lines.append(f"{context:<20}{client.count:>10,}{prompt:>12.3f}{around:>20.3f}{both:>10.3f}")
    return lines


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agents", type=int, default=1_000)
    parser.add_argument("--days", type=float, default=2.0)
    options = parser.parse_args(arguments)
    print("\n".join(overhead(options.agents, options.days)))


if __name__ == "__main__":
    main()
