"""Next word, Tokens: merges, scripts and surprise; the sections open, and what they say is true of what is shown."""

import itertools
import math
import re

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer

from core.text import encode
from core.tokens.pieces import UNITS, Piece, cut_text
from core.zoo import load_text
from dashboard.theme import DARK, LIGHT, Look
from pages.language.next_word import compute_tokens, merges, scripts, surprise
from pages.language.next_word.scripts import SENTENCES
from tests.core.saved_models import save_text_model, unigram_tokenizer, wordpiece_tokenizer
from tests.pages.conftest import message_text, prose

ROOM = "language/next_word"
TEXTS = ["listening", "lalalala", "aaaaaa", "नमस्ते", "🙂🙂", "a", "the end of it", "<b>*x*</b>", "zzxqj"]


@pytest.mark.parametrize("look", ["A word, merge by merge", "One sentence, many scripts", "Surprise"])
def test_each_part_opens_by_its_address(visit, look):
    app = visit(ROOM, show="Tokens", tokens_look=look)
    assert "How it is computed" in [heading.value for heading in app.subheader]
    assert not app.warning


def test_the_address_holds_word_and_step(visit):
    app = visit(ROOM, show="Tokens", tokens_word="listening", tokens_step="1")
    assert "Merge 1 of" in prose(app)
    assert app.slider(key="tokens_step").value == 1
    app.text_input(key="tokens_word").set_value("it").run()  # which needs fewer merges
    assert not app.exception


def test_a_word_to_click_becomes_ones_own(visit):
    app = visit(ROOM, show="Tokens")
    app.button(key="tokens-word-3").click().run()
    assert app.text_input(key="tokens_word").value == merges.WORDS[3]
    assert not app.exception


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"tokens_word": " "}, "There is no text here yet"),
        ({"tokens_look": "Surprise", "text": "a"}, "Nothing is predicted about the first token"),
        ({"tokens_look": "Surprise", "text": "\n"}, "There is no text here yet"),
    ],
)
def test_what_cannot_be_cut_gets_one_sentence(visit, query, sentence):
    app = visit(ROOM, show="Tokens", **query)
    assert sentence in message_text(app)
    assert len(app.warning) == 1


@pytest.mark.usefixtures("at_home")
def test_a_wordpiece_tokenizer_is_named_and_its_pieces_are_shown(visit, tmp_path):
    folder = str(save_text_model("bert", tmp_path))
    app = visit(ROOM, show="Tokens", model=folder, tokens_word="lazy dog")
    assert "**WordPiece**" in prose(app)
    tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
    expected = tokenizer.encode("lazy dog", add_special_tokens=False).ids
    assert app.dataframe[0].value["number"].tolist() == expected
    assert not visit(ROOM, show="Tokens", model=folder, tokens_look="One sentence, many scripts").warning
    assert "does not say what comes next" in message_text(
        visit(ROOM, show="Tokens", model=folder, tokens_look="Surprise")
    )


@pytest.mark.usefixtures("at_home")
def test_a_unigram_tokenizer_is_named_with_the_log_probabilities_of_its_pieces(visit, tmp_path):
    app = visit(ROOM, show="Tokens", model=str(save_text_model("t5", tmp_path)), tokens_word="The quick")
    assert "**Unigram**" in prose(app)
    table = app.dataframe[0].value
    assert set(table["log-probability"]) <= {-3.0, -5.0}
    assert len(table) == len(unigram_tokenizer().encode("The quick", add_special_tokens=False).ids)


@pytest.mark.parametrize("text", TEXTS)
def test_sentences_about_merges_are_true_of_them(text):
    merged = compute_tokens.merged("gpt-books", text)
    ids = load_text("gpt-books").tokenizer.encode(text, add_special_tokens=False).ids
    assert merged.agrees
    assert not merged.left_out
    all_merges = [merge for word in merged.words for merge in word.merges]
    sentences = " ".join(merges.about_merges(merged)).replace("\\", "")
    assert f"{len(ids)} token" in sentences
    assert f"{len(text.encode())} symbol" in sentences  # a byte each
    if all_merges:
        assert f"{len(all_merges)} merge" in sentences
        assert f"applied {len(text.encode()) - len(ids)} time" in sentences
    rows = merges.table(merged)
    assert rows["rank"].tolist() == [merge.rank for merge in all_merges]
    assert rows["count"].sum() == len(text.encode()) - len(ids)


