"""Translators, with small random models: what their maps hold, what a cut and a silenced head do to them."""

import dataclasses

import pytest
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors

from core.capture import edit_attention, record_attention
from core.errors import CaptureError
from core.models.bahdanau import Bahdanau, BahdanauConfig
from core.models.seq2seq import Seq2Seq, Seq2SeqConfig
from core.models.transformer import Transformer, TransformerConfig
from core.translation.decoding import BEGIN, PAD, padded
from core.translation.influence import BATCH_SIZE, influence
from core.zoo import TRANSLATION, Changes
from core.zoo.translators import KINDS

SPECIAL = ["<pad>", "<s>", "</s>", "<unk>"]
WORDS = ["▁the", "▁cat", "▁sleep", "s", "▁on", "▁a", "▁red", "▁mat", "▁le", "▁chat", "▁dort", "▁sur", "▁un", "▁tapis"]
VOCABULARY = len(SPECIAL) + len(WORDS)
ENGLISH, FRENCH = "the cat sleeps on a red mat", "le chat dort sur un tapis"
WITH_ATTENTION = ("bahdanau", "dot", "transformer", "pre-norm")
ALL = ("seq2seq", *WITH_ATTENTION)
CUT = frozenset({(0, 1), (2, 0), (2, 4), (3, 7)})  # (target, source)


def tokenizer() -> Tokenizer:
    """Words of the list above; "sleeps" is two pieces, and a text ends with the end mark."""
    made = Tokenizer(models.Unigram([(word, -1.0) for word in SPECIAL + WORDS], unk_id=3))
    made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    made.decoder = decoders.Metaspace(prepend_scheme="always")
    made.add_special_tokens(SPECIAL)
    made.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 2)])
    return made


def network(name: str):
    """A small model whose weights were drawn large enough for its maps to differ from row to row."""
    torch.manual_seed(7)
    transformer = TransformerConfig(VOCABULARY, VOCABULARY, width=16, layers=2, heads=4, hidden=24)
    small = BahdanauConfig(VOCABULARY, width=16, encoder=12, state=20, attention=10)
    made = {
        "seq2seq": lambda: Seq2Seq(Seq2SeqConfig(VOCABULARY, width=16, state=24)),
        "bahdanau": lambda: Bahdanau(small),
        "dot": lambda: Bahdanau(dataclasses.replace(small, score="dot")),
        "transformer": lambda: Transformer(transformer),
        "pre-norm": lambda: Transformer(dataclasses.replace(transformer, norm="pre")),
    }[name]()
    for parameter in made.parameters():
        torch.nn.init.normal_(parameter, std=0.4)
    return made.eval().requires_grad_(False)


def translator(name: str):
    kind = {"dot": "bahdanau", "pre-norm": "transformer"}.get(name, name)
    return KINDS[kind][0](kind, TRANSLATION[kind], network(name), tokenizer())


def model_and_pair(name: str):
    model = translator(name)
    return model, model.encode(ENGLISH), model.encode_target(FRENCH)


def every_map(aligned):
    return [one for maps in aligned.maps.values() for one in maps]


@pytest.mark.parametrize("name", ALL)
def test_every_row_of_every_map_sums_to_one(name):
    model, source, target = model_and_pair(name)
    aligned = model.align(source, target)
    heads, layers = {"transformer": (4, 2), "pre-norm": (4, 2)}.get(name, (1, 1))
    assert [tuple(one.shape) for one in aligned.cross] == [(heads, len(target), len(source))] * layers
    for one in every_map(aligned):
        assert (one >= 0).all()
        torch.testing.assert_close(one.sum(dim=-1), torch.ones(one.shape[:-1]))


@pytest.mark.parametrize("name", WITH_ATTENTION)
def test_a_cut_link_gets_nothing_and_the_rest_of_its_row_everything(name):
    model, source, target = model_and_pair(name)
    for one in model.align(source, target, Changes(cut=CUT)).cross:
        torch.testing.assert_close(one.sum(dim=-1), torch.ones(one.shape[:-1]))
        for row, column in CUT:
            assert (one[:, row, column] == 0).all()
        assert int((one == 0).sum()) == len(CUT) * len(one)


