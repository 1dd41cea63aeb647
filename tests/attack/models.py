"""Model servers that reason, correct themselves, answer something else, or stop answering."""

import json
import os
from collections.abc import Callable
from functools import partial
from itertools import count

import pandas as pd
from tests.attack.case import Case, Outcome, judge
from tests.attack.commands import call, start
from tests.attack.server import Answer, ModelServer, Request, chat_body, good_answer
from tests.attack.workshop import Workshop

_JSON = {"Content-Type": "application/json"}
_RUN = (
    "run", "polarization", "--agents", "20", "--days", "2", "--seed", "1", "--out", "run",
    "--no-report", "--mind", "llm", "--model", "m", "--set", "llm.in_flight=4",
)  # fmt: skip
_DRAFT, _FINAL = "a draft", "the answer"


def _message(**fields: object) -> Answer:
    content = json.dumps({"choices": [{"index": 0, "message": fields}]})
    return Answer(content.encode(), headers=_JSON)


def _text(text: str) -> Answer:
    return Answer(chat_body(text), headers=_JSON)


_FORMS: dict[str, Callable[[str, str], Answer]] = {
    "a draft in <think>": lambda draft, final: _text(f"<think>{draft}</think>{final}"),
    "a draft before </think>": lambda draft, final: _text(f"{draft} so</think>\n{final}"),
    "a draft in the channel analysis": lambda draft, final: _text(
        f"<|channel|>analysis<|message|>{draft}<|end|><|channel|>final<|message|>{final}"
    ),
    "an example in a fence": lambda draft, final: _text(
        f"For example:\n```json\n{draft}\n```\nMine:\n```json\n{final}\n```"
    ),
    "a correction": lambda draft, final: _text(f"{draft}\nNo, wait.\n{final}"),
    "parts of text and of thinking": lambda draft, final: _message(
        content=[
            {"type": "thinking", "thinking": draft, "text": draft},
            {"type": "text", "text": final[:9]},
            {"type": "text", "text": final[9:]},
        ]
    ),
    "reasoning_content beside the answer": lambda draft, final: _message(
        content=final, reasoning_content=draft
    ),
}
_NO_ANSWERS: dict[str, Callable[[str], Answer]] = {
    "a draft in <think> that does not end": lambda draft: _text(f"<think>{draft}"),
    "reasoning_content beside null": lambda draft: _message(content=None, reasoning_content=draft),
    "parts of thinking": lambda draft: _message(content=[{"type": "thinking", "text": draft}]),
}


def _words(request: Request, words: str) -> str:
    """Return the text of a good answer with some words."""
    content = json.loads(good_answer(request, words).body)
    return str(content["choices"][0]["message"]["content"])


def _decided(workshop: Workshop) -> pd.DataFrame:
    from memopolis.analysis.run.run import load_run

    decisions = load_run(workshop.folder / "run").decisions
    texts = decisions[["reason", "text"]].astype(object).fillna("").agg(" ".join, axis=1)
    return decisions.assign(texts=texts)


def _drafts(workshop: Workshop, *, form: Callable[[str, str], Answer]) -> Outcome:
    """Run with a model that gives a draft before its answer."""
    with ModelServer(lambda asked: form(_words(asked, _DRAFT), _words(asked, _FINAL))) as server:
        result = call(*_RUN, "--base-url", server.url, cwd=workshop.folder)
    faults = result.crash_faults()
    if result.code:
        return judge([*faults, result.summary], "")
    decisions = _decided(workshop)
    by_model = decisions[decisions["mind"] == "model"]
    used = [int(by_model["texts"].str.contains(words).sum()) for words in (_DRAFT, _FINAL)]
    fallbacks = int((decisions["mind"] == "fallback").sum())
    faults += [f"{used[0]} drafts used"] if used[0] else []
    faults += [f"{fallbacks} answers by the rule"] if fallbacks or not used[1] else []
    return judge(faults, f"{used[1]} answers used, 0 drafts")


def _no_answers(workshop: Workshop, *, form: Callable[[str], Answer]) -> Outcome:
    """Run with a model that gives drafts only."""
    sets = ("--set", "llm.min_answered=0")
    with ModelServer(lambda asked: form(_words(asked, _DRAFT))) as server:
        result = call(*_RUN, *sets, "--base-url", server.url, cwd=workshop.folder)
    faults = result.crash_faults()
    if result.code:
        return judge([*faults, result.summary], "")
    decisions = _decided(workshop)
    used = int((decisions["mind"] == "model").sum())
    faults += [f"{used} drafts used"] if used else []
    return judge(faults, f"{int((decisions['mind'] == 'fallback').sum())} answers by the rule")


_USED_UP = {
    "429 insufficient_quota": Answer(b'{"error": {"code": "insufficient_quota"}}', 429, _JSON),
    "402": Answer(b"pay", 402),
    "400 billing_hard_limit_reached": Answer(
        b'{"error": {"code": "billing_hard_limit_reached"}}', 400, _JSON
    ),
}
_AFTER = 30
"""Number of calls that are answered before the quota is used up."""


