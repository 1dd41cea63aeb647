"""Key memories of a chat with an assistant: statements of each user, and nothing else."""

from itertools import chain

from tests.sim.memory.layers.chat import (
    ASSISTANT,
    EXCHANGES,
    REPLIES,
    SMALL_TALK,
    USERS,
    User,
    hold_chat,
    messages,
)

from memopolis.sim.memory.layer_settings import LayerSettings
from memopolis.sim.memory.memory import Memory

LINES = {line for user in USERS for line in user.says.values()}


def facts(memory: Memory, row: int) -> list[str]:
    return [one.text for one in memory[row].layers.key]


def chatted(**settings: object) -> Memory:
    memory = Memory(agents=len(USERS))
    memory.layer_settings = LayerSettings(**settings)  # type: ignore[arg-type]
    hold_chat(memory)
    return memory


def check(kept: list[str], user: User) -> None:
    for words in user.kept:
        assert any(words in text for text in kept), (user.name, words)
    for words in user.dropped:
        assert not any(words in text for text in kept), (user.name, words)


def test_key_memories_are_what_each_user_stated_last() -> None:
    memory = chatted(key_actors=(-1,))  # of the users, whose words have no actor
    assert sum(len(memory[row].stream.list_ids()) for row in range(3)) == 300
    for row, user in enumerate(USERS):
        kept = facts(memory, row)
        check(kept, user)
        assert all(any(text in line for line in user.says.values()) for text in kept)
        assert {one.source for one in memory[row].layers.key} == {"auto"}
    context = memory[0].context("What would be a nice gift for me?", 600)
    assert context.fits
    assert any("cello" in line.text for line in context.part("key").lines)  # type: ignore[union-attr]


def test_without_settings_too_no_small_talk_is_kept() -> None:
    memory = chatted()
    small = {reply for reply in REPLIES if "{}" not in reply} | set(SMALL_TALK)
    for row, user in enumerate(USERS):
        kept = facts(memory, row)
        check(kept, user)
        assert not small.intersection(kept)
        assert not any(text.endswith("?") for text in kept)


def test_an_assistant_keeps_the_statements_of_each_user_apart() -> None:
    memory = Memory(agents=1)
    memory.name_of = ["Mara", "Jonas", "Sule"].__getitem__
    memory.layer_settings = LayerSettings(key_actors=(0, 1, 2), max_key_memories=6)
    for at in range(EXCHANGES):
        for row, user in enumerate(USERS):
            memory[0].stream.add("chat", messages(user, row)[at], actor=row)
            memory[0].stream.add("chat", "I live in a data centre.", continues=True)
    for row, user in enumerate(USERS):
        own = [one.text for one in memory[0].layers.key if one.actor == row]
        check(own, user)
        assert all(text.startswith(f"{user.name}: ") for text in own)
    assert {one.actor for one in memory[0].layers.key} == {0, 1, 2}


def test_replies_and_errands_state_nothing() -> None:
    memory = Memory(agents=1)
    for text in chain(REPLIES, SMALL_TALK):
        memory[0].stream.add("chat", text.format("soup"), actor=ASSISTANT)
    for text in messages(USERS[0], 0):
        if text not in LINES:
            memory[0].stream.add("chat", text)
    assert facts(memory, 0) == []
