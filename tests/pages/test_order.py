"""Order: every part is alive at once, keeps its state in the address, and says what is true of what it shows."""

import json

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dashboard import visitor
from pages.foundations.order import beyond, compute
from pages.foundations.order.prose import PAGE as PROSE
from tests.core.saved_models import save_text_model, save_timm_model

PAGE = "foundations/order"


def prose(app: AppTest) -> str:
    elements = (*app.markdown, *app.caption, *app.info)
    return " ".join(element.value for element in elements).replace("\N{NO-BREAK SPACE}", " ")


def figure(app: AppTest, name: str) -> dict:
    """The Plotly figure whose key ends with this name."""
    (chart,) = [chart for chart in app.get("plotly_chart") if chart.proto.id.endswith(f"-{name}")]
    return json.loads(chart.proto.spec)


@pytest.fixture
def measured(tmp_path, monkeypatch):
    """Measurements of the shape that training/positions/train.py writes, with numbers that are easy to check."""
    rows = ["positions,length,bits"]
    for way in compute.WAYS:
        for length in range(1, 65 if way == "learned" else 257):
            far = {"none": 0.5, "sinusoidal": 2.0, "alibi": 0.0}.get(way, -0.5)
            rows.append(f"{way},{length},{2.5 if length <= 64 else 2.5 + far}")
    (tmp_path / "lengths.csv").write_text("\n".join(rows))
    sizes = {"sizes": {"context": 64}}
    (tmp_path / "config.json").write_text(json.dumps({"models": dict.fromkeys(compute.WAYS, sizes)}))
    use(monkeypatch, tmp_path)
    return tmp_path


def use(monkeypatch, folder):
    monkeypatch.setattr(compute, "FOLDER", folder)
    forget()


def forget():
    for keeper in (compute.lengths, compute.trained_length, compute.our_biases):
        keeper.forget()


@pytest.fixture(autouse=True)
def nothing_of_another_folder_stays():
    yield
    forget()


@pytest.mark.parametrize(
    "address",
    [
        {"show": "nowhere", "seed": "-4", "layer": "77", "told": "x"},
        {"shuffled": "A photograph"},
        {"show": "Waves", "positions": "9999", "channels": "3", "base": "0", "waves": "999", "pair": "-1", "step": "x"},
        {"show": "Learned", "place": "100000"},
        {"show": "Learned", "learner": "An image model", "patch": "-5"},
        {"show": "Relative", "asks": "99", "found": "-1", "pair": "900", "query_at": "64", "head": "9"},
        {"show": "Relative", "way": "ALiBi"},
        {"show": "Relative", "way": "T5", "buckets": "3", "longest": "0"},
        {"show": "Relative", "way": "Swin", "side": "1", "looker": "500"},
        {"show": "Beyond training", "reach": "3"},
    ],
)
def test_every_part_is_alive_at_once_and_impossible_values_in_a_link_fall_back_to_the_usual_ones(visit, address):
    app = visit(PAGE, **address)
    assert app.title[0].value == "Positional encoding"
    assert not app.warning
    assert "How it is computed" in [element.value for element in app.subheader]


def test_every_lead_is_short():
    leads = [
        text
        for section in PROSE.sections.values()
        for heading, text in section.texts.items()
        if heading.endswith("Lead")
    ]
    assert len(leads) == 8
    assert max(len(lead.split()) for lead in leads) <= 20


@pytest.mark.parametrize("show", ["Shuffle", "Learned"])
def test_a_projector_shows_the_figures_without_notes(visit, show):
    app = visit(PAGE, present="1", show=show)
    assert not app.warning
    assert "How it is computed" not in [element.value for element in app.subheader]


