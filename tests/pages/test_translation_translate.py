"""Three translators: own sentences of every kind, and what is told of them. The models are tiny and random."""

import io
import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from core import zoo
from core.text import Tokens
from core.translation.decoding import END
from core.zoo import TRANSLATION as TITLES
from core.zoo.embedded import WEIGHTS
from core.zoo.translators import KINDS
from dashboard.cache import memo
from dashboard.components.alignment_view import Map, Panel
from pages.language.translation import compute, inputs, three_translators, word_maps
from pages.language.translation.compute import BestHead, StepObserver, Translated
from pages.language.translation.prose import PAGE as PROSE
from pages.language.translation.word_maps import BEST, words_of
from tests.core.tiny_translators import tiny
from tests.pages.conftest import message_text, prose

PAGE = "language/translation"
VOCABULARY = 8000
LONG = " ".join(["The cat sat on the old mat, and nobody was there to see it."] * 12)  # 168 words


@pytest.fixture(scope="module", autouse=True)
def tiny_models():
    """Random models of width 10 to 16 with the real tokenizer, in place of the trained ones."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(WEIGHTS / "translation" / "tokenizer.json"))
    made = {name: KINDS[name][0](name, TITLES[name], tiny(name, vocabulary=VOCABULARY), tokenizer) for name in TITLES}
    with pytest.MonkeyPatch.context() as patch:
        memo.clear()
        patch.setattr(zoo, "load_translator", made.__getitem__)
        patch.setattr(compute, "best_head", lambda: None)
        yield
    memo.clear()


def cards(app: AppTest) -> dict[str, str]:
    """What stands in the column of each model."""
    card_texts = {
        title: [m.value for m in app.markdown if m.value.startswith(f"**{title}**\n\n")] for title in TITLES.values()
    }
    assert all(len(texts) == 1 for texts in card_texts.values()), card_texts
    return {title: text.replace("\\", "") for title, (text,) in card_texts.items()}


def translated(text: str, beam: int = 2) -> dict[str, Translated]:
    return {name: compute.translate(name, text, beam) for name in TITLES}


def test_three_translations_stand_side_by_side_with_their_log_probabilities_and_what_to_notice(visit):
    app = visit(PAGE, text="The cat sleeps.", beam="2")
    for name, translation in translated("The cat sleeps.").items():
        card = cards(app)[TITLES[name]]
        assert " ".join(translation.text.split()) in card
        total = sum(translation.aligned.log_probabilities)
        assert translation.log_probability == pytest.approx(total, abs=1e-3)
        assert f"**{total:.2f}**".replace("-", "−") in card
        assert f"**{total / len(translation.target):.2f}** per token".replace("-", "−") in card
    assert "How it is computed" in [element.value for element in app.subheader]
    app.button(key="classic").click().run()
    assert app.text_area(key="text").value == inputs.CLASSIC
    assert app.button(key="classic").disabled
    app.text_area(key="text").set_value("").run()
    assert "There is no text here yet" in message_text(app, "warning")


@pytest.mark.parametrize("part", ["Encoder", "Decoder"])
def test_self_attention_is_one_link_away(visit, part):
    app = visit(PAGE, text="Sweet berries.", beam="1", translate_part=part, translate_units="Pieces")
    assert not app.warning
    assert f"{part} of the transformer" in prose(app)


def test_the_projector_shows_no_prose(visit):
    app = visit(PAGE, text="A dog.", beam="1", present="1")
    assert PROSE.lead not in prose(app)
    assert "How it is computed" not in [element.value for element in app.subheader]
    assert len(cards(app)) == 3


def test_what_is_known_is_there_at_once_and_what_is_not_is_reported_step_by_step():
    steps: list[int] = []
    first = compute.translate(
        "bahdanau", "A dog barks.", 2, observer=StepObserver(lambda _, best: steps.append(len(best[0].tokens)))
    )
    assert steps[0] == 1
    assert len(steps) >= len(first.target)
    again = StepObserver(lambda *_: pytest.fail("It is known."))
    assert compute.translate("bahdanau", "A dog barks.", 2, observer=again) is first
    assert compute.translate.peek("bahdanau", "A dog barks.", 2) is first


@pytest.mark.parametrize("text", ["😀 👍🏽", "你好，世界", "مرحبا بالعالم", "Ποῦ εἶ;"])
def test_characters_that_no_model_knows_are_named(text):
    model = zoo.load_translator("transformer")
    unknown = three_translators.unknown_characters(text, model.encode(text), model)
    assert unknown[0] == text[0]
    assert len(set(unknown)) == len(unknown)
    assert three_translators.unknown_characters("A dog…\u200b", model.encode("A dog…\u200b"), model) == []
    family = "A \U0001f469\u200d\U0001f467 said שלום."  # two people joined by what is nothing alone
    assert set(three_translators.unknown_characters(family, model.encode(family), model)) >= {
        "\U0001f469",
        "\U0001f467",
    }


def test_odd_texts_get_one_sentence_and_markup_is_shown_as_text(visit):
    app = visit(PAGE, text='😀 <img src=x onerror=alert(1)> **bold** $x$ :red[c] "d"', beam="1")
    assert not app.warning
    assert "The models do not know \u2066“😀”\u2069" in message_text(app, "info")
    page_text = "\n".join(element.value for element in app.markdown)
    assert "<img" not in re.sub(r"\\<", "", page_text)
    assert "**bold**" not in page_text


def test_a_long_text_is_cut_where_the_models_end_and_says_so(visit):
    app = visit(PAGE, text=LONG, beam="1")
    assert not app.warning
    assert f"the first {zoo.translators.CONTEXT - 1} of " in message_text(app, "info")
    assert len(cards(app)) == 3


def test_words_get_the_sum_of_the_columns_and_the_mean_of_the_rows_of_their_pieces():
    translation = translated("Strawberries are unbelievably sweet.")["bahdanau"]
    scene = three_translators.alignment({"bahdanau": translation}, joined=True, marks=True, best=None)
    (panel,) = scene.panels
    weights = translation.aligned.cross[0][0].numpy()
    spans = [words_of(tokens).spans for tokens in (translation.target, translation.source)]
    assert max(map(len, spans[1])) > 1  # a word of several pieces is among them
    for row, target in enumerate(spans[0]):
        for column, source in enumerate(spans[1]):
            block = weights[target.start : target.stop, source.start : source.stop]
            assert panel.maps[0].weights[row, column] == pytest.approx(block.sum(axis=1).mean(), abs=1e-6)
    np.testing.assert_allclose(panel.maps[0].weights.sum(axis=1), 1, atol=1e-5)
    assert sum(panel.log_probabilities) == pytest.approx(translation.log_probability, abs=1e-3)
    assert "".join(scene.source) == "".join(translation.source.labels)


@pytest.mark.parametrize("shift", [0, 1])
def test_the_transformer_has_every_head_and_the_means_and_the_best_head_the_rows_that_are_its_links(shift):
    translation = translated("A dog runs.")["transformer"]
    all_heads = np.stack([layer.numpy() for layer in translation.aligned.cross])
    target, source = (words_of(tokens, joined=False) for tokens in (translation.target, translation.source))
    maps = word_maps.maps_of(translation.aligned, target, source, BestHead(1, 2, shift))
    by_name = {one.name: one for one in maps}
    layers, heads = all_heads.shape[:2]
    assert next(iter(by_name)) == "mean"
    assert len(by_name) == 1 + layers + layers * heads
    np.testing.assert_allclose(by_name["mean"].weights, all_heads.mean(axis=(0, 1)), atol=1e-6)
    for layer in range(layers):
        np.testing.assert_allclose(by_name[f"layer {layer}, mean"].weights, all_heads[layer].mean(axis=0), atol=1e-6)
        for head in range(heads):
            one, rows = by_name[f"layer {layer}, head {head}"], all_heads[layer, head]
            best = (layer, head) == (1, 2)
            assert one.note.startswith(BEST) == best
            assert ("one step later" in one.note) == (best and shift == 1)
            if best and shift:
                rows = np.concatenate([rows[1:], rows[-1:]])
            np.testing.assert_allclose(one.weights, rows, atol=1e-6)
    assert maps[word_maps.best_of(maps)].name == "layer 1, head 2"


def test_without_marks_only_words_are_left_and_nothing_is_shared_out_again():
    translation = translated("Yes, sir!")["bahdanau"]
    source, full_source = (words_of(translation.source, marks=marks) for marks in (False, True))
    assert [label.strip() for label in source.visible_labels] == ["Yes", "sir"]
    target = words_of(translation.target, joined=False)
    some, every = (
        word_maps.between(translation.aligned.cross[0][0], target, columns).numpy() for columns in (source, full_source)
    )
    np.testing.assert_array_equal(some, every[:, list(source.visible)])


def test_where_there_are_no_words_all_is_shown():
    only_end = Tokens((END,), ("</s>",), (True,), (None,))
    assert words_of(only_end, marks=False).visible_labels == ("</s>",)


@pytest.mark.parametrize("joined", [True, False])
def test_the_decoder_reads_what_was_written_before_and_never_what_comes_later(joined):
    translation = translated("Strawberries are sweet.")["transformer"]
    scene = word_maps.self_attention(translation, "decoder", joined=joined)
    assert scene.sequences["key"].labels[0] == translation.begin == "<s>"
    assert scene.sequences["key"].special[0]
    if not joined:
        assert scene.sequences["key"].labels[1:] == translation.target.labels[:-1]
    for layer in range(len(scene.layers)):
        for head in range(scene.layers[layer].heads):
            weights = scene.layers[layer].weights(head)
            assert weights[~scene.links(layer)].max(initial=0) == 0
            np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-5)


def test_the_encoder_looks_in_both_directions():
    translation = translated("A dog runs.")["transformer"]
    scene = word_maps.self_attention(translation, "encoder", joined=False)
    np.testing.assert_allclose(scene.layers[1].weights(3), translation.aligned.maps["encoder"][1][3].numpy(), atol=1e-6)
    assert scene.links(0).all()


def test_all_maps_can_be_taken_away_without_pickle():
    translations = translated("A dog runs.")
    with np.load(io.BytesIO(word_maps.arrays(translations)), allow_pickle=False) as file:
        for name, one in translations.items():
            for part, layers in one.aligned.maps.items():
                for layer, heads in enumerate(layers):
                    np.testing.assert_array_equal(file[f"{name}_{part}_{layer}"], heads.numpy())
            assert tuple(file[f"{name}_target"]) == one.target.labels
        assert {"transformer_encoder_0", "transformer_decoder_0", "seq2seq_cross_0"} <= set(file)


def test_a_model_without_attention_says_so_and_calls_its_map_influence():
    panel = three_translators.alignment(translated("A dog runs."), joined=True, marks=True, best=None).panel("seq2seq")
    assert panel.maps[0].name == "influence"
    assert "no attention" in panel.about
    assert "gradient" in panel.about
    assert panel.verb == "depends on"


def test_the_row_that_is_worked_out_is_the_row_of_the_map():
    translation = translated("A dog runs.")["bahdanau"]
    look = compute.worked_step("bahdanau", "A dog runs.", 2, 1).known
    np.testing.assert_allclose(look.weights, translation.aligned.cross[0][0, 1], atol=1e-5)
    strongest = float(translation.aligned.cross[0][0, 1].max())
    lines = three_translators.row_table(look, translation.source.labels).splitlines()
    assert lines[2].endswith(f"| 1.0000 | {strongest:.4f} |")
    assert lines[-1].endswith("**1.0000** |")


# Sentences: each is worked out in another way.


def panel_of(weights: np.ndarray, *, note: str = "", others: int = 0) -> Panel:
    """A panel whose first map has these weights; its words are t0, t1 ..."""
    maps = (Map("layer 0, head 0", weights, note), *(Map(f"m{place}", weights) for place in range(others)))
    return Panel("key", "Model", "weights", tuple(f" t{place}" for place in range(len(weights))), maps)


maps_of_weights = (
    st.integers(1, 7)
    .flatmap(
        lambda sources: st.lists(
            st.lists(st.integers(0, 5), min_size=sources, max_size=sources).filter(any), min_size=1, max_size=7
        )
    )
    .map(lambda rows: np.array(rows) / np.array(rows).sum(axis=1, keepdims=True))
)


def runs(places: list[int]) -> list[list[int]]:
    """Every run of neighbours that goes backwards, by trying all."""
    return [
        list(range(start, end))
        for start in range(len(places))
        for end in range(start + 1, len(places) + 1)
        if all(places[place] < places[place - 1] for place in range(start + 1, end))
    ]


@settings(max_examples=50)
@given(maps_of_weights)
def test_the_order_that_is_told_is_that_of_the_strongest_places(weights):
    targets, sources = weights.shape
    rows, columns = tuple(range(targets)), tuple(range(sources - 1)) or (0,)  # the last one is a mark
    source = tuple(f" s{place}" for place in range(sources))
    sentence = three_translators.about_order(panel_of(weights), rows, source, columns)
    firsts = [max(range(sources), key=lambda place, row=row: (row[place], -place)) for row in weights.tolist()]
    pairs = [(row, place) for row, place in enumerate(firsts) if place in columns]
    assert ("not counted" in sentence) == (len(pairs) < targets)
    if len(pairs) < targets:
        assert f"{targets - len(pairs)} of {targets} French words attend most to a mark" in sentence
    places = [place for _, place in pairs]
    longest = max(map(len, runs(places)), default=0)
    if len(places) < 2:
        assert "shows no order" in sentence
    elif len(set(places)) == 1:
        assert f"every French word attends most to “s{places[0]}”" in sentence
    elif longest < 2:
        assert "moves from left to right" in sentence
        assert places == sorted(places)
    else:
        names = re.findall(r"“t(\d)”", sentence)
        assert len(names) == min(longest, 5)
        named_places = [firsts[int(name)] for name in names]
        assert named_places == sorted(named_places, reverse=True)
        assert re.findall(r"“s(\d)”", sentence) == [str(place) for place in named_places]


def test_a_map_that_is_one_step_late_is_told_as_that():
    weights = np.array([[0.1, 0.9, 0], [0.9, 0.1, 0]])
    sentence = three_translators.about_order(
        panel_of(weights, note=word_maps.BEST_SHIFTED, others=1), (0, 1), (" a", " b", "</s>"), (0, 1)
    )
    assert "**Model** (layer 0, head 0, one step later) reverses the order" in sentence


@settings(max_examples=50)
@given(st.lists(st.integers(0, 9), max_size=12))
def test_the_longest_run_from_right_to_left_is_found(places):
    longest = list(word_maps.longest_backwards(places))
    assert longest == max(runs(places), key=len, default=[])


@settings(max_examples=50)
@given(st.lists(st.lists(st.sampled_from(["le", "chat", "dort", "l'eau"]), max_size=4), min_size=3, max_size=3))
def test_words_of_one_model_alone_are_no_words_of_another(sentences):
    texts = dict(zip(("A", "B", "C"), map(" ".join, sentences), strict=True))
    sentence = three_translators.about_difference(texts)
    alone = {
        (title, word)
        for title, own in zip(texts, sentences, strict=True)
        for word in own
        if sum(word in other for other in sentences) == 1
    }
    if len(set(texts.values())) == 1:
        assert sentence == "All three models write the same sentence."
    elif not alone:
        assert "every word is written by at least two models" in sentence
    else:
        parts = sentence.removeprefix("Only one model writes these words: ").removesuffix(".").split("; ")
        named_words = {(part[2], word.replace("\\", "")) for part in parts for word in re.findall("“(.*?)”", part)}
        assert named_words == alone


def test_of_many_words_of_one_model_alone_some_are_told_and_all_counted():
    sentence = three_translators.about_difference({"A": "a b c d e f g", "B": "x", "C": "x"})
    assert sentence == "Only one model writes these words: **A** “a”, “b”, “c”, “d”, “e” and 2 more."


@settings(max_examples=50)
@given(st.dictionaries(st.sampled_from("ABC"), st.lists(st.floats(-20, 0), min_size=1, max_size=5), min_size=1))
def test_the_surest_model_has_the_highest_geometric_mean(log_probabilities):
    sentence = three_translators.about_certainty({name: tuple(values) for name, values in log_probabilities.items()})
    means = {
        name: math.prod(math.exp(value) for value in values) ** (1 / len(values))
        for name, values in log_probabilities.items()
    }
    if any(abs(max(means.values()) - mean - 0.01) < 1e-9 for mean in means.values()):
        return
    near = [name for name, mean in means.items() if max(means.values()) - mean <= 0.01]
    assert re.findall(r"\*\*(.)\*\*", sentence) == (near if len(near) == 1 or len(near) < len(means) else [])
    assert f"is {', '.join(f'{name} {mean:.0%}' for name, mean in means.items())}." in sentence


@settings(max_examples=50)
@given(maps_of_weights)
def test_entropies_are_those_of_the_formula_and_even_attention_has_the_most(weights):
    targets, sources = weights.shape
    sentence = three_translators.about_sharpness((panel_of(weights),), {"key": tuple(range(targets))}, sources)
    bits = -sum(value * math.log2(value) for row in weights.tolist() for value in row if value) / targets
    printed_bits, spread = re.search(r"Model (\S+) bits, as if over \*\*(\S+)\*\* words", sentence).groups()
    assert float(printed_bits) == pytest.approx(bits, abs=0.006)
    assert float(spread) == pytest.approx(2**bits, abs=0.06)
    assert f"all {sources} words and marks would have {math.log2(sources):.2f} bits" in sentence
    assert "-0" not in sentence
    assert "nan" not in sentence


@pytest.mark.parametrize("text", ["A dog.", "!", "😀", "a"])
def test_every_text_has_sentences_without_gaps(text):
    for best in (None, BestHead(1, 2, 1)):
        summary = " ".join(three_translators.noticed(translated(text), best))
        assert not re.search(r"\b(nan|inf)\b", summary)
        assert summary.count("bits, as if over") == (4 if best else 3)
        assert three_translators.row_to_show(translated(text)["bahdanau"]) < len(translated(text)["bahdanau"].target)
