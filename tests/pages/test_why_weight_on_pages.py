"""Why this weight, on pages beside Explore: numbers against the models' own, links, ways back."""

import re
from urllib.parse import parse_qsl, urlsplit

import pytest
import torch

from core.capture import record_attention
from core.translation.decoding import BEGIN
from dashboard.cache.models import translator
from dashboard.output import why_weight_sentences as sentences
from dashboard.recordings.watched import watch_text
from pages.language.missing_word import compute_fill_in, compute_two_sentences
from pages.language.next_word import compute_why, compute_writes
from pages.language.translation import compute as compute_translation
from pages.language.translation import compute_explained
from pages.language.translation.word_maps import words_of
from tests.pages.conftest import message_text, prose
from tests.pages.explained_weights import check_cell, figures, is_open

HEADS, NEXT, MISSING = "foundations/many_heads", "language/next_word", "language/missing_word"
TRANSLATION = "language/translation"
GPT, BERT = "gpt-books", "bert-books"
SHORT = "The door was locked, so the old man took a key"


def links(app) -> dict[str, dict[str, str]]:
    """The parameters of the links that open a page beside the map, by the page's address."""
    addresses = (urlsplit(button.proto.url) for button in app.get("link_button"))
    return {address.path: dict(parse_qsl(address.query, keep_blank_values=True)) for address in addresses}


def test_many_heads_explains_a_cell_of_the_head_in_view_and_leads_back(visit):
    app = visit(HEADS, text=SHORT, layer="3", head="2", token="6", key="4")
    check_cell(app, watch_text(GPT, SHORT).record.calls[3], head=2, query=6, key=4)
    assert "**6. Next word.**" in prose(app)
    app.button(key="why_back").click().run()
    assert not app.exception
    assert not is_open(app)


def test_many_heads_explains_nothing_without_a_cell(visit):
    assert not is_open(visit(HEADS, text=SHORT, layer="3", head="2", token="6"))


def test_next_word_explains_what_was_written_too(visit):
    written = (30, 45)
    watched = compute_writes.read(GPT, SHORT, written).watched
    query = len(watched.inputs) - 1
    app = visit(NEXT, text=SHORT, written="30.45", layer="2", head="1", token=str(query), key="3")
    check_cell(app, watched.record.calls[2], head=1, query=query, key=3)
    assert "**6. Next word.**" in prose(app)


def test_a_decoder_links_to_why_this_word_for_the_text_up_to_the_token(visit):
    choices = links(visit(NEXT, text=SHORT, layer="2", head="1", token="6", key="3"))["next-word"]
    tokens = watch_text(GPT, SHORT).inputs
    assert choices["text"] == "".join(tokens.labels[:7])
    read = compute_why.reading(choices["model"], choices["text"])
    assert read.tokens.ids == tokens.ids[:7]
    app = visit(NEXT, **choices)
    assert (app.number_input(key="why_layer").value, app.number_input(key="why_head").value) == (2, 1)


def test_an_explanation_links_to_the_steps_of_its_row_of_the_text_as_it_was_written(visit):
    query = len(compute_writes.read(GPT, SHORT, (30, 45)).watched.inputs) - 1
    app = visit(NEXT, text=SHORT, written="30.45", layer="2", head="1", token=str(query), key="3")
    steps = links(app).get("steps")
    assert steps
    assert watch_text(GPT, steps["text"]).inputs.ids[-2:] == (30, 45)
    assert (steps["layer"], steps["head"], steps["token"]) == ("2", "1", str(query))


def test_masked_words_explains_a_mask_and_measures_what_it_predicts_without_the_head(visit):
    app = visit(MISSING, text=SHORT, hide="2", layer="1", head="0", token="3", key="5")
    filled = compute_fill_in.fill(BERT, SHORT, (2,))
    call, place = filled.watched.record.calls[1], filled.gaps[0].place
    assert place == 3
    check_cell(app, call, head=0, query=3, key=5)
    lead, without = _leads(filled.watched, layer=1, head=0, query=3, place=place)
    sentence = re.search(r"\*\*6\. Masked word\.\*\*.*", prose(app))[0]
    numbers = numbers_in(sentence)
    assert numbers[0] == pytest.approx(lead, abs=0.006)
    assert numbers[1] == pytest.approx(without, abs=0.006)