def test_without_positions_a_shuffle_changes_nothing_but_the_order(visit):
    app = visit(PAGE)
    assert "To self-attention a sentence is a set" in prose(app)
    assert "× 10⁻⁷**, which is the rounding of 32-bit numbers" in prose(app)
    assert "“dog” stands at places 1 and 12, counted from 0. Without positions both get the same vector" in prose(app)
    *_, difference = [trace for trace in figure(app, "order-shuffle")["data"] if trace["type"] == "heatmap"]
    before, after = (difference_with(visit, way) for way in ("Positions", "Causal mask"))
    assert largest(difference) < 1e-5
    assert largest(before) > 0.01
    assert largest(after) > 0.01


def difference_with(visit, way):
    app = visit(PAGE, told=way)
    return [trace for trace in figure(app, "order-shuffle")["data"] if trace["type"] == "heatmap"][-1]


def largest(trace) -> float:
    values = trace["z"]
    if isinstance(values, dict):  # plotly sends numbers as base64
        import base64

        values = np.frombuffer(base64.b64decode(values["bdata"]), dtype=np.dtype(values["dtype"]))
    return float(np.abs(np.asarray(values, dtype=float)).max())


def test_shuffling_again_takes_the_next_order_and_keeps_it_in_the_address(visit):
    app = visit(PAGE)
    before = figure(app, "order-shuffle")
    next(button for button in app.button if button.label == "Shuffle again").click().run()
    assert not app.exception
    assert app.number_input(key="seed").value == 1
    assert figure(app, "order-shuffle") != before
    assert figure(visit(PAGE, seed="1"), "order-shuffle")["data"] == figure(app, "order-shuffle")["data"]


@pytest.mark.parametrize("address", [{}, {"show": "Relative"}, {"show": "Relative", "way": "ALiBi"}])
def test_odd_sentences_are_only_text_and_an_empty_one_gets_a_sentence(visit, address):
    app = visit(PAGE, **address)
    for text in ("<b>x</b> **y** $z$ {row} مرحبا 😀 \u202eabc a\x00b\x07c", "x", "word " * 300, "?! ..."):
        app.text_input(key="text").set_value(text[:2000]).run()
        assert not app.exception
        assert not app.warning
        assert not any("<b>" in element.value for element in app.markdown if element.allow_html)
    app.text_input(key="text").set_value("  ").run()
    assert "There is no text here yet" in app.warning[0].value


def test_one_token_has_no_order(visit):
    app = visit(PAGE, text="the")
    assert "One token alone has no order" in app.info[0].value


def test_a_shorter_sentence_keeps_the_page_alive_when_the_chosen_tokens_are_gone(visit):
    app = visit(PAGE, show="Relative", text="one two three four five six", asks="6", found="5")
    app.text_input(key="text").set_value("one two").run()
    assert not app.exception


def test_a_narrower_encoding_forgets_the_waves_and_the_pair_that_it_does_not_have(visit):
    app = visit(PAGE, show="Waves", waves="60", pair="31")
    assert app.multiselect(key="waves").value == [60]
    app.select_slider(key="channels").set_value(8).run()
    assert not app.exception
    assert app.multiselect(key="waves").value == []
    assert app.slider(key="pair").value <= 3


def test_a_step_is_one_matrix_for_all_positions(visit):
    app = visit(PAGE, show="Waves", pair="0", position="10", step="1")
    (matrix,) = (
        formula.value for formula in app.latex if r"\begin{pmatrix} 0.54 & 0.84 \\ -0.84 & 0.54" in formula.value
    )
    assert matrix  # cos 1 and sin 1


@pytest.fixture
def at_home(monkeypatch):
    """Folders may be opened: the visitor sits at the computer that runs the atlas."""
    monkeypatch.setattr(visitor, "is_at_home", lambda: True)


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize(("kind", "count"), [("gpt2", 32), ("bart", 64)])
def test_a_named_model_shows_its_own_table(visit, tmp_path, kind, count):
    app = visit(PAGE, show="Learned", model=str(save_text_model(kind, tmp_path)))
    assert f"There are only {count} vectors" in prose(app)
    assert len(figure(app, "order-learned-row")["data"]) == 1