@pytest.mark.parametrize("name", ["bahdanau", "dot"])
def test_what_a_cut_leaves_of_a_row_is_shared_out_in_proportion(name):
    # Only the first row is as it was before: later states have read another context.
    model, source, target = model_and_pair(name)
    (plain,), (cut,) = (model.align(source, target, Changes(cut=frozenset(to))).cross for to in ((), {(0, 1)}))
    expected = plain[0, 0].clone()
    expected[1] = 0
    torch.testing.assert_close(cut[0, 0], expected / expected.sum())
    assert not torch.allclose(cut[0, 1], plain[0, 1])


@pytest.mark.parametrize("name", WITH_ATTENTION)
def test_what_was_written_before_a_cut_stays_as_probable_as_it_was(name):
    model, source, target = model_and_pair(name)
    plain = model.align(source, target).log_probabilities
    cut = model.align(source, target, Changes(cut=frozenset({(3, column) for column in range(4)}))).log_probabilities
    assert cut[:3] == pytest.approx(plain[:3], abs=1e-5)
    assert abs(cut[3] - plain[3]) > 1e-4


@pytest.mark.parametrize("name", WITH_ATTENTION)
@pytest.mark.parametrize("beam", [1, 3])
@pytest.mark.parametrize("changes", [Changes(), Changes(cut=CUT), Changes(cut=frozenset({(1, 2)}))])
def test_what_is_written_is_as_probable_as_when_the_same_model_is_made_to_write_it(name, beam, changes):
    # Writing goes step by step and aligning in one pass: the cuts must stand at the same places in both.
    model, source, _ = model_and_pair(name)
    decoded = model.write(source, beam=beam, changes=changes)
    aligned = model.align(source, model.tokens(decoded.best.tokens), changes)
    assert aligned.log_probabilities == pytest.approx(decoded.best.log_probabilities, abs=1e-4)


@pytest.mark.parametrize("name", WITH_ATTENTION)
def test_a_cut_changes_what_is_written_only_from_its_own_position_on(name):
    model, source, _ = model_and_pair(name)
    before = model.write(source, beam=1).best
    place = 4
    everything = Changes(cut=frozenset((place, column) for column in range(1, len(source))))
    after = model.write(source, beam=1, changes=everything).best
    assert after.tokens[:place] == before.tokens[:place]
    assert after.log_probabilities[:place] == pytest.approx(before.log_probabilities[:place], abs=1e-5)
    assert abs(after.log_probabilities[place] - before.log_probabilities[place]) > 1e-4


@pytest.mark.parametrize("name", WITH_ATTENTION)
def test_a_cut_beyond_the_end_of_the_target_changes_nothing(name):
    model, source, target = model_and_pair(name)
    beyond = Changes(cut=frozenset({(len(target), 0), (500, 3)}))
    for one, other in zip(
        every_map(model.align(source, target)), every_map(model.align(source, target, beyond)), strict=True
    ):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize("name", WITH_ATTENTION)
def test_a_position_whose_every_link_is_cut_looks_at_nothing(name):
    model, source, target = model_and_pair(name)
    changes = Changes(cut=frozenset((1, column) for column in range(len(source))))
    aligned = model.align(source, target, changes)
    assert all(not one[:, 1].any() for one in aligned.cross)
    assert all(torch.tensor(aligned.log_probabilities).isfinite())
    assert all(torch.tensor(model.write(source, changes=changes).best.log_probabilities).isfinite())


@pytest.mark.parametrize("part", ["cross", "encoder", "decoder"])
def test_silencing_a_head_is_the_edit_that_silences_it(part):
    model, source, target = model_and_pair("transformer")
    silent = model.align(source, target, Changes(silenced=frozenset({(part, 1, 2)})))
    before = torch.tensor([(BEGIN, *target.ids[:-1])])
    with torch.no_grad(), edit_attention(model.network, {(model.path(part, 1), 2): "silence"}):
        logits = model.network(torch.tensor([source.ids]), before)
    expected = logits[0].log_softmax(dim=-1)[torch.arange(len(target)), torch.tensor(target.ids)]
    assert silent.log_probabilities == pytest.approx(expected.tolist(), abs=1e-6)
    assert silent.log_probabilities != pytest.approx(model.align(source, target).log_probabilities, abs=1e-4)
    assert not silent.maps[part][1][2].any()
    assert silent.maps[part][1][[0, 1, 3]].any(dim=-1).all()


