"""Format the tables of the quality benchmark as plain text or as a page of the documentation."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from quality_shapes import Material


@dataclass(frozen=True)
class Table:
    """A table of texts: title, header, and rows as long as the header."""

    title: str
    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


@dataclass(frozen=True)
class Section:
    """A test set, a sentence about the form of its texts, and its tables."""

    material: Material
    form: str
    tables: Sequence[Table]


def printed(claims: Table, sections: Sequence[Section]) -> str:
    """Format everything as plain text."""
    parts = [plain(claims)]
    for section in sections:
        parts += ["", f"== {section.material.name} ==", *counted(section.material), section.form]
        parts += [plain(table) for table in section.tables]
    return "\n".join(parts)


def plain(table: Table) -> str:
    """Format a table with aligned columns, numbers to the right."""
    grid = (table.head, *table.rows)
    widths = [max(len(row[i]) for row in grid) + 2 for i in range(len(table.head))]
    lines = [
        row[0].ljust(widths[0])
        + "".join(cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True))
        for row in grid
    ]
    return "\n".join(["", table.title, *(line.rstrip() for line in lines)])


def counted(material: Material) -> list[str]:
    """Describe the size of a test set in two lines."""
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
    """Format the page docs/quality.md."""
    parts = [OPENING, LEARNING, CLAIMS, "", marked(claims), "", METHODS]
    for section in sections:
        size, asked = counted(section.material)
        name = section.material.name
        parts += [f"## {name.capitalize()}", "", f"{size}.", f"{asked}.", "", MATERIAL[name], ""]
        # Forms of texts and streams are printed only: no conclusion of the page needs them.
        shares, _, kinds, shared, _, contexts = section.tables
        described = (
            (shares, f"{section.form}."),
            (kinds, ""),
            (shared, SHARED[name]),
            (contexts, ""),
        )
        for table, note in described:
            parts += [f"### {name.capitalize()}: {table.title[0].lower()}{table.title[1:]}", ""]
            parts += [note, "", marked(table), ""] if note else [marked(table), ""]
    return "\n".join([*parts, LIMITS])


def marked(table: Table) -> str:
    """Format a table as Markdown."""
    rule = ["---", *("---:" for _ in table.head[1:])]
    return "\n".join("| " + " | ".join(row) + " |" for row in (table.head, rule, *table.rows))


OPENING = """# Quality of retrieval

How many of the memories that answer a question does a search find?
`make bench-quality` measures this *retrieval recall* on two test sets of this project
and prints the tables of this page. `python benchmarks/quality.py --markdown FILE` writes
the page. [Public benchmarks](public-benchmarks.md) measures public sets that you download.

- **Town**: the experiences of eight people of a small town, mixed with everyday
  memories. The texts are self-contained sentences; one in eight continues another. It
  was written first, by one author, before any measurement.
- **Talks**: four long conversations of two friends, each stored as the memory of one
  agent. The texts are short turns that mean little alone, in sessions of about 20.
  They were written after the town was measured, by four authors, one per conversation,
  who had seen neither the town, nor a method, nor a result.

The weights of `recall`, `dense` and `late_interaction` were learned on a third set: six
other conversations and five people of a harbour, by writers who had not seen the town
and the talks. These two therefore test whether the weights work for other authors. The
choice of terms, however, was made with both sets in view. No sentence was changed after
its first measurement. The labels of the talks were reviewed once before measuring; none
of 336 needed a correction.

In both sets, memories have their real times and the default importance of 0.5, the search
knows all names, and every question is asked as written, on the last evening.
"""

LEARNING = """## Learned weights

`python benchmarks/learn_profile.py` fits the weights of the terms to
`benchmarks/quality/training/`: 424 questions about six conversations of some 260 turns,
and 285 about five people with 350 to 398 memories each. The weights
maximize the probability of the evidence under a softmax of the score over all memories
of the stream. The penalty on the sum of squared weights was chosen by leaving out one
stream at a time. The share of the evidence in the best ten, %:

| weights fitted to | training talks | harbour | talks | town |
| --- | ---: | ---: | ---: | ---: |
| both, `recall` | 62.4 | 74.7 | 80.3 | 74.6 |
| both, the stream in question left out, `recall` | 61.9 | 74.4 | | |
| the other kind of text only, `recall` | 62.4 | 56.6 | | |
| both, `dense` with MiniLM | 71.6 | 82.6 | 81.4 | 86.7 |
| both, the stream in question left out, `dense` | 71.4 | 82.2 | | |
| the other kind of text only, `dense` | 69.8 | 79.4 | | |
| both, `late_interaction` with MiniLM | 71.5 | 83.5 | 82.5 | 87.8 |
| both, the stream in question left out, `late_interaction` | 70.8 | 83.2 | | |
| the other kind of text only, `late_interaction` | 68.0 | 80.7 | | |

