"""Other scripts among English texts, and texts of any characters."""

# ruff: noqa: RUF001  the characters are what is tested

import hashlib
import json

import numpy as np
import pytest

from memopolis.sim.memory.memory import Memory
from memopolis.sim.memory.text.grams import gram_number, gram_signs, grams
from memopolis.sim.memory.text.lexical import LexicalIndex
from memopolis.sim.memory.text.pieces import NUMBERS, word_pieces
from memopolis.sim.memory.text.relevance import FULL
from memopolis.sim.memory.text.texts import Texts
from memopolis.sim.memory.text.words import WordTerms
from memopolis.sim.memory.vectors.embedding import TextVectors

CHINESE = {
    "飓风 撤离 安全": "飓风警报响起，需要立即撤离",
    "物价上涨": "超市里的物价又涨了，大米贵了三成",
    "找工作": "他在工厂找到了一份新的工作",
    "房租": "房东说下个月房租要提高五百元",
    "看病 医院": "母亲昨天夜里发烧，送去了医院",
    "孩子上学": "孩子九月开始上小学，学校就在河边",
    "停电": "昨晚全城停电，电梯里困了两个人",
    "火": "隔壁发生火灾，消防员很快赶到",
    "生日聚会": "周末参加了老同学的生日聚会",
    "银行贷款": "我向银行申请了买房的贷款",
    "钓鱼": "爷爷喜欢在湖边钓鱼和下棋",
}
JAPANESE = {
    "ハリケーン 避難": "ハリケーンが近づいているので避難してください",
    "地震": "昨夜の地震で食器棚が倒れた",
    "ラーメン": "駅前のラーメン屋は週末いつも混んでいる",
    "さくら": "公園のさくらが満開になった",
    "図書館の本": "図書館で借りた本をまだ返していない",
}
ENGLISH = (
    "A hurricane is coming, the radio said to leave by noon.",
    "Talked with {actor} about the rent.",
    "The landlord raised the rent to $950 in May 2019.",
    "Bought rice, water & batteries at {place}.",
    "Café au lait with Zoë; naïve plans for the façade.",
    "It’s late — “go home”, she said…",
    "",
    "My neighbour's dog barked all night.",
    "Unaffable clerks at office no. 7",
    "Évacuation order at 6 p.m. 🌀",
    "The bridge is closed\tand the shelter\nis full.",
    "I lost my job at the paper mill.",
)
ASKED = ("storm warning", "where is the shelter", "money for the flat", "a café", "lost work")
QUERIES = CHINESE | JAPANESE


def everything() -> tuple[Texts, dict[str, int]]:
    texts = Texts()
    texts.intern_many(ENGLISH)
    numbers = texts.intern_many(list(QUERIES.values()))
    return texts, dict(zip(QUERIES, numbers.tolist(), strict=True))


@pytest.mark.parametrize("query", QUERIES)
def test_lexical_relevance_ranks_the_text_first(query: str) -> None:
    texts, meant = everything()
    index = LexicalIndex(texts)
    table, rows = index.table([query])
    values = table[rows[0], : texts.capacity]
    assert values[meant[query]] > 0
    assert np.flatnonzero(values == values.max()).tolist() == [meant[query]]


@pytest.mark.parametrize("term", ["bm25", "dense"])
def test_other_text_terms_rank_the_text_first(term: str) -> None:
    texts, meant = everything()
    words, dense = WordTerms(texts), TextVectors(texts)
    table, rows = dense.dense(list(QUERIES)) if term == "dense" else words.bm25(list(QUERIES))
    best = np.nan_to_num(table[rows, : texts.capacity]).argmax(axis=1)
    missed = [query for query, at in zip(QUERIES, best, strict=True) if at != meant[query]]
    assert missed == []


def test_an_agent_finds_chinese_memories() -> None:
    memory = Memory(1)
    for number in range(30):
        memory[0].stream.add("activity", f"去超市买了第{number}袋大米")
    memory[0].stream.add("other", "飓风警报响起，需要立即撤离")
    for text in ENGLISH[1:]:
        memory[0].stream.add("social", text)
    results = memory[0].stream.search("飓风 撤离 安全", k=1)
    assert [one.text for one in results] == ["飓风警报响起，需要立即撤离"]


