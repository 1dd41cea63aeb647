"""A chat of three users with an assistant, 300 turns long: facts, errands and small talk."""

from dataclasses import dataclass, field
from itertools import cycle, islice

from memopolis.sim.memory.memory import Memory

ASSISTANT = 9  # unique_id of the assistant
EXCHANGES = 50  # of each user: a message and the reply to it

ERRANDS = (
    "Can you give me a recipe for {}?", "How long does {} take?", "Write two lines about {}.",
    "What goes well with {}?", "Is there anything to know about {}?",
)  # fmt: skip
SUBJECTS = ("lentil soup", "a paper boat", "the night bus", "tomato jam", "a birthday card")
REPLIES = (
    "Sure, here you go.", "Of course! Let me know if you need anything else.",
    "Happy to help.", "Sure, here you go: {} in three easy steps.", "Great question!",
    "I would love to help you with {}.", "Here is what I have on {}. Anything else?",
)  # fmt: skip
SMALL_TALK = ("Thanks, that is great!", "Good morning!", "Ok, sounds good.", "Ha, nice one.")


@dataclass(frozen=True)
class User:
    """What a user says about themselves, by number of the message, and what should be kept."""

    name: str
    says: dict[int, str]
    kept: tuple[str, ...]  # words of which each is in a key memory at the end
    dropped: tuple[str, ...] = field(default=())  # words that are in none


USERS = (
    User(
        "Mara",
        {
            2: "Good morning! By the way, I live in Porto.",
            5: "I am allergic to hazelnuts, so please leave them out.",
            9: "My daughter Ines is six. Could you suggest a game?",
            14: "I want to learn the cello one day.",
            21: "I work as a paramedic, mostly nights.",
            27: "I prefer short answers.",
            36: "Big news: I moved to Braga last weekend!",
            44: "I no longer work as a paramedic, I now work at a school.",
        },
        ("Braga", "hazelnuts", "Ines", "cello", "at a school", "short answers"),
        ("Porto", "mostly nights"),
    ),
    User(
        "Jonas",
        {
            1: "Hi, my name is Jonas.",
            4: "I'm from Graz, and I live in Leipzig now.",
            11: "I hope to see the northern lights with my brother.",
            18: "I'd rather have a window seat on trains.",
            25: "We have a tight budget: I can't spend more than 40 euros a day.",
            33: "Actually, I'd rather have an aisle seat, my knee hurts.",
            40: "My brother Emil is afraid of flying.",
        },
        ("Jonas", "Leipzig", "northern lights", "aisle seat", "40 euros", "Emil"),
        ("window seat",),
    ),
    User(
        "Sule",
        {
            3: "I'm vegetarian. And I love spicy food!",
            8: "I live in Izmir with two cats.",
            16: "My cats are called Fig and Olive.",
            24: "I plan to open a small bakery in spring.",
            31: "I changed my mind: I plan to open the bakery in autumn.",
            42: "I'm not vegetarian any more, I eat fish now.",
        },
        ("spicy", "Izmir", "Fig", "autumn", "fish"),
        ("in spring", "I'm vegetarian"),
    ),
)


def messages(user: User, start: int) -> list[str]:
    """Return the messages of a user: statements, small talk and errands in turn."""
    errands = cycle(errand.format(subject) for subject in SUBJECTS for errand in ERRANDS)
    talk = islice(cycle(SMALL_TALK), start, None)
    return [
        user.says.get(at) or (next(talk) if at % 6 == 0 else next(errands))
        for at in range(EXCHANGES)
    ]


def hold_chat(memory: Memory, budget: int = 600) -> None:
    """Let three users chat in turn, each message with a context and a reply; one agent each."""
    memory.name_of = lambda number: "assistant" if number == ASSISTANT else USERS[number].name
    each = [messages(user, row) for row, user in enumerate(USERS)]
    for at in range(EXCHANGES):
        for row, asked in enumerate(each):
            memory.now += 1
            memory[row].stream.add("chat", asked[at])
            memory[row].context(asked[at], budget)
            reply = REPLIES[(at + row) % len(REPLIES)].format(SUBJECTS[at % len(SUBJECTS)])
            memory[row].stream.add("chat", reply, actor=ASSISTANT, continues=True)
