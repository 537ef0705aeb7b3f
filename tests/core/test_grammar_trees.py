"""Annotated sentences: what is read of CoNLL-U, what is refused with its line, and which tokens are which word."""

import conllu
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InputError
from core.probing.grammar import trees
from core.probing.grammar.trees import ROOT, Tree, encode_tree, read_conllu, spans_of
from core.zoo import load_text
from tests.core.saved_models import save_text_model

LINES = """# text = I can't swim.
1\tI\ti\tPRON\t_\t_\t4\tnsubj\t_\t_
2-3\tcan't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
2\tca\tcan\tAUX\t_\t_\t4\taux\t_\t_
3\tn't\tnot\tPART\t_\t_\t4\tadvmod\t_\t_
4\tswim\tswim\tVERB\t_\t_\t0\troot\t_\t_
4.1\tunseen\t_\t_\t_\t_\t_\t_\t_\t_
5\t.\t.\tPUNCT\t_\t_\t4\tpunct\t_\t_
"""


def test_words_governors_and_relations_are_those_of_the_columns():
    (tree,) = read_conllu(LINES.encode()).trees
    assert tree == Tree(
        ("I", "ca", "n't", "swim", "."),
        (3, 3, 3, ROOT, 3),
        ("nsubj", "aux", "advmod", "root", "punct"),
        "I can't swim.",
    )
    assert tree.links == ((0, 3, "nsubj"), (1, 3, "aux"), (2, 3, "advmod"))


@given(
    sentences=st.lists(
        st.lists(
            st.tuples(
                st.text("abé猫'-", min_size=1, max_size=5), st.integers(0), st.sampled_from(["det", "nsubj:pass"])
            ),
            min_size=1,
        ),
        min_size=1,
        max_size=3,
    )
)
def test_trees_are_those_that_the_conllu_package_reads(sentences):
    text = LINES
    for words in sentences:
        text += "\n# sent_id = a\n"
        for number, (word, other, relation) in enumerate(words, start=1):
            governor = other % (len(words) + 1)
            governor = 0 if governor == number else governor
            text += f"{number}\t{word}\t_\t_\t_\t_\t{governor}\t{relation}\t_\t_\n"
    expected = []
    for sentence in conllu.parse(text):
        rows = [row for row in sentence if isinstance(row["id"], int)]
        columns = zip(*((row["form"], row["head"] - 1, row["deprel"]) for row in rows), strict=True)
        expected.append(Tree(*columns, sentence.metadata.get("text", "")))
    assert read_conllu(text.encode()).trees == tuple(expected)


def test_a_byte_order_mark_and_ends_of_lines_of_windows_change_nothing():
    assert read_conllu(b"\xef\xbb\xbf" + LINES.replace("\n", "\r\n").encode()) == read_conllu(LINES.encode())


def test_words_that_do_not_spell_the_text_are_written_with_spaces():
    tree = Tree(("de", "le", "chat"), (2, 2, ROOT), ("case", "det", "root"), "du chat")
    assert tree.text == "de le chat"
    assert Tree(("a", "b"), (1, ROOT), ("det", "root"), "a b c").text == "a b"


@given(words=st.lists(st.text("abé猫", min_size=1, max_size=4), min_size=1), data=st.data())
def test_spans_cut_the_words_out_of_the_text(words, data):
    gaps = data.draw(st.lists(st.sampled_from(["", " ", "\n  "]), min_size=len(words), max_size=len(words)))
    text = "".join(word + gap for word, gap in zip(words, gaps, strict=True))
    spans = spans_of(words, text)
    assert [text[first:end] for first, end in spans] == words
    assert spans_of([*words, "x"], text) is None


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("1\tI\t", "1 I ", "Line 2 of this file has 8 columns"),
        ("1\tI\t", "7\tI\t", "Line 2 of this file should begin with 1"),
        ("1\tI\t", "1\t \t", "Line 2 of this file needs a word"),
        ("1\tI\t", f"1\t{'x' * 201}\t", "Line 2 of this file needs a word of 1 to 200 characters"),
        ("4\tnsubj", "9\tnsubj", "Line 2 of this file needs the number of another word of its sentence \\(1 to 5\\)"),
        ("4\tnsubj", "1\tnsubj", "Line 2 of this file needs the number of another word"),
        ("4\tnsubj", "-1\tnsubj", "Line 2 of this file needs the number of another word"),
        ("4\tnsubj", "_\tnsubj", "Line 2 of this file needs the number of another word"),
        ("4\tnsubj", "4\t_", "Line 2 of this file names no relation"),
    ],
)
def test_a_line_that_cannot_be_right_is_named(old, new, words):
    with pytest.raises(InputError, match=words):
        read_conllu(LINES.replace(old, new, 1).encode())


@given(content=st.binary(max_size=300) | st.text(max_size=300).map(lambda text: text.encode("utf-8", "replace")))
def test_whatever_is_no_treebank_is_one_sentence(content):
    with pytest.raises(InputError) as caught:
        read_conllu(content)
    assert "\n" not in str(caught.value)


def test_files_have_bounds(monkeypatch):
    two = f"{LINES}\n{LINES}"
    monkeypatch.setattr(trees, "MOST_TREES", 1)
    assert read_conllu(two.encode()).too_many == 1
    monkeypatch.setattr(trees, "MOST_WORDS", 4)
    with pytest.raises(InputError, match="No annotated sentence"):
        read_conllu(two.encode())
    monkeypatch.setattr(trees, "LARGEST_FILE", 10)
    with pytest.raises(InputError, match="at most 0 MB"):
        read_conllu(two.encode())


@pytest.mark.parametrize("kind", ["gpt2", "bert", "t5"])
def test_the_tokens_of_each_word_begin_in_it(kind, tmp_path):
    model = load_text(str(save_text_model(kind, tmp_path)))
    tree = Tree(("The", "dog", "ca", "n't", "jump", "."), (1, 4, 4, 4, ROOT, 4), ("x",) * 6, "The dog can't jump.")
    tokens = encode_tree(model, tree)
    plain = model.encode(tree.text)
    assert tokens.ids == plain.ids
    is_space = [not label.strip() for label in plain.labels]
    unplaced = [special or space for special, space in zip(plain.special, is_space, strict=True)]
    assert [place is None for place in tokens.words] == unplaced
    written = [""] * 6
    for label, place in zip(tokens.labels, tokens.words, strict=True):
        if place is not None:
            written[place] += label.strip()
    assert written[0].lower() == "the"
    assert written[5] in (".", "<unk>", "[UNK]")
    assert [place for place in tokens.words if place is not None] == sorted(
        place for place in tokens.words if place is not None
    )
    assert "".join(written).lower().startswith("thedog")


def test_a_sentence_that_the_model_would_cut_is_not_read(tmp_path):
    model = load_text(str(save_text_model("bert", tmp_path)))
    long = Tree(("fox",) * 40, (ROOT, *[0] * 39), ("root", *["conj"] * 39), "")
    assert encode_tree(model, long) is None
