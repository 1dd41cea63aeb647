"""The template language of prompts: a subset of Jinja with limited time and memory.

A template can insert values, branch, loop over lists and include other templates. Everything that
could grow without bounds is excluded or limited, since a template may come with a run folder from a
stranger. Excluded nodes of the syntax tree are refused when a template is compiled; limits that
depend on values are checked during rendering.
"""

import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from functools import wraps
from pathlib import Path
from typing import Any, cast

from jinja2 import FunctionLoader, StrictUndefined, TemplateNotFound, TemplateSyntaxError, nodes
from jinja2.exceptions import TemplateRuntimeError
from jinja2.filters import FILTERS
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

from memopolis.sim.errors import DataFileError, reason_of
from memopolis.sim.files import read_regular

LONGEST_FILE = 32 * 1024  # maximum number of bytes of a template file
LONGEST_PROMPT = 1_000_000  # maximum number of characters of the output
LARGEST_VALUE = 100_000
"""Maximum number of characters and nested entries of a text or list created by a template."""
LARGEST_NUMBER = 2**63  # largest absolute value of integers in calculations
LONGEST_RANGE = 10_000  # maximum length of a `range`
MOST_STEPS = 1_000_000
"""Maximum number of steps for one prompt: loop iterations, and entries of new lists."""
STEPS_OF_AN_INCLUDE = 1_000  # number of steps counted for an include
LONGEST_TIME = 10.0  # maximum processor time for one prompt in seconds

METHODS = ("endswith", "get", "items", "keys", "startswith", "values")
"""Methods that templates may call."""
_PLAIN_FILTERS = (
    "abs", "capitalize", "count", "d", "default", "dictsort", "first", "float", "int", "items",
    "last", "length", "list", "lower", "max", "min", "reverse", "sort", "title", "trim", "unique",
    "upper",
)  # fmt: skip
"""Filters of Jinja whose results are not larger than their arguments."""
_NODES = (
    nodes.Template, nodes.Output, nodes.TemplateData, nodes.If, nodes.For, nodes.Assign,
    nodes.With, nodes.Include, nodes.Name, nodes.Const, nodes.List, nodes.Tuple, nodes.Dict,
    nodes.Pair, nodes.Keyword, nodes.CondExpr, nodes.Filter, nodes.Test, nodes.Call,
    nodes.Getattr, nodes.Getitem, nodes.Slice, nodes.Compare, nodes.Operand, nodes.And, nodes.Or,
    nodes.Not, nodes.Add, nodes.Sub, nodes.Mul, nodes.Div, nodes.FloorDiv, nodes.Mod, nodes.Neg,
    nodes.Pos, nodes.Concat,
)  # fmt: skip
_NUMBERS, _SEQUENCES = (int, float), (list, tuple)
_SIZED, _JOINED, _COUNTED = "_sized", "_joined", "_counted"


class Templates(ImmutableSandboxedEnvironment):
    """Load and render templates from the first folder that has them; `printed` formats values."""

    intercepted_binops = frozenset({"+", "-", "*", "/", "//", "%", "**"})

    def __init__(self, folders: Sequence[Path], printed: Callable[[Any], str]) -> None:
        super().__init__(
            loader=FunctionLoader(lambda name: _load(folders, name)),
            undefined=StrictUndefined,
            autoescape=False,
            auto_reload=False,
            # Otherwise constant expressions would be evaluated on loading, without limits.
            optimized=False,
            finalize=lambda value: (
                str(value) if isinstance(value, StrictUndefined) else printed(value)
            ),
            trim_blocks=True,
        )
        self.globals = {"range": _range}
        self.filters = {name: _limited(FILTERS[name]) for name in _PLAIN_FILTERS} | {
            "join": _limited(_join),
            "round": _limited(_round),
            _SIZED: _sized,
            _JOINED: _join,
            _COUNTED: _counted,
        }

    def fill(self, names: Sequence[str], values: Mapping[str, Any]) -> str:
        """Render the first of some files that exists, with values that it may insert."""
        before = _meter.set(_Meter())
        try:
            return "".join(_cut_off(self.select_template(list(names)).generate(values)))
        except Exception as error:  # noqa: BLE001 - a template can raise any error
            raise DataFileError(
                f"the prompt {_place(error, names[0])} cannot be filled in: {_reason(error)}"
            ) from None
        finally:
            _meter.reset(before)

    def get_template(self, *args: Any, **options: Any) -> Any:
        """Load a template for an `include`."""
        _meter.get().count(STEPS_OF_AN_INCLUDE)
        return super().get_template(*args, **options)

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """Calculate with numbers, within the limits."""
        for value in (left, right):
            if isinstance(value, StrictUndefined):
                str(value)  # raises an error with its name
            if not isinstance(value, _NUMBERS):
                raise TemplateRuntimeError(
                    f"{operator} takes numbers, not {_shown(value)}; join texts with ~"
                )
            _sized(value)
        return super().call_binop(context, operator, left, right)

    def _generate(self, source: nodes.Template, *args: Any, **options: Any) -> str:
        return super()._generate(_Checked().visit(source), *args, **options)


