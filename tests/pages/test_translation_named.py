"""Any model: named, asked about, told what it needs, and translating, with tiny models in folders."""

import math
import re

import huggingface_hub
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core import zoo
from core.text import Tokens
from core.zoo import load_named_translator
from pages.language.translation import any_model, compute, word_maps
from tests.core import saved_models
from tests.pages.conftest import message_text, prose

PAGE = "language/translation"
SENTENCE = "Who listens to the quick brown fox?"


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    pytest.importorskip("sentencepiece", reason="the folders are made with it")
    root = tmp_path_factory.mktemp("translators")
    made = {kind: str(saved_models.save_translator(kind, root / kind)) for kind in saved_models.TRANSLATORS}
    return made | {"gpt2": str(saved_models.save_text_model("gpt2", root / "gpt2"))}


@pytest.fixture
def visit_model(visit, at_home):  # noqa: ARG001
    """Open the section with a model, at home."""
    return lambda name, **query: visit(
        PAGE, **{"show": any_model.SECTION.name, "translator": name, "text": SENTENCE, "beam": "2", **query}
    )


def subheaders(app) -> list[str]:
    return [element.value for element in app.subheader]


def test_without_a_name_the_section_says_what_can_be_opened_and_nothing_is_broken(visit):
    app = visit(PAGE, show=any_model.SECTION.name)
    assert any_model.SECTION.text("No model yet") in prose(app)
    assert "How it is computed" in subheaders(app)
    assert not app.warning
    assert not app.info
    assert not app.text_area
    assert app.text_input(key="translator").value == ""


@pytest.mark.parametrize("kind", ["marian", "nllb"])
def test_a_folder_at_home_translates_into_the_language_that_is_chosen(visit_model, folders, kind):
    app = visit_model(folders[kind], **({"named_into": "zul_Latn"} if kind == "nllb" else {}))
    assert not app.warning
    model = load_named_translator(folders[kind])
    prefix, languages = (">>fra<< ", (None, None)) if kind == "marian" else ("", ("eng_Latn", "zul_Latn"))
    best = model.write(model.encode(prefix + SENTENCE, languages[0]), beam=2, language=languages[1]).best
    assert f"log-probability **−{-best.log_probability:.2f}**" in prose(app)
    assert f"{len(best.tokens)} tokens" in prose(app)
    assert "How it is computed" in subheaders(app)
    keys = [box.key for box in app.selectbox if (box.key or "").startswith("named_")]
    assert keys == (["named_into"] if kind == "marian" else ["named_from", "named_into"])


def test_the_prefix_of_t5_is_part_of_the_source_and_can_be_changed(visit_model, folders):
    app = visit_model(folders["t5"], named_prefix="summarize: ", named_part="Decoder", named_units="Pieces")
    assert app.text_input(key="named_prefix").value == "summarize: "
    model = load_named_translator(folders["t5"])
    assert model.prefix == "translate English to French: "
    best = model.write(model.encode(f"summarize: {SENTENCE}"), beam=2).best
    assert f"{len(best.tokens)} tokens" in prose(app)
    assert app.segmented_control(key="named_part").value == "Decoder"
    app.text_area(key="text").set_value("  ").run()
    assert "There is no text here yet" in message_text(app, "warning")


def test_a_decoder_alone_is_one_sentence_and_another_name_helps(visit_model, folders):
    app = visit_model(folders["gpt2"], text="The lazy dog. " * 60, beam="1")
    assert "has no encoder and decoder" in message_text(app, "warning")
    app.text_input(key="translator").set_value(folders["bart"]).run()
    assert not app.exception
    assert not app.warning
    assert "not to translate" in app.info[0].value
    assert "longer than the model can read" in message_text(app, "info")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("gpt-books", "has no encoder and decoder"),
        ("vit-tiny-imagenet", "Open it in Explore / Image"),
        ("<script>alert(1)</script>", "cannot be the name of a model"),
        ("/no/such/folder", "is not a folder on this computer"),
    ],
)
def test_what_cannot_be_opened_is_one_sentence(visit_model, name, sentence):
    app = visit_model(name)
    assert sentence in message_text(app, "warning")
    assert len(app.warning) == 1


def test_folders_are_closed_away_from_home(visit, folders):
    app = visit(PAGE, show=any_model.SECTION.name, translator=folders["bart"])
    assert "an app that you run yourself" in message_text(app, "warning")