def _leads(watched, *, layer: int, head: int, query: int, place: int) -> tuple[float, float]:
    """The lead of the best token at a place, and that without a head at one token: by hand, with a hook on W_O."""
    network, call = watched.model.network, watched.record.calls[layer]
    size = call.value.shape[-1]
    (out,) = (
        module
        for path, module in network.named_modules()
        if path.startswith(call.path) and path.endswith("out") and isinstance(module, torch.nn.Linear)
    )

    def silence(_module, args):
        changed = args[0].clone()
        changed[0, query, head * size : (head + 1) * size] = 0
        return (changed,)

    with torch.inference_mode():
        plain = watched.run.logits[place]
        hook = out.register_forward_pre_hook(silence)
        try:
            changed = watched.model.run(watched.inputs).logits[place]
        finally:
            hook.remove()
    best, second = plain.topk(2).indices.tolist()
    return float(plain[best] - plain[second]), float(changed[best] - changed[second])


def test_without_a_mask_a_bert_has_no_last_step(visit):
    app = visit(MISSING, text=SHORT, hide="", layer="1", head="0", token="3", key="5")
    assert is_open(app)
    assert "**6." not in prose(app)


def test_two_sentences_explains_a_cell_from_one_to_the_other(visit):
    app = visit(MISSING, show="Two sentences", layer="2", head="1", token="2", key="9")
    pair = compute_two_sentences.read(BERT, compute_two_sentences.FIRST_SENTENCE, compute_two_sentences.FOLLOWS)
    check_cell(app, pair.watched.record.calls[2], head=1, query=2, key=9)
    assert "**6." not in prose(app)


ENGLISH = "The old cat sleeps on the black table."


def forced(beam: int = 5):
    """The translation of the transformer, written once more here, and the record of it."""
    model = translator("transformer")
    source = model.encode(ENGLISH)
    target = model.tokens(model.write(source, beam=beam).best.tokens)
    inputs = torch.tensor([source.ids]), torch.tensor([(BEGIN, *target.ids[:-1])])
    with torch.inference_mode(), record_attention(model.network) as record:
        logits = model.network(*inputs)[0]
    return model.network, inputs, target, {call.path: call for call in record.calls}, logits


def without(network, inputs, path: str, part: slice, query: int):
    """The logits without a part of what goes into an output projection at one token."""

    def silence(_module, args):
        changed = args[0].clone()
        changed[0, query, part] = 0
        return (changed,)

    hook = network.get_submodule(path).register_forward_pre_hook(silence)
    try:
        with torch.inference_mode():
            return network(*inputs)[0]
    finally:
        hook.remove()


def numbers_in(sentence: str) -> list[float]:
    """What a number is, and would be without the head."""
    found = re.findall(r"(?:lead is|translation is|falls to|rises to|stays at) (−?\d+\.\d+)", sentence)
    return [float(number.replace("−", "-")) for number in found]


def test_a_cell_between_target_and_source_is_explained_up_to_the_next_target_word(visit):
    network, inputs, target, calls, logits = forced()
    # The mean of all comes first, then of each layer its mean and its four heads.
    layer, head, query, key = 2, 1, 1, 2
    place = 1 + layer * 5 + 1 + head
    pieces = {"text": ENGLISH, "translate_units": "Pieces"}
    app = visit(TRANSLATION, **pieces, why=f"transformer.{place}.{query}.{key}")
    best = compute_translation.best_head()
    shift = best.shift if (best.layer, best.head) == (layer, head) else 0
    call = calls[f"decoder.blocks.{layer}.cross_attention"]
    check_cell(app, call, head=head, query=query + shift, key=key)
    (title,) = (heading.value for heading in app.subheader if heading.value.startswith("Why does"))
    assert target.labels[query + shift].strip() in title
    size = call.value.shape[-1]
    changed = without(network, inputs, f"{call.path}.out", slice(head * size, (head + 1) * size), query + shift)
    one, other = logits[query + shift].topk(2).indices.tolist()
    sentence = re.search(r"\*\*6\. Next target word\.\*\*.*", prose(app))[0]
    leads = [float(rows[query + shift, one] - rows[query + shift, other]) for rows in (logits, changed)]
    assert numbers_in(sentence)[0] == pytest.approx(leads[0], abs=0.006)
    assert numbers_in(sentence)[1] == pytest.approx(leads[1], abs=0.006)
    app.button(key="why_back").click().run()
    assert not app.exception
    assert not is_open(app)
    assert "why" not in app.query_params


