"""The quality benchmark's tables, printed or as a page of the documentation."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from quality_shapes import Material


@dataclass(frozen=True)
class Table:
    """A table of words: a title, a head, and rows as long as the head."""

    title: str
    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


@dataclass(frozen=True)
class Section:
    """A material, a line on the form of its texts, and its tables."""

    material: Material
    form: str
    tables: Sequence[Table]


def printed(claims: Table, sections: Sequence[Section]) -> str:
    """Everything as plain text."""
    parts = [plain(claims)]
    for section in sections:
        parts += ["", f"== {section.material.name} ==", *counted(section.material), section.form]
        parts += [plain(table) for table in section.tables]
    return "\n".join(parts)


def plain(table: Table) -> str:
    """A table with columns of equal width, numbers to the right."""
    grid = (table.head, *table.rows)
    widths = [max(len(row[i]) for row in grid) + 2 for i in range(len(table.head))]
    lines = [
        row[0].ljust(widths[0])
        + "".join(cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True))
        for row in grid
    ]
    return "\n".join(["", table.title, *(line.rstrip() for line in lines)])


def counted(material: Material) -> list[str]:
    """The size of a material in two lines."""
    sizes = [len(stream.memories) for stream in material.streams]
    texts = {memory.text for stream in material.streams for memory in stream.memories}
    kinds = Counter(question.kind for question in material.questions)
    by_kind = ", ".join(f"{kinds[kind]} {kind}" for kind in material.kinds)
    return [
        (
            f"{len(sizes)} streams of {min(sizes)} to {max(sizes)} memories ({sum(sizes)} in all, "
            f"{len(texts)} distinct texts), {material.start:%B %Y} to {material.end:%B %Y}"
        ),
        f"{len(material.questions)} questions: {by_kind}",
    ]


def page(claims: Table, sections: Sequence[Section]) -> str:
    """The page docs/quality.md."""
    parts = [OPENING, CLAIMS, "", marked(claims), ""]
    for section in sections:
        size, asked = counted(section.material)
        name = section.material.name
        parts += [f"## {name.capitalize()}", "", f"{size}.", f"{asked}.", "", MATERIAL[name], ""]
        notes = (f"{FOUND}\n\n{section.form}.", FORMS, "", SHARED[name], STREAM, CONTEXT)
        for table, note in zip(section.tables, notes, strict=True):
            parts += [f"### {name.capitalize()}: {table.title[0].lower()}{table.title[1:]}", ""]
            parts += [note, "", marked(table), ""] if note else [marked(table), ""]
    return "\n".join([*parts, LIMITS])


def marked(table: Table) -> str:
    """A table as Markdown."""
    rule = ["---", *("---:" for _ in table.head[1:])]
    return "\n".join("| " + " | ".join(row) + " |" for row in (table.head, rule, *table.rows))


OPENING = """# Quality of retrieval

What share of the memories that answer a question does a search find? `make bench-quality`
measures it on two materials of the project's own and prints the tables of this page, which
`python benchmarks/quality.py --markdown docs/quality.md` writes.

- **Town**: what eight people of a small town lived through, mixed with everyday memories.
  Sentences that stand by themselves; one in eight goes on from another. Written first, by one
  hand, before anything was measured.
- **Talks**: four long talks of two friends, each one agent's memory. Short turns, each saying
  little alone, in sessions of about 20. Written after the town was measured, by four writers, one
  a talk, who saw neither the town, nor a method, nor a result.

The parameters of `recall` were found on long talks of two people that are not part of this
project. So the talks ask whether they do as well on other text of that form, and the town what
they do on another. Nothing was tuned on either, and no sentence was changed after its first
measurement. The labels of the talks were read through once before it: of 336 none needed a
correction.

In both, memories keep their real times and the default importance of 0.5, names are known to
the search, and every question is asked as written, on the last evening.
"""

CLAIMS = """## What holds