@pytest.mark.parametrize("text", TEXTS)
def test_the_stage_after_each_merge_is_one_count_shorter(text):
    merged = compute_tokens.merged("gpt-books", text)
    all_merges = [merge for word in merged.words for merge in word.merges]
    sizes = [len(merges.stage(merged, done)) for done in range(len(all_merges) + 1)]
    assert [before - after for before, after in itertools.pairwise(sizes)] == [m.count for m in all_merges]
    for done, merge in enumerate(all_merges, start=1):
        sentence = merges.about_stage(merged, done)
        assert f"Merge {done} of {len(all_merges)}" in sentence
        assert f"rank {merge.rank:,} of 3,839" in sentence
        assert f"Now there are {sizes[done]}" in sentence


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("look", [Look(LIGHT), Look(DARK, letters=20, presented=True)])
def test_the_tree_has_a_node_for_each_symbol_and_merge_and_tokens_stand_out(text, look):
    merged = compute_tokens.merged("gpt-books", text)
    steps = sum(len(word.merges) for word in merged.words)
    for done in range(steps + 1):
        figure = merges.merge_tree(merged.words, merged.labels, rules=merged.rules, done=done, look=look)
        _, inner, outer = figure.data
        assert len(outer.x) == len(merges.stage(merged, done))
        applied = [m.count for word in merged.words for m in word.merges][:done]
        assert len(inner.x) == 2 * sum(applied)
        assert "<b>*x*" not in "".join(outer.text)


def test_a_long_text_is_drawn_as_far_as_there_is_room():
    merged = compute_tokens.merged("gpt-books", "understandable " * 4 + "end")
    drawn = sum(len(word.symbols) for word in merged.words)
    assert drawn <= compute_tokens.SYMBOLS < drawn + 15
    assert merged.left_out == 1 + 4 - len(merged.words)


def test_an_added_token_is_said_to_stand_outside_the_merges():
    assert not compute_tokens.merged("gpt-books", "a<|endoftext|>b").agrees


def test_pieces_without_merges_are_counted_and_their_probabilities_added():
    assert merges.about_pieces([Piece("a", 1, None), Piece("b", 2, None)]) == ("Here it makes **2 tokens**.",)
    assert "least" not in " ".join(merges.about_pieces([Piece("a", 1, -1.25)]))
    _, added = merges.about_pieces([Piece("a", 1, -1.25), Piece("b", 2, -3.0)])
    assert "**−4.25**" in added
    assert "“b”" in added


def test_sentences_about_languages_are_looked_up_in_the_counts():
    tokenizer = load_text("gpt-books").tokenizer
    by_language = {language: cut_text(tokenizer, text) for language, text in SENTENCES.items()}
    counts = {
        language: len(tokenizer.encode(text, add_special_tokens=False).ids) for language, text in SENTENCES.items()
    }
    sentences = scripts.about_languages(by_language)
    least, most = min(counts, key=counts.__getitem__), max(counts, key=counts.__getitem__)
    assert f"**{counts[least]} tokens** in {least} and **{counts[most]}** in {most}" in sentences[0]
    assert f"{counts[most] / counts[least]:.1f} times" in sentences[0]
    above = [language for language, text in SENTENCES.items() if counts[language] > len(text)]
    assert any(sentence == f"More tokens than characters: {', '.join(above)}." for sentence in sentences)
    spaceless = [language for language, text in SENTENCES.items() if " " not in text]
    assert spaceless == ["Thai", "Chinese", "Japanese"]
    assert any(sentence.endswith(f": {', '.join(spaceless)}.") for sentence in sentences)
    bytewise = [name for name, text in SENTENCES.items() if counts[name] == len(text.encode())]
    assert any("each byte is a token" in sentence for sentence in sentences) == bool(bytewise)


def test_unknown_tokens_and_ones_own_sentence_are_said():
    tokenizer = wordpiece_tokenizer()
    by_language = {"English": cut_text(tokenizer, "the fox", "[UNK]"), "Hindi": cut_text(tokenizer, "मित्र", "[UNK]")}
    text = " ".join(scripts.about_languages({**by_language, scripts.OWN: cut_text(tokenizer, "lazy", "[UNK]")}))
    assert f"Hindi ({by_language['Hindi'].unknown})" in text
    assert "Your sentence has 4 characters" in text
    assert (
        "times as many"
        not in scripts.about_languages({"One": by_language["English"], "Two": by_language["English"]})[0]
    )


def test_ones_own_sentence_is_a_row_of_its_own(visit):
    app = visit(ROOM, show="Tokens", tokens_look="One sentence, many scripts", tokens_own="Hyvää päivää")
    assert "Your sentence has 12 characters" in prose(app)
    assert app.selectbox(key="tokens_language").value == scripts.OWN


@pytest.mark.parametrize("per_character", [True, False])
def test_every_language_has_a_mark_for_each_way(per_character):
    tokenizer = load_text("gpt-books").tokenizer
    by_language = {language: cut_text(tokenizer, text) for language, text in SENTENCES.items()}
    rows = scripts.table(by_language, SENTENCES)
    figure = scripts.dots(rows, per_character=per_character, look=Look(LIGHT))
    assert [trace.name for trace in figure.data[1:]] == list(UNITS)
    for trace in figure.data[1:]:
        got = dict(zip(trace.y, trace.x, strict=True))
        for language, cuts in by_language.items():
            assert got[language] == (cuts.per_character(trace.name) if per_character else cuts.count(trace.name))


