"""Full streams report the memories that they drop."""

from memopolis.sim.memory.memory import Added, Memory


def listening(limit: int = 3, agents: int = 2) -> tuple[Memory, list[Added]]:
    memory = Memory(agents=agents, limit=limit)
    batches: list[Added] = []
    memory.evicted.append(batches.append)
    return memory, batches


def test_nothing_is_dropped_until_a_stream_is_full() -> None:
    memory, batches = listening()
    for number in range(3):
        memory.stream.add("other", f"note {number}")
        memory.flush()
    assert batches == []


def test_dropped_memories_are_reported_with_all_columns() -> None:
    memory, batches = listening()
    for number in range(5):
        memory.now = number
        memory[1].stream.add("social", f"note {number}", importance=0.2 * number, place=number)
        memory.flush()
    assert [one.rows.tolist() for one in batches] == [[1], [1]]
    assert [one.ids.tolist() for one in batches] == [[0], [1]]
    assert [memory.texts[int(one.text[0])] for one in batches] == ["note 0", "note 1"]
    assert [(int(one.time[0]), int(one.place[0])) for one in batches] == [(0, 0), (1, 1)]
    assert batches[1].importance.tolist() == [6_000]
    assert [one.id for one in memory[1].stream.read(range(5))] == [2, 3, 4]


def test_a_batch_larger_than_the_limit_drops_its_own_memories_too() -> None:
    memory, batches = listening()
    memory.deferred = True
    memory[0].stream.add("other", "first")
    memory.flush()
    for number in range(5):
        memory.stream.add("other", f"note {number}")
    memory.flush()
    (batch,) = batches
    pairs = list(zip(batch.rows.tolist(), batch.ids.tolist(), strict=True))
    assert pairs == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)]
    texts = [memory.texts[number] for number in batch.text.tolist()]
    assert texts == ["first", "note 0", "note 1", "note 0", "note 1"]


def test_forgotten_memories_are_not_reported() -> None:
    memory, batches = listening(agents=1)
    for number in range(3):
        memory[0].stream.add("other", f"note {number}")
    memory[0].stream.forget([0])
    memory[0].stream.add("other", "one more")
    memory.flush()
    assert batches == []
    memory[0].stream.add("other", "another")
    memory.flush()
    assert [one.ids.tolist() for one in batches] == [[1]]