def test_words_of_other_languages_are_found_only_by_related_words() -> None:
    texts, _ = everything()
    table, rows = LexicalIndex(texts).table([*ASKED, *QUERIES])
    foreign = slice(len(ENGLISH), texts.capacity)
    # The hurricane is in the list of related words in English and Chinese.
    assert 0 < table[rows[: len(ASKED)], foreign].max() < FULL // 2
    assert 0 < table[rows[len(ASKED) :], : len(ENGLISH)].max() < FULL // 2
    assert (table[rows[: len(ASKED)], foreign] > 0).mean() < 0.1


def test_english_words_are_unaffected_by_character_pairs() -> None:
    words = word_pieces()
    asked = [*ASKED, "evacuate?", "2019"]
    pieces = [words.distinct(text) for text in (*ENGLISH, *asked)]
    cuts = json.dumps([[one for one in some if one < len(words.vocabulary)] for some in pieces])
    assert hashlib.sha256(cuts.encode()).hexdigest() == (
        "105090c031a812ec3f57410cf45c9c43d7bab018037dadd24376cb26abe555cb"
    )
    texts = Texts()
    numbers = texts.intern_many(ENGLISH)
    index = LexicalIndex(texts)
    alone = index.table(asked)[0][index.table(asked)[1]][:, numbers]
    assert alone[0, 0] == 16256
    assert alone[4, 11] == 48768
    assert alone[5, 9] == 50944
    assert alone[6, 2] == FULL


def test_a_chinese_text_changes_english_scores_only_by_the_number_of_texts() -> None:
    texts = Texts()
    numbers = texts.intern_many(ENGLISH)
    index = LexicalIndex(texts)
    index.table(ASKED)  # cached before there are pairs
    texts.intern_many(["飓风警报", "避難してください"])
    other = Texts()
    other.intern_many([*ENGLISH, "xylophone", "zebra"])
    (table, rows), (plain, lines) = index.table(ASKED), LexicalIndex(other).table(ASKED)
    np.testing.assert_array_equal(table[rows][:, numbers], plain[lines][:, numbers])


def test_chinese_texts_are_split_into_pairs_and_single_characters() -> None:
    assert grams("飓风来了 ok ハリ") == ["飓风", "风来", "来了", "飓", "风", "来", "了", "ハリ"]
    assert grams("ま") == ["ま"]
    assert grams("plain text, ünïcode ★ ♥") == []


def test_variants_of_a_character_are_equal() -> None:
    assert grams("ハ\u3099ス") == grams("バス") == grams("ﾊﾞｽ")


def test_traditional_characters_equal_simplified_ones() -> None:
    assert grams("張偉說颱風來了") == grams("张伟说台风来了")


def test_alphabets_are_split_into_words_and_groups_of_three() -> None:
    assert grams("Книгу, кот и я") == ["кни", "ниг", "игу", "книгу", "кот", "и", "я"]
    assert grams("ёлка") == grams("елка"), "accents are ignored"
    assert grams("كِتَابٌ") == grams("كتاب"), "vowel points are ignored"
    assert grams("किताब")[-1] == "किताब", "marks are parts of a word"
    assert grams("что где") == []


def test_korean_is_split_into_pairs_and_first_syllables() -> None:
    assert grams("고양이를 책을") == ["고양", "양이", "이를", "고", "책을", "책"]


def test_thai_is_split_into_groups_of_three() -> None:
    assert grams("แมวดำ") == ["แมว", "มวด", "วดํ", "ดํา"]


def test_emoji_are_split_without_skin_tones() -> None:
    assert grams("ok 👍🏽🎉 👨‍👩‍👧 🇨🇳❤️") == ["👍", "🎉", "👨", "👩", "👧", "🇨🇳", "❤"]


OTHER_SCRIPTS = {
    "颱風 撤離": "台风警报响起, 需要立即撤离",
    "มหาสมุทร": "เราเดินเล่นริมมหาสมุทรแอตแลนติก",
    "किताबें": "मैंने पुस्तकालय से एक किताब ली",
    "библиотека": "Вчера я вернул книги в библиотеку",
    "مدرسة": "عادت البنت من المدرسة متعبة",
    "βιβλιοθήκη": "Πήγα στη βιβλιοθηκη το πρωί",
    "ספרייה": "הלכתי לספרייה בבוקר",
    "책": "도서관에서 책을 빌렸다",
    "🐱": "Look who sleeps on my desk 🐱!",
    "office floor": "The o\ufb03ce has a new \ufb02oor",
    "\uff41\uff42\uff43 123": "The code is abc 123",
}


