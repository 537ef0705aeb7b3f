"""Any model: named, asked about, told what it needs, and translating, with tiny models in folders."""

import huggingface_hub
import pytest

from core.zoo import load_named_translator
from dashboard import controls
from pages.language.translation import words as said
from pages.language.translation import words_named as words
from tests.core import saved_models
from tests.pages.conftest import check

PAGE = "language/translation"
SENTENCE = "Who listens to the quick brown fox?"


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    pytest.importorskip("sentencepiece", reason="the folders are made with it")
    root = tmp_path_factory.mktemp("translators")
    made = {kind: str(saved_models.save_translator(kind, root / kind)) for kind in saved_models.TRANSLATORS}
    return made | {"gpt2": str(saved_models.save_text_model("gpt2", root / "gpt2"))}


@pytest.fixture
def visit_model(visit, monkeypatch):
    """Open the section with a model, at home."""
    monkeypatch.setattr(controls, "is_at_home", lambda: True)
    return lambda name, **query: visit(PAGE, show=said.OTHERS, translator=name, text=SENTENCE, beam="2", **query)


def prose(app) -> str:
    return " ".join(element.value for element in app.markdown).replace("\\", "")


def warnings(app) -> str:
    return " ".join(element.value for element in app.warning).replace("\\", "")


def subheaders(app) -> list[str]:
    return [element.value for element in app.subheader]


def test_without_a_name_the_section_says_what_can_be_opened_and_nothing_is_broken(visit):
    app = visit(PAGE, show=said.OTHERS)
    assert words.NAMED_NOTHING in prose(app).replace("\\", "")
    assert "What to notice" in subheaders(app)
    assert not app.warning
    assert not app.info
    assert not app.text_area
    assert app.text_input(key="translator").value == ""


@pytest.mark.parametrize("kind", list(saved_models.TRANSLATORS))
def test_a_folder_at_home_translates_with_log_probabilities_and_notes(visit_model, folders, kind):
    app = visit_model(folders[kind])
    assert not app.warning
    model = load_named_translator(folders[kind], allow_folders=True)
    prefix = ">>fra<< " if kind == "marian" else model.prefix
    languages = ("eng_Latn", "fra_Latn") if kind == "nllb" else (None, None)
    source = model.encode(prefix + SENTENCE, languages[0])
    best = model.write(source, beam=2, language=languages[1]).best
    total = f"{best.log_probability:.2f}".replace("-", "−")
    assert f"log-probability **{total}**" in prose(app)
    assert f"{len(best.tokens)} tokens" in prose(app)
    assert "What to notice" in subheaders(app)


def test_the_prefix_of_t5_is_part_of_the_source_and_can_be_changed(visit_model, folders):
    app = visit_model(folders["t5"])
    assert app.text_input(key="named_prefix").value == "translate English to French: "
    other = visit_model(folders["t5"], named_prefix="summarize: ")
    assert other.text_input(key="named_prefix").value == "summarize: "
    model = load_named_translator(folders["t5"], allow_folders=True)
    best = model.write(model.encode(f"summarize: {SENTENCE}"), beam=2).best
    assert f"{len(best.tokens)} tokens" in prose(other)


def test_languages_are_chosen_from_the_list_of_the_model(visit_model, folders):
    app = visit_model(folders["nllb"])
    assert app.selectbox(key="named_from").value == "eng_Latn"
    assert app.selectbox(key="named_into").value == "fra_Latn"
    assert "zul_Latn" in app.selectbox(key="named_into").options
    check(app.selectbox(key="named_into").select("zul_Latn").run())
    assert not app.warning
    assert [box.key for box in visit_model(folders["marian"]).selectbox if (box.key or "").startswith("named_")] == [
        "named_into"
    ]


def test_bart_comes_with_the_honest_remark(visit_model, folders):
    assert "not to translate" in visit_model(folders["bart"]).info[0].value
    assert "not to translate" not in " ".join(element.value for element in visit_model(folders["t5"]).info)


@pytest.mark.parametrize("part", ["Encoder", "Decoder"])
@pytest.mark.parametrize("units", ["Words", "Pieces"])
def test_self_attention_is_shown_too(visit_model, folders, part, units):
    app = visit_model(folders["t5"], named_part=part, named_units=units)
    assert app.segmented_control(key="named_part").value == part
    assert not app.warning


@pytest.mark.parametrize("text", ["", "   "])
def test_no_sentence_is_one_sentence(visit_model, folders, text):
    app = visit_model(folders["bart"])
    app.text_area(key="text").set_value(text).run()
    assert not app.exception
    assert "There is no text here yet" in warnings(app)


def test_a_long_text_is_cut_and_said_to_be(visit, folders, monkeypatch):
    monkeypatch.setattr(controls, "is_at_home", lambda: True)
    app = visit(PAGE, show=said.OTHERS, translator=folders["bart"], text="The lazy dog. " * 60, beam="1")
    assert "longer than the model can read" in " ".join(element.value for element in app.info)


def test_a_decoder_alone_is_one_sentence_and_another_name_helps(visit_model, folders):
    app = visit_model(folders["gpt2"])
    assert "has no encoder and decoder" in warnings(app)
    app.text_input(key="translator").set_value(folders["bart"]).run()
    assert not app.exception
    assert not app.warning


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
    assert sentence in warnings(app)
    assert len(app.warning) == 1


def test_folders_are_closed_away_from_home(visit, folders, monkeypatch):
    monkeypatch.setattr(controls, "is_at_home", lambda: False)
    app = visit(PAGE, show=said.OTHERS, translator=folders["bart"])
    assert "an app that you run yourself" in warnings(app)


def test_without_the_hub_there_is_one_sentence(visit, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")  # a port at which nobody listens
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    app = visit(PAGE, show=said.OTHERS, translator="Helsinki-NLP/opus-mt-en-fr")
    assert warnings(app) == words.NAMED_OFFLINE


def test_nothing_is_fetched_before_the_visitor_agrees(visit, monkeypatch):
    from core import zoo

    offer = zoo.Offer(
        "owner/model", "MarianMTModel: source to target", 74_000_000, 301_000_000, task="source to target"
    )
    monkeypatch.setattr(zoo, "inspect", lambda *_, **__: offer)
    monkeypatch.setattr(zoo, "fetch", lambda *_, **__: pytest.fail("Nobody agreed to a download."))
    app = visit(PAGE, show=said.OTHERS, translator="owner/model")
    assert "301 MB" in app.info[0].value
    assert [button.label for button in app.button] == ["Download and open"]
