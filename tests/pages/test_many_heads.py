"""Many heads: measured, silenced, one at a time; on a text or a picture, on our models or any."""

import base64
import copy
import json
import math
import re

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from core import zoo
from dashboard.inputs import controls
from dashboard.recordings import layer_outputs
from dashboard.recordings.watched import watch_text
from pages.foundations.many_heads import compute, one_at_a_time
from tests.core.saved_models import save_text_model, save_timm_model

PAGE = "foundations/many_heads"


def prose(app: AppTest) -> str:
    return "\n".join(element.value for element in (*app.markdown, *app.caption))


def warnings(app: AppTest) -> str:
    return " ".join(element.value for element in (*app.warning, *app.info))


def sent(app: AppTest) -> list[dict]:
    """What the maps on the page were given."""
    return [data for part in app.get("bidi_component") if "limits" in (data := json.loads(part.proto.json))]


def mean_loss(text: str, silenced: tuple[int, int] | None = None) -> float:
    """The loss of `gpt-books` in nats; a head is silenced by taking what it writes out of the output projection."""
    model = zoo.load_text("gpt-books")
    network, ids = copy.deepcopy(model.network), torch.tensor([model.encode(text).ids])
    if silenced:
        layer, head = silenced
        width = network.config.width // network.config.heads
        network.blocks[layer].attention.out.weight[:, head * width : (head + 1) * width] = 0
    return float(torch.nn.functional.cross_entropy(network(ids)[0, :-1], ids[0, 1:]))


def names(app: AppTest) -> list[str]:
    return [data["name"] for data in sent(app)]


def cells(app: AppTest, name: str) -> dict:
    """The map whose files have this name."""
    (drawn_map,) = [data for data in sent(app) if data["name"] == f"attention-atlas-{name}"]
    return drawn_map


def numbers(data: dict) -> np.ndarray:
    return np.frombuffer(base64.b64decode(data["values"]), dtype="<f4").reshape(data["shape"])


def test_the_page_is_alive_at_once_and_what_it_says_is_true_of_its_table(visit):
    app = visit(PAGE)
    assert app.title[0].value == "Many heads"
    assert app.selectbox(key="measure").value == "Job"
    assert len(app.dataframe[0].value) == 36
    assert not app.warning
    table = app.dataframe[0].value.set_index(["layer", "head"])
    assert table["Previous token"].idxmax() == ("3", 2)
    share = table["Previous token"].max()  # per cent
    assert (
        f"**Layer 3, head 2** attends most to the previous token: on average {share:.0f}% of a token's attention"
        in prose(app)
    )
    assert table["Induction"].idxmax() == ("5", 2)
    assert "On random tokens said twice, **layer 5, head 2**" in prose(app)
    assert not (table["First token"] > 50).any()
    assert "The first token is not an attention sink here" in prose(app)
    by_layer = table["Entropy (bits)"].groupby("layer").mean()
    assert f"Layer {by_layer.idxmax()} looks most broadly ({by_layer.max():.1f} bits" in prose(app)
    narrow = re.search(r"layers? ([\d, and]+) most narrowly \(([\d.]+) bits\)", prose(app))
    narrowest = by_layer[re.findall(r"\d+", narrow[1])]
    assert by_layer.idxmin() in narrowest.index
    assert narrowest.to_numpy() == pytest.approx(by_layer.min(), abs=0.05)
    assert float(narrow[2]) == pytest.approx(by_layer.min(), abs=0.1)


def test_the_heads_with_a_job_are_counted_and_come_first_in_the_table(visit):
    app = visit(PAGE)
    table = app.dataframe[0].value
    named = table["Job"] != ""
    assert f"**{named.sum()} of 36 heads**" in prose(app)
    assert named.iloc[: named.sum()].all()
    for job, column in (("previous token", "Previous token"), ("first token", "First token")):
        rows = table[table["Job"] == job]
        assert (rows[column] > 50).all()
        assert f"{len(rows)} {job}" in prose(app) or rows.empty
    assert (table[table["Job"] == "induction"]["Induction"] >= 10).all()
    assert not (table[~named]["Previous token"] > 50).any()
    assert "Job" not in visit(PAGE, input="Picture").selectbox(key="measure").options


