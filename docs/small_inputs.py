"""Something for a small model of transformers to read: words, a picture, a video, sound, numbers over time."""

import inspect
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from docs.small_configs import LONG, SIDE, TOKENS, VOCABULARY, parts_of

SOUND, FRAMES = 4_000, 64  # numbers of a sound, and columns of a spectrogram


def inputs(model: Any, alone: bool) -> dict[str, Any]:
    """Random arguments for each kind of input that the model reads (words, a picture, sound), or words alone."""
    torch.manual_seed(1)
    config, parameters = model.config, inspect.signature(model.forward).parameters
    if own := OWN.get(config.model_type):
        return own(config)
    ids = _words(config)
    arguments: dict[str, Any] = {}
    main = "input_ids" if alone else model.main_input_name
    if main == "pixel_values" or (not alone and "pixel_values" in parameters and "vision_config" in vars(config)):
        arguments["pixel_values"] = _picture(config)
    if "grid_thw" in parameters and not alone:  # pictures as a row of patches, with how many there are each way
        patch = getattr(config, "in_channels", 3) * getattr(config, "temporal_patch_size", 1) * config.patch_size**2
        first = next(name for name in parameters if name in ("hidden_states", "pixel_values"))
        sizes = {"merge_sizes": torch.tensor([2])} if "merge_sizes" in parameters else {}
        return {first: torch.randn(16, patch), "grid_thw": torch.tensor([[1, 4, 4]]), **sizes}
    if "bbox" in parameters:
        boxes = ("bros", "udop")  # these calculate with them
        arguments["bbox"] = torch.zeros(*ids.shape, 4, dtype=torch.float if config.model_type in boxes else torch.long)
    if main == "input_values":
        arguments["input_values"] = _sound(config)
    if main == "input_features":
        arguments["input_features"] = _spectrogram(config)
    if main == "input_ids" or ("input_ids" in parameters and "pixel_values" in arguments):
        arguments["input_ids"] = ids
    if "decoder_input_ids" in parameters:
        arguments["decoder_input_ids"] = ids[:, :7]
    for name, parameter in parameters.items():  # what the model cannot do without
        if parameter.default is parameter.empty and name not in arguments and name in NEEDED:
            arguments[name] = NEEDED[name](config)
    return arguments


def named(config: Any, *names: str, default: Any = None) -> Any:
    """The first of these settings that a configuration or one of its parts has; `default` where there is none."""
    for part in parts_of(config):
        for name in names:
            if (value := getattr(part, name, None)) is not None:
                return value
    return default


def _words(config: Any) -> Tensor:
    return torch.randint(3, VOCABULARY - 1, (1, LONG.get(config.model_type, TOKENS)))


def _picture(config: Any) -> Tensor:
    """A random picture, or several frames if the model reads several."""
    vision = getattr(config, "vision_config", None) or config
    side = getattr(vision, "image_size", None) or SIDE
    high, wide = (side, side) if isinstance(side, int) else (*side, *side)[:2]
    picture = torch.randn(1, getattr(vision, "num_channels", 3), high, wide)
    frames = getattr(vision, "num_frames", None)
    return picture[:, None].repeat(1, frames, 1, 1, 1) + torch.randn(1, frames, 1, 1, 1) if frames else picture


def _video(config: Any) -> Tensor:
    side, frames = (
        named(config, "crop_size", "image_size", default=SIDE),
        named(config, "frames_per_clip", "num_frames"),
    )
    return torch.randn(1, frames or 2, 3, side, side)


def _sound(config: Any) -> Tensor:
    """A random waveform, or a spectrogram for models that read one under this name."""
    if (bins := getattr(config, "num_mel_bins", None)) and hasattr(config, "max_length"):
        return torch.randn(1, config.max_length, bins)
    return torch.randn(1, 1, SOUND - SOUND % 1920) if named(config, "audio_channels") else torch.randn(1, SOUND)


def _spectrogram(config: Any) -> Tensor:
    bins = named(config, "num_mel_bins", "input_feat_per_channel", "feature_projection_input_dim", default=80)
    whisper = config.model_type == "whisper"
    frames = 2 * getattr(config, "max_source_positions", 64)
    return torch.randn(1, bins, frames) if whisper else torch.randn(1, min(frames, 2 * FRAMES), bins)


def _series(config: Any) -> Tensor:
    channels = getattr(config, "num_input_channels", None)
    length = config.context_length
    return torch.randn(1, length, channels) if channels else torch.randn(1, length)


def _lagged(config: Any) -> dict[str, Tensor]:
    """A random time series with its features, and the values that follow it."""
    past, after = config.context_length + max(config.lags_sequence), config.prediction_length
    return {
        "past_values": torch.randn(1, past),
        "past_time_features": torch.randn(1, past, config.num_time_features),
        "past_observed_mask": torch.ones(1, past),
        "future_values": torch.randn(1, after),
        "future_time_features": torch.randn(1, after, config.num_time_features),
    }


def _large(config: Any) -> dict[str, Tensor]:
    """A random picture that is large enough for five halvings, and words."""
    return {"pixel_values": torch.randn(1, 3, 4 * SIDE, 4 * SIDE), "input_ids": _words(config)}


def _pairs_of_frames(config: Any) -> dict[str, Tensor]:
    """A random video as a row of patches of two frames each."""
    return {"pixel_values": torch.randn(16, 2 * 3 * config.patch_size**2), "grid_thw": torch.tensor([[1, 4, 4]])}


def _packed(config: Any, side: int = 4) -> dict[str, Tensor]:
    """A random picture as a row of patches."""
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
