"""What `record.merged` makes of texts that decoders write, for each kind of cache and of search: the last section of
docs/models.md.

    python -m docs.generation        # prints the section; some 2 minutes

A small random decoder writes a text while it is recorded, and the merged map of each attention is compared with the map
that the library's own eager attention gives of the whole text. A quantised cache changes what is attended to, so there
the last row is compared with the eager attention of the same step.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from core.capture import Record, record_attention
from core.errors import CaptureError

CLOSE = 1e-4  # weights that differ by less are the same
HEADING = "## What is written step by step"
NEW, WINDOW = 8, 4  # tokens that are written, and how far a sliding layer looks back
PROMPT = torch.tensor([[5, 8, 2, 9, 5], [7, 7, 1, 30, 4]])

SMALL: dict[str, Any] = {
    **dict.fromkeys(("hidden_size", "intermediate_size"), 32),
    **{"vocab_size": 60, "num_hidden_layers": 2, "num_attention_heads": 4, "max_position_embeddings": 64},
    **{"bos_token_id": 0, "eos_token_id": None, "pad_token_id": 0},
}
GROUPED: dict[str, Any] = {**SMALL, "num_key_value_heads": 2, "head_dim": 8}
UNTIED: dict[str, Any] = {**GROUPED, "tie_word_embeddings": False}  # else a random Gemma repeats its last token
EXPERTS: dict[str, Any] = {"num_local_experts": 2, "num_experts_per_tok": 1}
TRANSLATOR: dict[str, Any] = {
    **dict.fromkeys(("d_model", "encoder_ffn_dim", "decoder_ffn_dim"), 32),
    **dict.fromkeys(("encoder_layers", "decoder_layers", "encoder_attention_heads", "decoder_attention_heads"), 2),
    **{"vocab_size": 60, "max_position_embeddings": 64, "bos_token_id": 0, "pad_token_id": 1, "eos_token_id": None},
    **{"decoder_start_token_id": 2, "forced_eos_token_id": None},
}
MIXED: dict[str, Any] = {"layer_types": ["sliding_attention", "full_attention"], "sliding_window": WINDOW}
# The last two layers read the keys of the first two.
SHARED: dict[str, Any] = {
    **{**UNTIED, "num_hidden_layers": 4, "num_kv_shared_layers": 2, "sliding_window": WINDOW},
    **{"layer_types": MIXED["layer_types"] * 2, "global_head_dim": 8},
    **{"hidden_size_per_layer_input": 8, "vocab_size_per_layer_input": 60},
}
FAMILIES: dict[str, tuple[str, dict[str, Any]]] = {
    "gpt2": ("learned positions", SMALL),
    "opt": ("learned positions", {**SMALL, "ffn_dim": 32, "word_embed_proj_dim": 32}),
    "bloom": ("linear biases (ALiBi)", {**SMALL, "n_layer": 2, "n_head": 4}),
    "llama": ("rotary, grouped heads", GROUPED),
    "qwen3": ("rotary, normalised queries and keys", GROUPED),
    "mistral": (f"a window of {WINDOW}", {**GROUPED, "sliding_window": WINDOW}),
    "gemma2": ("seen through its softmax, windows in turn", {**UNTIED, "sliding_window": WINDOW}),
    "gemma3_text": ("windows and full attention", {**UNTIED, **MIXED}),
    "gemma4_text": ("layers that share keys, windows and full attention", SHARED),
    "gpt_oss": ("seen through its softmax, sinks", {**GROUPED, **MIXED, **EXPERTS}),
    "jamba": (
        "Mamba and attention in turn",
        {**GROUPED, "attn_layer_period": 2, "attn_layer_offset": 1, "use_mamba_kernels": False, "num_experts": 2},
    ),
    "bart": ("encoder and decoder", TRANSLATOR),
}  # fmt: skip


@dataclass(frozen=True)
class Way:
    """How a text is generated: arguments of `generate` (`how`), and a function to those that `merged` needs."""

    name: str
    how: dict[str, Any]
    prompt: Tensor = PROMPT
    merge_arguments: Callable[[Any, int], dict[str, Any]] = field(default=lambda *_: {})
    rounds: bool = False  # whether the cache changes what is attended to
    beams: int = 1  # rows of the batch for each text, where `merged` does not get the beam indices


WAYS = (
    Way("cache that grows or slides", {}),
    Way("no cache", {"use_cache": False}),
    Way("static cache", {"cache_implementation": "static"}),
    Way(
        "quantised cache (8-bit floats)",
        {"cache_implementation": "quantized", "cache_config": {"backend": "fp8"}},
        rounds=True,
    ),
    Way(
        "beams, with `beams=`",
        {"num_beams": 3},
        merge_arguments=lambda output, item: {"beams": output.beam_indices[item]},
    ),
    Way("beams, without", {"num_beams": 3}, beams=3),
    Way(
        "drafts (prompt look-up), with `length=`",
        {"prompt_lookup_num_tokens": 3},
        torch.tensor([[5, 8, 2, 5, 8, 2, 5, 8]]),
        merge_arguments=lambda output, _: {"length": output.sequences.shape[1] - 1},
    ),
)


def section() -> str:
    """The section of the page, computed."""
    lines = [
        HEADING,
        "",
        f"Made by the same run (`docs/generation.py`). Small random decoders write {NEW} tokens after each of two "
        "prompts while they are recorded, and `record.merged` makes one map of all steps, for each attention and each "
        "text; the numbers in brackets count these maps. `exact`: the map equals the library's own eager attention "
        "over the whole text (to 0.0001). A quantised cache changes what is attended to: there the last row is "
        "compared with the library's eager attention in the last step. `refused`: `merged` says in a sentence what it "
        "needs, and gives no map: after a search by beams it needs `beams=`, because hypotheses change their places in "
        "the batch. Where none did, the map is that of the tokens which one place of the batch has read. Of a prompt "
        "Gemma 4 computes in layers that share keys the queries of the last token alone: there are no other rows to "
        "show.",
        "",
        f"| family | {' | '.join(way.name for way in WAYS)} |",
        f"|---|{'---|' * len(WAYS)}",
    ]
    for family, (description, _) in FAMILIES.items():
        lines.append(f"| {family}: {description} | {' | '.join(cell(family, way) for way in WAYS)} |")
    return "\n".join([*lines, ""])


def read(page: str) -> dict[tuple[str, str], str]:
    """Read the cells of a page that ends with the section, by family and way."""
    lines = page[page.index(HEADING) :].splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("|") and not line.startswith("|---")]
    names = rows[0][1:]
    return {
        (row[0].partition(":")[0], name): verdict
        for row in rows[1:]
        for name, verdict in zip(names, row[1:], strict=True)
    }


def cell(family: str, way: Way) -> str:
    """A cell of the table: verdicts with the numbers of their maps, or the library's error message."""
    model, inputs_read = build(family), []
    name = "decoder_input_ids" if model.config.is_encoder_decoder else "input_ids"
    hook = model.register_forward_pre_hook(
        lambda _, __, arguments: inputs_read.append(arguments[name]), with_kwargs=True
    )
    try:
        with torch.no_grad(), record_attention(model) as record:
            output = _written(model, way)
    except CaptureError:
        raise
    except Exception as error:  # whatever a library does with a cache that it does not support
        return f"the library cannot: {_words(error)}"
    finally:
        hook.remove()
    # Without `beams=` a map is that of the tokens which one place of the batch has read.
    text = torch.cat(inputs_read, dim=1)[:: way.beams] if way.beams > 1 else output.sequences[:, :-1]
    maps = _last_rows(model, way) if way.rounds else _maps(model, way, text)
    verdicts = [
        _verdict(record, path, item * way.beams, own[item], way.merge_arguments(output, item), last=way.rounds)
        for path, own in maps.items()
        for item in range(len(way.prompt))
    ]
    counts = {name: verdicts.count(name) for name in dict.fromkeys(verdicts)}
    return ", ".join(f"{name} ({count} of {len(verdicts)})" for name, count in sorted(counts.items()))