def test_a_link_holds_measure_layer_and_head(visit):
    app = visit(PAGE, measure="Induction", layer="5", head="2", stretch="true")
    assert app.selectbox(key="measure").value == "Induction"
    assert (app.number_input(key="layer").value, app.number_input(key="head").value) == (5, 2)
    assert app.toggle(key="stretch").value
    assert "Layer 5, head 2: entropy" in prose(app)
    assert app.dataframe[0].value["Induction"].iloc[0] == app.dataframe[0].value["Induction"].max()


def test_a_link_with_impossible_values_falls_back_to_the_usual_ones(visit):
    app = visit(PAGE, layer="99", head="-3", measure="no such", show="nothing")
    assert not app.warning
    assert app.selectbox(key="measure").value == "Job"


def test_another_model_with_fewer_heads_falls_back(visit):
    app = visit(PAGE, input="Picture", layer="5", head="3")
    assert app.number_input(key="head").value == 3
    app.segmented_control(key="input").set_value("Text").run()
    app.number_input(key="head").set_value(5).run()
    app.segmented_control(key="input").set_value("Picture").run()
    assert not app.exception
    assert app.number_input(key="head").value <= 3


def test_a_picture_has_distances_in_patches_and_a_class_token(visit):
    app = visit(PAGE, input="Picture", measure="Induction")  # a measure of texts
    assert app.selectbox(key="measure").options == [
        "Entropy",
        "Distance",
        "Same token",
        "Class token",
        "Share of the output",
    ]
    assert app.selectbox(key="measure").value == "Entropy"
    rows, columns = np.divmod(np.arange(14 * 14), 14)
    even = np.hypot(rows[:, None] - rows, columns[:, None] - columns).mean()
    assert f"Attention spread evenly would reach {even:.1f}" in prose(app)
    assert "Distance (patches)" in app.dataframe[0].value.columns


def test_a_share_that_was_not_measured_is_said_to_be_left_out(visit, monkeypatch):
    monkeypatch.setattr(layer_outputs, "LONGEST", 10)
    assert "at most 10 tokens; this input has 20" in prose(visit(PAGE, measure="Entropy"))


def test_an_empty_text_gets_one_sentence_and_the_page_stays(visit):
    app = visit(PAGE)
    app.text_area(key="text").set_value("   \n\t ").run()
    assert not app.exception
    assert "There is no text here yet" in warnings(app)
    app.text_area(key="text").set_value("Now there is one.").run()
    assert not app.warning
    assert app.dataframe


@pytest.mark.parametrize(
    ("show", "text"),
    [("Measured", "a"), ("Measured", "word " * 400), ("Ablated heads", "<b>x</b> **bold** $x$ 😀😀 مرحبا \u202eabc")],
)
def test_odd_texts_are_measured_like_any_other(visit, show, text):
    app = visit(PAGE, show=show, text=text, silenced="0.0")
    assert not app.exception
    assert not any("<b>" in element.value for element in app.markdown if element.allow_html)


def test_one_token_has_no_loss_and_the_page_says_so(visit):
    app = visit(PAGE, show="Ablated heads", text="a")
    assert "A loss needs at least 2 tokens" in warnings(app)


def test_a_link_brings_silenced_heads_with_loss_predictions_and_changed_maps(visit):
    app = visit(PAGE, show="Ablated heads", silenced="1.5")
    assert [metric.label for metric in app.metric] == [
        "Loss with all heads active",
        "Loss without the ablated heads",
    ]
    losses = [mean_loss(app.text_area(key="text").value, silenced) for silenced in (None, (1, 5))]
    assert [metric.value for metric in app.metric] == [f"{loss:.3f} nats" for loss in losses]
    rise = losses[1] - losses[0]
    assert f"the loss **rises by {rise:.2f} nats**: the next token of the text is {math.exp(rise):.2f} times less" in (
        prose(app)
    )
    assert "What changed in the other heads" in [element.value for element in app.subheader]
    assert "of its attention has moved" in prose(app)
    (head,) = {name.partition("-before-")[2] for name in names(app) if "-before-" in name}
    before, after, change = (cells(app, f"{name}-{head}") for name in ("before", "after", "difference"))
    assert before["rows"][:3] == before["columns"][:3] == ["The", "door", "was"]
    assert numbers(change) == pytest.approx(numbers(after) - numbers(before), abs=1e-7)
    assert change["limits"][0] == -change["limits"][1] == -np.abs(numbers(change)).max()
    assert before["limits"] == after["limits"] == [0, 1]


