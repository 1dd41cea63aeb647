"""Random calls of the public memory interface: views of agents and cohorts, filters, profiles.

    calls = RandomCalls(seed=1)
    for _ in range(2_000):
        calls.make()
    calls.faults  # errors that are not those of the project, with the call that raised them

Arguments are drawn by the name of the parameter: usually a valid value, sometimes a hostile one. A
parameter without valid values is a fault of this module, so that a new verb is attacked, too.
"""

import inspect
import math
import types
import warnings
from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from memopolis import Filter, Memory, Profile
from memopolis.memory import Consolidation, ContextExtractor, Night, Review, Schema, carry
from memopolis.sim.errors import MemopolisError
from memopolis.sim.memory.layer_settings import LayerSettings
from memopolis.sim.memory.layers.summaries import extractive
from memopolis.sim.memory.retrieval.recollection import Recalled

AGENTS = 3
_HOSTILE = 0.3
"""Share of hostile arguments."""
_MOST_CALLS = 150
"""Calls on one memory, after which a new one is used."""
_OMITTED = 0.6
"""Share of the optional arguments that are left out."""

HOSTILE: tuple[Any, ...] = (
    None, True, -1, 0, 1, 2, 7, 255, 2**15, 2**31 - 1, 2**31, -(2**31) - 1, 2**63, 2**64, 10**400,
    0.5, 1.5, -0.1, 1e300, -1e300, math.nan, math.inf, -math.inf, 1j, "", " ", "x", "\ud800",
    "x" * 5_000, "{actor} {place} {evidence}", b"x", [], [[]], [[], [1]], [0], [0, 1, 2], [[0]],
    [[0, 1], [2]], ["a"], [None], [0.5, math.nan, 3.0], (), (1,), (1, 2), (5, 1), (1, 2, 3),
    ("a", "b"), {}, {"a": 1}, {1, 2}, frozenset(), object(), int, len, range(3), iter([1]),
    slice(None), ..., NotImplemented, np.int8(-1), np.uint64(2**63), np.float32(0.5), np.bool_(1),
    np.array(1), np.array([]), np.array([0, 1, 2]), np.array([2**40, -5, 0]), np.zeros((3, 0), int),
    np.zeros((3, 2), int), np.zeros((2, 3, 2), int), np.full((3, 1), -(2**62)), np.zeros(3),
    np.array([0.7, 1.9, math.nan]), np.array([True, False, True]), np.array(["a", "b", "c"]),
    np.array([None, 1, "a"], object), np.array([1j, 2, 3]), np.array(["NaT"], "datetime64[s]"),
    np.arange(100_000), np.ma.masked_array([1, 2, 3], [True, False, False]), Filter(), Profile(),
    Night(), Review(),
)  # fmt: skip
"""Values of every kind, of which few fit any parameter."""

_IDS = (
    0, 1, [0], [[0, 1], [2, -1], [-1, -1]], np.array([0, 1, 2]), np.zeros((3, 2), np.int64),
    np.array([[5], [6], [7]]), np.empty((3, 0), np.int32), 10**6,
)  # fmt: skip
_TEXTS = ("a flood on the road", "talked with {actor}", ["one", "two", "three"], 0, [0, 0, 0])
_SHARES = (0, 0.25, 1, [0.1, 0.2, 0.3], np.array([0.0, 1.0, 0.5], np.float32))
_QUERIES = ("road", "", "Ann yesterday", "in 2025", ["a", "b", "c"], ("road",) * 3)