def test_a_silenced_head_is_silent_in_writing_too():
    model, source, _ = model_and_pair("transformer")
    changes = Changes(silenced=frozenset({("cross", 0, 1), ("encoder", 1, 0), ("decoder", 0, 3)}))
    decoded = model.write(source, beam=2, changes=changes)
    aligned = model.align(source, model.tokens(decoded.best.tokens), changes)
    assert aligned.log_probabilities == pytest.approx(decoded.best.log_probabilities, abs=1e-4)


def test_cut_and_silenced_may_be_asked_for_together():
    model, source, target = model_and_pair("transformer")
    aligned = model.align(source, target, Changes(cut=CUT, silenced=frozenset({("cross", 0, 1)})))
    assert not aligned.cross[0][1].any()
    assert all(not aligned.cross[1][:, row, column].any() for row, column in CUT)


@pytest.mark.parametrize("changes", [Changes(cut=CUT), Changes(silenced=frozenset({("cross", 0, 0)}))])
def test_a_model_without_attention_has_nothing_to_cut(changes):
    model, source, target = model_and_pair("seq2seq")
    for change in (lambda: model.write(source, changes=changes), lambda: model.align(source, target, changes)):
        with pytest.raises(CaptureError, match="no links to cut and no heads to silence"):
            change()


def test_bahdanau_has_no_heads_to_silence():
    model, source, target = model_and_pair("bahdanau")
    changes = Changes(silenced=frozenset({("cross", 0, 0)}))
    for change in (lambda: model.write(source, changes=changes), lambda: model.align(source, target, changes)):
        with pytest.raises(CaptureError, match="no heads to silence: cut links instead"):
            change()


@pytest.mark.parametrize("name", ["bahdanau", "dot"])
@torch.no_grad()
def test_the_maps_of_bahdanau_are_those_of_its_steps(name):
    model, source, target = model_and_pair(name)
    (cross_attention,) = model.align(source, target).cross
    state = model.network.read(torch.tensor([source.ids]))
    for row, token in enumerate((BEGIN, *target.ids[:-1])):
        _, state = model.network.step(torch.tensor([token]), state)
        torch.testing.assert_close(state["weights"][0], cross_attention[0, row], atol=1e-5, rtol=0)


@pytest.mark.parametrize("anew", [False, True])
@pytest.mark.parametrize("name", ["transformer", "pre-norm"])
@torch.no_grad()
def test_the_maps_of_the_transformer_are_those_of_its_steps(name, anew):
    model, source, target = model_and_pair(name)
    aligned = model.align(source, target)
    state = model.network.read(torch.tensor([source.ids]), uncached=anew)
    for row, token in enumerate((BEGIN, *target.ids[:-1])):
        with record_attention(model.network) as record:
            _, state = model.network.step(torch.tensor([token]), state)
        # Keys that were kept before the record began belong to no sequence that it knows: the order of the calls tells.
        steps = {"self": record.calls[::2], "cross": record.calls[1::2]}
        for layer in range(2):
            for head in range(4):
                last = steps["cross"][layer].weights(head=head)[-1]
                torch.testing.assert_close(last, aligned.cross[layer][head, row], atol=1e-5, rtol=0)
                last = steps["self"][layer].weights(head=head)[-1]
                torch.testing.assert_close(
                    last, aligned.maps["decoder"][layer][head, row, : row + 1], atol=1e-5, rtol=0
                )


def test_the_decoder_never_looks_ahead():
    model, source, target = model_and_pair("transformer")
    aligned = model.align(source, target)
    for one in aligned.maps["decoder"]:
        assert one.shape == (4, len(target), len(target))
        assert not one.triu(1).any()
        assert (one[:, 0, 0] == 1).all()
    assert all(one.triu(1).any() for one in aligned.maps["encoder"])


def batch():
    """A long source and a short one, filled up; and a target of each."""
    made = tokenizer()
    sources = [made.encode(text).ids for text in (ENGLISH, "the cat")]
    tokens, padding = padded(sources)
    target = torch.tensor([(BEGIN, 12, 13, 14), (BEGIN, 12, 13, 15)])
    assert (tokens[1, 3:] == PAD).all()
    assert padding[1].tolist() == [False] * 3 + [True] * 6
    return tokens, padding, target