class _Meter:
    """Count the steps and time of one rendering."""

    def __init__(self) -> None:
        self._steps = 0
        self._until = time.thread_time() + LONGEST_TIME

    def count(self, steps: int = 1) -> None:
        """Count steps, and check the limits of steps and time."""
        self._steps += steps
        if self._steps > MOST_STEPS:
            raise TemplateRuntimeError(f"it takes more than {MOST_STEPS:,} steps")
        if time.thread_time() > self._until:
            raise TemplateRuntimeError(f"it takes more than {LONGEST_TIME:g} seconds")


_meter: ContextVar[_Meter] = ContextVar("what a rendering has used up")


class _Checked(NodeTransformer):
    """Refuse excluded nodes, and add the filters that check loops and new values."""

    def visit(self, node: nodes.Node, *args: Any, **options: Any) -> Any:
        if not isinstance(node, _NODES):
            name = getattr(node, "operator", None) or type(node).__name__.lower()
            self._refuse(node, f"{name} is not available in prompts")
        return super().visit(node, *args, **options)

    def visit_Include(self, node: nodes.Include) -> nodes.Node:  # noqa: N802
        if not isinstance(node.template, nodes.Const) or not node.with_context:
            self._refuse(node, "an include names a file: {% include 'data.jinja' %}")
        return node

    def visit_For(self, node: nodes.For) -> nodes.Node:  # noqa: N802
        if node.recursive:
            self._refuse(node, "a recursive loop is not available in prompts")
        self.generic_visit(node)
        node.iter = _filtered(node.iter, _COUNTED)
        return node

    def visit_Call(self, node: nodes.Call) -> nodes.Node:  # noqa: N802
        called = node.node
        is_range = isinstance(called, nodes.Name) and called.name == "range"
        is_method = isinstance(called, nodes.Getattr) and called.attr in METHODS
        if not (is_range or is_method) or node.dyn_args or node.dyn_kwargs:
            self._refuse(
                node, f"only range() and the methods {', '.join(METHODS)} can be called in prompts"
            )
        return self.generic_visit(node)

    def visit_Filter(self, node: nodes.Filter) -> nodes.Node:  # noqa: N802
        known = sorted({*_PLAIN_FILTERS, "join", "round"})
        if node.name not in known or node.node is None or node.dyn_args or node.dyn_kwargs:
            self._refuse(
                node, f"the filter {node.name} is not available; there are: {', '.join(known)}"
            )
        return self.generic_visit(node)

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:  # noqa: N802
        self.generic_visit(node)
        return _filtered(nodes.List(node.nodes, lineno=node.lineno), _JOINED)

    def visit_List(self, node: nodes.List | nodes.Tuple | nodes.Dict) -> nodes.Node:  # noqa: N802
        self.generic_visit(node)
        return node if getattr(node, "ctx", "load") == "store" else _filtered(node, _SIZED)

    visit_Tuple = visit_Dict = visit_List  # noqa: N815

    def _refuse(self, node: nodes.Node, why: str) -> None:
        raise TemplateSyntaxError(why, node.lineno)


def _filtered(node: nodes.Node, name: str) -> nodes.Filter:
    return nodes.Filter(cast("nodes.Expr", node), name, [], [], None, None, lineno=node.lineno)