def build(family: str) -> nn.Module:
    """A small decoder, or encoder-decoder, with random weights large enough for different texts."""
    from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForSeq2SeqLM

    torch.manual_seed(0)
    config = AutoConfig.for_model(family, **FAMILIES[family][1])
    kind = AutoModelForSeq2SeqLM if config.is_encoder_decoder else AutoModelForCausalLM
    model = kind.from_config(config).eval()
    for parameter in model.parameters():
        if parameter.ndim == 2:
            nn.init.normal_(parameter, std=0.3)
    return model


def _written(model: nn.Module, way: Way, **options: Any) -> Any:
    return model.generate(
        way.prompt, max_new_tokens=NEW, do_sample=False, return_dict_in_generate=True, output_scores=True,
        **{"use_cache": True} | way.how | options,
    )  # fmt: skip


def _eager(model: nn.Module) -> nn.Module:
    twin = type(model)(model.config).eval()
    twin.load_state_dict(model.state_dict())
    twin.set_attn_implementation("eager")
    return twin


def _maps(model: nn.Module, way: Way, text: Tensor) -> dict[str, Tensor]:
    """The library's own maps of the whole text, by the path of the decoder's attention module."""
    twin = _eager(model)
    inputs = (
        {"input_ids": way.prompt, "decoder_input_ids": text} if model.config.is_encoder_decoder else {"input_ids": text}
    )
    with torch.no_grad():
        library_output = twin(**inputs, output_attentions=True, use_cache=False)
        with record_attention(model) as full_record:
            model(**inputs, use_cache=False)
    if not model.config.is_encoder_decoder:
        return dict(
            zip(
                full_record.paths,
                [map_ for map_ in library_output.attentions if map_ is not None],
                strict=True,
            )
        )
    decoder_paths = [path for path in full_record.paths if ".decoder." in path]
    maps = [
        map_
        for pair in zip(library_output.decoder_attentions, library_output.cross_attentions, strict=True)
        for map_ in pair
    ]
    return dict(zip(decoder_paths, maps, strict=True))