VALID: dict[str, tuple[Any, ...]] = {
    "actor": (None, 0, 2, [0, 1, 2], np.array([1, 1, -1])),
    "actors": (None, {0: 1}, {}),
    "agents": (0, 3, 4, 5),
    "below": (0, 0.5, 1),
    "budget": (1, 20, 400),
    "by": ("importance", "time", "arousal", "published"),
    "cohort": (None,),
    "combine": ("sum", "product"),
    "confidence": _SHARES,
    "continues": (False, True, np.array([True, False, True])),
    "count": (len,),
    "days": (None, (0, 0), (-1, 5), [0, 1]),
    "default": (0.5, 1, "", [], {}, {"a": 1.0}, True, set(), None),
    "depth": (0, 1, 3),
    "dtype": (None, "f4", "i2", "f8"),
    "each": (None, [0, 0, 0], np.array([0, 1, 0])),
    "embedder": ("static",),
    "emotion": (None, "Joy", "", ["Joy", "Fear", "Hope"], "positive", "urgent"),
    "explain": (False, True),
    "extra": ((),),
    "fading": ("fixed", "adaptive"),
    "feeling": (None, 0.5, -1, [0, 0.1, 1], np.zeros(3)),
    "first": (-2, 0, 3),
    "forget_older": (None, 0, 24.0),
    "how": (None, Review(), Review(least=0.2)),
    "ids": _IDS,
    "importance": _SHARES,
    "index": (0, 1, -1),
    "indices": ([0], [0, 1, 2], np.array([2, 0]), np.array([], int)),
    "k": (1, 3, 10, 1_001, None),
    "key": ("cash", "mood", "name", "friends", "mood.joy", "home", {"cash": 1.0, "name": "x"}),
    "kind": ("event", "thought"),
    "last": (0, 3, 9),
    "least": (None, 0, 0.3, 1),
    "limit": (1, 5, 40, 1000),
    "memories": _IDS,
    "merge": (False, True),
    "mode": ("replace", "merge"),
    "name": ("text", "time", "importance", "tags", "valence", "cash", "other", "recall", "mood"),
    "names": (["work", "news"], ("work",)),
    "night": (
        None, Night(), Night(relate=True, cluster=True), Night(merge=2, repeats=2),
        Night(forget_below=0.9, forget_older=1.0),
    ),
    "normalise": ("none", "min-max"),
    "number": (0, 1, 5),
    "older_than": (None, 0, 1.5, 100),
    "only": (None, "home", ["home"], ()),
    "order": ("best", "newest"),
    "place": (None, 0, 5, [0, 1, 2], np.array([1, -1, 3])),
    "places": (None, {0: 1}),
    "policy": ("layers", "full history", "sliding window", "random"),
    "profile": (
        "recall", "act", "lasting", "working", "society", "town", "recommend",
        Profile(recency=1.0), Profile(bm25=1, keyword=0.5), Profile(consolidation=1, feeling=1),
    ),
    "queries": (["road"], ["a", "b"], []),
    "query": _QUERIES,
    "recall": ("scored", "random", "none"),
    "review": (Review(), Review(by="published")),
    "row": (0, 1, 2),
    "rows": ([0], [0, 1, 2], np.array([2, 0]), None),
    "schema": (None, Schema()),
    "seed": (0, 5),
    "sign": (None, "positive", "negative", "urgent"),
    "since": ("accessed", "created"),
    "source": (None,),
    "store": (None,),
    "tags": (None, "urgent", ("urgent", "positive"), 3, np.array([0, 1, 2])),
    "text": _TEXTS,
    "texts": (None,),
    "thought": ("I should leave", ["a", "b", "c"], None),
    "threads": (1, 2),
    "tick": (0, 5, 100),
    "ticks": (None, (0, 5), (-3, 100)),
    "time_to_live": (None, 24.0),
    "to": (None, 0, [0, 1, 2]),
    "top": (None, 1, 3),
    "topic": ("work", "news", "a flood", np.array([0, 0, 1]), None),
    "trivia": (Night().trivia,),
    "valence": (None, 0, -1, 0.5, [0.1, -0.2, 1]),
    "value": (1.5, 2, "x", True, [1], {"joy": 0.5}, {"a"}, np.array([1.0, 2.0, 3.0])),
    "which": (np.array([0, 0]), np.array([], int)),
    "when": (None, (0, 5), ([0, 1, 2], [5, 5, 5])),
    "where": (Filter(), Filter(topic="work"), Filter(days=(0, 1), place=[0, 1, 2]), Filter(tags=1)),
    "without": ((), ("idle",)),
    "writer": (extractive, lambda _: "A summary."),
}  # fmt: skip
"""Valid values by the name of the parameter; some need a certain number of agents."""

