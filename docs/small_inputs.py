"""Something for a small model of transformers to read: words, a picture, a video, sound, numbers over time."""

import inspect
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from docs.small_configs import LONG, SIDE, TOKENS, VOCABULARY, parts_of

SOUND, FRAMES = 4_000, 64  # numbers of a sound, and columns of a spectrogram


def inputs(model: Any, alone: bool) -> dict[str, Any]:
    """Something of each kind that the model reads: words, a picture, sound; or words alone."""
    torch.manual_seed(1)
    config, asked = model.config, inspect.signature(model.forward).parameters
    if own := OWN.get(config.model_type):
        return own(config)
    ids = _words(config)
    given: dict[str, Any] = {}
    main = "input_ids" if alone else model.main_input_name
    if main == "pixel_values" or (not alone and "pixel_values" in asked and "vision_config" in vars(config)):
        given["pixel_values"] = _picture(config)
    if "grid_thw" in asked and not alone:  # pictures as a row of patches, with how many there are each way
        patch = getattr(config, "in_channels", 3) * getattr(config, "temporal_patch_size", 1) * config.patch_size**2
        first = next(name for name in asked if name in ("hidden_states", "pixel_values"))
        more = {"merge_sizes": torch.tensor([2])} if "merge_sizes" in asked else {}
        return {first: torch.randn(16, patch), "grid_thw": torch.tensor([[1, 4, 4]]), **more}
    if "bbox" in asked:
        boxes = ("bros", "udop")  # these calculate with them
        given["bbox"] = torch.zeros(*ids.shape, 4, dtype=torch.float if config.model_type in boxes else torch.long)
    if main == "input_values":
        given["input_values"] = _sound(config)
    if main == "input_features":
        given["input_features"] = _spectrogram(config)
    if main == "input_ids" or ("input_ids" in asked and "pixel_values" in given):
        given["input_ids"] = ids
    if "decoder_input_ids" in asked:
        given["decoder_input_ids"] = ids[:, :7]
    for name, parameter in asked.items():  # what the model cannot do without
        if parameter.default is parameter.empty and name not in given and name in NEEDED:
            given[name] = NEEDED[name](config)
    return given


def named(config: Any, *names: str, usual: Any = None) -> Any:
    """The first of these numbers that a configuration or one of its parts holds."""
    for part in parts_of(config):
        for name in names:
            if (held := getattr(part, name, None)) is not None:
                return held
    return usual


def _words(config: Any) -> Tensor:
    return torch.randint(3, VOCABULARY - 1, (1, LONG.get(config.model_type, TOKENS)))


def _picture(config: Any) -> Tensor:
    """A picture, or as many as the model takes one after another."""
    vision = getattr(config, "vision_config", None) or config
    side = getattr(vision, "image_size", None) or SIDE
    high, wide = (side, side) if isinstance(side, int) else (*side, *side)[:2]
    picture = torch.randn(1, getattr(vision, "num_channels", 3), high, wide)
    frames = getattr(vision, "num_frames", None)
    return picture[:, None].repeat(1, frames, 1, 1, 1) + torch.randn(1, frames, 1, 1, 1) if frames else picture


def _video(config: Any) -> Tensor:
    side, frames = named(config, "crop_size", "image_size", usual=SIDE), named(config, "frames_per_clip", "num_frames")
    return torch.randn(1, frames or 2, 3, side, side)


def _sound(config: Any) -> Tensor:
    """Samples; of a model that reads spectrograms by that name, one of those."""
    if (bins := getattr(config, "num_mel_bins", None)) and hasattr(config, "max_length"):
        return torch.randn(1, config.max_length, bins)
    return torch.randn(1, 1, SOUND - SOUND % 1920) if named(config, "audio_channels") else torch.randn(1, SOUND)


def _spectrogram(config: Any) -> Tensor:
    bins = named(config, "num_mel_bins", "input_feat_per_channel", "feature_projection_input_dim", usual=80)
    whisper = config.model_type == "whisper"
    frames = 2 * getattr(config, "max_source_positions", 64)
    return torch.randn(1, bins, frames) if whisper else torch.randn(1, min(frames, 2 * FRAMES), bins)


