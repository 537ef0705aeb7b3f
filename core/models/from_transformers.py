"""Networks and tokenizers of the transformers library, from a folder: no download, no pickle, no foreign code."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from safetensors import safe_open
from tokenizers import Tokenizer
from torch import nn

from ..errors import ModelError
from .bert import NEXT_SENTENCE_NAMES, NextSentence
from .meta_outlines import outlining

if TYPE_CHECKING:  # half a second to import: only the functions that need it do
    from transformers import PreTrainedConfig

LOCAL = {"trust_remote_code": False, "local_files_only": True}


def read_config(folder: Path) -> "PreTrainedConfig":
    """The configuration of the model in a folder."""
    from transformers import AutoConfig

    return AutoConfig.from_pretrained(folder, **LOCAL)


def outline(folder: Path, auto_class: str) -> nn.Module:
    """The network on the meta device, without weights. Like loading, it changes settings of the process meanwhile."""
    import transformers
    from transformers import initialization

    model_class = getattr(transformers, auto_class)
    if hasattr(model_class, "from_config"):
        config, make = read_config(folder), model_class.from_config
    else:  # a class of a model, which reads its own part of the config
        config, make = model_class.config_class.from_pretrained(folder, **LOCAL), model_class._from_config
    # Every architecture has eager attention, with the same sizes.
    with outlining(), initialization.meta_device_safe_creation_ops():
        return make(config, attn_implementation="eager", dtype=torch.float32)


def load_network(folder: Path, auto_class: str) -> Any:
    """The network in single precision, through a class of transformers such as "AutoModelForCausalLM".

    A network whose weights are not all in the folder would have random parts: ModelError.
    """
    import transformers

    # No tables and progress bars: what matters is an error, below.
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()

    def load(attention: str) -> tuple[Any, dict]:
        return getattr(transformers, auto_class).from_pretrained(
            folder,
            use_safetensors=True,
            dtype=torch.float32,
            attn_implementation=attention,
            output_loading_info=True,
            **LOCAL,
        )

    try:
        network, info = load("sdpa")
    except ValueError as error:  # a few architectures have eager attention only
        if "scaled_dot_product_attention" not in str(error):
            raise
        network, info = load("eager")
    except RuntimeError as error:
        if "ignore_mismatched_sizes" not in str(error):  # an option that is not set here
            raise
        raise ModelError("The sizes that its config.json gives are not those of its weights.") from error
    missing = sorted(name for name in info["missing_keys"] if "pooler" not in name)
    if missing:
        raise ModelError(
            f"{len(missing)} of its weights are not in the file ({missing[0]}): they would be random numbers."
        )
    return network


def load_next_sentence(files: Sequence[Path], width: int) -> NextSentence | None:
    """BERT's head of next sentence prediction, which AutoModelForMaskedLM omits; None if it is not in these files."""
    weights = {}
    for file in files:
        with safe_open(file, "pt") as tensors:
            names = set(tensors.keys())
            for state_name, reference_name in NEXT_SENTENCE_NAMES.items():
                if reference_name in names:
                    weights[state_name.removeprefix("next_sentence.")] = tensors.get_tensor(reference_name).float()
    if len(weights) < len(NEXT_SENTENCE_NAMES):
        return None
    head = NextSentence(width)
    head.load_state_dict(weights)
    return head.eval().requires_grad_(False)


def load_tokenizer(folder: Path) -> tuple[Tokenizer, int]:
    """The tokenizer of the tokenizers library, and the longest text that it is meant for, in tokens."""
    from transformers import AutoTokenizer

    vocabularies = ("tokenizer.json", "vocab.*", "*.model", "*.spm")
    if not any(any(folder.glob(pattern)) for pattern in vocabularies):
        raise ModelError("It has no tokenizer (tokenizer.json).")  # the library would make an empty one
    tokenizer = AutoTokenizer.from_pretrained(folder, **LOCAL)
    if not isinstance(getattr(tokenizer, "backend_tokenizer", None), Tokenizer):
        raise ModelError("Its tokenizer has no fast version (tokenizer.json). Choose another model.")
    # A copy: what transformers does with its own one does not reach other threads.
    return Tokenizer.from_str(tokenizer.backend_tokenizer.to_str()), text_limit(tokenizer.model_max_length)


def text_limit(setting: Any, *, default: int = 10**9) -> int:
    """The longest text in tokens by a tokenizer's setting; `default` where it is no number, or below 1."""
    is_number = isinstance(setting, int | float) and not isinstance(setting, bool)
    return int(min(setting, 10**9)) if is_number and setting >= 1 else default