_NUMBERS = tuple(one.name for one in fields(Profile) if one.type in ("float", float))
_COUNTS = ("forget_below", "replay", "relate", "cluster", "repeats")
_LAYERS = tuple(one.name for one in fields(LayerSettings))
_STRENGTHS = tuple(one.name for one in fields(Consolidation))
VALID |= {name: (0, 0.5, 1) for name in _NUMBERS if name not in VALID}
VALID |= dict.fromkeys(_COUNTS, (0, 2, False, True))
VALID |= {name: (1, 5, None) for name in _LAYERS if name not in VALID}
VALID |= {name: (0.5, 1, 2.0) for name in _STRENGTHS if name not in VALID}

SKIPPED = {
    "memory": "an attribute",
    "connect": "tested with stores",
    "load": "the family of crafted files",
    "restore": "the family of crafted files",
    "save": "called with paths below",
    "count": "of Python's sequences",
    "index": "of Python's sequences",
    "kind": "class of the entries",
    "compute": "takes a compiled function of a block",
    "flush": "no arguments",
    # What blocks and the engine use, behind the verbs.
    "drop_pending": "no arguments",
    "forget_index": "no arguments",
    "decay_table": "takes numbers of a profile that a search has checked",
    "parsed": "takes a text that a search has checked",
    "day_and_second": "takes the tick of a memory",
    "issue": "takes rows that a verb has checked",
    "open_stream": "an attribute",
    "name_of": "an attribute",
    "place_name": "an attribute",
    "date_of": "an attribute",
}
"""Members that are not called, with the reason."""


class RandomCalls:
    """Random calls, from a seed; `faults` lists what should not have happened.

    Attributes:
        made: Number of calls.
        refused: Number of those that raised an error of the project.
        faults: Errors of other kinds, with the call.
    """

    def __init__(self, seed: int) -> None:
        self.made = self.refused = 0
        self.faults: list[str] = []
        self.last = ""
        self._draws = np.random.default_rng(seed)
        self._results: list[Recalled] = []
        self._memory = self._new_memory()

    def make(self) -> None:
        """Make one call."""
        if self.made % _MOST_CALLS == 0:
            self._memory = self._new_memory()
        target, label = self._choose(self._targets())
        name, verb = self._choose(_verbs_of(target))
        self.last = f"{label}.{name}"
        arguments = self._arguments(verb)
        shown = ", ".join(f"{key}={_shown(value)}" for key, value in arguments.items())
        self.last = f"{label}.{name}({shown})"
        self.made += 1
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                _use(verb(**arguments))
        except MemopolisError as error:
            self.refused += 1
            if "\n" in str(error) or not str(error):
                self.faults.append(f"{self.last}: not one line: {str(error)[:80]!r}")
        except Exception as error:  # noqa: BLE001 - whatever else is raised is the finding
            self.faults.append(f"{type(error).__name__}: {str(error)[:100]} <- {self.last}")

    def _new_memory(self) -> Memory:
        schema = Schema()
        schema.declare("cash", 10.0)
        schema.declare("home", "a house by the river", embed=True)
        schema.declare("friends", [])
        schema.declare("mood", {"joy": 0.5})
        memory = Memory(AGENTS, schema=schema, limit=self._choose((5, 40, 1_000)))
        memory.layer_settings = LayerSettings(
            short_term_size=3, summary_interval=3, hit_threshold=0
        )
        memory.names = {"Ann": 0, "Bob": 1}
        if self._draws.random() < 0.5:
            memory.extractor = ContextExtractor()
        for tick in range(8):
            memory.now = 7 * tick
            memory.stream.add("work", "Worked in the shop", actor=1, valence=0.2)
            memory.stream.add("news", [f"The road {i} is flooded" for i in range(AGENTS)], place=1)
        self._results += [memory.stream.search("road", k=3), memory.of([1]).stream.search("work")]
        memory.stream.forget([[3], [-1], [3]])
        self._results.append(memory.stream.search("road"))
        odd: tuple[Any, ...] = ([0], [[0.5]], None), (None, "road", 3)
        self._results += [Recalled(*one) for one in odd]
        memory.deferred = self._draws.random() < 0.2
        memory.recall = self._choose(("scored", "scored", "random", "none"))
        return memory

    def _targets(self) -> list[tuple[Any, str]]:
        memory = self._memory
        cohort = memory.of(self._choose(([0, 1, 2], [2, 0], [1], [])))
        agent = memory[int(self._draws.integers(AGENTS))]
        if self._draws.random() < 0.2:
            cohort, agent = cohort.observed, agent.observed
        agent_layers = agent.layers
        return [
            (memory, "memory"), (cohort, "cohort"), (agent, "agent"),
            (agent.stream, "agent.stream"), (agent.stream, "agent.stream"),
            (cohort.stream, "cohort.stream"),
            (cohort.stream, "cohort.stream"), (memory.stream, "memory.stream"),
            (agent.status, "agent.status"), (cohort.status, "cohort.status"),
            (agent.knowledge, "agent.knowledge"), (cohort.knowledge, "cohort.knowledge"),
            (agent_layers, "agent.layers"), (cohort.layers, "cohort.layers"),
            (agent_layers.short, "short"), (agent_layers.mid, "mid"), (agent_layers.long, "long"),
            (agent_layers.key, "key"), (_Made(memory), "new"),
        ]  # fmt: skip

    def _choose(self, values: Sequence[Any]) -> Any:
        return values[int(self._draws.integers(len(values)))]

    def _arguments(self, verb: Callable[..., Any]) -> dict[str, Any]:
        chosen: dict[str, Any] = {}
        for name, parameter in inspect.signature(verb).parameters.items():
            if parameter.kind is parameter.VAR_KEYWORD:
                extra = self._choose(("text", "importance", "valence", "place", "tags", "z"))
                if self._draws.random() < 0.5:
                    chosen[extra] = self._value(extra if extra != "z" else "key")
                continue
            required = parameter.default is parameter.empty
            if required or self._draws.random() > _OMITTED:
                chosen[name] = self._value(name)
        return chosen

    def _value(self, name: str) -> Any:
        if name == "memories" and self._results and self._draws.random() < 0.5:
            return self._choose(self._results)  # of these agents or others, and other memories
        valid = VALID[name]
        hostile = self._draws.random() < _HOSTILE
        value = self._choose(HOSTILE if hostile else valid)
        if name in ("count", "writer") and callable(value):
            return valid[0]  # errors of functions of the caller are the caller's
        # As many agents would be allocated, which is no fault.
        return 3 if name == "agents" and type(value) is int and 2**20 < value < 2**31 else value


