"""Layers for any order of operations and any budget."""

from hypothesis import given, settings
from hypothesis import strategies as st

from memopolis.sim.memory.layer_settings import LayerSettings
from memopolis.sim.memory.layers.contexts import POLICIES, Policy, count_tokens
from memopolis.sim.memory.memory import Memory

ORDER = ("key", "long", "mid", "short", "history", "input")

TEXTS = st.sampled_from(
    [
        "The storm tore the roof off.",
        "A storm took our roof!",
        "Bread for my sister",
        "飓风警报响起。",
        "",
        "?!",
    ]
)

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), TEXTS),
        st.tuples(st.just("forget"), st.integers(-1, 40)),
        st.tuples(st.just("delete"), st.integers(-1, 40)),
        st.tuples(st.just("pin"), st.sampled_from(["I cannot swim.", "你好"])),
        st.tuples(st.just("ask"), TEXTS),
        st.tuples(st.just("mid"), TEXTS),
    ),
    max_size=40,
)


@settings(max_examples=40, deadline=None)
@given(STEPS, st.integers(1, 200), st.sampled_from(POLICIES), TEXTS)
def test_a_context_has_a_fixed_order_a_budget_and_only_own_memories(
    steps: list[tuple[str, str | int]], budget: int, policy: Policy, query: str
) -> None:
    memory = Memory(agents=2, limit=12)
    memory.layer_settings = LayerSettings(
        short_term_size=3, summary_interval=4, hit_threshold=1, similarity_threshold=0.5
    )
    one = memory[0]
    for verb, given_ in steps:
        if verb == "add":
            one.stream.add("life", str(given_))
        elif verb == "forget":
            one.stream.forget([int(given_)])
        elif verb == "delete":
            one.layers.short.delete(int(given_))
            one.layers.long.delete(int(given_))
            one.layers.key.delete(int(given_))
        elif verb == "pin":
            one.layers.key.add(str(given_))
        elif verb == "ask":
            one.context(str(given_), 100)
        else:
            one.layers.mid(str(given_))
        memory.now += 1

    context = one.context(query, budget, policy=policy)
    names = [part.name for part in context.parts]
    assert names == sorted(names, key=ORDER.index)
    assert context.tokens == count_tokens(context.text)
    assert context.fits or set(names) <= {"key", "input"}
    held = {m.id for m in one.stream.read(range(memory.issued[0]))}
    live = [p for p in context.parts if p.name in ("mid", "short", "history")]
    shown = [number for part in live for line in part.lines for number in line.memories]
    assert set(shown) <= held
    assert len(shown) == len(set(shown))  # no sentence is repeated
    facts = one.layers.key
    assert [f.source for f in facts] == sorted((f.source for f in facts), reverse=True)
    assert len({f.id for f in facts}) == len(facts)
    assert all(len(s.text) <= 200 for s in one.layers.long)
    assert memory[1].context("", 100).text == ""
