"""Sample what agents say, with its evidence: `python benchmarks/voices.py [SCENARIO]`.

Runs each scenario once and prints, in Markdown and without repeats of a draw, thoughts with the
memory that each quotes and the change of the attitude, memories, talks, answers in interviews and
prompts of models. Read it aloud: is it how people speak, and does it follow from the rows? At the
end, it counts stock sentences, openings, codes and reports of an agent's own deeds to the one that
was there.
"""

import argparse
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from memopolis import Run, load_run
from memopolis.analysis.interview.memory_answers import find_sources
from memopolis.scenarios.hurricane.scenario import Hurricane
from memopolis.scenarios.polarization.scenario import Polarization
from memopolis.scenarios.ubi.scenario import BasicIncome
from memopolis.sim.mind.mind import Answer, Decisions, Mind, Question
from memopolis.sim.mind.prompting import Prompts
from memopolis.sim.society import Society
from memopolis.surveys import restore_agent

SCENARIOS: Mapping[str, tuple[type[Society[Any]], dict[str, Any]]] = {
    "hurricane": (Hurricane, {"agents": 200}),
    "polarization": (Polarization, {"agents": 200, "days": 21}),
    "ubi": (BasicIncome, {"agents": 200, "days": 18 * 30, "start": 6}),
}
QUESTIONS = (
    "Who are you?", "How are you?", "What did you do last week?", "What will you do tomorrow?",
    "Who is your best friend?", "Why did you stay?", "What do you think of the government?",
    "What do you think of gun laws?", "Why did you work these hours?", "How much do you earn?",
    "What is the worst thing that you remember?", "Where do you get your news?",
    "How did you hear about it?", "Who did you talk to last week?", "Why is the sky blue?",
)  # fmt: skip
SAMPLES = {"thoughts": 50, "memories": 50, "talks": 20, "answers": 30, "prompts": 20}
SELF_REPORT = re.compile(r"^I told (?P<listener>[^:]{1,60}): I (?:met|talked with) (?P=listener)\b")
CODE = re.compile(r"\b\d{5}\b")


@dataclass(frozen=True)
class Sampled:
    """A recorded run, and the prompts that a model would have read in it."""

    run: Run
    prompts: list[tuple[str, str, int, str]]  # kind of question, population, tick and text


class Listening(Mind):
    """Answers by rule, but is asked whatever a model is asked."""

    def answer(self, question: Question) -> Answer:
        return question.rule(question)


def simulate(scenario: str, folder: Path, seed: int) -> Sampled:
    """Run a scenario, and write the prompt of one agent of each question asked."""
    society_class, changes = SCENARIOS[scenario]
    society = society_class(rng=seed, **changes)
    prompts, written = Prompts(), list[tuple[str, str, int, str]]()
    asked, answer = Counter[tuple[str, ...]](), society.questions.answer

    def watch(question: Question, *, block: str) -> Decisions:
        population, tick = question.cohort.population.name, society.clock.tick
        asked[question.kind, population] += 1
        if asked[question.kind, population] in {1, 7, 40}:
            first = np.arange(len(question.cohort)) == 0
            part = replace(question.select(first), tick=tick)
            for prompt in prompts.of(part):
                written.append((question.kind, population, tick, prompt.messages[-1].text))
        return answer(question, block=block)

    society.mind = Listening()
    society.questions.answer = watch  # type: ignore[method-assign]
    return Sampled(load_run(society.run(folder)), written)


def draw_rows(frame: pd.DataFrame, most: int, seed: int) -> pd.DataFrame:
    """Draw rows at random, in their order."""
    return frame.sample(min(most, len(frame)), random_state=seed).sort_index()


def list_thoughts(sampled: Sampled, most: int, seed: int) -> Iterator[tuple[str, str]]:
    """Return thoughts, with the quoted memory and the last changes of attitudes of the agent."""
    run = sampled.run
    thoughts = run.thoughts[run.thoughts["kind"] == "thought"].reset_index(drop=True)
    decisions = run.decisions
    moved = decisions[decisions["kind"] == "attitude"]
    quotes = run.memories.merge(
        thoughts[["population", "agent"]].assign(id=[ids[0] for ids in thoughts["evidence"]])
    ).drop_duplicates(["population", "agent", "id"])
    memories = {
        (row["population"], row["agent"], row["id"]): row for row in quotes.to_dict("records")
    }
    for row in draw_rows(thoughts, most, seed).to_dict("records"):
        own = moved[(moved["agent"] == row["agent"]) & (moved["tick"] <= row["tick"])]
        changes = [
            f"{name} {values.iloc[-2]:.2f} to {values.iloc[-1]:.2f}"
            for name, values in own.groupby("item")["value"]
            if len(values) > 1
        ]
        quoted = memories.get((row["population"], row["agent"], row["evidence"][0]))
        source = "" if quoted is None else describe_memory(run, quoted)
        who = f"{run.name_of(row['agent'])} ({row['population']}), {row['time']:%d %b %H:%M}"
        yield f"{who}: {row['text']}", f"quotes {source}; {'; '.join(changes)}"


