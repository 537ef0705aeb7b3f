"""Edits for all heads of a path, by pattern, for some inputs or steps, by a function; and what another run had."""

from contextlib import ExitStack

import pytest
import torch

from core.capture import Cut, Only, Patch, Replace, edit_attention, record_attention
from core.errors import CaptureError
from tests.core.test_capture_corner_cases import a_gpt
from tests.core.test_capture_coverage import WrittenAttention
from tests.core.tiny_models import tiny_gpt, tokens

LAYERS, HEADS = 2, 4


def run(model, ids, edits=None):
    with torch.inference_mode(), edit_attention(model, edits or {}):
        return model(ids)


def heads(edit, layers=range(LAYERS)):
    return {(f"blocks.{layer}.attention", head): edit for layer in layers for head in range(HEADS)}


def same(one, other):
    torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-4)


@pytest.fixture
def model():
    torch.manual_seed(1)
    return tiny_gpt().eval()


@pytest.mark.parametrize("edit", ["silence", "uniform", Cut({(3, 1)})])
def test_a_path_alone_means_all_its_heads_and_a_pattern_all_that_fit(model, edit):
    ids = tokens()
    same(run(model, ids, {"blocks.1.attention": edit}), run(model, ids, heads(edit, [1])))
    same(run(model, ids, {"blocks.*.attention": edit}), run(model, ids, heads(edit)))
    same(
        run(model, ids, {("blocks.?.attention", 2): edit}),
        run(model, ids, {place: edit for place in heads(edit) if place[1] == 2}),
    )


def test_a_pattern_that_fits_nothing_is_refused(model):
    with pytest.raises(CaptureError, match=r"no module 'layers\.\*'; did you mean"):
        run(model, tokens(), {"layers.*": "silence"})
    with pytest.raises(CaptureError, match=r"No attention was seen at 'blocks\.\*\.mlp'"):
        run(model, tokens(), {"blocks.*.mlp": "silence"})


def test_a_function_makes_other_weights(model):
    ids, place = tokens(), ("blocks.0.attention", 1)
    same(run(model, ids, {place: lambda weights: 0 * weights}), run(model, ids, {place: "silence"}))
    same(run(model, ids, {place: lambda weights: weights}), run(model, ids))
    with pytest.raises(CaptureError, match=r"gives weights of the same shape, \(\d, \d, \d\).*, not \(\d, \d\)"):
        run(model, ids, {place: lambda weights: weights[0]})
    with pytest.raises(CaptureError, match="not NoneType"):
        run(model, ids, {place: lambda _: None})


def test_an_edit_may_be_for_one_input(model):
    ids, edit = torch.randint(20, (3, 6)), Only("silence", items=[1])
    plain, silent, edited = run(model, ids), run(model, ids, heads("silence")), run(model, ids, heads(edit))
    same(edited[[0, 2]], plain[[0, 2]])
    same(edited[1], silent[1])
    with pytest.raises(CaptureError, match="no input 3 in this batch: it has 3"):
        run(model, ids, heads(Only("silence", items=[3])))


def test_an_edit_may_be_for_some_steps_of_writing():
    model, ids = a_gpt(), torch.tensor([[5, 8, 2]])
    every = {"transformer.h.*.attn": "uniform"}

    def logits(edits):
        with torch.inference_mode(), edit_attention(model, edits):
            how = {"do_sample": False, "return_dict_in_generate": True, "output_logits": True, "use_cache": False}
            return model.generate(ids, max_new_tokens=4, **how).logits

    plain, edited = logits({}), logits({"transformer.h.*.attn": Only("uniform", steps=[0])})
    same(edited[0], logits(every)[0])
    assert (edited[0] - plain[0]).abs().max() > 1e-4
    late = logits({"transformer.h.*.attn": Only("uniform", steps=[2, 3])})
    same(torch.stack(late[:2]), torch.stack(plain[:2]))
    assert (late[2] - plain[2]).abs().max() > 1e-5


def test_only_an_edit_of_weights_can_be_for_some(model):
    with record_attention(model) as record:
        model(tokens())
    for wrong in (Replace(torch.nn.functional.scaled_dot_product_attention, causal=True), Patch("query", record[0])):
        with pytest.raises(CaptureError, match="Only an edit of weights"):
            Only(wrong, items=[0])


def recorded(model, ids):
    with torch.inference_mode(), record_attention(model) as record:
        output = model(ids)
    return record, output


@pytest.mark.parametrize("part", ["query", "key", "value", "output"])
def test_a_run_patched_with_itself_stays_as_it_is(model, part):
    ids = tokens()
    record, plain = recorded(model, ids)
    same(run(model, ids, {call.path: Patch(part, call) for call in record}), plain)


def test_all_heads_of_a_layer_patched_make_its_output_that_of_the_other_run(model):
    ids, others = torch.arange(6)[None], torch.arange(6, 12)[None]
    record, _ = recorded(model, others)
    path = "blocks.0.attention"
    patched = edit_attention(model, {path: Patch("output", record[path])})
    with torch.inference_mode(), patched, record_attention(model) as inside:
        by_output = model(ids)
    same(inside[path].weights(), recorded(model, ids)[0][path].weights())  # a patched output leaves the maps alone
    with ExitStack() as stack:
        for part in ("query", "key", "value"):
            stack.enter_context(edit_attention(model, {path: Patch(part, record[path])}))
        same(model(ids), by_output)
    assert (by_output - run(model, ids)).abs().max() > 1e-3


def test_a_patched_head_looks_as_its_query_and_key_say(model):
    ids, others = torch.arange(6)[None], torch.arange(6, 12)[None]
    record, _ = recorded(model, others)
    path, place = "blocks.0.attention", ("blocks.0.attention", 3)
    patched = edit_attention(model, {place: Patch("query", record[path])})
    with torch.inference_mode(), patched, record_attention(model) as inside:
        model(ids)
    own = recorded(model, ids)[0][path]
    scores = record[path].query[0, 3] @ own.key[0, 3].T * own.scale
    expected = scores.masked_fill(torch.ones(6, 6).triu(1).bool(), -torch.inf).softmax(-1)
    same(inside[path].weights(3), expected)
    same(inside[path].weights(2), own.weights(2))


def test_a_patch_that_does_not_fit_gets_a_sentence(model):
    record, _ = recorded(model, torch.arange(5)[None])
    with pytest.raises(CaptureError, match=r"sizes \(1, 5, \d+\).*\(1, 6, \d+\) are needed"):
        run(model, torch.arange(6)[None], {"blocks.0.attention": Patch("value", record[0])})
    with pytest.raises(CaptureError, match="'query', 'key', 'value' or 'output', not 'weights'"):
        Patch("weights", record[0])
    written = WrittenAttention().eval()
    inputs = torch.randn(1, 6, written.query.in_features)
    with record_attention(written) as written_record:
        written(inputs)
    with pytest.raises(CaptureError, match="seen through its softmax"):
        Patch("query", written_record[0])
    fits, _ = recorded(model, torch.arange(6)[None])
    with pytest.raises(CaptureError, match="cannot be patched"), edit_attention(written, {"": Patch("key", fits[0])}):
        written(inputs)
