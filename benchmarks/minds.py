"""Measure the cost of minds: the engine's time per call, and the savings by groups of citizens.

Prints two tables. The first is the processor time of a call in the engine, without the client:
writing the prompt with and without a context of memories, and sending, reading and applying the
answer. The second asks a scripted model for each citizen of a hurricane, and for groups of similar
citizens, and shows the number of questions and the difference of mean attitudes between the two
runs.

The scripted model reads the current attitude and the recalled memories in each prompt, moves the
rating towards most of them, and adds a random mood to each answer.
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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.scenarios.hurricane import Hurricane
from memopolis.sim.mind.building import build_mind
from memopolis.sim.mind.call import Call, Reply, ScriptedClient
from memopolis.sim.mind.llm import LlmMind
from memopolis.sim.mind.mind import Answer, Question, RuleMind
from memopolis.sim.mind.mix import by_block
from memopolis.sim.mind.prompting import Prompt, Prompts

BLOCK = "update_attitudes"
ATTITUDES = ("government_trust", "emergency_preparedness")
DANGER = re.compile(r"hurricane|storm|order|evacuat|surge|shelter", re.IGNORECASE)
HELD = re.compile(r"now ([\d.]+) on a scale")
RECALLED = re.compile(r'"recalled_for_this_question_best_first": (\[.*\])}\n')


def scripted(call: Call) -> str:
    """Answer from the current attitude, the recalled memories and a random mood."""
    prompt = call.messages[-1].text
    held, recalled = HELD.search(prompt), RECALLED.search(prompt)
    assert held is not None
    lines = json.loads(recalled[1]) if recalled else []
    share = sum(bool(DANGER.search(line)) for line in lines) / max(len(lines), 1)
    rating = float(held[1])
    rating += 0.25 * share * (8.5 - rating)
    several = call.schema["properties"].get("answers")
    count = several["minItems"] if several else 1
    moods = [(int(call.hash[4 * n : 4 * n + 4], 16) / 0xFFFF - 0.5) for n in range(min(count, 8))]
    answers = [{"reason": "", "rating": min(max(rating + mood, 0), 10)} for mood in moods]
    return json.dumps({"answers": answers} if several else answers[0])


class Timed(LlmMind):
    """A model mind that measures the time and number of its prompts and answers."""

    def __init__(self, client: "Clocked", context_tokens: int) -> None:
        super().__init__(client, seed=1, prompts=Prompts(context_tokens=context_tokens))
        self.prompting = self.answering = 0.0

    def prompts_of(self, question: Question) -> list[Prompt]:
        begin = time.thread_time()
        prompts = super().prompts_of(question)
        self.prompting += time.thread_time() - begin
        return prompts

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


def society(kind: str, agents: int, days: float, client: Clocked) -> Hurricane:
    """Create a hurricane in which a scripted model rates attitudes."""
    made = Hurricane(agents=agents, days=days, rng=1, llm={"model": "scripted", "blocks": (BLOCK,)})
    made.mind = build_mind(made, kind, client=client)
    return made


def path(made: Hurricane) -> NDArray[np.float64]:
    """Return mean attitudes after each step, shape (steps, attitudes)."""
    columns: Any = made.population("citizen").memory.columns.arrays
    means = []
    for _ in range(made.ticks):
        made.step()
        means.append([columns[f"attitude.{name}"].mean(dtype=np.float64) for name in ATTITUDES])
    return np.array(means)


def overhead(agents: int, days: float) -> list[str]:
    """Time a call in the engine, with and without a context of memories."""
    lines = [
        f"The engine's own time a call, in ms: {agents:,} citizens, {days:g} days, block {BLOCK}",
        f"{'tokens of context':<20}{'calls':>10}{'prompt':>12}{'send, read, apply':>20}{'all':>10}",
    ]
    for context in (0, 600):
        client = Clocked()
        made = society("rule", agents, days, client)
        mind = Timed(client, context)
        made.mind = by_block({BLOCK: mind}, RuleMind())
        path(made)
        rest = mind.answering - mind.prompting - client.seconds
        whole = (mind.prompting, rest, mind.prompting + rest)
        prompt, around, both = (seconds / client.count * 1e3 for seconds in whole)
        lines.append(f"{context:<20}{client.count:>10,}{prompt:>12.3f}{around:>20.3f}{both:>10.3f}")
    return lines


def groups(agents: int, days: float) -> list[str]:
    """Compare questions and attitudes of single citizens and of groups."""
    lines = [
        "",
        f"Asking groups who are alike: {agents:,} citizens, {days:g} days, block {BLOCK}",
        f"{'mind':<12}{'questions':>12}{'of those of llm':>18}{'seconds':>10}"
        + "".join(f"{name:>26}" for name in ATTITUDES),
    ]
    paths, counts = {}, {}
    for kind in ("llm", "archetype"):
        client = Clocked()
        begin = time.thread_time()
        paths[kind] = path(society(kind, agents, days, client))
        counts[kind] = client.count
        share = counts[kind] / counts["llm"]
        ends = "".join(f"{value:>26.2f}" for value in paths[kind][-1])
        seconds = time.thread_time() - begin
        lines.append(f"{kind:<12}{client.count:>12,}{share:>17.2%} {seconds:>10.1f}{ends}")
    apart = np.abs(paths["archetype"] - paths["llm"]).max(axis=0)
    lines.append(f"{'furthest apart, in points':<52}" + "".join(f"{v:>26.3f}" for v in apart))
    moved = np.abs(paths["llm"] - paths["llm"][0]).max(axis=0)
    lines.append(f"{'moved at most (llm), in points':<52}" + "".join(f"{v:>26.3f}" for v in moved))
    return lines


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agents", type=int, default=10_000)
    parser.add_argument("--days", type=float, default=3.0)
    options = parser.parse_args(arguments)
    few = max(10, options.agents // 10)
    print("\n".join([*overhead(few, 2.0), *groups(options.agents, options.days)]))


if __name__ == "__main__":
    main()