def _series(config: Any) -> Tensor:
    channels = getattr(config, "num_input_channels", None)
    length = config.context_length
    return torch.randn(1, length, channels) if channels else torch.randn(1, length)


def _lagged(config: Any) -> dict[str, Tensor]:
    """A time series with what the model is told of each of its moments, and what comes after it."""
    past, after = config.context_length + max(config.lags_sequence), config.prediction_length
    return {
        "past_values": torch.randn(1, past),
        "past_time_features": torch.randn(1, past, config.num_time_features),
        "past_observed_mask": torch.ones(1, past),
        "future_values": torch.randn(1, after),
        "future_time_features": torch.randn(1, after, config.num_time_features),
    }


def _large(config: Any) -> dict[str, Tensor]:
    """A picture that still has places after five halvings, and words about it."""
    return {"pixel_values": torch.randn(1, 3, 4 * SIDE, 4 * SIDE), "input_ids": _words(config)}


def _pairs_of_frames(config: Any) -> dict[str, Tensor]:
    """A video as a row of patches, of two frames each."""
    return {"pixel_values": torch.randn(16, 2 * 3 * config.patch_size**2), "grid_thw": torch.tensor([[1, 4, 4]])}


def _packed(config: Any, side: int = 4) -> dict[str, Tensor]:
    """A picture as a row of its patches."""
    vision = getattr(config, "vision_config", None) or config
    patch = 3 * vision.patch_size**2
    return {
        "pixel_values": torch.randn(1, side * side, patch),
        "pixel_attention_mask": torch.ones(1, side * side, dtype=torch.long),
        "spatial_shapes": torch.tensor([[side, side]]),
    }


# What a model's forward pass needs, by the names of its arguments.
NEEDED: dict[str, Callable[[Any], Any]] = {
    "pixel_values": _picture,
    "pixel_values_videos": _video,
    "input_ids": _words,
    "qformer_input_ids": _words,
    "input_values": _sound,
    "input_features": _spectrogram,
    "input_features_mask": lambda config: torch.ones(_spectrogram(config).shape[:2], dtype=torch.long),
    "past_values": _series,
    "past_values_padding": lambda config: torch.zeros(1, config.context_length, dtype=torch.long),
    "freq": lambda _: torch.zeros(1, 1, dtype=torch.long),
    "query_embeds": lambda config: torch.randn(1, 4, config.hidden_size),
    "inputs": lambda config: torch.randn(1, TOKENS, config.d_model),
    "inputs_embeds": lambda config: torch.randn(1, TOKENS, config.hidden_size),
}

