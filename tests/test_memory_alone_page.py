"""The examples in the table of docs/memory-alone.md run."""

import re
from pathlib import Path

from memopolis import Filter, Memory

PAGE = Path(__file__).parents[1] / "docs" / "memory-alone.md"
SYSTEMS = (
    "agent_retrieve", "new_agent_retrieve", "KVMemory.update", "StreamMemory.add", "search_today",
    "add_cognition_to_memory", "retrieve", "ShortTermMemory", "MidTermMemory",
    "long-term summaries", "KeyMemory", "_track_access", "adaptive_half_life",
    "ContextExtractor", "memory_contextual_search", "memory_assess_knowledge",
    "memory_knowledge_map", "memory_review_due",
)  # fmt: skip


def rows() -> list[tuple[str, str]]:
    """Return the name and the example of every row that has one."""
    text = PAGE.read_text(encoding="utf-8")
    table = text[text.index("## Coming from another system") :]
    result = re.findall(r"^\| (.+?) \| .+ \| `(.+)` \|$", table, re.MULTILINE)
    return [(item.strip("`"), line) for item, line in result]


def test_every_concept_of_the_five_systems_has_an_example() -> None:
    assert set(SYSTEMS) <= {item for item, _ in rows()}


def test_every_example_in_the_table_runs() -> None:
    memory = Memory(agents=3)
    ann, bob, _ = memory
    for hour in range(15):
        memory.now = hour
        ann.stream.add("disaster", f"The storm came nearer, hour {hour}", actor=bob)
    names = {"Filter": Filter, "memory": memory, "ann": ann, "bob": bob, "print": str}
    for item, line in rows():
        eval(line, {}, names)  # noqa: S307
        assert item
