"""Rows that do not sum to 1 (a mask after the softmax, a sink), sum to nothing, are negative or are only some of all.

What is expected is computed with numpy from the maps that the models make.
"""

import numpy as np
import pytest
import torch

from core import zoo
from core.attribution import aggregation
from core.attribution.cross_modal import LayerAttention
from core.attribution.cross_modal import rollout as joint_rollout
from core.attribution.masked_patch_sources import AutoencoderLayer, decoder_attention_shares, encoder_attention_distance
from core.attribution.record_aggregation import MEAN, ROLLOUT, Stack, combine
from core.capture import AttentionCall, Paste, Record, edit_attention, record_attention
from core.capture.view_of_record import layer_of_call
from core.capture.written_weights import WrittenWeights
from core.errors import CaptureError
from core.generation.newest_token import find_farthest_head
from core.heads import measures
from core.heads.contributions import output_shares, watch_outputs
from core.heads.head_table import attention_moved_between, induction_scores, measure_heads
from core.heads.jobs import previous_tokens
from core.images import Patches
from core.probing.fine_tuning.attention_shift import row_moved, shares
from core.probing.masked_words.sentence_pairs import crossing
from core.text import Tokens
from core.translation.alignment import links_of
from core.view import Scene, TextSequence
from core.vision.distance import smallest_set
from core.vision.pixel_attention import measure_pixel_attention
from core.vision.window_measures import measure_in_windows
from core.vision.window_rollout import (
    blocks_of,
    reach_by_block,
    rollout_by_block,
    rollout_spread_by_block,
    spread_by_block,
)
from core.vision.windows import window_weights
from tests.core.rows_below_one import EMPTY, HEADS, WIDTH, Language, RowsBelowOne, call_of, call_with
from tests.core.saved_models import byte_level_tokenizer
from tests.core.test_capture_after_softmax import informer, series
from tests.pages.tiny_windows import layer_of

TEXT = "the cat listens to the dog, and the dog to the cat."
KINDS = ["mask", "sink"]


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


def scaled_rows(weights: np.ndarray) -> np.ndarray:
    """Each row divided by its own sum; NaN where that is 0."""
    weights = np.asarray(weights, dtype=np.float64)
    sums = weights.sum(axis=-1, keepdims=True)
    return np.where(sums > 0, weights / np.where(sums > 0, sums, 1), np.nan)


def language(kind: str):
    tokenizer = byte_level_tokenizer()
    network = Language(kind, tokenizer.get_vocab_size())
    return zoo.wrap(network, tokenizer=tokenizer, task="next token", context=64, name="mine")


def recorded_text(kind: str):
    model = language(kind)
    tokens = model.encode(TEXT)
    with torch.inference_mode(), record_attention(model.network) as record:
        run = model.run(tokens)
    return model, tokens, run, record


def test_a_call_says_what_its_rows_sum_to(kind):
    call = call_of(kind)
    sums = call.weights().numpy().sum(axis=-1)
    np.testing.assert_allclose(call.row_sums().numpy(), sums, rtol=1e-6)
    np.testing.assert_allclose(call.row_sums(1, queries=[2, 5]).numpy(), sums[0, 1, [2, 5]], rtol=1e-6)
    assert not call.rows_sum_to_one
    assert not call.has_negative_weights
    assert sums.max() <= 1
    assert sums.min() < 0.9
    assert (kind == "mask") == bool((call.row_sums()[:, :, EMPTY] == 0).all())


def test_rows_of_a_softmax_sum_to_one_and_those_without_a_key_are_not_counted():
    query = torch.randn(1, 2, 5, 4)
    mask = torch.ones(5, 5, dtype=torch.bool).tril()
    mask[2] = False

    class Fused(torch.nn.Module):
        def forward(self, x):
            return torch.nn.functional.scaled_dot_product_attention(x, x, x, mask)

    with torch.no_grad(), record_attention(model := Fused(), differentiable=False) as record:
        model(query)
    call = record[0]
    assert call.rows_sum_to_one
    assert call.row_sums()[0, :, 2].isnan().all()
    assert (call.row_sums().nan_to_num(nan=1.0) - 1).abs().max() < 1e-6
    with torch.no_grad(), edit_attention(model, {("", 1): "silence"}), record_attention(model) as record:
        model(query)
    assert not record[0].rows_sum_to_one
    assert record[0].row_sums(1)[[0, 1, 3, 4]].tolist() == [0, 0, 0, 0]