@pytest.mark.usefixtures("at_home")
def test_a_named_model_without_a_table_says_what_it_does_instead(visit, tmp_path):
    app = visit(PAGE, show="Learned", model=str(save_text_model("llama", tmp_path)))
    assert "it rotates queries and keys by their places (rotary), with the base 10,000" in app.info[0].value


@pytest.mark.usefixtures("at_home")
def test_a_named_t5_shows_its_biases_in_both_directions(visit, tmp_path):
    app = visit(PAGE, show="Relative", way="T5", biases="A model by name", model=str(save_text_model("t5", tmp_path)))
    assert [line["name"] for line in figure(app, "order-bucket-biases")["data"]] == ["head 0", "head 1"]
    assert "add more for the token just before than for one 128 tokens back" in prose(app)


@pytest.mark.usefixtures("at_home")
def test_a_named_swin_shows_the_biases_of_its_windows(visit, tmp_path):
    app = visit(PAGE, show="Relative", way="Swin", network=str(save_timm_model("swin", tmp_path)))
    assert "Head 0 of this layer adds most" in prose(app)


def test_our_small_model_never_learned_the_far_buckets(visit):
    text = prose(visit(PAGE, show="Relative", way="T5"))
    assert "**67** tokens back on are exactly 0, as if nothing had been learned there" in text


def test_slopes_are_written_as_the_fractions_that_they_are(visit):
    lines = [line["name"] for line in figure(visit(PAGE, show="Relative", way="ALiBi"), "order-alibi-slopes")["data"]]
    assert [name.rpartition(" ")[2] for name in lines] == ["1/4", "1/16", "1/64", "1/256", "1/2", "1/8"]


def test_a_model_without_the_biases_says_what_it_has(visit):
    assert "it learned a vector for each of 256 positions" in prose(
        visit(PAGE, show="Relative", way="T5", biases="A model by name")
    )
    assert "it learned a vector for each of 197 positions" in prose(visit(PAGE, show="Relative", way="Swin"))


@pytest.mark.usefixtures("measured")
def test_what_is_beyond_the_training_length_is_said_and_drawn_of_the_measurements(visit):
    app = visit(PAGE, show="Beyond training")
    assert "**Waves**: 2.50 bits from 32 to 64 characters, **4.50** beyond 128: 2.00 bits more" in prose(app)
    assert "**Learned**: 2.50 bits from 32 to 64 characters, and nothing beyond" in prose(app)
    lines = {trace["name"]: trace for trace in figure(app, "order-beyond")["data"]}
    assert set(lines) == set(beyond.TITLES.values())


def test_the_shipped_measurements_agree_with_their_card(visit):
    results = json.loads((compute.FOLDER / "results.json").read_text())
    text = prose(visit(PAGE, show="Beyond training"))
    for way, title in beyond.TITLES.items():
        inside, far = (results["bits"][way][name] for name in ("32 to 64", "256 to 512"))
        assert f"**{title}**: {inside:.2f} bits from 32 to 64 characters" in text
        assert far is None or f"**{far:.2f}** beyond 256" in text


@pytest.mark.parametrize("address", [{"show": "Beyond training"}, {"show": "Relative", "way": "T5"}])
def test_missing_weights_are_one_sentence(visit, monkeypatch, tmp_path, address):
    use(monkeypatch, tmp_path)
    app = visit(PAGE, **address)
    warning = app.warning[0].value.replace("\\", "")
    assert "is not there: fetch the project again, or make it: make train-positions" in warning


def test_a_file_that_holds_something_else_is_one_sentence(visit, measured):
    (measured / "lengths.csv").write_text("a,b\n1,2\n")
    compute.lengths.forget()
    assert "the columns bits, length, positions are missing" in visit(PAGE, show="Beyond training").warning[0].value