def test_one_sentence_is_shown_piece_by_piece():
    cuts = cut_text(load_text("gpt-books").tokenizer, "Ä b")
    rows = scripts.by_way(cuts).set_index("way")
    assert rows.loc["characters", "pieces"] == "Ä ┆ ␣ ┆ b"
    assert rows.loc["bytes", "pieces"] == "C3 ┆ 84 ┆ 20 ┆ 62"
    assert rows["count"].to_dict() == {"words": 2, "characters": 3, "bytes": 4, "tokens": cuts.count("tokens")}


def test_the_bits_are_those_of_the_models_own_probabilities():
    text = "The old man looked at the sea because he was tired."
    reading, model = compute_tokens.surprised("gpt-books", text), load_text("gpt-books")
    tokens = encode(model.tokenizer, text, context=model.context)
    run = model.run(tokens)
    for place in range(1, len(tokens)):
        chance = model.probabilities(run, place - 1)[tokens.ids[place]]
        assert reading.bits[place].item() == pytest.approx(-math.log2(chance), abs=1e-3)


@pytest.mark.parametrize("length", [2, 5, 33, 80])
def test_sentences_about_bits_are_looked_up_in_them(length):
    generator = torch.Generator().manual_seed(length)
    bits = (8 * torch.rand(length, generator=generator)).numpy()
    bits[0] = np.nan
    labels = [f" w{place}" for place in range(length)]
    sentences = surprise.about_bits(labels, bits, characters=3 * length, vocabulary=4096)
    values = bits[1:]
    assert f"**{values.mean():.2f} a token**" in sentences[0]
    assert f"{values.sum() / (3 * length):.2f} a character" in sentences[0]
    assert f"“w{int(values.argmax()) + 1}”" in sentences[1]
    if half := re.search(r"bits are in (\d+) of", " ".join(sentences)):
        count, ordered = int(half[1]), sorted(values, reverse=True)
        assert sum(ordered[:count]) >= values.sum() / 2 - 1e-4
        assert sum(ordered[: count - 1]) < values.sum() / 2 + 1e-4
    assert ("standard errors" in " ".join(sentences)) == (length - 1 >= 2 * surprise.MEAN)


@pytest.mark.parametrize(
    ("first", "second", "spread", "way"),
    [
        (5, 3, 1, "the surprise falls"),
        (3, 5, 1, "the surprise rises"),
        (5, 4.9, 1, "no clear change"),
        (5, 3, 20, "no clear change"),
    ],
)
def test_a_text_becomes_easier_only_beyond_two_standard_errors(first, second, spread, way):
    swing = spread * np.tile([-1.0, 1.0], 20)
    bits = np.concatenate([[np.nan], first + swing, second + swing])
    sentences = surprise.about_bits([f" w{place}" for place in range(81)], bits, characters=240, vocabulary=4096)
    assert way in sentences[-1]


def test_a_text_dearer_than_an_even_guess_is_not_called_a_choice_among_more_tokens_than_there_are():
    labels, bits = ["a", "b", "c"], np.array([np.nan, 13.0, 15.0])
    assert "all 4,096 tokens would cost only 12.00 a token" in surprise.about_bits(labels, bits, 3, 4096)[0]
    assert "among 16,384.0 equally probable tokens" in surprise.about_bits(labels, bits, 3, 16384)[0]


def test_between_two_bytes_of_a_piece_there_is_no_space_of_the_text():
    assert merges.show_spaces(" ‹E2›‹80›") == "␣‹E2›‹80›"
    assert merges.show_spaces("a b") == "a␣b"


def test_the_sentence_under_the_pointer_has_bits_and_probability():
    assert surprise.tell(" sea", 1.0) == "“sea”: 1.0 bits, expected with 50.0%."
    assert surprise.tell("x", 20.0).endswith("1 of 1,048,576.")
    assert "nothing was predicted" in surprise.tell("The", math.nan)


def test_the_curve_has_every_token_and_its_table_too():
    bits = np.array([np.nan, 1.0, 3.0, 2.0], dtype=np.float32)
    labels = ("<i>", "a", "b", "c")
    figure = surprise.along(bits, labels, look=Look(DARK))
    assert next(iter(figure.data[0].customdata)) == "&lt;i&gt;"
    assert surprise.table(labels, bits)["probability"].tolist()[1:] == [0.5, 0.125, 0.25]
    assert list(figure.data[1].y)[1:] == [1.0, 2.0, 2.0]