def test_rows_in_half_precision_sum_to_one_by_its_rounding():
    weights = torch.randn(2, 64, 64).softmax(-1).bfloat16()
    assert call_with(weights).rows_sum_to_one
    assert not call_with(weights * 0.9).rows_sum_to_one


def test_entropy_and_shares_are_those_of_a_row_scaled_to_sum_to_one(kind):
    weights = call_of(kind).weights(item=0)
    scaled = scaled_rows(weights.numpy())
    with np.errstate(divide="ignore", invalid="ignore"):
        entropies = -np.nansum(np.where(scaled > 0, scaled * np.log2(scaled), 0), axis=-1)
    known = ~np.isnan(scaled).any(axis=-1)
    np.testing.assert_allclose(measures.entropy(weights).numpy()[known], entropies[known], atol=1e-5)
    assert np.isnan(measures.entropy(weights).numpy()[~known]).all()
    own = np.nanmean(np.diagonal(scaled, axis1=1, axis2=2), axis=-1)
    before = np.nanmean(np.diagonal(scaled, -1, axis1=1, axis2=2), axis=-1)
    gaps = np.abs(np.arange(8)[:, None] - np.arange(8))
    for measure, expected in {
        measures.same_token: own,
        measures.previous_token: before,
        measures.first_token: np.nanmean(scaled[:, 1:, 0], axis=-1),
        measures.mean_distance: np.nanmean(np.where(known[..., None], scaled * gaps, np.nan).sum(axis=-1), axis=-1),
    }.items():
        np.testing.assert_allclose(measure(weights).numpy(), expected, rtol=1e-4, err_msg=measure.__name__)


def test_a_head_without_any_attention_has_no_measure():
    weights = torch.zeros(1, 5, 5)
    for measure in (measures.same_token, measures.previous_token, measures.first_token, measures.mean_distance):
        assert measure(weights).isnan().all()
    assert measures.moved(weights, weights).isnan().all()


def test_moved_attention_is_of_scaled_rows_and_leaves_out_rows_that_are_empty_in_both():
    before, after = (call_of("mask").weights(item=0), call_of("mask").weights(item=0).roll(1, dims=-1))
    one, other = scaled_rows(before.numpy()), scaled_rows(after.numpy())
    expected = np.nanmean(np.abs(one - other).sum(axis=-1), axis=-1) / 2
    np.testing.assert_allclose(measures.moved(before, after).numpy(), expected, rtol=1e-4)
    assert measures.moved(before, before * 0.3).abs().max() < 1e-6