Recency and importance, which these texts cannot teach, have a weight of 0.1 each in
the profiles, and weights are rounded; the tables below are measured with the profiles
as shipped.
"""

CLAIMS = """## Comparisons

Each cell has both shares among the ten best memories, their paired difference with a
95% interval from resampling the questions, and the verdict: better if the interval is
above 0, worse if it is below, open otherwise. Each standard method uses the form of
the texts that suits it better, with or without the name of the speaker in front. In
the last two rows it may also have the previous turn or the month in front, which is
what a plain system can do about context and dates."""

MATERIAL = {
    "talks": """`benchmarks/quality/talks/`: a nurse and a baker, a student and a paramedic, the
head of a theatre and a gardener, a ferry captain and a retired teacher, each pair
in 18 or 19 sessions over about a year. A turn is a memory with its speaker as actor
and the time of its session, linked to the previous turn. Its text is what was said,
without the name of the speaker. Topics recur, so a question has one correct place
among similar ones, and many turns contain no fact. The questions are those of a
reader who tests the memory of a person; the authors were asked neither to copy nor
to avoid words of the conversation.

- **single**: one turn answers.
- **multi**: two to four turns answer together.
- **date**: the question asks for a date, or names a month.
- **open**: the answer must be inferred.""",
    "town": """A baker, a bus driver, a vet, a retired engineer, a teacher, a carpenter, a
librarian and a farmer. `benchmarks/quality/people/` contains the experiences that
questions ask for, the questions with a short answer each, and memories that
resemble the evidence: the same words about something else, the same topic with
another person or in another month, denials, and conversations that no question asks
for. `benchmarks/quality/everyday/` contains everyday sentences and small talk with
variants; about two thirds of a stream come from it. Names in the texts are
templates, `{actor}`; the search knows the names of all people.

- **single**: one memory answers, and the question uses some of its words.
- **paraphrase**: one memory answers, and the question uses other words.
- **person**: the question names the person who said or did it.
- **date**: the question names a month or year; usually another month has a similar
  memory.
- **conversation**: the evidence is one of several linked memories, often the
  neighbour of the one that matches the words of the question.
- **multi**: two or three memories answer together.""",
}

METHODS = """## Methods

BM25 uses k1 1.2 and b 0.75, the stop words of the package, and word frequencies of the
stream, unless marked as society. BM25 + MiniLM adds both scores, each scaled from 0 to
1 per question, or fuses their ranks. The standard methods see the question with its
names, and the name of the speaker in front of a text without one; dense methods are
also measured on the text alone, and tables by question use the better of the two.
`recall, no X` leaves a term out, with the other weights unchanged; `relevance alone` is
the soft lexical term of `act`. Halves: the first and the second half of the streams. 95%
interval: from 2,000 resamples of the questions. Against recall: paired difference with
its interval. `working` forgets after a day; `town` and `society` are designed for 4 and 3
memories. In `recall, names as words`, actors are unknown and names stay in the question.

The best sentence of a context is the one whose words cover most of the question, selected
in the same way for every policy, and is compared with the short answer; because it is a
whole sentence, 100 cannot be reached. `search, recall` is not a policy: it fills the
budget with the results of one search, a dated line each. All summaries are written in
advance. Milliseconds are the median on one thread.
"""

SHARED = {
    "talks": """Words are compared by their stems, without stop words and names.""",
    "town": """If question and evidence share no word, only similar meaning, people, dates and
linked memories help. There a sentence model is strongest. Most questions of the
town are of this kind: they avoid the original wording.""",
}

LIMITS = """## Limitations

- Weights fitted to conversations alone or to whole sentences alone do worse on the
  other kind: a text of a third kind may need its own.
- Five authors wrote memories and questions, in one kind of English. Real memories are
  messier, and real questions vaguer.
- The labels name the memories for which a question was written. Other helpful memories
  count as misses.
- All memories have the same importance, so the benefit of weighting it is not
  measured. Recency can only harm, because questions cover the whole period evenly.
- Questions use names as they are in memory ("Ruth", not "the woman from the council").
- Soft matching ignores negation: a denial is as similar as an affirmation.
"""
