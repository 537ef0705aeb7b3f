"""Three translators: own sentences of every kind, and what is told of them. The models are tiny and random."""

import io
import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core import zoo
from core.text import Tokens
from core.translation.decoding import END
from core.zoo.embedded import WEIGHTS
from core.zoo.translators import KINDS
from pages.language.translation import compute as kept
from pages.language.translation import translate_maps as maps
from pages.language.translation import words as said
from pages.language.translation.models import TITLES
from pages.language.translation.translate_formula import row_table
from pages.language.translation.translate_notices import entropy, longest_backwards
from pages.language.translation.word_maps import BEST, BestHead
from tests.core.tiny_translators import tiny

PAGE = "language/translation"
VOCABULARY = 8000
LONG = " ".join(["The cat sat on the old mat, and nobody was there to see it."] * 36)  # 504 words


@pytest.fixture(autouse=True)
def tiny_models(monkeypatch):
    """Random models of width 10 to 16 with the real tokenizer, in place of the trained ones."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(WEIGHTS / "translation" / "tokenizer.json"))

    def load(name: str) -> zoo.Translator:
        return KINDS[name][0](name, TITLES[name], tiny(name, vocabulary=VOCABULARY), tokenizer)

    forget()
    monkeypatch.setattr(zoo, "load_translator", load)
    monkeypatch.setattr(kept, "best_heads", dict)
    yield
    forget()


def forget() -> None:
    from pages.language.translation import compute_steps as translation_steps

    for cached in (kept.translator, kept._place, kept.align, translation_steps.worked_step):
        cached.clear()


def prose(app: AppTest) -> str:
    return "\n".join(element.value for element in app.markdown)


def cards(app: AppTest) -> dict[str, str]:
    """What stands in the column of each model."""
    found = {
        title: [m.value for m in app.markdown if m.value.startswith(f"**{title}**\n\n")] for title in TITLES.values()
    }
    assert all(len(each) == 1 for each in found.values()), found
    return {title: each for title, (each,) in found.items()}


def plain(markdown: str) -> str:
    return re.sub(r"\\(.)", r"\1", markdown)


def translated(text: str, beam: int = 2) -> dict[str, kept.Translated]:
    return {name: kept.translate(name, text, beam=beam) for name in TITLES}


def test_three_translations_stand_side_by_side_with_their_log_probabilities(visit):
    app = visit(PAGE, text="The cat sleeps.", beam="2")
    for name, each in translated("The cat sleeps.").items():
        card = plain(cards(app)[TITLES[name]])
        assert " ".join(each.text.split()) in card
        total = sum(each.aligned.log_probabilities)
        assert each.log_probability == pytest.approx(total, abs=1e-3)
        assert f"**{total:.2f}**".replace("-", "−") in card
        assert f"**{total / len(each.target):.2f}** per token".replace("-", "−") in card


def test_what_is_known_is_there_at_once_and_what_is_not_is_reported_step_by_step():
    steps: list[int] = []
    first = kept.translate("bahdanau", "A dog.", beam=2, progress=lambda _, best: steps.append(len(best[0].tokens)))
    assert steps[0] == 1
    assert len(steps) >= len(first.target)
    again: list[int] = []
    assert kept.translate("bahdanau", "A dog.", beam=2, progress=lambda step, _: again.append(step)) is first
    assert again == []


@pytest.mark.parametrize("text", ["   ", "\n\t", "\u0000"])
def test_without_a_text_one_sentence_says_what_to_do(visit, text):
    app = visit(PAGE, text=text)
    assert len(app.warning) == 1
    assert "There is no text here yet" in plain(app.warning[0].value)


def test_an_emptied_field_is_told_in_the_same_way(visit):
    app = visit(PAGE, text="A dog.", beam="1")
    app.text_area(key="text").set_value("").run()
    assert not app.exception
    assert "There is no text here yet" in plain(app.warning[0].value)


@pytest.mark.parametrize("text", ["😀 👍🏽", "你好，世界", "مرحبا بالعالم", "Ποῦ εἶ;"])
def test_characters_that_no_model_has_seen_are_named_in_one_sentence(visit, text):
    app = visit(PAGE, text=text, beam="1")
    assert not app.warning
    (told,) = [plain(info.value) for info in app.info]
    assert f"“{text[0]}”" in told
    assert "unknown" in told
    assert len(cards(app)) == 3


def test_markup_is_shown_as_text(visit):
    text = '<img src=x onerror=alert(1)> **bold** $x$ [a](b) :red[c] "d"'
    app = visit(PAGE, text=text, beam="1")
    assert not app.warning
    assert "<img" not in re.sub(r"\\<", "", prose(app))
    assert "**bold**" not in prose(app)


def test_a_text_of_500_words_is_cut_where_the_models_end_and_says_so(visit):
    app = visit(PAGE, text=LONG, beam="1")
    assert not app.warning
    (told,) = [plain(info.value) for info in app.info]
    assert f"the first {zoo.translators.CONTEXT - 1} of " in told
    assert len(cards(app)) == 3


@pytest.mark.parametrize("part", ["Target to source", "Encoder", "Decoder"])
@pytest.mark.parametrize("units", ["Words", "Pieces"])
def test_every_view_is_alive(visit, part, units):
    app = visit(PAGE, text="Strawberries are unbelievably sweet.", beam="2", translate_part=part, translate_units=units)
    assert not app.warning
    assert "What to notice" in [element.value for element in app.subheader]


def test_the_projector_shows_no_prose(visit):
    app = visit(PAGE, text="A dog.", beam="1", present="1")
    assert said.TRANSLATION.lead not in prose(app)
    assert "What to notice" not in [element.value for element in app.subheader]
    assert len(cards(app)) == 3


def test_words_get_the_sum_of_the_columns_and_the_mean_of_the_rows_of_their_pieces():
    each = translated("Strawberries are unbelievably sweet.")["bahdanau"]
    scene = maps.alignment({"bahdanau": each}, joined=True, marks=True, best=None)
    (panel,) = scene.panels
    weights = each.aligned.cross[0][0].numpy()
    spans = [maps.units_of(tokens, joined=True, marks=True).words.spans for tokens in (each.target, each.source)]
    assert max(map(len, spans[1])) > 1  # a word of several pieces is among them
    for row, target in enumerate(spans[0]):
        for column, source in enumerate(spans[1]):
            block = weights[target.start : target.stop, source.start : source.stop]
            assert panel.maps[0].weights[row, column] == pytest.approx(block.sum(axis=1).mean(), abs=1e-6)
    np.testing.assert_allclose(panel.maps[0].weights.sum(axis=1), 1, atol=1e-5)
    assert sum(panel.log_probabilities) == pytest.approx(each.log_probability, abs=1e-3)
    assert "".join(scene.source) == "".join(each.source.labels)


def test_the_transformer_has_the_mean_of_all_the_mean_of_each_layer_and_every_head_with_the_best_one_marked():
    each = translated("A dog runs.")["transformer"]
    whole = np.stack([layer.numpy() for layer in each.aligned.cross])
    target, source = (maps.units_of(tokens, joined=False, marks=True) for tokens in (each.target, each.source))
    found = {one.name: one for one in maps.maps_of(each.aligned, target, source, BestHead(1, 2, 0))}
    layers, heads = whole.shape[:2]
    assert next(iter(found)) == "mean"
    assert len(found) == 1 + layers + layers * heads
    np.testing.assert_allclose(found["mean"].weights, whole.mean(axis=(0, 1)), atol=1e-6)
    for layer in range(layers):
        np.testing.assert_allclose(found[f"layer {layer}, mean"].weights, whole[layer].mean(axis=0), atol=1e-6)
        for head in range(heads):
            one = found[f"layer {layer}, head {head}"]
            np.testing.assert_allclose(one.weights, whole[layer, head], atol=1e-6)
            assert one.note.startswith(BEST) == ((layer, head) == (1, 2))


def test_a_head_that_is_one_step_late_is_shown_with_the_rows_of_the_next_step():
    each = translated("A dog runs.")["transformer"]
    target, source = (maps.units_of(tokens, joined=False, marks=True) for tokens in (each.target, each.source))
    found = {one.name: one for one in maps.maps_of(each.aligned, target, source, BestHead(0, 1, 1))}
    weights = each.aligned.cross[0][1].numpy()
    np.testing.assert_allclose(found["layer 0, head 1"].weights[:-1], weights[1:], atol=1e-6)
    assert "one step later" in found["layer 0, head 1"].note


def test_without_marks_only_words_are_left_and_nothing_is_shared_out_again():
    each = translated("Yes, sir!")["bahdanau"]
    source = maps.units_of(each.source, joined=True, marks=False)
    assert [label.strip() for label in source.labels] == ["Yes", "sir"]
    target = maps.units_of(each.target, joined=False, marks=True)
    whole = maps.units_of(each.source, joined=True, marks=True)
    kept_, all_ = (maps.map_between(each.aligned.cross[0][0], target, units).numpy() for units in (source, whole))
    np.testing.assert_array_equal(kept_, all_[:, list(source.places)])


def test_where_there_are_no_words_all_is_shown():
    only_end = Tokens((END,), ("</s>",), (True,), (None,))
    assert maps.units_of(only_end, joined=True, marks=False).labels == ("</s>",)


@pytest.mark.parametrize("joined", [True, False])
def test_the_decoder_reads_what_was_written_before_and_never_what_comes_later(joined):
    each = translated("Strawberries are sweet.")["transformer"]
    scene = maps.self_attention(each, "decoder", joined=joined)
    assert scene.sequences["key"].labels[0] == maps.BEGIN_LABEL
    if not joined:
        assert scene.sequences["key"].labels[1:] == each.target.labels[:-1]
    for layer in range(len(scene.layers)):
        for head in range(scene.layers[layer].heads):
            weights = scene.layers[layer].weights(head)
            assert weights[~scene.links(layer)].max(initial=0) == 0
            np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-5)


def test_the_encoder_looks_in_both_directions():
    each = translated("A dog runs.")["transformer"]
    scene = maps.self_attention(each, "encoder", joined=False)
    np.testing.assert_allclose(scene.layers[1].weights(3), each.aligned.maps["encoder"][1][3].numpy(), atol=1e-6)
    assert scene.links(0).all()


def test_all_maps_can_be_taken_away_without_pickle():
    each = translated("A dog runs.")
    with np.load(io.BytesIO(maps.arrays(each)), allow_pickle=False) as file:
        for name, one in each.items():
            for part, layers in one.aligned.maps.items():
                for layer, heads in enumerate(layers):
                    np.testing.assert_array_equal(file[f"{name}_{part}_{layer}"], heads.numpy())
            assert tuple(file[f"{name}_target"]) == one.target.labels
        assert {"transformer_encoder_0", "transformer_decoder_0", "seq2seq_cross_0"} <= set(file)


def test_a_model_without_attention_says_so_and_calls_its_map_influence():
    scene = maps.alignment(translated("A dog runs."), joined=True, marks=True, best=None)
    panel = scene.panel("seq2seq")
    assert panel.maps[0].name == "influence"
    assert "no attention" in panel.about
    assert "gradient" in panel.about
    assert panel.verb == "depends on"


@pytest.mark.parametrize(
    ("places", "run"),
    [
        ([0, 1, 2], [0]),
        ([0, 3, 2, 1, 4], [1, 2, 3]),
        ([2, 2, 1], [1, 2]),
        ([5, 4, 1, 3, 2], [0, 1, 2]),
        ([], []),
        ([1], [0]),
    ],
)
def test_the_longest_run_from_right_to_left_is_found(places, run):
    assert list(longest_backwards(places)) == run


def test_entropy_is_that_of_the_formula():
    assert entropy(np.full((3, 8), 1 / 8)) == pytest.approx(3)
    assert entropy(np.eye(4)) == 0
    assert entropy(np.array([[0.5, 0.25, 0.25]])) == pytest.approx(1.5)


def test_the_row_that_is_worked_out_is_the_row_of_the_map():
    from pages.language.translation.compute_steps import worked_step

    each = translated("A dog runs.")["bahdanau"]
    look = worked_step("bahdanau", "A dog runs.", 2, 1).known
    np.testing.assert_allclose(look.weights, each.aligned.cross[0][0, 1], atol=1e-5)
    strongest = float(each.aligned.cross[0][0, 1].max())
    lines = row_table(look, each.source.labels).splitlines()
    assert lines[2].endswith(f"| 1.0000 | {strongest:.4f} |")
    assert lines[-1].endswith("**1.0000** |")


def test_the_sentence_of_the_paper_is_one_click_away(visit):
    app = visit(PAGE, text="A dog.", beam="1")
    app.button(key="classic").click().run()
    assert app.text_area(key="text").value == said.CLASSIC
    assert app.button(key="classic").disabled