@pytest.mark.usefixtures("at_home")
def test_without_the_hub_there_is_one_sentence(visit, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")  # a port at which nobody listens
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    app = visit(PAGE, show=any_model.SECTION.name, translator="Helsinki-NLP/opus-mt-en-fr")
    assert "the three translators of this page" in message_text(app, "warning")


@pytest.mark.usefixtures("at_home")
def test_nothing_is_fetched_before_the_visitor_agrees(visit, monkeypatch):
    what = "MarianMTModel: source to target"
    offer = zoo.Offer("owner/model", what, 74_000_000, 301_000_000, task="source to target")
    monkeypatch.setattr(zoo, "inspect", lambda *_, **__: offer)
    monkeypatch.setattr(zoo, "fetch", lambda *_, **__: pytest.fail("Nobody agreed to a download."))
    app = visit(PAGE, show=any_model.SECTION.name, translator="owner/model")
    assert "301 MB" in app.info[0].value
    assert [button.label for button in app.button] == ["Present", "Download and open"]


@pytest.mark.parametrize("kind", list(saved_models.TRANSLATORS))
@pytest.mark.parametrize("text", [SENTENCE, "😀", "a"])
def test_every_kind_has_all_maps_and_sentences_without_gaps(folders, kind, text):
    translated = compute.translate_by_name(folders[kind], text, 2)
    assert translated.log_probability == pytest.approx(sum(translated.aligned.log_probabilities), abs=1e-3)
    summary = " ".join(any_model.noticed(translated, text))
    assert not re.search(r"\b(nan|inf)\b", summary)
    for joined in (True, False):
        for part in ("encoder", "decoder"):
            scene = word_maps.self_attention(translated, part, joined=joined)
            assert scene.layers[0].weights(0).sum(axis=1) == pytest.approx(1, abs=1e-4)
    assert scene.sequences["key"].labels[0] == translated.begin


# Sentences


def source(special: list[bool]) -> Tokens:
    count = len(special)
    labels = tuple(f"<{n}>" if added else f" s{n}" for n, added in enumerate(special))
    return Tokens(
        tuple(range(count)), labels, tuple(special), tuple(None if added else n for n, added in enumerate(special))
    )


SIZES = st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(1, 4))  # layers, heads, targets


@settings(max_examples=50)
@given(st.lists(st.booleans(), min_size=1, max_size=6), SIZES, st.integers(0, 99))
def test_shares_and_the_sharpest_head_are_those_of_plain_loops(special, sizes, seed):
    tokens = source(special)
    layers = tuple(torch.randn(*sizes, len(special), generator=torch.Generator().manual_seed(seed)).softmax(dim=-1))
    rows = [row for heads in layers for head in heads.tolist() for row in head]
    rests = [sum(value for value, added in zip(row, tokens.special, strict=True) if added) for row in rows]
    sinks = any_model.about_sinks(torch.cat(list(layers)), tokens)
    assert bool(sinks) == any(tokens.special)
    if sinks:
        assert f"**{sum(rests) / len(rests):.0%}** of the weight" in sinks
        assert f"leave {sum(tokens.special) / len(tokens):.0%} there" in sinks
        assert f"all {len(layers) * len(layers[0])} heads" in sinks
    sharpest = any_model.about_sharpest(layers, tokens)
    own = [place for place, added in enumerate(tokens.special) if not added]
    assert bool(sharpest) == bool(own)
    if len(own) == 1:
        assert "no head can choose" in sharpest
    elif own:
        means = {
            (layer, head): sum(max(row[place] for place in own) for row in rows) / len(rows)
            for layer, heads in enumerate(layers)
            for head, rows in enumerate(heads.tolist())
        }
        layer, head = map(int, re.search(r"layer (\d), head (\d)", sharpest).groups())
        assert means[layer, head] == pytest.approx(max(means.values()))
        assert f"gets {max(means.values()):.0%}" in sharpest
        assert ("No head points clearly" in sharpest) == (max(means.values()) < 2 / len(tokens))


@given(st.lists(st.floats(-9, 0), min_size=1, max_size=6))
def test_the_least_sure_token_and_the_mean_are_those_of_the_probabilities(values):
    sentence = any_model.about_certainty(tuple(values), source([False] * len(values)))
    probabilities = [math.exp(value) for value in values]
    if len(values) == 1:
        assert f"with {probabilities[0]:.1%}" in sentence
        assert "least" not in sentence
        return
    assert f"**{math.prod(probabilities) ** (1 / len(values)):.0%}**" in sentence
    place = int(re.search(r"token (\d+) of", sentence)[1])
    assert probabilities[place - 1] == pytest.approx(min(probabilities), rel=1e-5)
    assert f"with {min(probabilities):.1%}" in sentence


@pytest.mark.parametrize(
    ("source_text", "written", "shared"),
    [
        ("The cat sleeps.", "the CAT dort.", 2),
        ("a a b", "a a a", 2),
        ("A cat.", "Un chat.", 0),
        ("a", "", 0),
        ("a b", "a c", 0),
        ("Paris", "Paris", 0),  # one word may be the same in both languages
    ],
)
def test_a_copy_shares_more_than_half_of_its_words(source_text, written, shared):
    sentence = any_model.about_copy(source_text, written)
    assert sentence.startswith(f"{shared} of the {len(written.split())} words") if shared else sentence == ""


@pytest.mark.parametrize(
    ("values", "written"),
    [
        ((-0.5,), "−0.50 = **−0.50**"),
        ((-0.001, -1.0), "−0.00 − 1.00 = **−1.00**"),
        ((-1.0, -2.0, 0.0, -4.0), "−1.00 − 2.00 − 0.00 − … = **−7.00**"),
    ],
)
def test_log_probabilities_are_added_up(values, written):
    assert any_model.sum_of(values) == written