@pytest.mark.parametrize("name", ["bahdanau", "dot"])
@torch.no_grad()
def test_padding_gets_no_attention_from_bahdanau(name):
    model, (tokens, padding, target) = network(name), batch()
    logits, weights = model.attend(tokens, target, padding)
    assert (weights[1, :, 3:] == 0).all()
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones(2, 4))
    alone, own = model.attend(tokens[1:, :3], target[1:])
    torch.testing.assert_close(weights[1:, :, :3], own)
    torch.testing.assert_close(logits[1:], alone)


@torch.no_grad()
def test_padding_gets_no_attention_from_the_transformer():
    model, (tokens, padding, target) = network("transformer"), batch()
    with record_attention(model) as record:
        model(tokens, target, padding)
    for call in record.calls:
        for head in range(4):
            weights = call.weights(head=head, item=1)
            torch.testing.assert_close(weights.sum(dim=-1), torch.ones(len(weights)))
            if "decoder" not in call.path or call.kind == "cross":
                assert (weights[:, 3:] == 0).all()


@torch.no_grad()
def test_cross_attention_is_the_softmax_of_scaled_products_of_queries_and_keys():
    model, source, target = model_and_pair("transformer")
    inputs = {}
    for layer, block in enumerate(model.network.decoder.blocks):
        block.cross_attention.register_forward_pre_hook(
            lambda _, args, layer=layer: inputs.__setitem__(layer, args[:2]), with_kwargs=False
        )
    aligned = model.align(source, target)
    for layer, block in enumerate(model.network.decoder.blocks):
        x, memory = inputs[layer]
        attention = block.cross_attention
        for head in range(4):
            own = slice(4 * head, 4 * head + 4)  # 16 channels, 4 heads
            query = x[0] @ attention.query.weight[own].T + attention.query.bias[own]
            key = memory[0] @ attention.key.weight[own].T + attention.key.bias[own]
            scores = query @ key.T / 4**0.5
            written_out = scores.exp() / scores.exp().sum(dim=1, keepdim=True)
            torch.testing.assert_close(aligned.cross[layer][head], written_out, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("length", [1, 6, BATCH_SIZE + 3])
def test_influence_is_the_norm_of_each_gradient_taken_on_its_own(length):
    model = network("seq2seq")
    draw = torch.Generator().manual_seed(2)
    source = torch.randint(4, VOCABULARY, (1, 7), generator=draw)
    target = torch.randint(4, VOCABULARY, (1, length), generator=draw)
    influences = influence(model, source, target)
    assert influences.shape == (1, length, 7)
    before = torch.cat([torch.tensor([[BEGIN]]), target[:, :-1]], dim=1)
    for row in range(length):
        embedded = model.embedding(source).detach().requires_grad_()
        log_probabilities = model.readout(model.readout_inputs(embedded, before)).log_softmax(dim=-1)
        (gradient,) = torch.autograd.grad(log_probabilities[0, row, target[0, row]], embedded)
        norms = gradient[0].norm(dim=-1)
        torch.testing.assert_close(influences[0, row], norms / norms.sum(), atol=1e-5, rtol=1e-4)


def test_influence_is_what_the_aligned_pair_of_a_model_without_attention_shows():
    model, source, target = model_and_pair("seq2seq")
    aligned = model.align(source, target)
    assert aligned.measure == "influence"
    expected = influence(model.network, torch.tensor([source.ids]), torch.tensor([target.ids]))
    torch.testing.assert_close(aligned.cross[0], expected)


def test_influence_takes_one_sentence_at_a_time():
    model, two = network("seq2seq"), torch.full((2, 3), 5)
    with pytest.raises(ValueError, match="there are 2 sources and 2 targets"):
        influence(model, two, two)


@pytest.mark.parametrize("name", ALL)
def test_log_probabilities_are_those_that_teacher_forcing_gives(name):
    model, source, target = model_and_pair(name)
    with torch.no_grad():
        logits = model.network(torch.tensor([source.ids]), torch.tensor([(BEGIN, *target.ids[:-1])]))[0]
    expected = [float(row.log_softmax(dim=0)[token]) for row, token in zip(logits, target.ids, strict=True)]
    assert model.align(source, target).log_probabilities == pytest.approx(expected, abs=1e-5)