def test_the_head_whose_maps_are_compared_can_be_chosen(visit):
    app = visit(PAGE, show="Ablated heads", silenced="1.5", changed="0.0")
    assert "**Layer 0, head 0**: less than 0.05% of its attention has moved." in prose(app)


def test_silence_in_the_last_layer_changes_no_other_map(visit):
    app = visit(PAGE, show="Ablated heads", silenced="5.2")
    assert "In every other head less than 0.05% of the attention moved" in prose(app)
    assert not [name for name in names(app) if "difference" in name]


def test_all_heads_silenced_leave_none_to_compare(visit):
    app = visit(PAGE, show="Ablated heads")
    app.multiselect(key="silenced").set_value(app.multiselect(key="silenced").options).run()
    assert not app.exception
    assert "No other head is left." in prose(app)


def test_the_section_opens_with_what_each_head_costs_to_click_and_ranked(visit):
    app = visit(PAGE, show="Ablated heads")
    costs = compute.measure_costs.peek(watch_text("gpt-books", controls.FIRST_TEXT))
    drawn_map = cells(app, "costs")
    assert drawn_map["canClick"]
    assert numbers(drawn_map) == pytest.approx(
        np.array([[costs[layer, head] for head in range(6)] for layer in range(6)])
    )
    for page in (app, visit(PAGE, show="Ablated heads")):
        table = page.dataframe[-1].value
        assert len(table) == 36
        costs = table["cost, nats"]
        assert list(costs) == sorted(costs, reverse=True)
        assert (costs.abs() < 0.02).sum() == int(
            prose(page).split(" of 36 heads** change the loss by less")[0].rpartition("**")[2]
        )
        worst = table.iloc[0]
        assert f"**Layer {worst['layer']}, head {worst['head']}** costs most" in prose(page)
        assert not [button for button in page.button if "Ablate each" in button.label]


def test_what_takes_long_is_measured_when_it_is_asked_for_and_heads_can_be_clicked_at_once(visit, monkeypatch):
    monkeypatch.setattr(one_at_a_time, "AT_ONCE", 0.0)
    app = visit(PAGE, show="Ablated heads", text="Nobody has asked for this sentence.")
    assert not numbers(cells(app, "costs")).any()
    assert cells(app, "costs")["canClick"]
    (button,) = [button for button in app.button if "Ablate each of the 36 heads" in button.label]
    button.click().run()
    assert not app.exception
    assert numbers(cells(app, "costs")).any()
    assert "of 36 heads** change the loss by less" in prose(app)


def test_a_picture_loses_the_log_probability_of_its_own_answer(visit):
    app = visit(PAGE, show="Ablated heads", input="Picture", silenced="3.0")
    assert "the loss is about its own answer" in prose(app)
    assert len(app.metric) == 2


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize("kind", ["bert-headless", "bert-classifier", "t5"])
def test_a_named_text_model_is_measured_and_silenced(visit, kind, tmp_path):
    folder = str(save_text_model(kind, tmp_path / kind))
    app = visit(PAGE, model=folder, text="Who listens to whom? The lazy dog.")
    assert not app.warning
    assert len(app.dataframe[0].value) == {"t5": 12}.get(kind, 4)
    if kind == "t5":
        layers = set(app.dataframe[0].value["layer"])
        assert {name.split()[1] for name in layers} == {"encoder", "decoder", "cross"}
    app = visit(PAGE, model=folder, text="Who listens to whom?", show="Ablated heads", silenced="0.1")
    assert ("predicts nothing" in warnings(app)) == (kind == "bert-headless")


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize("kind", ["swin", "cait"])
def test_a_named_picture_model_is_measured_and_silenced(visit, kind, tmp_path):
    folder = str(save_timm_model(kind, tmp_path / kind))
    app = visit(PAGE, input="Picture", network=folder, layer="0")
    assert not app.warning
    if kind == "swin":
        assert "looks through 4 windows of 49 patches" in prose(app)
    app = visit(PAGE, input="Picture", network=folder, show="Ablated heads", silenced="0.0")
    assert not app.warning


def test_the_projector_s_view_has_no_prose(visit):
    for show in ("Measured", "Ablated heads"):
        app = visit(PAGE, present="1", show=show)
        assert not any("Try this" in element.value for element in app.subheader)
        assert not app.dataframe