Each cell: the two shares at top 10, their paired difference with the bounds of 95 in 100 resamples
of the questions, and whether that is above 0 (holds), below (does not hold), or neither (open).
A usual method counts in the form of the texts that is better for it, with the name of who spoke
in front or without. In the last two rows it may also have the turn before or the month in front,
which is what a plain system can do about neighbours and dates."""

MATERIAL = {
    "talks": """`benchmarks/quality/talks/`: a nurse and a baker, a student and a paramedic, the
head of a theatre and a gardener, a ferry captain and a retired teacher, each pair in 18 or 19
sessions over about a year. A turn is a memory with its speaker as actor, the time of its session,
and goes on from the turn before; its text is what was said, without the speaker's name. Topics
come back, so that a question has one right place among similar ones; many turns carry no fact.
Questions are those of a reader who tests somebody's memory; the writers were asked neither to
copy nor to avoid words of the talk.

- **single**: one turn answers.
- **multi**: two to four turns answer together.
- **date**: the question asks when, or names a month.
- **open**: the answer is to be concluded.""",
    "town": """A baker, a bus driver, a vet, a retired engineer, a teacher, a carpenter, a
librarian and a farmer. `benchmarks/quality/people/` holds what each lived through that is asked
about, the questions, a short answer each, and memories that resemble the evidence: the same words
about something else, the same topic by another person or in another month, denials, talks that
nobody asks about. `benchmarks/quality/everyday/` is a stock of everyday sentences and small talk,
with choices in them; about two thirds of a stream come from it. Names stand in the texts as
templates, `{actor}`; the names of all people anybody remembers are known to the search.

- **single**: one memory answers, and the question uses some of its words.
- **paraphrase**: one memory answers, and the question says it in other words.
- **person**: the question names who said or did it.
- **date**: the question names a month or year; another month mostly has a memory like it.
- **conversation**: the evidence is one of several memories that go on from one another, often
  the neighbour of the one that the question's words match.
- **multi**: two or three memories answer together.""",
}

FOUND = """BM25 with k1 1.2 and b 0.75, the package's stop words, rarity by the stream's own
memories unless it says society; BM25 + MiniLM adds both, each from 0 to 1 in a question, or
fuses their ranks. The usual methods see the question with its names, and the name of who spoke in
front where a text has none; dense ones also the text alone. Halves: the first and the second half
of the streams. 95 in 100: of 2,000 resamples of the questions. Against recall: paired, with its
interval. `working` forgets after a day, `town` and `society` are meant for 4 and 3 memories. In
`recall, names as words` actors are not known, and names stay in the question."""

FORMS = """What the text is given with. The tables after this one take the better of name and text
alone."""

SHARED = {
    "talks": """Words count by their stems, without stop words and names.""",
    "town": """Where question and evidence share no word, only likeness of meaning, who, when and
the neighbours are left to go by. That is where a sentence model is strongest, and most questions
of the town are of that sort: asked by somebody who does not remember the wording at all.""",
}

STREAM = "A stream has 54 to 84 questions, so a column moves by some points by chance."

CONTEXT = """The best sentence is the one whose words speak most of the question, found the same
way for every policy, and is compared with the short answer; as it is a whole sentence, 100 is out
of reach. The newest memories, the short term, come before what matches. `search, recall` is no
policy: it fills the budget with the best of one search alone. Everybody's summaries are written
before.
Milliseconds are the median on one thread."""

LIMITS = """## Limits

- What holds on the talks does not carry over to the town: where memories are whole sentences and
  questions use other words, a sentence model finds more, and an embedder is worth its cost.
- The lift by 0.4 of MiniLM's cosine is small on the talks, and its interval begins at 0.
- Five hands wrote memories and questions, in one kind of English; real memories are messier,
  and real questions vaguer.
- The labels name the memories a question was written for. Another memory that helps counts as
  missed.
- Importance is the same for all, so nothing here shows what weighing it gains. Recency can only
  cost: questions are about the whole time alike.
- Questions say names as the memory knows them ("Ruth", not "the woman from the council").
- Soft matching knows no polarity: a memory that denies is as near as one that affirms.
"""
