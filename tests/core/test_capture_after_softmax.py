"""What happens to a softmax after it was made: masks, dropout, choices of rows, and softmaxes over something else."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from transformers import InformerConfig, InformerModel

from core.capture import edit_attention, record_attention
from core.errors import CaptureError
from tests.core.test_capture_coverage import WIDTH, LinearAttention, Projected, WrittenAttention, X, recorded

MASK = torch.ones(6, 6).tril()


def filled(weights):
    return weights.masked_fill(MASK == 0, 0.0)


def filled_in_place(weights):
    return weights.masked_fill_(MASK == 0, 0.0)


def multiplied(weights):
    return weights * MASK


def multiplied_in_place(weights):
    weights *= MASK.bool()
    return weights


def chosen(weights):
    return torch.where(MASK == 1, weights, 0.0)


def shared_out_again(weights):
    left = weights * MASK
    return left / left.sum(-1, keepdim=True)


def masked_in_another_shape(weights):
    return filled(weights.flatten(0, 1)).view(weights.shape)


MASKS = [filled, filled_in_place, multiplied, multiplied_in_place, chosen, shared_out_again, masked_in_another_shape]


class MaskedLate(Projected):
    def __init__(self, mask, dropout=0.0):
        super().__init__()
        self.mask, self.dropout = mask, nn.Dropout(dropout)

    def forward(self, x):
        query, key, value = self.split(x, x)
        self.used = self.mask(self.dropout((query @ key.mT).softmax(-1)))
        return (self.used @ value).transpose(1, 2).flatten(2)


@pytest.mark.parametrize("mask", MASKS)
def test_the_map_is_what_was_multiplied_with_the_values(mask):
    model = MaskedLate(mask)
    call = recorded(model, X)[0]
    query, key, value = model.split(X, X)
    expected = mask((query @ key.mT).softmax(-1))
    torch.testing.assert_close(call.weights(), expected)
    torch.testing.assert_close(call.output(3, 1), (expected @ value)[1, 3])
    assert (call.kind, call.causal) == ("self", True)


@pytest.mark.parametrize("mask", [mask for mask in MASKS if mask is not shared_out_again])
def test_the_map_is_masked_but_not_dropped_out(mask):
    model = MaskedLate(mask, dropout=0.5).train()
    torch.manual_seed(0)
    call = recorded(model, X)[0]
    query, key, _ = model.split(X, X)
    torch.testing.assert_close(call.weights(), mask((query @ key.mT).softmax(-1)))
    assert (model.used == 0).sum() > (call.weights() == 0).sum()


@pytest.mark.parametrize("mask", [filled, multiplied, masked_in_another_shape])
def test_the_gradient_of_masked_weights_is_that_of_the_product_with_values(mask):
    model = MaskedLate(mask)
    with record_attention(model, differentiable=True) as record:
        output = model(X)
    gradient = record.gradients(output.square().sum())[""]
    value = list(model.split(X, X))[2]
    slope = (2 * output).unflatten(-1, (4, -1)).transpose(1, 2)
    torch.testing.assert_close(gradient, slope @ value.mT)


def test_weights_that_are_shared_out_again_after_dropout_are_no_map():
    with pytest.raises(CaptureError, match=r"a softmax, then \w*div"):
        recorded(MaskedLate(shared_out_again, dropout=0.5).train(), X)


def test_an_edit_is_made_before_the_mask():
    model = MaskedLate(filled)
    with torch.no_grad(), edit_attention(model, {("", 1): "uniform"}), record_attention(model) as record:
        model(X)
    torch.testing.assert_close(record[0].weights(1), MASK / 6)


class Efficient(Projected):
    """A softmax over the features of a query, one over the tokens of each feature of the keys (Shen et al. 2021)."""

    def __init__(self, heads=1):
        super().__init__()
        self.heads = heads

    def forward(self, x):
        query, key, value = (
            part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in (self.query(x), self.key(x), self.value(x))
        )
        context = key.softmax(-2).mT @ value
        return (query.softmax(-1) @ context).transpose(1, 2).flatten(2)


class EfficientTransposed(Projected):
    """The same with tokens on the last axis, where that of the keys is the last one."""

    def forward(self, x):
        query, key, value = (part.mT for part in self.split(x, x))
        context = torch.einsum("bhdn,bhen->bhde", key.softmax(-1), value)
        return torch.einsum("bhde,bhdn->bhen", context, query.softmax(-2)).flatten(1, 2).mT


@pytest.mark.parametrize("tokens", [6, WIDTH])
@pytest.mark.parametrize("build", [Efficient, EfficientTransposed, lambda: Efficient(heads=4)])
def test_a_softmax_over_features_is_refused_by_its_name(build, tokens):
    x = torch.randn(2, tokens, WIDTH)
    with pytest.raises(CaptureError, match="softmax over features: linear attention has no map of tokens"):
        recorded(build(), x)
    record = recorded(nn.Sequential(WrittenAttention(), build(), WrittenAttention()), x)
    assert record.paths == ("0", "2")
    assert record.unseen == ("1",)
    assert "features" in record.why_unseen["1"]


def test_an_edit_of_a_softmax_over_features_is_refused():
    model = nn.Sequential(WrittenAttention(), Efficient())
    with pytest.raises(CaptureError, match=r"'1'.*over features"), edit_attention(model, {("1", 0): "silence"}):
        model(X)


class Pooling(nn.Module):
    """A learned query looks at all tokens."""

    def __init__(self):
        super().__init__()
        self.query, self.up = nn.Parameter(torch.randn(1, 2, WIDTH)), nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        return (self.query @ self.up(x).mT).softmax(-1) @ x


def test_learned_queries_without_a_projection_are_cross_attention():
    model = Pooling()
    call = recorded(model, X)[0]
    assert call.kind == "cross"
    torch.testing.assert_close(call.weights()[:, 0], (model.query @ model.up(X).mT).softmax(-1))


class Synthesizer(nn.Module):
    """Scores that compare nothing (Tay et al. 2021, section 3.1): maps of tokens all the same."""

    def __init__(self):
        super().__init__()
        self.scores, self.value = nn.Linear(WIDTH, 6), nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        return self.scores(x).softmax(-1) @ self.value(x)


def test_scores_that_compare_nothing_may_still_be_of_tokens():
    model = Synthesizer()
    call = recorded(model, X)[0]
    assert call.kind == "unknown"
    torch.testing.assert_close(call.weights()[:, 0], model.scores(X).softmax(-1))


def informer(kind="prob"):
    torch.manual_seed(0)
    config = InformerConfig(
        prediction_length=4, context_length=24, lags_sequence=[1], d_model=32, encoder_layers=1, decoder_layers=1,
        encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=16, decoder_ffn_dim=16,
        attention_type=kind, num_time_features=1, sampling_factor=2, distil=False,
    )  # fmt: skip
    return InformerModel(config).eval()


def series():
    generator = torch.Generator().manual_seed(0)
    past, future = torch.randn(2, 25, generator=generator), torch.randn(2, 4, generator=generator)
    return {
        "past_values": past, "past_time_features": torch.rand(2, 25, 1), "past_observed_mask": torch.ones(2, 25),
        "future_values": future, "future_time_features": torch.rand(2, 4, 1),
    }  # fmt: skip


class Watching(torch.overrides.TorchFunctionMode):
    """Keeps the numbers of the rows that the library chooses."""

    def __init__(self):
        super().__init__()
        self.rows = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        if func is torch.Tensor.topk:
            self.rows.append(result[1])
        return result


def test_a_choice_of_rows_is_partial_and_says_which_rows_there_are():
    model, inputs = informer(), series()
    torch.manual_seed(1)
    with torch.no_grad(), Watching() as library:
        expected = model(**inputs, output_attentions=True).encoder_attentions[0]
    torch.manual_seed(1)
    with torch.no_grad(), record_attention(model) as record:
        model(**inputs)
    call = record[0]
    queries = library.rows[0].shape[-1]
    assert call.shape == (2, 4, queries, 24)
    assert call.kind == "self"
    assert call.partial == (queries, 24)
    assert record.partial[call.path] == (queries, 24)
    assert torch.equal(call.rows, library.rows[0].view(2, 4, queries))
    torch.testing.assert_close(call.weights(), expected)
    with (
        pytest.raises(CaptureError, match=rf"looks in pieces.*{queries} of 24 rows"),
        torch.no_grad(),
        edit_attention(model, {(call.path, 0): "silence"}),
    ):
        model(**inputs)


class Sorted(Projected):
    """A softmax that is sorted before it meets the values: no map of places."""

    def forward(self, x):
        query, key, value = self.split(x, x)
        return ((query @ key.mT).softmax(-1).sort(-1).values @ value).transpose(1, 2).flatten(2)


class SummedByHand(Projected):
    """The product with values, without a matrix product."""

    def forward(self, x):
        query, key, value = self.split(x, x)
        weights = (query @ key.mT).softmax(-1)
        return (weights[..., None] * value[:, :, None]).sum(-2).transpose(1, 2).flatten(2)


@pytest.mark.parametrize(("build", "named"), [(Sorted, "sort"), (SummedByHand, "__getitem__")])
def test_the_operation_at_which_the_trail_was_lost_is_named(build, named):
    model = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.Sequential())
    model[1].add_module("attention", build())
    with pytest.raises(CaptureError, match=rf"'1\.attention': a softmax, then {named}") as error:
        recorded(model, X)
    assert "multiplies a softmax with values" not in str(error.value)
    record = recorded(nn.Sequential(WrittenAttention(), build()), X)
    assert record.unseen in ((), ("1",))


def test_a_model_that_is_attention_itself_is_named():
    with pytest.raises(CaptureError, match=r"LinearAttention ran.*may hold some: the model itself"):
        recorded(LinearAttention(), X)


class MambaMixer(nn.Module):
    """Named as a state space model is; what it computes is left open."""

    def __init__(self):
        super().__init__()
        self.in_proj, self.out_proj, self.norm = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH), nn.LayerNorm(WIDTH)

    def forward(self, x):
        return self.out_proj(self.norm(self.in_proj(x)).cumsum(1))


class Block(nn.Module):
    def __init__(self, mixer):
        super().__init__()
        self.mixer, self.mlp = mixer, nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH))

    def forward(self, x):
        return self.mlp(self.mixer(x))


def test_layers_that_mix_tokens_without_a_softmax_are_named_beside_those_that_were_seen():
    mixers = [MambaMixer(), LinearAttention(), WrittenAttention(), MambaMixer()]
    record = recorded(nn.Sequential(*map(Block, mixers)), X)
    assert record.paths == ("2.mixer",)
    assert record.unseen == ("0.mixer", "1.mixer", "3.mixer")
    assert record.why_unseen["0.mixer"] == "it mixes tokens without a softmax"


class Nested(Projected):
    def forward(self, x):
        parts = (part.unflatten(-1, (4, -1)).transpose(1, 2) for part in (self.query(x), self.key(x), self.value(x)))
        return F.scaled_dot_product_attention(*parts)


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors:UserWarning")
def test_a_nested_tensor_is_refused_in_a_sentence():
    jagged = torch.nested.nested_tensor([torch.randn(3, WIDTH), torch.randn(5, WIDTH)], layout=torch.jagged)
    with (
        pytest.raises(CaptureError, match=r"lengths? of their own.*to_padded_tensor"),
        torch.no_grad(),
        record_attention(model := Nested()),
    ):
        model(jagged)


def test_the_compiled_wrapper_of_a_watched_model_is_recorded():
    model = WrittenAttention().eval()
    compiled = torch.compile(model, backend="eager")
    with torch.no_grad(), record_attention(model) as record:
        output = compiled(X)
    torch.testing.assert_close(output, model(X))
    query, key, _ = model.split(X, X)
    torch.testing.assert_close(record[0].weights(), (query @ key.mT).softmax(-1))