def context_of(config: "PreTrainedConfig", network: nn.Module, longest: int) -> int:
    """The longest input of the network in tokens, at most `longest`: its table of positions may be shorter."""
    settings = (getattr(config, name, None) for name in ("max_position_embeddings", "n_positions"))
    limits = [longest, *(limit for limit in settings if isinstance(limit, int) and limit > 0)]
    for module in network.modules():
        table = getattr(module, "position_embeddings", None)
        if isinstance(table, nn.Embedding) and table.padding_idx is not None:
            limits.append(table.num_embeddings - table.padding_idx - 1)  # RoBERTa counts from there
    return min(limits)


def vision_class(folder: Path, architecture: str) -> str:
    """The class of transformers that builds a vision transformer; for CLIP that of its vision encoder."""
    if architecture.endswith(("ForImageClassification", "WithTeacher")):
        return "AutoModelForImageClassification"
    return "CLIPVisionModel" if read_config(folder).model_type in ("clip", "clip_vision_model") else "AutoModel"


# Settings of generation that are read from a model: special and forbidden tokens, and scores of beams. All others,
# such as the number of texts, compilation or an assistant model, are not left to the model.
GENERATION = (
    *("bos_token_id", "eos_token_id", "pad_token_id", "decoder_start_token_id", "forced_bos_token_id"),
    *("forced_eos_token_id", "suppress_tokens", "begin_suppress_tokens", "bad_words_ids", "length_penalty"),
    *("early_stopping", "no_repeat_ngram_size", "encoder_no_repeat_ngram_size", "repetition_penalty"),
    *("encoder_repetition_penalty", "min_length", "renormalize_logits", "remove_invalid_values"),
)
LONGEST_LIST = 1_000  # entries of a setting, such as forbidden tokens: all are checked in every step


def restrict_generation(network: Any) -> None:
    """Remove all settings of a model's `generation_config` except those of GENERATION; ModelError for long lists."""
    from transformers import GenerationConfig

    settings = network.generation_config.to_dict()
    allowed = {name: settings[name] for name in GENERATION if settings.get(name) is not None}
    for name, value in allowed.items():
        if isinstance(value, list) and len(value) > LONGEST_LIST:
            raise ModelError(f"Its {name} has {len(value):,} entries; at most {LONGEST_LIST:,} are taken.")
    network.generation_config = GenerationConfig(**allowed)


def framing_of(folder: Path) -> dict[str, Any]:
    """The preprocessing of a model's pictures in timm's terms, from preprocessor_config.json."""
    from transformers import AutoImageProcessor

    return framing_by(AutoImageProcessor.from_pretrained(folder, **LOCAL))


def framing_by(processor: Any) -> dict[str, Any]:
    """The preprocessing of an image processor in timm's terms."""
    size, short = dict(processor.size), dict(processor.size).get("shortest_edge")
    output = dict(processor.crop_size) if getattr(processor, "do_center_crop", False) else size
    if short and output is size:  # a model for pictures of any shape (ViLT): here it gets a square crop
        output = {"height": short, "width": short}
    if not output.get("height"):
        raise ModelError("Its pictures have no fixed size (preprocessor_config.json).")
    return {
        "input_size": (3, output["height"], output["width"]),
        "mean": tuple(processor.image_mean),
        "std": tuple(processor.image_std),
        "interpolation": {2: "bilinear", 3: "bicubic"}.get(int(processor.resample), "bicubic"),
        # timm divides by it and rounds down: 0.001 more, so that it arrives at the size again.
        "crop_pct": output["height"] / ((short or size["height"]) + 1e-3),
        "crop_mode": "center" if short else "squash",
    }


def patch_of(config: "PreTrainedConfig") -> tuple[int, int]:
    """Rows and columns of pixels of a patch (in the first of several stages); ModelError where the config has none."""
    for name in ("patch_size", "strides", "patch_stride"):
        size = getattr(config, name, None)
        if isinstance(size, int):
            return size, size
        if isinstance(size, list | tuple) and size:
            rows, columns = size if name == "patch_size" and len(size) == 2 else (size[0], size[0])
            return rows, columns
    raise ModelError("Its config.json does not say how large its patches are (patch_size).")


def prefix_of(network: nn.Module) -> tuple[str, ...]:
    """Labels of the tokens before the patches: class, distilled, registers."""
    tokens = {name.rpartition(".")[2]: weight for name, weight in network.named_parameters()}
    labels = ["class"] if tokens.keys() & {"cls_token", "class_embedding"} else []
    labels += ["distilled"] if "distillation_token" in tokens else []
    registers = tokens["register_tokens"].shape[1] if "register_tokens" in tokens else 0
    return (*labels, *(f"register {number}" for number in range(1, registers + 1)))