def test_the_table_of_heads_measures_scaled_rows(kind):
    model, tokens, run, record = recorded_text(kind)
    table = measure_heads(model, run, record)
    scaled = np.stack([scaled_rows(call.weights(item=0).numpy()) for call in record.calls])
    np.testing.assert_allclose(
        table.values["previous_token"].numpy(),
        np.nanmean(np.diagonal(scaled, -1, axis1=2, axis2=3), axis=-1),
        rtol=1e-4,
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        bits = -np.where(scaled > 0, scaled * np.log2(scaled), np.where(np.isnan(scaled), np.nan, 0)).sum(axis=-1)
    np.testing.assert_allclose(table.values["entropy"].numpy(), np.nanmean(bits, axis=-1), atol=1e-4)
    for name, values in table.values.items():
        assert not values.isnan().any(), name
        if name in table.largest:
            assert values.max() <= table.largest[name] + 1e-5
    assert not induction_scores(model).isnan().any()
    assert attention_moved_between(record, record).abs().max() < 1e-6
    assert len(tokens) == record[0].query_length


def test_jobs_are_tested_on_scaled_rows(kind):
    model = language(kind)
    jobs = previous_tokens(model, [TEXT])
    with torch.inference_mode(), record_attention(model.network) as record:
        model.run(model.encode(TEXT))
    scaled = np.stack([scaled_rows(call.weights(item=0).numpy()) for call in record.calls])
    expected = np.nanmean(np.diagonal(scaled, -1, axis1=2, axis2=3)[..., 1:], axis=-1)
    np.testing.assert_allclose(jobs.job[0].numpy(), expected, rtol=1e-4)
    assert jobs.best is not None
    with_holes = type(jobs)(torch.tensor([[[0.8]], [[torch.nan]]]), torch.tensor([[[0.1]], [[0.2]]]))
    assert (with_holes.of((0, 0)).cases, round(with_holes.of((0, 0)).difference, 3)) == (1, 0.7)
    assert with_holes.best == (0, 0)


def rolled(maps: list[np.ndarray]) -> np.ndarray:
    """Rollout as in Abnar and Zuidema 2020: 0.5 A + 0.5 I, rows scaled to sum to 1."""
    product = np.eye(maps[0].shape[-1])
    for mean in maps:
        graph = (np.nan_to_num(mean) + np.eye(len(mean))) / 2
        product = graph / graph.sum(axis=-1, keepdims=True) @ product
    return product


def test_rollout_scales_rows_again_as_in_the_paper(kind):
    calls = [call_of(kind), call_with(call_of(kind).weights(item=0).flip(0) * 0.5)]
    means = [call.weights(item=0).double().numpy().mean(axis=0) for call in calls]
    expected = rolled(means)
    np.testing.assert_allclose(expected.sum(axis=-1), 1)
    graph = torch.stack([aggregation.with_residual(call.weights(item=0).mean(dim=0)) for call in calls])
    np.testing.assert_allclose(aggregation.rollout(graph)[-1].numpy(), expected, atol=1e-5)
    stack = Stack(dict(enumerate(calls)), "text", ())
    np.testing.assert_allclose(combine(stack, ROLLOUT).maps[-1], expected, atol=1e-5)
    for token in (0, EMPTY, 7):
        np.testing.assert_allclose(rollout_by_block(calls, token)[-1].numpy(), expected[token], atol=1e-5)
        np.testing.assert_allclose(rollout_spread_by_block(calls, token)[-1].numpy(), expected[:, token], atol=1e-5)
    steps = [(LayerAttention("picture", "picture", call.weights(item=0)),) for call in calls]
    joint = joint_rollout(steps, words=2, picture=8)
    np.testing.assert_allclose(joint[2:, 2:].numpy(), expected, atol=1e-5)
    np.testing.assert_allclose(joint.sum(dim=-1).numpy(), 1, atol=1e-5)


def test_rollout_through_windows_is_that_of_one_window_over_all_places(kind):
    calls = [call_of(kind), call_with(call_of(kind).weights(item=0).flip(0) * 0.5)]
    expected = rolled([call.weights(item=0).double().numpy().mean(axis=0) for call in calls])
    layer = layer_of((2, 4), (2, 4), (0, 0))
    record = Record(calls)
    blocks = blocks_of((layer, layer), record)
    order = layer.places[0].tolist()  # position -> place of the grid
    reach = reach_by_block(blocks, *divmod(order[7], 4))[-1].flatten()
    spread = spread_by_block(blocks, *divmod(order[0], 4))[-1].flatten()
    np.testing.assert_allclose(reach[order].numpy(), expected[7], atol=1e-5)
    np.testing.assert_allclose(spread[order].numpy(), expected[:, 0], atol=1e-5)


def test_distances_and_shares_of_pictures_do_not_depend_on_what_rows_sum_to():
    weights = torch.rand(2, 10, 10).softmax(-1)
    sums = torch.rand(2, 10, 1) + 0.1
    hidden = torch.tensor([True, False, True] * 3)
    layer = layer_of((3, 3), (3, 3), (0, 0))
    patches = Patches(3, 3, ("class",))

    def measured(rows: torch.Tensor) -> list[torch.Tensor]:
        (attention_shares,) = decoder_attention_shares((AutoencoderLayer("decoder", 0, "", rows),), hidden)
        in_window = measure_in_windows(rows[:1, 1:, 1:], layer, (1.0, 1.0))
        return [
            torch.stack(
                [
                    attention_shares.visible,
                    attention_shares.hidden,
                    attention_shares.own,
                    attention_shares.class_token,
                    attention_shares.distance,
                ]
            ),
            *encoder_attention_distance((AutoencoderLayer("encoder", 0, "", rows),), hidden),
            torch.tensor([in_window.distance, in_window.even, in_window.padding]),
            measures.mean_distance_in_plane(rows, patches),
        ]

    for one, other in zip(measured(weights), measured(weights * sums), strict=True):
        torch.testing.assert_close(one, other)


def test_the_distance_of_a_head_from_the_mean_is_that_of_scaled_rows(kind):
    call = call_of(kind)
    together = combine(Stack({0: call}, "text", ()), MEAN)
    weights = call.weights(item=0).numpy()
    apart = np.abs(scaled_rows(weights) - scaled_rows(weights.mean(axis=0))).sum(axis=-1) / 2
    np.testing.assert_allclose(together.deviations[0], np.nanmean(apart, axis=-1), rtol=1e-3)
    np.testing.assert_allclose(together.maps[0], weights.mean(axis=0), rtol=1e-5)  # the map itself stays as it is


def test_the_distance_of_the_newest_token_is_that_of_its_scaled_row():
    rows = torch.tensor([[0.0, 0.1, 0.0, 0.1], [0.0, 0.0, 0.9, 0.1]])  # 0.2 of the first head is left
    weights = torch.eye(4).repeat(2, 1, 1)
    weights[:, -1] = rows
    look = find_farthest_head({5: call_with(weights)})
    assert (look.layer, look.head, look.key) == (5, 0, 1)
    assert look.distance == pytest.approx(0.5 * 2)
    assert look.weight == pytest.approx(0.5)
    weights[:, -1] = 0
    assert find_farthest_head({5: call_with(weights)}) is None


def test_shares_of_pixels_are_of_scaled_rows():
    weights = call_of("mask", 16).weights(item=0)
    scaled = scaled_rows(weights.numpy())
    for head, look in enumerate(measure_pixel_attention([call_with(weights)], 4)):
        assert look.start == pytest.approx(np.nanmean(scaled[head, 1:, 0]), rel=1e-4)
        beside = [query for query in range(1, 16) if query % 4]
        assert look.left == pytest.approx(np.nanmean(scaled[head, beside, beside]), rel=1e-4)
        assert np.isfinite(look.distance)


def test_shares_across_two_sentences_are_of_scaled_rows():
    model, tokens, _, record = recorded_text("mask")
    length = len(tokens)
    segments = tuple(int(place >= length // 2) for place in range(length))
    pair = Tokens(tokens.ids, tokens.labels, (False,) * length, tokens.words, segments=segments)
    scaled = scaled_rows(record[0].weights(item=0).numpy())
    across = np.not_equal.outer(segments, segments)
    expected = np.nanmean(np.where(np.isnan(scaled), np.nan, scaled * across).sum(axis=-1), axis=-1)
    np.testing.assert_allclose(crossing(record, pair).other[0].numpy(), expected, rtol=1e-4)
    assert model.context >= length


def test_shares_of_one_row_before_and_after_fine_tuning_sum_to_one():
    tokens = Tokens((0, 1, 2, 3), ("[CLS]", "a", "b", "[SEP]"), (True, False, False, True), (None, 0, 1, None))
    row = torch.tensor([0.2, 0.1, 0.1, 0.1])
    of_row = shares(row, tokens, place=1)
    np.testing.assert_allclose(
        (of_row.first, of_row.itself, of_row.separator, of_row.others), (0.4, 0.2, 0.2, 0.2), rtol=1e-5
    )
    assert row_moved(row, row / 2).abs() < 1e-6
    assert np.isnan(shares(torch.zeros(4), tokens, place=1).others)


def test_a_row_of_zeros_has_no_link_and_no_smallest_set():
    weights = torch.tensor([[0.0, 0.0, 0.0], [0.1, 0.3, 0.0], [torch.nan, torch.nan, torch.nan]])
    assert links_of(weights, "target") == {(1, 1)}
    assert links_of(weights, "source") == {(0, 1), (1, 1)}
    assert smallest_set(weights[:2], 0.6).tolist() == [[False] * 3, [False, True, False]]


class WithOutput(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.attention, self.out = RowsBelowOne("mask"), torch.nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        return self.out(self.attention(x))


def test_shares_of_the_output_leave_out_tokens_at_which_no_head_writes():
    torch.manual_seed(0)
    model, x = WithOutput().eval(), torch.randn(1, 8, WIDTH)
    (outputs,) = watch_outputs(model, lambda network: network(x))
    maps = model.attention.maps(x)[0].detach().numpy()
    value = model.attention.value(x)[0].detach().numpy().reshape(8, HEADS, -1).transpose(1, 0, 2)
    parts = model.out.weight.detach().numpy().T.reshape(HEADS, -1, WIDTH)
    norms = np.linalg.norm(maps @ value @ parts, axis=-1)
    left = np.delete(norms, EMPTY, axis=1)
    np.testing.assert_allclose(output_shares(outputs).numpy(), (left / left.sum(axis=0)).mean(axis=1), rtol=1e-3)
    assert float(output_shares(outputs).sum()) == pytest.approx(1, abs=1e-5)


NEGATIVE = torch.tensor([[1.2, -0.2, 0.0], [0.5, 0.7, -0.2], [0.2, 0.4, 0.4]])


def test_negative_weights_are_refused_in_a_sentence_by_what_needs_shares():
    for refuse in (
        measures.entropy,
        measures.same_token,
        measures.mean_distance,
        aggregation.with_residual,
        lambda weights: measures.moved(weights, weights),
        lambda weights: smallest_set(weights, 0.9),
        lambda weights: rollout_by_block([call_with(weights[None])], 0),
        lambda weights: joint_rollout([(LayerAttention("words", "words", weights[None]),)], words=3, picture=0),
        lambda weights: find_farthest_head({0: call_with(weights.flip(0)[None])}),
        lambda weights: layer_of_call(0, call_with(weights[None]), "text", "text"),
        lambda weights: window_weights(call_with(weights[None])),
    ):
        with pytest.raises(CaptureError, match=r"(?i)weights below 0"):
            refuse(NEGATIVE)


def test_the_table_has_no_measures_of_a_layer_with_negative_weights():
    model, tokens, _, _ = recorded_text("mask")
    pattern = torch.eye(len(tokens)) * 2 - 1 / len(tokens)
    edits = {("layers.0", 1): Paste(pattern)}
    with torch.inference_mode(), edit_attention(model.network, edits), record_attention(model.network) as record:
        run = model.run(tokens)
    assert record[0].has_negative_weights
    table = measure_heads(model, run, record)
    assert table.values["entropy"][0].isnan().all()
    assert not table.values["entropy"][1].isnan().any()


def test_chosen_rows_have_an_entropy_and_belong_to_no_sequence():
    torch.manual_seed(1)
    model = informer()
    with torch.no_grad(), record_attention(model) as record:
        model(**series())
    call = record[0]
    weights = call.weights().double().numpy()
    with np.errstate(divide="ignore", invalid="ignore"):
        bits = -np.where(weights > 0, weights * np.log2(weights), 0).sum(axis=-1).mean(axis=-1)
    np.testing.assert_allclose(measures.entropy(call.weights()).mean(dim=-1).numpy(), bits, atol=1e-4)
    # All rows, but in another order: each is of a query, and no place in the map says of which.
    order = torch.randperm(5)
    run = type(call.run)(tokens=5, maps=1, rows=5, most=5, chosen=True)
    torch.manual_seed(0)
    rows = order.expand(1, 2, 5)
    shuffled = AttentionCall(
        "made", "self", None, WrittenWeights((0, 1), torch.rand(1, 2, 5, 5).softmax(-1)), run=run, rows=rows
    )
    reader = language("sink")
    five = Tokens(tuple(range(5)), tuple("abcde"), (False,) * 5, (None,) * 5)
    text = type(reader.run(five))(None, {"text": five})
    assert reader.sequences_of(shuffled, text) is None
    full_call = AttentionCall("made", "self", None, shuffled.written)
    assert reader.sequences_of(full_call, text) == ("text", "text")
    assert set(measure_heads(reader, text, Record([shuffled])).values) == {"entropy"}


def test_a_view_shows_rows_as_they_are(kind):
    call = call_of(kind)
    scene = Scene({"text": TextSequence(tuple("abcdefgh"))}, (layer_of_call(0, call, "text", "text"),))
    pattern = scene.pattern(0, 1)
    allowed = pattern >= 0
    np.testing.assert_allclose(pattern[allowed], call.weights(1).numpy()[allowed], rtol=1e-5)
    assert not np.isnan(pattern).any()