def describe_memory(run: Run, row: Mapping[Any, Any]) -> str:
    """Return the columns of a memory in one line."""
    actor = int(row["actor"])
    by = f", actor {run.name_of(actor)}" if actor >= 0 else ""
    return (
        f"[{row['time']:%d %b %H:%M}, {row['topic']}, valence {row['valence']:.2f}, importance "
        f'{row["importance"]:.2f}{by}] "{row["text"]}"'
    )


def list_memories(sampled: Sampled, most: int, seed: int) -> Iterator[tuple[str, str]]:
    """Return memories of events, with their columns."""
    memories = sampled.run.memories
    events = memories[memories["kind"] == "event"].reset_index(drop=True)
    for row in draw_rows(events, most, seed).to_dict("records"):
        who = f"{sampled.run.name_of(row['agent'])} ({row['population']})"
        yield f"{who}: {row['text']}", describe_memory(sampled.run, row).rpartition('] "')[0] + "]"


def list_talks(sampled: Sampled, most: int, seed: int) -> Iterator[tuple[str, str]]:
    """Return what two agents said to each other in one step, as each remembers it."""
    run = sampled.run
    memories = run.memories[run.memories["actor"] >= 0]
    spoken = memories[find_sources(memories["text"]).isin(("said", "heard"))].reset_index(drop=True)
    if spoken.empty:
        return
    pair = spoken[["agent", "actor"]].to_numpy()
    spoken = spoken.assign(low=pair.min(axis=1), high=pair.max(axis=1))
    talks = spoken.drop_duplicates(["tick", "low", "high"])
    for talk in draw_rows(talks, most, seed).to_dict("records"):
        same = (spoken[["tick", "low", "high"]] == [talk["tick"], talk["low"], talk["high"]]).all(
            axis=1
        )
        lines = [
            f"{run.name_of(row['agent'])} remembers: {row['text']}"
            for row in spoken[same].to_dict("records")
        ]
        yield "\n  ".join(lines), f"{talk['time']:%d %b %H:%M}"


def list_answers(sampled: Sampled, most: int, seed: int) -> Iterator[tuple[str, str]]:
    """Return answers in interviews, with what they rest on."""
    run, generator = sampled.run, np.random.default_rng(seed)
    institutions = [name for name in run.populations if name != "citizen"]
    for number in range(most):
        population = institutions[number % len(institutions)] if number % 5 == 4 else "citizen"
        agent = int(generator.choice(run.people(population)["agent"]))
        question = QUESTIONS[number % len(QUESTIONS)]
        reply = restore_agent(run, agent).interview(question)
        age = run.life(agent).profile.get("age", "")
        who = f"{reply.name} ({population} {age})".replace(" )", ")")
        yield f"{who}, {question} {reply.text}", reply.details or "; ".join(reply.evidence["text"])


def list_prompts(sampled: Sampled, most: int, seed: int) -> Iterator[tuple[str, str]]:
    """Return prompts of each kind of question and population in turn."""
    del seed
    for kind, population, tick, text in sampled.prompts[:most]:
        yield text, f"{kind} of {population}, step {tick}"


SAMPLERS: Mapping[str, Callable[[Sampled, int, int], Iterator[tuple[str, str]]]] = {
    "thoughts": list_thoughts,
    "memories": list_memories,
    "talks": list_talks,
    "answers": list_answers,
    "prompts": list_prompts,
}


def count_faults(run: Run) -> Iterator[str]:
    """Return counts over all texts of a run."""
    memories = run.memories
    thoughts = memories[memories["kind"] == "thought"]
    opening = thoughts["text"].str.split().str[:3].str.join(" ").value_counts(normalize=True)
    yield f"{len(thoughts):,} thoughts; {opening.iloc[0]:.1%} begin with {opening.index[0]!r}"
    spoken = memories[find_sources(memories["text"]).isin(("said", "heard"))]
    for name, texts in (("thoughts", thoughts["text"]), ("talks", spoken["text"])):
        yield f"ZIP codes in {name}: {int(texts.str.contains(CODE).sum())} of {len(texts):,}"
    reports = int(memories["text"].str.match(SELF_REPORT).sum())
    yield f"meetings reported to the one who was met: {reports} of {len(spoken):,}"
    text = memories["text"].value_counts(normalize=True)
    yield "most frequent memories: " + "; ".join(f"{one!r} {n:.1%}" for one, n in text[:5].items())


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the samples of the named scenarios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenario", nargs="*", choices=[[], *SCENARIOS], help="default: all")
    parser.add_argument("--seed", type=int, default=11)
    options = parser.parse_args(arguments)
    for scenario in options.scenario or SCENARIOS:
        with tempfile.TemporaryDirectory() as folder:
            sampled = simulate(scenario, Path(folder) / "run", options.seed)
            sys.stdout.write(f"# {scenario}\n")
            for name, most in SAMPLES.items():
                sys.stdout.write(f"\n## {scenario}: {name}\n\n")
                for number, (text, rows) in enumerate(SAMPLERS[name](sampled, most, options.seed)):
                    sys.stdout.write(f"{number + 1}. {text}\n   <- {rows}\n")
            sys.stdout.write("\n" + "".join(f"- {one}\n" for one in count_faults(sampled.run)))
            sys.stdout.flush()


if __name__ == "__main__":
    main()
