"""Why this weight, on the pages beside Explore that show all heads: numbers against the models' own, links, ways back."""

import re

import pytest
import torch

from dashboard.recordings.watched import watch_text
from pages.language.missing_word import compute_fill_in, compute_two_sentences
from pages.language.missing_word import words as missing_words
from pages.language.next_word import compute_writes
from tests.pages.conftest import prose
from tests.pages.explained_weights import check_cell, is_open

HEADS, NEXT, MISSING = "foundations/many_heads", "language/next_word", "language/missing_word"
GPT, BERT = "gpt-books", "bert-books"
SHORT = "The door was locked, so the old man took a key"


def links(app) -> dict[str, dict[str, str]]:
    """The parameters of the links to pages, by the beginnings of their labels."""
    return {
        link.proto.label.split(":")[0]: dict(pair.split("=", 1) for pair in link.proto.query_string.split("&") if pair)
        for link in app.get("page_link")
    }


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
    app = visit(NEXT, text=SHORT, layer="2", head="1", token="6", key="3")
    (choices,) = (choices for label, choices in links(app).items() if label.startswith("Why “"))
    tokens = watch_text(GPT, SHORT).inputs
    text = "".join(tokens.labels[:7])
    assert (choices["why_layer"], choices["why_head"]) == ("2", "1")
    assert choices["text"].replace("+", " ").replace("%2C", ",") == text


def test_masked_words_explains_a_mask_and_measures_what_it_predicts_without_the_head(visit):
    app = visit(MISSING, text=SHORT, hide="2", layer="1", head="0", token="3", key="5")
    filled = compute_fill_in.fill(BERT, SHORT, (2,))
    call, place = filled.watched.record.calls[1], filled.gaps[0].place
    assert place == 3
    check_cell(app, call, head=0, query=3, key=5)
    lead, without = _leads(filled.watched, layer=1, head=0, query=3, key=5, place=place)
    sentence = re.search(r"\*\*6\. Masked word\.\*\*.*", prose(app))[0]
    numbers = [float(number.replace("−", "-")) for number in re.findall(r"(?:lead is|would be) (−?\d+\.\d+)", sentence)]
    assert numbers[0] == pytest.approx(lead, abs=0.006)
    assert numbers[1] == pytest.approx(without, abs=0.006)


def _leads(watched, *, layer: int, head: int, query: int, key: int, place: int) -> tuple[float, float]:
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
    pair = compute_two_sentences.read(BERT, missing_words.FIRST_SENTENCE, missing_words.FOLLOWS)
    check_cell(app, pair.watched.record.calls[2], head=1, query=2, key=9)
    assert "**6." not in prose(app)