# What some families read in a form of their own.
OWN: dict[str, Callable[[Any], dict[str, Any]]] = {
    "audioflamingo3_encoder": lambda config: {
        "input_features": torch.randn(1, config.num_mel_bins, 2 * config.max_source_positions),
        "input_features_mask": torch.ones(1, 2 * config.max_source_positions, dtype=torch.long),
    },
    "autoformer": _lagged,
    "blip_2_qformer": lambda config: {
        "query_embeds": torch.randn(1, 4, config.hidden_size),
        "encoder_hidden_states": torch.randn(1, 6, config.encoder_hidden_size),
    },
    "decision_transformer": lambda config: {
        "states": torch.randn(1, 4, config.state_dim),
        "actions": torch.randn(1, 4, config.act_dim),
        "rewards": torch.randn(1, 4, 1),
        "returns_to_go": torch.randn(1, 4, 1),
        "timesteps": torch.arange(4)[None],
        "attention_mask": torch.ones(1, 4, dtype=torch.long),
    },
    "clap": lambda config: {
        "input_ids": _words(config),
        "input_features": torch.randn(1, 1, 64, config.audio_config.num_mel_bins),
        "is_longer": torch.tensor([[False]]),
    },
    "dia": lambda config: {
        "input_ids": _words(config),
        "decoder_input_ids": torch.randint(3, 90, (1, 7, config.decoder_config.num_channels)),
    },
    "fun_asr_nano_encoder": lambda config: {
        "input_features": torch.randn(1, 16, config.num_mel_bins * config.num_stacked_frames),
        "input_features_mask": torch.ones(1, 16, dtype=torch.long),
    },
    "granite_speech5_ctc": lambda _: {"input_features": torch.randn(1, FRAMES, 320)},
    "granite_speech5_encoder": lambda _: {"input_features": torch.randn(1, FRAMES, 320)},
    "grounding-dino": _large,
    "idefics": lambda config: {
        "input_ids": _words(config),
        "pixel_values": _picture(config)[:, None],
        "image_attention_mask": torch.ones(1, TOKENS, 1, dtype=torch.long),
    },
    "gemma3n_audio": lambda config: {
        "audio_mel": torch.randn(1, FRAMES, config.input_feat_size),
        "audio_mel_mask": torch.zeros(1, FRAMES, dtype=torch.bool),
    },
    "gemma4_audio": lambda _: {"input_features": torch.randn(1, FRAMES, 128)},
    "gemma4_vision": lambda config: {
        "pixel_values": torch.rand(1, 36, 3 * config.patch_size**2),
        "pixel_position_ids": torch.cartesian_prod(torch.arange(6), torch.arange(6))[None],
    },
    "informer": _lagged,
    "kosmos-2": lambda config: {
        "input_ids": _words(config),
        "pixel_values": _picture(config),
        "image_embeds_position_mask": torch.arange(TOKENS)[None] < config.latent_query_num,
    },
    "lxmert": lambda config: {
        "input_ids": _words(config),
        "visual_feats": torch.randn(1, 6, config.visual_feat_dim),
        "visual_pos": torch.rand(1, 6, config.visual_pos_dim),
    },
    "mgp-str": lambda config: {"pixel_values": torch.randn(1, 3, *config.image_size)},
    "minicpm_ocr_vision": lambda config: {
        "pixel_values": torch.randn(1, 3, config.patch_size, 16 * config.patch_size),
        "target_sizes": torch.tensor([[4, 4]], dtype=torch.int32),
    },
    "minicpmv4_7_vision": lambda config: {
        "pixel_values": torch.randn(1, 3, config.patch_size, 16 * config.patch_size),
        "target_sizes": torch.tensor([[4, 4]], dtype=torch.int32),
    },
    "mm-grounding-dino": _large,
    "moss_transcribe_diarize_audio": lambda config: {
        "input_features": torch.randn(1, 128, 2 * config.max_source_positions)
    },
    "mobilevitv2": lambda _: {"pixel_values": torch.randn(1, 3, 4 * SIDE, 4 * SIDE)},
    "lw_detr": lambda _: {"pixel_values": torch.randn(1, 3, 4 * SIDE, 4 * SIDE)},
    "rf_detr": lambda _: {"pixel_values": torch.randn(1, 3, 4 * SIDE, 4 * SIDE)},
    "muse_glimmer_vision": _pairs_of_frames,
    "muse_spark_vision": _pairs_of_frames,
    "muse_spark_audio": lambda _: {"input_values": torch.randn(1, 4 * 1920)},
    "nemotron3_5_transcribe_audio": lambda _: {"input_features": torch.randn(1, FRAMES, 128)},
    "nemotron3_diarization": lambda _: {"input_features": torch.randn(1, FRAMES, 128)},
    "seggpt": lambda config: {
        name: torch.randn(1, 3, config.image_size[0] // 2, config.image_size[1])
        for name in ("pixel_values", "prompt_pixel_values", "prompt_masks")
    },
    "siglip2": lambda config: {"input_ids": _words(config), **_packed(config)},
    "siglip2_vision_model": _packed,
    "speecht5": lambda config: {
        "input_values": torch.randn(1, 6, config.hidden_size),
        "decoder_input_values": torch.randn(1, 5, config.hidden_size),
    },
    "time_series_transformer": _lagged,
    "tvp": lambda config: {"input_ids": _words(config), "pixel_values": torch.randn(1, 2, 3, 2 * SIDE, 2 * SIDE)},
    "videoprism": lambda config: {"input_ids": _words(config), "pixel_values_videos": _video(config)},
    "vilt": lambda config: {"input_ids": _words(config), "pixel_values": _picture(config)},
}