def test_a_cell_of_the_encoder_is_explained_up_to_the_translation(visit):
    network, inputs, target, calls, logits = forced()
    layer, head, query, key = 1, 2, 1, 3
    where = {"layer": str(layer), "head": str(head), "token": str(query), "key": str(key)}
    app = visit(TRANSLATION, text=ENGLISH, translate_units="Pieces", translate_part="Encoder", **where)
    call = calls[f"encoder.blocks.{layer}.attention"]
    check_cell(app, call, head=head, query=query, key=key)
    size = call.value.shape[-1]
    changed = without(network, inputs, f"{call.path}.out", slice(head * size, (head + 1) * size), query)
    ids = list(target.ids)
    totals = [float(rows.log_softmax(-1)[range(len(ids)), ids].sum()) for rows in (logits, changed)]
    sentence = re.search(r"\*\*6\. Translation\.\*\*.*", prose(app))[0]
    assert numbers_in(sentence)[0] == pytest.approx(totals[0], abs=0.006)
    assert numbers_in(sentence)[1] == pytest.approx(totals[1], abs=0.006)


def test_a_cell_of_the_decoder_is_explained_with_what_it_reads_as_keys(visit):
    *_, calls, _ = forced()
    where = {"layer": "0", "head": "3", "token": "3", "key": "1"}
    app = visit(TRANSLATION, text=ENGLISH, translate_units="Pieces", translate_part="Decoder", **where)
    check_cell(app, calls["decoder.blocks.0.attention"], head=3, query=3, key=1)


@pytest.mark.parametrize("cell", ["seq2seq.0.1.1", "bahdanau.0.1.1", "transformer.0.1.1"])
def test_influence_additive_attention_and_means_are_refused_in_a_sentence(visit, cell):
    app = visit(TRANSLATION, text=ENGLISH, why=cell)
    assert not is_open(app)
    assert app.button(key="why_back")
    assert not figures(app)


@pytest.mark.parametrize(
    "cell", ["", "transformer", "transformer.99.1.1", "nobody.1.1.1", "transformer.1.x.-1", "a.b.c.d.e"]
)
def test_an_address_without_a_cell_shows_the_maps_alone(visit, cell):
    app = visit(TRANSLATION, text=ENGLISH, why=cell)
    assert not is_open(app)
    assert not any(button.key == "why_back" for button in app.button)


def test_a_cell_between_words_explains_the_largest_weight_in_it(visit):
    aligned = compute_translation.translate("transformer", ENGLISH, 5)
    source, target = words_of(aligned.source), words_of(aligned.target)
    sizes = [len(row) * len(column) for row in target.spans for column in source.spans]
    assert max(sizes) > 1, "A word of the example has several pieces."
    row, column = divmod(sizes.index(max(sizes)), len(source.spans))
    app = visit(TRANSLATION, text=ENGLISH, why=f"transformer.2.{row}.{column}")
    weights = aligned.aligned.cross[0][0][list(target.spans[row])][:, list(source.spans[column])]
    assert is_open(app)
    assert f"joins {weights.numel()} weights" in prose(app)
    heading = next(heading.value for heading in app.subheader if heading.value.startswith("Why does"))
    assert sentences._weight(float(weights.max())) in heading


def test_a_row_that_differs_from_the_map_is_not_explained(visit, monkeypatch):
    place = compute_explained.call_place

    def of_another_layer(request, part, layer):
        return place(request, part, (layer + 1) % 3)

    monkeypatch.setattr(compute_explained, "call_place", of_another_layer)
    app = visit(TRANSLATION, text=ENGLISH, translate_units="Pieces", why="transformer.2.1.1")
    assert not figures(app)
    assert "other weights than the map" in message_text(app, "caption")


def test_sentences_of_what_is_left_out_agree_with_their_numbers():
    start = "The lead is"
    assert "falls to 1.20" in sentences.left_out(start, (1.5, 1.2, 1.502), "“a”")
    assert "alone it stays at 1.50" in sentences.left_out(start, (1.5, 1.2, 1.502), "“a”")
    assert "rises to −0.50; " in sentences.left_out(start, (-1.0, -0.5, -1.0), "“a”")
    assert "no finite number" in sentences.left_out(start, (1.0, float("nan"), 1.0), "“a”")