class _Made:
    """Constructors and functions, as verbs of a memory."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self.filter, self.profile, self.night, self.review = Filter, Profile, Night, Review
        self.consolidation, self.layer_settings, self.new = Consolidation, LayerSettings, Memory

    def declare(self, name: Any, default: Any, dtype: Any = None) -> None:
        Schema().declare(name, default, dtype)

    def carry(self, row: Any, actors: Any = None, places: Any = None) -> int:
        return carry(self._memory[row], Memory(1)[0], actors=actors, places=places)

    def clock(self, tick: Any) -> None:
        self._memory.now = tick

    def save(self, rows: Any = None) -> None:
        with TemporaryDirectory() as folder:
            Memory.load(self._memory.save(Path(folder) / "memory", rows=rows))


def _verbs_of(target: Any) -> list[tuple[str, Callable[..., Any]]]:
    verbs: list[tuple[str, Callable[..., Any]]] = []
    for name in dir(target):
        if name in SKIPPED and not isinstance(target, _Made):
            continue
        if name.startswith("_") and name not in ("__getitem__", "__call__", "__contains__"):
            continue
        if isinstance(getattr(type(target), name, None), property):
            continue
        if name in ("__getitem__", "__contains__") and isinstance(target, Sequence):
            continue
        verb = getattr(target, name)
        if isinstance(verb, types.MethodType | type) and name != "_memory":
            verbs.append((name, verb))
    return verbs


def _use(result: Any) -> None:
    """Read a result as its caller would."""
    for name in ("column", "times"):
        if hasattr(result, name) and type(result).__name__ == "Located":
            getattr(result, name)(*(["text"] if name == "column" else []))
    str(result)
    if hasattr(result, "__len__") and not isinstance(result, np.ndarray):
        len(result)


def _shown(value: Any) -> str:
    text = " ".join(repr(value).split()) if not isinstance(value, int) else hex(value)[:24]
    return text if len(text) <= 60 else f"{text[:57]}..."
