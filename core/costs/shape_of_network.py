"""The shape of a network, from its configuration and some names of its modules."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from torch import nn

from ..models.bert import PretrainingBERT
from ..models.gpt import GPT
from ..models.gpt_rotary import RotaryGPT
from ..models.transformer import Transformer
from .shape import Shape, bert, gpt


def shape_of(network: nn.Module) -> Shape | None:
    """The shape of our GPT, BERT and Transformer, of timm's plain ViT, and of some of transformers' networks.

    None for any other architecture: its parts can be counted, but there are no formulas for it here.
    """
    if isinstance(network, GPT | RotaryGPT):
        c = network.config
        learned = c.context if isinstance(network, GPT) else 0
        return gpt(c.layers, c.width, c.heads, vocabulary=c.vocabulary, positions=learned)
    if isinstance(network, PretrainingBERT):
        b = network.config
        shape = bert(b.layers, b.width, b.heads, vocabulary=b.vocabulary)
        return replace(shape, hidden=b.hidden, positions=b.context, segments=b.segments)
    if isinstance(network, Transformer):
        return _transformer(network)
    if type(network).__module__ == "timm.models.vision_transformer":
        return _timm(network)
    config = getattr(network, "config", None)
    family = _FAMILIES.get(str(getattr(config, "model_type", "")))
    return family(network, config) if family else None


def _transformer(network: Transformer) -> Shape | None:
    c = network.config
    if c.source_vocabulary != c.target_vocabulary:
        return None  # the formulas have one vocabulary
    return Shape(
        c.layers,
        c.width,
        c.heads,
        c.width // c.heads,
        c.hidden,
        decoder_layers=c.layers,
        vocabulary=c.target_vocabulary,
        tables=1 if c.shared else 2,
        final_norms=2 if c.norm == "pre" else 0,
        tied=c.shared,
    )


def _timm(network: Any) -> Shape | None:
    block = network.blocks[0]
    norm = getattr(network.patch_embed, "norm", None)  # that of a hybrid has none
    if not (
        type(block).__name__ == "Block"
        and type(block.mlp).__name__ == "Mlp"
        and _is_identity(norm)
        and _is_identity(block.ls1)
        and _is_identity(block.attn.q_norm)
        and _is_identity(network.norm_pre)
        and not network.attn_pool
    ):
        return None
    table = network.pos_embed
    final = sum(not _is_identity(norm) for norm in (network.norm, network.fc_norm))
    return Shape(
        len(network.blocks),
        network.embed_dim,
        block.attn.num_heads,
        block.attn.head_dim,
        block.mlp.fc1.out_features,
        positions=0 if table is None else table.shape[1],
        patch=network.patch_embed.patch_size[0],
        channels=network.patch_embed.proj.in_channels,
        prefix=network.num_prefix_tokens,
        query_bias=block.attn.qkv.bias is not None,
        final_norms=final,
        logits=False,
        classes=0 if _is_identity(network.head) else network.num_classes,
    )


def _is_identity(module: nn.Module | None) -> bool:
    """Whether a module is an identity."""
    return isinstance(module, nn.Identity)


def _bert(network: nn.Module, c: Any) -> Shape:
    return Shape(
        c.num_hidden_layers,
        c.hidden_size,
        c.num_attention_heads,
        c.hidden_size // c.num_attention_heads,
        c.intermediate_size,
        vocabulary=c.vocab_size,
        positions=c.max_position_embeddings,
        segments=c.type_vocab_size,
        embedding_norm=True,
        final_norms=0,
        logits=_has(network, "predictions"),
        head_dense=True,
        head_bias=True,
        pooler=_has(network, "pooler"),
        classes=_rows(network, "seq_relationship") or _rows(network, "classifier"),
    )


def _gpt2(network: nn.Module, c: Any) -> Shape:
    hidden = c.n_inner or 4 * c.n_embd
    return Shape(
        c.n_layer,
        c.n_embd,
        c.n_head,
        c.n_embd // c.n_head,
        hidden,
        vocabulary=c.vocab_size,
        positions=c.n_positions,
        logits=_has(network, "lm_head"),
        tied=c.tie_word_embeddings,
    )


def _llama(network: nn.Module, c: Any) -> Shape:
    bias = bool(getattr(c, "attention_bias", False))
    return Shape(
        c.num_hidden_layers,
        c.hidden_size,
        c.num_attention_heads,
        getattr(c, "head_dim", None) or c.hidden_size // c.num_attention_heads,
        c.intermediate_size,
        key_heads=c.num_key_value_heads,
        vocabulary=c.vocab_size,
        query_bias=bias or c.model_type == "qwen2",
        out_bias=bias,
        mlp_bias=bool(getattr(c, "mlp_bias", False)),
        gated=True,
        norm_bias=False,
        head_norms=c.model_type == "qwen3",
        logits=_has(network, "lm_head"),
        tied=c.tie_word_embeddings,
    )


def _t5(network: nn.Module, c: Any) -> Shape | None:
    if not _has(network, "decoder"):
        return None
    return Shape(
        c.num_layers,
        c.d_model,
        c.num_heads,
        c.d_kv,
        c.d_ff,
        decoder_layers=c.num_decoder_layers,
        vocabulary=c.vocab_size,
        buckets=c.relative_attention_num_buckets,
        query_bias=False,
        out_bias=False,
        mlp_bias=False,
        gated=c.is_gated_act,
        norm_bias=False,
        final_norms=2,
        logits=_has(network, "lm_head"),
        tied=c.tie_word_embeddings,
    )


def _vit(network: nn.Module, c: Any) -> Shape:
    return Shape(
        c.num_hidden_layers,
        c.hidden_size,
        c.num_attention_heads,
        c.hidden_size // c.num_attention_heads,
        c.intermediate_size,
        positions=(c.image_size // c.patch_size) ** 2 + 1,
        patch=c.patch_size,
        channels=c.num_channels,
        prefix=1,
        query_bias=c.qkv_bias,
        logits=False,
        pooler=_has(network, "pooler"),
        classes=_rows(network, "classifier"),
    )


def _has(network: nn.Module, name: str) -> bool:
    return any(path.rpartition(".")[2] == name and module is not None for path, module in network.named_modules())


def _rows(network: nn.Module, name: str) -> int:
    """The outputs of the linear map with this name; 0 if there is none."""
    maps = [module for path, module in network.named_modules() if path.rpartition(".")[2] == name]
    return maps[0].out_features if maps and isinstance(maps[0], nn.Linear) else 0


_FAMILIES: dict[str, Callable[[nn.Module, Any], Shape | None]] = {
    "bert": _bert,
    "gpt2": _gpt2,
    "llama": _llama,
    "mistral": _llama,
    "qwen2": _llama,
    "qwen3": _llama,
    "t5": _t5,
    "vit": _vit,
}
