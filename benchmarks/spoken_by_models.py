"""Let a model speak: `python benchmarks/spoken_by_models.py [--model NAME --base-url URL]`.

In each scenario, a model writes the thoughts and talks of a few agents, who then answer interviews.
Prints the share of answers that could not be read, by question and cause. Without a server, a
script answers in place of a model, which shows whether each question can be answered at all.
"""

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from memopolis import load_run
from memopolis.scenarios.hurricane.scenario import Hurricane
from memopolis.scenarios.polarization.scenario import Polarization
from memopolis.scenarios.ubi.scenario import BasicIncome
from memopolis.sim.mind.call import Call, ScriptedClient
from memopolis.sim.mind.llm import LlmMind
from memopolis.sim.society import Society
from memopolis.surveys import restore_agent

SCENARIOS: Mapping[str, tuple[type[Society[Any]], dict[str, Any], str]] = {
    "hurricane": (
        Hurricane,
        {"agents": 14, "days": 1, "start": "2019-09-01", "social": {"ask": True}},
        "think,talk",
    ),
    "polarization": (
        Polarization, {"agents": 10, "days": 2, "talk": {"ask": True}}, "think,discuss",
    ),
    "ubi": (BasicIncome, {"agents": 20, "days": 90, "start": 1}, "think"),
}  # fmt: skip
QUESTIONS = ("How are you?", "What did you do yesterday?", "What will you do tomorrow?")


def answer_by_script(call: Call) -> str:
    """Return an answer that fits the schema of a call."""
    return json.dumps(_fill(call.schema))


def _fill(schema: Mapping[str, Any]) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    match schema.get("type"):
        case "object":
            return {name: _fill(one) for name, one in schema.get("properties", {}).items()}
        case "array":
            return [_fill(schema["items"])]
        case "number" | "integer":
            return schema.get("minimum", 0)
        case _:
            return "I think of the day."


def simulate(scenario: str, folder: Path, model: Mapping[str, Any]) -> Counter[tuple[str, str]]:
    """Run a scenario and its interviews, and count replies by question and outcome."""
    society_class, changes, blocks = SCENARIOS[scenario]
    counts = Counter[tuple[str, str]]()
    settings = {"mind": "llm", "llm": {**model, "blocks": blocks.split(",")}} if model else {}
    society = society_class(rng=3, **changes, **settings)
    script = ScriptedClient(answer_by_script)
    if not model:
        society.mind = LlmMind(script, seed=3)
    run = load_run(society.run(folder))
    if model:
        for row in run.model_calls.to_dict("records"):
            counts[str(row["block"]), _describe(row)] += 1
    else:
        decided = run.decisions[run.decisions["mind"].isin(["model", "fallback"])]
        for row in decided.to_dict("records"):
            counts[str(row["kind"]), "ok" if row["mind"] == "model" else "fallback"] += 1
    asked = {"mind": "llm", **{f"llm.{name}": value for name, value in model.items()}}
    for number, question in enumerate(QUESTIONS * 2):
        agent = int(run.people("citizen")["agent"].iloc[number])
        try:
            restored = restore_agent(run, agent, asked if model else None)
        except LookupError:
            continue  # a small child without memories
        mind = None if model else LlmMind(script, seed=3)
        reply = restored.interview(question, mind=mind)
        counts["interview", reply.fault or "ok"] += 1
        if model:
            sys.stdout.write(f"{reply.name}, {question} [{reply.mind}] {reply.text}\n")
    return counts


def _describe(call: Mapping[Any, Any]) -> str:
    """Return the outcome of a call, with the fault of an unreadable answer."""
    fault = call.get("fault") or ""
    return f"{call['outcome']}: {fault}" if fault else str(call["outcome"])


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the counts of each scenario."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="")
    parser.add_argument("--base-url", default="")
    parser.add_argument("--calls", type=int, default=24, help="most calls of a scenario")
    parser.add_argument("--scenario", choices=[*SCENARIOS], action="append")
    options = parser.parse_args(arguments)
    model: dict[str, Any] = {}
    if options.base_url:
        model = {
            "model": options.model, "base_url": options.base_url, "in_flight": 1,
            "timeout": 600.0, "max_tokens": 160, "context_tokens": 0, "min_answered": 0.0,
            "budget_calls": options.calls,
        }  # fmt: skip
    for scenario in options.scenario or SCENARIOS:
        with tempfile.TemporaryDirectory() as folder:
            counts = simulate(scenario, Path(folder) / "run", model)
        sys.stdout.write(f"{scenario}\n")
        questions = list(dict.fromkeys(question for question, _ in counts))
        for question in questions:
            own = {outcome: n for (name, outcome), n in counts.items() if name == question}
            total = sum(own.values())
            unread = total - own.get("ok", 0)
            causes = "; ".join(f"{outcome} {n}" for outcome, n in own.items() if outcome != "ok")
            sys.stdout.write(f"  {question:<12} {unread} of {total} unreadable  {causes}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
