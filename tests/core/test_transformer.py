"""Our encoder-decoder is torch's own: same weights, same inputs, same numbers, with either place of the norms."""

import pytest
import torch
from torch import Tensor, nn

from core.attention.positional_encodings import sinusoidal
from core.capture import record_attention
from core.models.transformer import Transformer, TransformerConfig
from core.shrinking.pruned_heads import prune_heads

SIZES = {"source_vocabulary": 50, "target_vocabulary": 40, "width": 16, "layers": 2, "heads": 4, "hidden": 24}
SIDES = {
    "encoder": {"self_attn": "attention"},
    "decoder": {"self_attn": "attention", "multihead_attn": "cross_attention"},
}
NORMS = {
    "encoder": {"norm1": "attention_norm", "norm2": "mlp_norm"},
    "decoder": {"norm1": "attention_norm", "norm2": "cross_norm", "norm3": "mlp_norm"},
}


def made(norm: str = "post", **changes) -> Transformer:
    torch.manual_seed(0)
    model = Transformer(TransformerConfig(**{**SIZES, "shared": False, "norm": norm, **changes})).eval()
    for parameter in model.parameters():  # as drawn, biases are 0 and norms 1: a test could not see them mixed up
        nn.init.normal_(parameter, std=0.3)
    return model


def inputs(*, source: int = 7, target: int = 5) -> tuple[Tensor, Tensor]:
    draw = torch.Generator().manual_seed(1)
    return torch.randint(0, 40, (2, source), generator=draw), torch.randint(0, 40, (2, target), generator=draw)


def torchs_own(model: Transformer) -> nn.Transformer:
    """nn.Transformer with the same weights; the paper's has no norms at the ends of its stacks, torch's has."""
    config = model.config
    reference = nn.Transformer(
        config.width, config.heads, config.layers, config.layers, config.hidden,
        dropout=0.0, batch_first=True, norm_first=config.norm == "pre",
    ).eval()  # fmt: skip
    for side in ("encoder", "decoder"):
        theirs, ours = getattr(reference, side), getattr(model, side)
        if config.norm == "pre":
            theirs.norm.load_state_dict(ours.norm.state_dict())
        else:
            theirs.norm = None
        for layer, block in zip(theirs.layers, ours.blocks, strict=True):
            for name, own in SIDES[side].items():
                fill(getattr(layer, name), getattr(block, own))
            for name, own in NORMS[side].items():
                getattr(layer, name).load_state_dict(getattr(block, own).state_dict())
            layer.linear1.load_state_dict(block.mlp.up.state_dict())
            layer.linear2.load_state_dict(block.mlp.out.state_dict())
    return reference


def fill(theirs: nn.MultiheadAttention, ours: nn.Module) -> None:
    parts = ours.query, ours.key, ours.value
    theirs.load_state_dict(
        {
            "in_proj_weight": torch.cat([part.weight for part in parts]),
            "in_proj_bias": torch.cat([part.bias for part in parts]),
            "out_proj.weight": ours.out.weight,
            "out_proj.bias": ours.out.bias,
        }
    )


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("padded", [False, True])
@torch.no_grad()
def test_it_computes_what_torchs_own_transformer_computes(norm, padded):
    model = made(norm)
    source, target = inputs()
    padding = torch.zeros(2, 7, dtype=torch.bool)
    padding[1, 5:] = padded
    embedded = [
        module.tokens(ids) * 4.0 + sinusoidal(ids.shape[1], 16)
        for module, ids in ((model.source_embedding, source), (model.target_embedding, target))
    ]
    expected = torchs_own(model)(
        *embedded,
        tgt_mask=nn.Transformer.generate_square_subsequent_mask(5),
        src_key_padding_mask=padding,
        memory_key_padding_mask=padding,
        tgt_is_causal=True,
    )
    assert torch.allclose(model(source, target, padding), model.head(expected), atol=1e-4)


@pytest.mark.parametrize("norm", ["post", "pre"])
@torch.no_grad()
def test_a_target_token_does_not_see_what_comes_after_it(norm):
    model, (source, target) = made(norm), inputs()
    changed = target.clone()
    changed[:, 3:] = (changed[:, 3:] + 1) % 40
    before, after = model(source, target), model(source, changed)
    assert torch.allclose(before[:, :3], after[:, :3], atol=1e-4)
    assert ((before - after)[:, 3:].abs().amax(-1) > 1e-3).all()


@torch.no_grad()
def test_every_target_token_sees_the_whole_source():
    model, (source, target) = made(), inputs()
    changed = source.clone()
    changed[:, -1] = (changed[:, -1] + 1) % 40
    assert ((model(source, target) - model(changed, target)).abs().amax(-1) > 1e-3).all()


@torch.no_grad()
def test_what_stands_in_the_padding_does_not_matter():
    model, (source, target) = made(), inputs()
    padding = torch.zeros(2, 7, dtype=torch.bool)
    padding[:, 4:] = True
    changed = source.clone()
    changed[:, 4:] = (changed[:, 4:] + 1) % 40
    padded = model(source, target, padding)
    assert torch.allclose(padded, model(changed, target, padding), atol=1e-5)
    assert torch.allclose(padded, model(source[:, :4], target), atol=1e-5)


@pytest.mark.parametrize("anew", [False, True])
@pytest.mark.parametrize("norm", ["post", "pre"])
@torch.no_grad()
def test_written_token_by_token_it_says_what_it_says_of_the_whole(norm, anew):
    model, (source, target) = made(norm), inputs()
    padding = torch.zeros(2, 7, dtype=torch.bool)
    padding[1, 5:] = True
    full_logits, state = model(source, target, padding), model.read(source, padding, uncached=anew)
    for place in range(5):
        order = torch.tensor([1, 0])  # as a beam does: the state's rows change places between two steps
        state = {name: part[order] for name, part in state.items()}
        logits, state = model.step(target[order][:, place], state)
        state = {name: part[order] for name, part in state.items()}
        torch.testing.assert_close(logits[order], full_logits[:, place], atol=1e-4, rtol=1e-4)


@torch.no_grad()
def test_it_writes_with_fewer_heads_in_a_layer_and_with_none():
    model, (source, target) = made(), inputs()
    smaller = prune_heads(model, {2: {0, 1, 2, 3}, 4: {1}, 5: {0, 2, 3}})  # self and cross attention of the decoder
    state = smaller.read(source)
    for place in range(5):
        logits, state = smaller.step(target[:, place], state)
        torch.testing.assert_close(logits, smaller(source, target)[:, place], atol=1e-4, rtol=1e-4)


@torch.no_grad()
def test_shared_embeddings_are_one_matrix_in_three_places():
    model = made(shared=True, target_vocabulary=50)
    tables = model.source_embedding.tokens.weight, model.target_embedding.tokens.weight, model.head.weight
    assert all(table is tables[0] for table in tables)


@torch.no_grad()
def test_the_recorder_sees_self_and_cross_attention():
    model, (source, target) = made(), inputs()
    with record_attention(model) as record:
        model(source, target)
    assert [call.kind for call in record.calls] == ["self", "self", "self", "cross", "self", "cross"]
    assert [call.causal for call in record.calls] == [False, False, True, False, True, False]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"heads": 3}, "3 heads cannot share 16 channels equally"),
        ({"layers": 0}, "at least 1 for 'layers', not 0"),
        ({"shared": True}, "not by 50 and 40 tokens"),
        ({"width": 15, "heads": 5}, "a width of 15 is odd"),
    ],
)
def test_sizes_that_cannot_be_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        TransformerConfig(**{**SIZES, "shared": False, **changes})
