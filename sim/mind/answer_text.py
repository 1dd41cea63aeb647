"""Find the answer in the text of a model, which may contain reasoning, drafts and prose.

    text -> remove reasoning -> JSON objects, the last first -> the first that the reader accepts

A model that corrects itself, or repeats an example first, gives its answer last.
"""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from typing import Any

from memopolis.sim.mind.reading import Unreadable

LONGEST = 20_000  # maximum number of characters of an answer without its reasoning

_MOST_OBJECTS = 20  # maximum number of objects that are tried
_MOST_OPEN = 20  # maximum number of braces that are skipped, since they are prose
_MOST_NESTED = 1_000  # maximum number of objects and lists in a repaired one: time is quadratic
_TAGS = r"(?:\w+:)?(?:think|thinking|thoughts?|reasoning|reflection|analysis|scratchpad)"
_REASONING_MARK = re.compile(
    rf"(?P<begin><{_TAGS}\b[^<>]*>|\[THINK\]|<\|START_THINKING\|>|◁think▷"
    r"|<\|channel\|>\s*(?:analysis|commentary))"
    rf"|</{_TAGS}\s*>|\[/THINK\]|<\|END_THINKING\|>|◁/think▷|<\|channel\|>\s*final",
    re.IGNORECASE,
)
"""Marks at which the reasoning of a model begins or ends: tags, and channels of gpt-oss."""
_BRACE_OR_STRING = re.compile(r'[{}]|"(?:[^"\\\n]|\\.)*+"?')


def read_answer[T](text: str, read: Callable[[Any], T]) -> T:
    """Return the content of the last JSON object of a text that a reader accepts.

    Small errors of JSON are repaired. If no object is accepted, raises the `Unreadable` of the last
    one, of those that are valid JSON if there are any.
    """
    text = _without_reasoning(text)
    if len(text) > LONGEST:
        raise Unreadable(f"it has more than {LONGEST} characters")
    fault, fault_is_of_valid = Unreadable("it holds no whole JSON object"), False
    for number, (data, is_valid) in enumerate(islice(_objects(text), _MOST_OBJECTS)):
        try:
            return read(data)
        except Unreadable as unreadable:
            if not number or is_valid > fault_is_of_valid:
                fault, fault_is_of_valid = unreadable, is_valid
    raise fault


def _without_reasoning(text: str) -> str:
    """Return a text without its reasoning, unless the whole text is a JSON object.

    Reasoning that does not end, because the answer was cut off, reaches to the end of the text. The
    mark at its beginning may be missing, since some servers put it into the prompt.
    """
    if isinstance(_parsed(text), dict):
        return text
    kept: list[str] = []
    end, is_reasoning = 0, False
    for mark in _REASONING_MARK.finditer(text):
        if mark["begin"]:
            if not is_reasoning:
                kept.append(text[end : mark.start()])
        elif not is_reasoning:
            kept.clear()
        is_reasoning, end = bool(mark["begin"]), mark.end()
    return "".join(kept if is_reasoning else [*kept, text[end:]])


def _objects(text: str) -> Iterator[tuple[Any, bool]]:
    """Yield the objects of a text, the last first, and whether each is valid JSON."""
    spans = _balanced_spans(text)
    for span in reversed(spans):
        data = _parsed(span)
        if data is not None:
            yield data, True
        else:
            yield _repaired(span), False
            # The braces may be prose around an object.
            for inner in reversed(_inner_objects(span)):
                yield inner, True
    first, last = text.find("{"), text.rfind("}")
    # Braces may be missing in an otherwise readable object.
    if 0 <= first < last and spans != [text[first : last + 1]]:
        yield _repaired(text[first : last + 1]), False


def _balanced_spans(text: str) -> list[str]:
    """Return the parts of a text in balanced braces, from first to last, without nested ones."""
    spans: list[str] = []
    start, is_open = text.find("{"), 0
    while start >= 0 and is_open <= _MOST_OPEN:
        end = _closing_brace(text, start)
        if end:
            spans.append(text[start:end])
        else:
            is_open += 1
        start = text.find("{", end or start + 1)
    return spans


def _inner_objects(span: str) -> list[Any]:
    """Return the valid objects within the braces of a span that is none, from first to last."""
    decoder, objects, end = json.JSONDecoder(), list[Any](), 0
    for brace in islice(re.finditer("{", span), 1, _MOST_OPEN):
        if brace.start() >= end:
            with suppress(ValueError, RecursionError):
                data, end = decoder.raw_decode(span, brace.start())
                objects.append(data)
    return objects


def _closing_brace(text: str, start: int) -> int:
    """Return the position behind the brace that closes the one at `start`, 0 if none does."""
    depth = 0
    for token in _BRACE_OR_STRING.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        if not depth:
            return token.end()
    return 0


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _repaired(text: str) -> Any:
    if text.count("{") + text.count("[") > _MOST_NESTED:
        return None
    from json_repair import repair_json

    try:
        return repair_json(text, return_objects=True, skip_json_loads=True)
    except (ValueError, RecursionError):
        return None