def _quota(workshop: Workshop, *, answer: Answer, after: int) -> Outcome:
    """Use up the quota in the middle of a run, then resume it."""
    numbers = count()

    def script(request: Request) -> Answer:
        if next(numbers) < after or is_paid:
            return good_answer(request)
        return answer

    is_paid = False
    with ModelServer(script) as server:
        words = ("--base-url", server.url, "--set", "llm.cassette=cassette.jsonl")
        result = call(*_RUN, *words, cwd=workshop.folder)
        refused = len(server.requests) - after
        is_paid = True
        resumed = call("resume", "run", *words, "--set", "mind=llm", cwd=workshop.folder)
    faults = result.refusal_faults() + resumed.crash_faults()
    faults += [] if "memopolis resume run" in result.stderr else ["no hint how to continue"]
    faults += [f"{refused} refused calls"] if refused > 4 else []
    faults += [f"resume: {resumed.summary}"] if resumed.code else []
    return judge(faults, f"stopped after {refused} refused calls, resumed; {result.summary}")


_ELSE = {
    "HTML": (Answer(b"<html>", headers={"Content-Type": "text/html"}), "text/html, not JSON"),
    "a stream": (
        Answer(b"data: {}\n\n", headers={"Content-Type": "text/event-stream"}),
        "text/event-stream, not JSON",
    ),
    "no choices": (Answer(b'{"choices": []}', headers=_JSON), "JSON without choices"),
    "a control character as its type": (
        Answer(b"x", headers={"Content-Type": "text/\x1b[31m"}),
        "no JSON",
    ),
    "a busy signal for an hour": (
        Answer(b"{}", 429, _JSON | {"Retry-After": "3600"}),
        "the server answered HTTP 429",
    ),
}


def _something_else(workshop: Workshop, *, answer: Answer, reason: str) -> Outcome:
    """Run and interview with a server that answers something else."""
    workshop.copy("opinions", "asked")
    quick = ("--set", "llm.retries=0")  # an interview has no such setting
    with ModelServer(lambda _: answer) as server:
        words = ("--base-url", server.url)
        result = call(*_RUN, *quick, *words, cwd=workshop.folder)
        ask = ("interview", "asked", "Whom do you trust?", "--agent", "1", "--mind", "llm")
        asked = call(*ask, "--model", "m", *words, cwd=workshop.folder)
    faults = result.refusal_faults() + asked.crash_faults()
    faults += [] if reason in result.stderr else ["the run does not give the reason"]
    shown = " ".join(asked.stdout.split())
    faults += [] if "(fallback: " in shown and reason in shown else ["nor does the interview"]
    return judge(faults, result.summary)


_FILES = {
    "a cassette": ("run", "polarization", "--mind", "replay", "--cassette", "FILE"),
    "a new cassette": (*_RUN, "--base-url", "http://127.0.0.1:9/v1", "--cassette", "FILE"),
    "a design": ("sweep", "FILE", "--out", "sweep"),
    "settings": ("run", "polarization", "--settings", "FILE"),
}


def _special_file(workshop: Workshop, *, words: tuple[str, ...]) -> Outcome:
    """Name a device and a pipe as a file."""
    os.mkfifo(workshop.folder / "pipe")
    faults, last = [], ""
    for name in ("/dev/zero", "pipe"):
        named = [name if word == "FILE" else word for word in words]
        result = call(*named, cwd=workshop.folder)
        faults += result.refusal_faults()
        faults += [] if "a device or a pipe" in result.stderr else [f"{name}: {result.summary}"]
        last = result.summary
    return judge(faults, last)


def _long_question(workshop: Workshop) -> Outcome:
    """Ask a question of 200,000 characters."""
    workshop.copy("opinions")
    long = "where when who " * 8_000
    result = call("interview", "run", long, "--agent", "1", cwd=workshop.folder)
    return judge(result.refusal_faults(), result.summary)


def _terminal(workshop: Workshop, *, encoding: str) -> Outcome:
    """Show an agent whose memories have characters that a terminal lacks."""
    past = workshop.folder / "past.csv"
    past.write_text("agent,topic,text\n1,social,你好 → 🙂 met me\n", encoding="utf-8")
    words = ("run", "polarization", "--agents", "20", "--days", "1", "--seed", "1", "--out", "run")
    call(*words, "--no-report", "--set", f"memories={past}", cwd=workshop.folder)
    shown = start(
        "show", "run", "--agent", "1", "--memories", "99",
        cwd=workshop.folder, env={"PYTHONIOENCODING": encoding},
    )  # fmt: skip
    faults = shown.crash_faults() + ([shown.summary] if shown.code else [])
    faults += [] if "met me" in shown.stdout else ["the memory is not shown"]
    return judge(faults, f"shown; {shown.summary}")


CASES = [
    *(
        Case(f"a model gives {what}", "its answer is used", partial(_drafts, form=form))
        for what, form in _FORMS.items()
    ),
    *(
        Case(f"a model gives {what}", "no answer", partial(_no_answers, form=form))
        for what, form in _NO_ANSWERS.items()
    ),
    *(
        Case(
            f"the quota is used up after {after} calls: HTTP {what}",
            "the run stops at once in one line, and is resumed",
            partial(_quota, answer=answer, after=after),
        )
        for what, answer in _USED_UP.items()
        for after in ((0, _AFTER) if what.startswith("429") else (_AFTER,))
    ),
    *(
        Case(
            f"a server answers {what}",
            "the run stops in one line with the reason; an interview gives it, too",
            partial(_something_else, answer=answer, reason=reason),
        )
        for what, (answer, reason) in _ELSE.items()
    ),
    *(
        Case(f"a device and a pipe as {what}", "one line", partial(_special_file, words=words))
        for what, words in _FILES.items()
    ),
    Case("a question of 120,000 characters", "one line", _long_question),
    *(
        Case(
            f"a terminal with {encoding}", "a question mark", partial(_terminal, encoding=encoding)
        )
        for encoding in ("latin-1", "ascii")
    ),
]