def _last_rows(model: nn.Module, way: Way) -> dict[str, Tensor]:
    """The library's own rows of the last step, under the same cache, by path."""
    with torch.no_grad(), record_attention(model) as record:
        model(way.prompt, **({"decoder_input_ids": way.prompt} if model.config.is_encoder_decoder else {}))
    output = _written(_eager(model), way, output_attentions=True)
    if not model.config.is_encoder_decoder:
        return dict(
            zip(
                record.paths,
                [map_ for map_ in output.attentions[-1] if map_ is not None],
                strict=True,
            )
        )
    decoder_paths = [path for path in record.paths if ".decoder." in path]
    pairs = zip(output.decoder_attentions[-1], output.cross_attentions[-1], strict=True)
    return dict(zip(decoder_paths, [map_ for pair in pairs for map_ in pair], strict=True))


def _verdict(
    record: Record, path: str, item: int, library_map: Tensor, arguments: dict[str, Any], *, last: bool
) -> str:
    try:
        merged = record.merged(path, item, **arguments)
    except CaptureError:
        return "refused"
    merged = merged[:, -1:] if last else merged
    return (
        "exact" if merged.shape == library_map.shape and float((merged - library_map).abs().max()) < CLOSE else "WRONG"
    )


def _words(error: Exception) -> str:
    words = " ".join(str(error).split()).replace("|", "\\|")
    return words if len(words) < 90 else f"{words[:90].rpartition(' ')[0]} …"


if __name__ == "__main__":
    print(section())
