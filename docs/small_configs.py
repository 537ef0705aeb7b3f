"""A configuration of transformers with small numbers in place of large ones."""

import contextlib
from collections.abc import Iterator
from typing import Any

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

# What some families need besides: numbers that their configurations leave open, that depend on one another, or that are
# large under a name of their own. A name with a dot is one of a part of the configuration.
_EXPERTS = {"n_routed_experts": 4, "num_experts_per_tok": 2, "n_shared_experts": 1, "n_group": 1, "topk_group": 1}
_HEAD_DIM = {"head_dim": WIDTH // HEADS}
_ROPE_ALONE = {"head_dim": WIDTH // HEADS // 2}  # where the width of a head is that of its rotated part
_QUERIES = {"num_queries": 8, "decoder_layers": LAYERS}
_SERIES = {
    "prediction_length": 4,
    "context_length": 8,
    "lags_sequence": [1, 2, 3],
    "num_time_features": 2,
    "feature_size": 7,
}
_SHARES_KEYS = {
    **{"num_hidden_layers": 4, "layer_types": ["sliding_attention", "full_attention"] * 2, "num_kv_shared_layers": 2},
    **{"activation_sparsity_pattern": [0.0] * 4, "vocab_size_per_layer_input": VOCABULARY},
}
_HYBRID = {  # its attention reads each place twice as wide as the others, and one set of weights serves all layers
    **{"num_hidden_layers": 4, "layers_block_type": ["linear_attention", "hybrid"] * 2},
    **{"attention_hidden_size": 2 * WIDTH, "attention_head_dim": 2 * WIDTH // HEADS},
}
_MROPE = {"rope_parameters.mrope_section": [2, 1, 1]}
_QFORMER = {
    **{"qformer_config.encoder_hidden_size": WIDTH, "text_config.model_type": "opt", "num_query_tokens": 4},
    **{"image_token_index": 2, "image_token_id": 2, "use_decoder_only_language_model": True},
}
_SEGMENTS = {  # a picture of 4 x 4 patches, of which the second layer sees all
    **{"vision_config.image_size": 64, "vision_config.window_size": 2, "vision_config.global_attn_indexes": [1]},
    **{"vision_config.output_channels": WIDTH, "vision_config.num_pos_feats": WIDTH // 2},
    **{"prompt_encoder_config.image_size": 64, "prompt_encoder_config.image_embedding_size": 4},
}
OWN: dict[str, dict[str, Any]] = {
    "autoformer": {**_SERIES, "moving_average": 3, "label_length": 2},
    "axk1": _ROPE_ALONE,
    "bamba": {"attn_layer_indices": [1]},
    "big_bird": {"block_size": 4, "num_random_blocks": 1},
    "bigbird_pegasus": {"block_size": 4, "num_random_blocks": 1},
    "blip-2": _QFORMER,
    "blip_2_qformer": {"encoder_hidden_size": WIDTH},
    "chameleon": {"vocabulary_map": {"<image>": 5, "IMGIMGA<": 6}, "vq_config.base_channels": 32},
    "clap": {"audio_config.patch_embeds_hidden_size": 16, "audio_config.hidden_size": 128},
    "cohere_compass_text": {
        "layer_types": ["sliding_attention", "full_attention"],
        "rope_parameters": {
            kind: {"rope_type": "default", "rope_theta": 10_000.0} for kind in ("sliding_attention", "full_attention")
        },
    },
    "d_fine": _QUERIES,
    "dbrx": {
        "attn_config.rope_theta": 10_000.0,
        "ffn_config.ffn_hidden_size": WIDTH,
        "attn_config.kv_n_heads": 2,
        "attn_config.clip_qkv": 8.0,
    },
    "deepseek_v2": {**_ROPE_ALONE, **_EXPERTS},
    "deimv2": _QUERIES,
    "dia": {
        **{"decoder_config.cross_hidden_size": WIDTH, "decoder_config.cross_num_attention_heads": HEADS},
        **{"decoder_config.cross_num_key_value_heads": HEADS, "decoder_config.cross_head_dim": WIDTH // HEADS},
    },
    "diffusion_gemma_text": {"num_experts": 4, "moe_intermediate_size": WIDTH, "top_k_experts": 2},
    "dots1": _EXPERTS,
    "emu3": {"vocabulary_map": {"<|extra_200|>": 5, "<image>": 6}},
    "esm": {"pad_token_id": 1},
    "funnel": {"architectures": ["FunnelModel"]},
    "gemma3n_text": _SHARES_KEYS,
    "glm4v_moe_text": {"rope_parameters.mrope_section": [1, 1, 0]},
    "glm4v_text": _MROPE,
    "glm5_next_text": {
        "layer_types": ["linear_attention", "indexed_attention"],
        "mlp_layer_types": ["dense", "dense"],
    },
    "glm_image_text": _MROPE,
    "granite_docling_vision": {"image_size": 2 * SIDE},
    "granite_speech5_encoder": {"context_size": 8},
    "grounding-dino": {"num_queries": 8},
    "hunyuan_v1_dense": _HEAD_DIM,
    "hunyuan_v1_moe": {**_HEAD_DIM, "num_experts": 4, "moe_topk": [2, 2], "num_shared_expert": [1, 1]},
    "hunyuan_vl_text": {**_HEAD_DIM, "rope_parameters.mrope_section": [1, 1, 1, 1]},
    "informer": _SERIES,
    "instructblip": _QFORMER,
    "instructblipvideo": _QFORMER,
    "jamba": {"attn_layer_period": 2, "attn_layer_offset": 1},
    "kosmos-2": {"latent_query_num": 4},
    "kyutai_speech_to_text": {
        "pad_token_id": 1,
        "audio_pad_token_id": 40,
        "bos_token_id": 1,
        "codebook_vocab_size": 40,
        "num_codebooks": 2,
    },
    "led": {"attention_window": [4, 4], "max_encoder_position_embeddings": 64, "max_decoder_position_embeddings": 64},
    "lfm2_moe": {"layer_types": ["conv", "full_attention"]},
    "longcat_flash": _ROPE_ALONE,
    "longformer": {"attention_window": [4, 4]},
    "lxmert": {"l_layers": LAYERS, "x_layers": LAYERS, "r_layers": LAYERS},
    "mimi": {"upsample_groups": WIDTH},
    "mimi_decoder": {"upsample_groups": WIDTH},
    "ministral": _HEAD_DIM,
    "mm-grounding-dino": {"num_queries": 8},
    "moonshine_streaming": {"num_key_value_heads": HEADS},
    "nemotron": {"num_key_value_heads": HEADS // 2},
    "neomme": {"layer_types": ["sliding_attention", "full_attention"], "embedding_rank": WIDTH // 2},
    "patchtst": {"context_length": 16, "patch_length": 4, "patch_stride": 4},
    "perceiver": {
        **{"num_latents": 8, "d_latents": WIDTH, "num_self_attends_per_block": LAYERS},
        **{"num_self_attention_heads": HEADS, "num_cross_attention_heads": HEADS},
    },
    "pp_doclayout_v3": _QUERIES,
    "pp_doclayout_v4": _QUERIES,
    "rt_detr": _QUERIES,
    "rt_detr_v2": _QUERIES,
    "qwen4_exp_text": {
        **{"indexer_n_heads": 2, "indexer_kv_heads": 1, "indexer_head_dim": 8, "indexer_budget": 4},
        **{"indexer_compress_ratio": 2, "layer_types": ["linear_attention", "indexed_attention"]},
        **{"ngram_vocab_size_base": 97, "split_ngram_parts": 4, "hc_lowrank": 8},
        **{"linear_key_head_dim": 8, "linear_value_head_dim": 8},
        **{"linear_num_key_heads": HEADS, "linear_num_value_heads": HEADS},
    },
    "sam": _SEGMENTS,
    "sam_hq": {**_SEGMENTS, "mask_decoder_config.vit_dim": WIDTH},
    "seggpt": {"image_size": [64, 32], "pretrain_image_size": 32, "intermediate_hidden_state_indices": [0, 1]},
    "time_series_transformer": _SERIES,
    "timesfm": {"context_length": 64, "horizon_length": 8},
    "timesfm2_5": {"context_length": 64, "horizon_length": 8, "num_key_value_heads": HEADS},
    "vjepa2": {
        **{"crop_size": SIDE, "frames_per_clip": 4, "pred_hidden_size": WIDTH, "pred_num_attention_heads": HEADS},
        **{"pred_num_hidden_layers": LAYERS},
    },
    "videoprism_vision_model": {"image_size": 36, "num_frames": 2, "num_spatial_layers": 1, "num_temporal_layers": 1},
    "xmod": {"default_language": "en_XX"},
    "zamba": {**_HYBRID, "mamba_dt_rank": 2},
    "zamba2": {
        **{**_HYBRID, "mamba_headdim": 8, "mamba_d_state": 16, "hybrid_layer_ids": [1, 3]},
        **{"num_key_value_heads": HEADS, "intermediate_size": 2 * WIDTH},
    },
}
LONG = {"big_bird": 64, "bigbird_pegasus": 64}  # tokens: with fewer they look at all


def shrink(config: Any, numbers: dict[str, Any]) -> None:
    """Replace the sizes of a configuration by those of `numbers`, and adapt the settings that depend on them."""
    if config is None:
        return
    by_stage = isinstance(getattr(config, "num_heads", None), list | tuple)  # their widths belong to these heads
    for name, small_value in numbers.items():
        if by_stage and small_value == WIDTH:
            continue
        with contextlib.suppress(Exception):  # some cannot be set, or differ from layer to layer
            value = getattr(config, name, None)
            if isinstance(value, int) and not isinstance(value, bool):
                setattr(config, name, small_value)
    rope = getattr(config, "rope_parameters", None)
    if isinstance(rope, dict) and "mrope_section" in rope:
        rope["mrope_section"] = [2, 1, 1]  # a half of a head's width, for time, height and width
    if "vocab_size" in vars(config) and config.vocab_size is None:
        config.vocab_size = VOCABULARY
    if hasattr(config, "use_cache"):
        config.use_cache = False  # one run, and nothing to come after it
    for name, value in list(vars(config).items()):  # lists with an entry for each layer
        if isinstance(value, list | tuple) and name.endswith(("layer_types", "layers_block_type", "attention_layers")):
            kinds = list(value[:LAYERS])
            if not {"linear_attention", "conv", "mamba"}.isdisjoint(kinds) and "full_attention" not in kinds:
                kinds[-1] = "full_attention"
            setattr(config, name, type(value)(kinds))
    for name in ("pad_token_id", "bos_token_id", "eos_token_id", "decoder_start_token_id"):
        value = getattr(config, name, None)
        if isinstance(value, int) and value >= VOCABULARY:
            setattr(config, name, 1)


def parts_of(config: Any) -> Iterator[Any]:
    """Yield a configuration and all its parts, nested ones too."""
    yield config
    for name in getattr(config, "sub_configs", {}):
        if (part := getattr(config, name, None)) is not None:
            yield from parts_of(part)


def set_own(config: Any) -> None:
    """Set the values of OWN for the family of a configuration, after those of its parts."""
    for part in reversed(list(parts_of(config))):
        for name, value in OWN.get(getattr(part, "model_type", ""), {}).items():
            *places, last = name.split(".")
            holder = part
            for place in places:
                holder = getattr(holder, place)
            if isinstance(holder, dict):
                holder[last] = value
            else:
                setattr(holder, last, value)