def _counted(values: Iterable[Any]) -> Iterator[Any]:
    """Yield the values of a loop, and count them."""
    meter = _meter.get()
    for value in values:
        meter.count()
        yield value


def _sized[T](value: T) -> T:
    """Return a value unless it is too large."""
    left, pending, steps = LARGEST_VALUE, [value], 0
    while pending:
        one: Any = pending.pop()
        steps += 1
        if isinstance(one, int) and abs(one) > LARGEST_NUMBER:
            raise TemplateRuntimeError(f"a number exceeds {LARGEST_NUMBER:,}")
        if isinstance(one, str):
            left -= len(one)
        elif isinstance(one, _SEQUENCES):
            left -= len(one)
            pending += one if left >= 0 else ()
        elif not isinstance(one, _NUMBERS) and isinstance(one, Mapping):
            left -= 2 * len(one)
            pending += [*one.keys(), *one.values()] if left >= 0 else ()
        if left < 0:
            raise TemplateRuntimeError(
                f"a text or list has more than {LARGEST_VALUE:,} characters or entries"
            )
    _meter.get().count(steps)
    return value


def _join(values: Iterable[Any], separator: object = "") -> str:
    parts, between, length = list[str](), str(separator), 0
    for value in values:
        parts.append(str(_sized(value)))
        length += len(parts[-1]) + len(between)
        if length > LARGEST_VALUE:
            raise TemplateRuntimeError(f"a text has more than {LARGEST_VALUE:,} characters")
    return between.join(parts)


def _round(value: float, digits: int = 0) -> float:
    if not -15 <= digits <= 15:
        raise TemplateRuntimeError(f"round has {_shown(digits)} digits; allowed are -15 to 15")
    return round(value, digits) if digits else float(round(value))


def _range(*bounds: int) -> range:
    numbers = range(*(_sized(bound) for bound in bounds))
    if len(numbers) > LONGEST_RANGE:
        raise TemplateRuntimeError(
            f"range has {len(numbers):,} numbers; allowed are {LONGEST_RANGE:,}"
        )
    return numbers


def _limited(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a filter that checks the size of its result."""

    @wraps(function)
    def limited(*args: Any, **options: Any) -> Any:
        return _sized(function(*args, **options))

    return limited


def _cut_off(pieces: Iterable[str]) -> Iterator[str]:
    """Yield the output of a template up to the limit."""
    length = 0
    for piece in pieces:
        length += len(piece)
        if length > LONGEST_PROMPT:
            raise TemplateRuntimeError(f"its output has more than {LONGEST_PROMPT:,} characters")
        yield piece


def _load(folders: Sequence[Path], name: str) -> tuple[str, str, None] | None:
    """Read a file from the first folder that contains it, unless it is a link to elsewhere."""
    if Path(name).name != name:
        raise DataFileError(f"{name!r} is not the name of a file in the same folder")
    for folder in folders:
        path = folder / name
        if not path.exists():
            continue
        # The folder may be part of a run folder of a stranger; the shipped one is trusted.
        if path != folders[-1] / name and path.resolve().parent != folder.resolve():
            raise DataFileError(f"{path} is a link to a file elsewhere; copy the file")
        return _text_of(path), str(path), None
    return None


def _text_of(path: Path) -> str:
    try:
        return read_regular(path, largest=LONGEST_FILE).decode()
    except OSError as error:
        raise DataFileError(f"{path}: {reason_of(error)}") from None


def _place(error: Exception, name: str) -> str:
    """Return the file and line of an error, if known."""
    if isinstance(error, TemplateSyntaxError):
        return f"{error.name or name}, line {error.lineno},"
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame for frame in frames if frame.filename.endswith(".jinja")]
    return f"{Path(lines[-1].filename).name}, line {lines[-1].lineno}," if lines else name


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply, or includes itself"
    if isinstance(error, TemplateNotFound):
        return f"there is no file {' or '.join(map(str, getattr(error, 'templates', [error])))}"
    return " ".join(str(error).split())[:300] or type(error).__name__


def _shown(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 40 else f"{shown[:40]}..."
