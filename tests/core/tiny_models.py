"""Each model family in a size that runs in milliseconds: two layers, random weights, always the same ones."""

import timm
import torch
from torch import Tensor, nn

from core.capture import AttentionCall
from core.models.gpt import GPT, GPTConfig

VOCABULARY = 64
WIDTH = 32
HEADS = 4

_SIZES = {
    "vocab_size": VOCABULARY,
    "hidden_size": WIDTH,
    "num_hidden_layers": 2,
    "num_attention_heads": HEADS,
    "intermediate_size": 48,
    "max_position_embeddings": 40,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "pad_token_id": 0,
}
_GROUPED = {**_SIZES, "num_key_value_heads": 2, "head_dim": 8}
_PAIR = {
    "vocab_size": VOCABULARY,
    "d_model": WIDTH,
    **{f"{side}_layers": 2 for side in ("encoder", "decoder")},
    **{f"{side}_attention_heads": HEADS for side in ("encoder", "decoder")},
    **{f"{side}_ffn_dim": 48 for side in ("encoder", "decoder")},
    "max_position_embeddings": 40,
    "pad_token_id": 0,
    "decoder_start_token_id": 1,
}
_PICTURE = {**_SIZES, "image_size": 16, "patch_size": 4}

# Family -> (transformers' name of it, its configuration).
TEXT_FAMILIES: dict[str, tuple[str, dict]] = {
    "bert": ("bert", _SIZES),
    "roberta": ("roberta", _SIZES),
    "distilbert": (
        "distilbert",
        {"vocab_size": VOCABULARY, "dim": WIDTH, "n_layers": 2, "n_heads": HEADS, "hidden_dim": 48},
    ),
    "deberta-v2": (
        "deberta-v2",
        {**_SIZES, "relative_attention": True, "pos_att_type": ["p2c", "c2p"], "position_buckets": 8},
    ),
    "gpt2": (
        "gpt2",
        {"vocab_size": VOCABULARY, "n_embd": WIDTH, "n_layer": 2, "n_head": HEADS, "n_positions": 40}
        | {"bos_token_id": 1, "eos_token_id": 2},
    ),
    "opt": ("opt", {**_SIZES, "ffn_dim": 48, "word_embed_proj_dim": WIDTH}),
    "llama": ("llama", _GROUPED),
    "qwen3": ("qwen3", _GROUPED),
    "mistral": ("mistral", {**_GROUPED, "sliding_window": 4}),
    "gemma2": ("gemma2", {**_GROUPED, "sliding_window": 4, "attn_logit_softcapping": 2.0, "query_pre_attn_scalar": 8}),
    "clip-text": ("clip_text_model", _SIZES),
}
PAIR_FAMILIES: dict[str, tuple[str, dict]] = {
    "t5": (
        "t5",
        {"vocab_size": VOCABULARY, "d_model": WIDTH, "d_kv": 8, "d_ff": 48, "num_layers": 2, "num_heads": HEADS},
    ),
    "bart": ("bart", _PAIR),
    "marian": ("marian", _PAIR),
}
PICTURE_FAMILIES: dict[str, tuple[str, dict]] = {
    "vit": ("vit", _PICTURE),
    "clip-vision": ("clip_vision_model", _PICTURE),
}

_PATCHES = {"img_size": 16, "patch_size": 4, "embed_dim": WIDTH, "depth": 2, "num_heads": HEADS}
_WINDOWS = {"img_size": 32, "patch_size": 2, "window_size": 4, "embed_dim": 16, "depths": (2, 2), "num_heads": (2, 4)}

# Family -> (timm's name of one of its models, what makes that small).
TIMM_FAMILIES: dict[str, tuple[str, dict]] = {
    "vit": ("vit_tiny_patch16_224", _PATCHES),
    "dino": ("vit_small_patch16_224.dino", _PATCHES),
    "deit-distilled": ("deit_tiny_distilled_patch16_224", _PATCHES),
    "dinov2": ("vit_small_patch14_dinov2", _PATCHES),
    "dinov2-registers": ("vit_small_patch14_reg4_dinov2", _PATCHES),
    "dinov3": ("vit_small_patch16_dinov3", _PATCHES),
    "eva02": ("eva02_tiny_patch14_224", _PATCHES),
    "beit": ("beit_base_patch16_224", _PATCHES),
    "swin": ("swin_tiny_patch4_window7_224", _WINDOWS),
    "swinv2": ("swinv2_tiny_window8_256", _WINDOWS),
}


def tiny_gpt() -> GPT:
    torch.manual_seed(0)
    return GPT(GPTConfig(vocabulary=VOCABULARY, context=16, width=WIDTH, layers=2, heads=HEADS)).eval()


def tiny_transformers(family: str, *, attention: str | None = None) -> nn.Module:
    """A model of one of the families above; `attention`: "sdpa" or "eager", else what the library chooses itself."""
    from transformers import AutoConfig, AutoModel

    name, sizes = (TEXT_FAMILIES | PAIR_FAMILIES | PICTURE_FAMILIES)[family]
    chosen = {"attn_implementation": attention} if attention else {}
    torch.manual_seed(0)
    return _awake(AutoModel.from_config(AutoConfig.for_model(name, **sizes), **chosen))


def tiny_timm(family: str) -> nn.Module:
    name, sizes = TIMM_FAMILIES[family]
    torch.manual_seed(0)
    return _awake(timm.create_model(name, pretrained=False, num_classes=5, **sizes))


def tiny_encoder() -> nn.TransformerEncoder:
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(WIDTH, HEADS, dim_feedforward=48, batch_first=True)
    return _awake(nn.TransformerEncoder(layer, 2))


def tokens(*, batch: int = 2, length: int = 7) -> Tensor:
    """Ordinary tokens, none of them special."""
    return torch.randint(3, VOCABULARY, (batch, length), generator=torch.Generator().manual_seed(1))


def inputs_of(family: str, *, padded: bool = False) -> dict[str, Tensor]:
    """What a model of transformers is called with; padded: the second text ends two tokens earlier."""
    if family in PICTURE_FAMILIES:
        return {"pixel_values": picture()}
    inputs = {"input_ids": tokens()}
    if padded:
        inputs["attention_mask"] = torch.ones(2, 7, dtype=torch.long)
        inputs["attention_mask"][1, 5:] = 0
    if family in PAIR_FAMILIES:
        inputs["decoder_input_ids"] = tokens().flip(1)  # as long as the source: lengths tell nothing
    return inputs


def picture(*, side: int = 16) -> Tensor:
    return torch.randn(2, 3, side, side, generator=torch.Generator().manual_seed(1))


def all_weights(call: AttentionCall) -> Tensor:
    """(batch, head, query, key)"""
    return torch.stack(
        [torch.stack([call.weights(head, item) for head in range(call.heads)]) for item in range(call.batch_size)]
    )


def _awake(model: nn.Module) -> nn.Module:
    """Libraries start with heads that look everywhere alike and with branches scaled to nothing: wake both up."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.ndim == 2:
                parameter.normal_(std=parameter.shape[1] ** -0.5)
            elif parameter.ndim == 1 and name.endswith(("weight", "gamma")):
                parameter.normal_(mean=1.0, std=0.1)
    return model.eval()
