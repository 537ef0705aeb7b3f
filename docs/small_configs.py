"""A configuration of transformers with small numbers in place of large ones, and something for its model to read."""

import contextlib
import inspect
from typing import Any

import torch
from torch import Tensor

WIDTH, HEADS, LAYERS, VOCABULARY, TOKENS, SIDE = 32, 4, 2, 99, 12, 32

# Numbers of a configuration, by what they are called in one library or another, and what they become.
SMALL: dict[str, Any] = {
    **dict.fromkeys(("hidden_size", "d_model", "n_embd", "embed_dim", "dim", "projection_dim"), WIDTH),
    **dict.fromkeys(("word_embed_proj_dim", "embedding_size", "emb_dim", "d_embed", "hidden_dim"), WIDTH),
    **dict.fromkeys(("projection_size", "model_dim"), WIDTH),
    **dict.fromkeys(("intermediate_size", "encoder_ffn_dim", "decoder_ffn_dim", "ffn_dim", "d_ff"), 2 * WIDTH),
    **dict.fromkeys(("n_inner", "d_inner"), 2 * WIDTH),
    **dict.fromkeys(("num_attention_heads", "n_head", "num_heads", "n_heads", "encoder_attention_heads"), HEADS),
    **dict.fromkeys(("decoder_attention_heads", "num_decoder_heads"), HEADS),
    **dict.fromkeys(("num_key_value_heads",), HEADS // 2),
    **dict.fromkeys(("head_dim", "d_kv", "attention_head_size", "kv_channels", "v_head_dim"), WIDTH // HEADS),
    **dict.fromkeys(("qk_rope_head_dim", "qk_nope_head_dim", "rotary_dim"), WIDTH // HEADS // 2),
    **dict.fromkeys(("q_lora_rank", "kv_lora_rank"), WIDTH // 2),
    "qk_head_dim": WIDTH // HEADS,
    **dict.fromkeys(("n_group", "topk_group"), 1),
    **dict.fromkeys(("num_hidden_layers", "n_layer", "num_layers", "n_layers", "encoder_layers"), LAYERS),
    **dict.fromkeys(("decoder_layers",), LAYERS),
    **dict.fromkeys(("num_decoder_layers", "num_encoder_layers", "depth"), LAYERS),
    **dict.fromkeys(("vocab_size", "text_vocab_size"), VOCABULARY),
    **dict.fromkeys(("max_position_embeddings", "n_positions", "max_seq_len", "max_source_positions"), 64),
    **dict.fromkeys(("max_target_positions", "n_ctx"), 64),
    **dict.fromkeys(("num_experts", "num_local_experts", "n_routed_experts"), 4),
    **dict.fromkeys(("num_experts_per_tok", "moe_topk"), 2),
    **dict.fromkeys(("moe_intermediate_size", "shared_expert_intermediate_size"), WIDTH),
    **dict.fromkeys(("image_size",), SIDE),
    **dict.fromkeys(("num_labels",), 3),
    "sliding_window": 8,
}  # fmt: skip

# Of these, what can be counted: a family whose widths depend on one another in ways of its own keeps them.
COUNTED = ("layers", "layer", "depth", "vocab", "experts", "image_size", "max_", "positions", "labels", "window")
FEW = {name: small for name, small in SMALL.items() if any(part in name for part in COUNTED)}

# What some families need besides.
OWN: dict[str, dict[str, Any]] = {
    "big_bird": {"block_size": 4, "num_random_blocks": 1},
    "bigbird_pegasus": {"block_size": 4, "num_random_blocks": 1},
    "jamba": {"attn_layer_period": 2, "attn_layer_offset": 1},
    "bamba": {"attn_layer_indices": [1]},
    "longformer": {"attention_window": [4, 4]},
    "led": {"attention_window": [4, 4], "max_encoder_position_embeddings": 64, "max_decoder_position_embeddings": 64},
}
LONG = {"big_bird": 64, "bigbird_pegasus": 64}  # tokens: with fewer they look at all


def shrink(config: Any, numbers: dict[str, Any]) -> None:
    """Small numbers in place of large ones; what depends on others follows them."""
    if config is None:
        return
    by_stage = isinstance(getattr(config, "num_heads", None), list | tuple)  # their widths belong to these heads
    for name, small in numbers.items():
        if by_stage and small == WIDTH:
            continue
        with contextlib.suppress(Exception):  # some cannot be set, or differ from layer to layer
            held = getattr(config, name, None)
            if isinstance(held, int) and not isinstance(held, bool):
                setattr(config, name, small)
    rope = getattr(config, "rope_parameters", None)
    if isinstance(rope, dict) and "mrope_section" in rope:
        rope["mrope_section"] = [2, 1, 1]  # a half of a head's width, for time, height and width
    if "vocab_size" in vars(config) and config.vocab_size is None:
        config.vocab_size = VOCABULARY
    if hasattr(config, "use_cache"):
        config.use_cache = False  # one run, and nothing to come after it
    for name, held in list(vars(config).items()):  # lists with an entry for each layer
        if isinstance(held, list | tuple) and name.endswith(("layer_types", "layers_block_type", "attention_layers")):
            kept = list(held[:LAYERS])
            if not {"linear_attention", "conv", "mamba"}.isdisjoint(kept) and "full_attention" not in kept:
                kept[-1] = "full_attention"
            setattr(config, name, type(held)(kept))
    for name in ("pad_token_id", "bos_token_id", "eos_token_id", "decoder_start_token_id"):
        held = getattr(config, name, None)
        if isinstance(held, int) and held >= VOCABULARY:
            setattr(config, name, 1)


def inputs(model: Any, alone: bool) -> dict[str, Tensor]:
    """Something of each kind that the model reads: words, a picture, sound; or words alone."""
    torch.manual_seed(1)
    config, asked = model.config, set(inspect.signature(model.forward).parameters)
    ids = torch.randint(3, VOCABULARY - 1, (1, LONG.get(config.model_type, TOKENS)))
    given: dict[str, Tensor] = {}
    main = "input_ids" if alone else model.main_input_name
    if main == "pixel_values" or (not alone and "pixel_values" in asked and "vision_config" in vars(config)):
        vision = getattr(config, "vision_config", None) or config
        side = getattr(vision, "image_size", SIDE)
        side = side if isinstance(side, int) else max(side)
        given["pixel_values"] = torch.randn(1, getattr(vision, "num_channels", 3), side, side)
    if "grid_thw" in asked and not alone:  # pictures as a row of patches, with how many there are each way
        patch = getattr(config, "in_channels", 3) * getattr(config, "temporal_patch_size", 1) * config.patch_size**2
        first = next(name for name in asked if name in ("hidden_states", "pixel_values"))
        return {first: torch.randn(16, patch), "grid_thw": torch.tensor([[1, 4, 4]])}
    if "bbox" in asked:
        given["bbox"] = torch.zeros(*ids.shape, 4, dtype=torch.float if config.model_type == "bros" else torch.long)
    if main == "input_values":
        given["input_values"] = torch.randn(1, 4_000)
    if main == "input_features":
        bins = getattr(config, "num_mel_bins", None) or getattr(config, "input_feat_per_channel", 80)
        frames = 2 * getattr(config, "max_source_positions", 64)
        whisper = config.model_type == "whisper"
        given["input_features"] = torch.randn(1, bins, frames) if whisper else torch.randn(1, frames, bins)
    if main == "input_ids" or ("input_ids" in asked and "pixel_values" in given):
        given["input_ids"] = ids
    if "decoder_input_ids" in asked:
        given["decoder_input_ids"] = ids[:, :7]
    return given