@pytest.mark.parametrize("query", OTHER_SCRIPTS)
def test_texts_of_other_scripts_are_found_first(query: str) -> None:
    memory = Memory(1)
    stream = memory[0].stream
    for text in (*OTHER_SCRIPTS.values(), *ENGLISH[:6], *QUERIES.values()):
        stream.add("other", text)
    assert stream.search(query, k=1)[0].text == OTHER_SCRIPTS[query]


@pytest.mark.parametrize("query", ["มหาสมุทร", "किताब", "🐱", "библиотеку"])
def test_words_of_other_scripts_are_found_by_whole_words(query: str) -> None:
    texts = Texts()
    numbers = texts.intern_many(list(OTHER_SCRIPTS.values())).tolist()
    table, rows = WordTerms(texts).bm25([query])
    best = numbers.index(int(table[rows[0]].argmax()))
    assert query in list(OTHER_SCRIPTS.values())[best]


def test_numbers_of_pairs_are_fixed_and_beyond_the_vocabulary() -> None:
    first = len(word_pieces().vocabulary)
    pinned = [gram_number(gram, first, NUMBERS) for gram in ("飓风", "风飓", "风")]
    assert pinned == [58257, 43651, 63032]
    assert gram_number("библиотеку", first, NUMBERS) != gram_number("библиотек", first, NUMBERS)
    numbers = {gram_number(chr(a) + "風", first, NUMBERS) for a in range(0x4E00, 0x5E00)}
    assert min(numbers) >= first
    assert max(numbers) < NUMBERS
    assert len(numbers) > 3_700  # 4,096 thrown into 35,013 places: some 3,860 are hit


def test_signs_are_balanced_and_differ() -> None:
    one, other = gram_signs("飓风", 256), gram_signs("风飓", 256)
    assert set(one.tolist()) == {-1, 1}
    assert abs(int(one.sum())) < 64
    assert abs(int((one * other).sum())) < 64


def test_texts_sharing_one_character_are_not_duplicates() -> None:
    texts = Texts()
    first, second, turned = texts.intern_many(
        ["需要立即撤离，飓风来了", "他立了新的规矩", "飓风来了，需要立即撤离"]
    ).tolist()
    likeness = TextVectors(texts).likeness
    assert float(likeness(first, second)) < 0.3
    assert float(likeness(first, turned)) > 0.95


def test_stop_characters_find_nothing() -> None:
    texts, _ = everything()
    table, rows = LexicalIndex(texts).table(["我们的", "です"])
    assert not table[rows].any()


STRANGE = {
    "emoji": "🌀👨‍👩‍👧🏳️‍🌈",
    "right to left": "عاصفة قادمة مساء اليوم שלום עולם",
    "combining": "a" + "\u0301\u0323" * 500,
    "voice marks alone": "\u3099\u309a" * 500,
    "hangul": "태풍이 온다",
    "controls": "\x00\x07\u200b\u2028\ufeff",
    "beyond 16 bits": "𠀀𠀁 𝒜𝒷 𓀀",
    "half width": "ﾊﾘｹｰﾝ",
    "braces": "{actor}{place}{" * 50,
    "a long word": "x" * 30_000,
    "turkish": "İSTANBUL ısı",
}


@pytest.mark.parametrize("message", STRANGE.values(), ids=list(STRANGE))
def test_any_characters_are_accepted_and_words_found(message: str) -> None:
    texts = Texts()
    texts.intern_many([message, "storm", f"{message} storm"])
    words, dense = WordTerms(texts), TextVectors(texts)
    asked = [message, "storm"]
    lexical, rows = LexicalIndex(texts).table(asked)
    assert lexical[rows[1], 1] == FULL
    for table, lines in (words.bm25(asked), words.keyword(asked)):
        assert ((table >= 0) & (table <= 1)).all()
        assert table[lines[1], 1] > 0
    cosine, lines = dense.dense(asked)
    assert abs(float(cosine[lines[1], 1]) - 1) < 1e-6


@pytest.mark.parametrize("part", ["storm shelter rent ", "飓风警报响起需要立即撤离", "x"])
def test_a_million_characters_are_one_text(part: str) -> None:
    texts = Texts()
    texts.intern_many([part * (1_000_000 // len(part)), "storm 飓风"])
    asked = [part[:20], "storm 飓风"]
    table, rows = LexicalIndex(texts).table(asked)
    assert table[rows[1], 1] == FULL
    shares, rows = WordTerms(texts).bm25(asked)
    assert shares[rows[1], 1] > 0
