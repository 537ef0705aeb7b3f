"""Which models can be seen: every family of the installed libraries, built small and random, and what comes of it.

    make models                      # all of them, into docs/models.md; some 20 minutes
    python -m docs.models bert vit   # some of them, printed

A family is built from its own configuration with small numbers in place of large ones, and run once. It is "exact" if
every map that the library's own eager attention gives equals one of the record's; "consistent" if nothing changes when
the record's own maps are pasted in place of the model's; else it is partly seen, not seen, or refused, with the
sentence; a family that could not be built or run on this input says why.
"""

import argparse
import contextlib
import inspect
import signal
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from core.capture import Paste, Record, edit_attention, record_attention
from core.errors import CaptureError

FILE = Path(__file__).with_suffix(".md")
PATIENCE = 60  # seconds for a family
CLOSE = 1e-4  # weights and outputs that differ by less are the same
WIDTH, HEADS, LAYERS, VOCABULARY, TOKENS, SIDE = 32, 4, 2, 99, 12, 32
LONGEST = 220  # characters of a library's own words

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


# What some families need besides.
OWN: dict[str, dict[str, Any]] = {
    "big_bird": {"block_size": 4, "num_random_blocks": 1},
    "bigbird_pegasus": {"block_size": 4, "num_random_blocks": 1},
    "longformer": {"attention_window": [4, 4]},
    "led": {"attention_window": [4, 4], "max_encoder_position_embeddings": 64, "max_decoder_position_embeddings": 64},
}
LONG = {"big_bird": 64, "bigbird_pegasus": 64}  # tokens: with fewer they look at all


@dataclass(frozen=True)
class Row:
    """A family and what came of it."""

    library: str
    family: str
    verdict: str
    detail: str = ""


def main() -> None:
    """Print the rows of some families, or write the page of all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("families", nargs="*")
    chosen = parser.parse_args().families
    rows = []
    for library, family, build in families():
        if not chosen or family in chosen:
            rows.append(row_of(library, family, build))
            print(f"{library} {family}: {rows[-1].verdict} {rows[-1].detail}", flush=True)
    if not chosen:
        FILE.write_text(page(rows), encoding="utf-8")


Built = tuple[Callable[[], nn.Module], Callable[[nn.Module], Any], Callable[[nn.Module], list[Tensor]] | None]


def families() -> Iterator[tuple[str, str, Callable[[], Built]]]:
    """Every family: its library, its name, and what builds it: a model, a run of it, and its own eager maps."""
    yield from _of_torch()
    yield from _of_transformers()
    yield from _of_timm()
    yield from _of_torchvision()


def row_of(library: str, family: str, build: Callable[[], Built]) -> Row:
    """Build, run, record and compare one family; whatever goes wrong is a row too."""
    with warnings.catch_warnings(), contextlib.suppress(AttributeError):
        warnings.simplefilter("ignore")
        signal.signal(signal.SIGALRM, _too_late)
        signal.alarm(PATIENCE)
    try:
        torch.manual_seed(0)
        make, run, eager = build()
        model = make().eval()
        with torch.no_grad():
            plain = run(model)
    except Exception as error:  # whatever a library does with a configuration that it did not expect
        return Row(library, family, "not built", _words(error))
    finally:
        signal.alarm(0)
    try:
        signal.alarm(PATIENCE)
        return Row(library, family, *verdict_of(model, run, eager, plain))
    except CaptureError as error:
        return Row(library, family, "refused", str(error))
    except Exception as error:
        return Row(library, family, "FAILED", f"{type(error).__name__}: {_words(error)}")
    finally:
        signal.alarm(0)


def verdict_of(
    model: nn.Module,
    run: Callable[[nn.Module], Any],
    eager: Callable[[nn.Module], list[Tensor]] | None,
    plain: Any,
) -> tuple[str, str]:
    """What the recorder makes of a model, and the numbers."""
    with torch.no_grad(), record_attention(model) as record:
        run(model)
    missing = _not_told(record)
    theirs = eager(model) if eager else []
    if theirs:
        found = [call.weights() for call in record]
        same = sum(any(_equal(own, other) for other in found) for own in theirs)
        counted = f"{same} of {len(theirs)} maps"
        if same == len(theirs) and not missing:
            return "exact", counted
        missing = missing or (f"{counted} equal the library's own" if same < len(theirs) else "")
    changed = _pasted(model, run, record, plain)
    if changed is None or changed > CLOSE:
        how = "an edit is refused" if changed is None else f"pasting its own maps moves the output by {changed:.1g}"
        return "partly", "; ".join(filter(None, [missing, how]))
    return ("partly", missing) if missing else ("consistent", f"{len(record)} maps")


def _not_told(record: Record) -> str:
    """What the record itself says that it has not seen."""
    told = []
    if record.unseen:
        told.append(f"unseen: {', '.join(record.unseen[:3])}{' …' if len(record.unseen) > 3 else ''}")
    if record.partial:
        path, (rows, tokens) = next(iter(record.partial.items()))
        told.append(f"{path}: {rows} of {tokens} rows")
    if any(call.over == "channel" for call in record):
        told.append("some maps are over channels")
    return "; ".join(told)


def _pasted(model: nn.Module, run: Callable[[nn.Module], Any], record: Record, plain: Any) -> float | None:
    """By how much the output moves when each map is pasted over itself; None where that is refused."""
    counts = {path: sum(call.path == path for call in record) for path in record.paths}
    edits = {
        (call.path, head): Paste(
            torch.stack([call.weights(head, item) for item in range(call.batch_size)]).nan_to_num()
        )
        for call in record
        if counts[call.path] == 1 and call.sink is None
        for head in range(call.heads)
    }
    if not edits:
        return 0.0
    try:
        with torch.no_grad(), edit_attention(model, edits):
            again = run(model)
    except CaptureError:
        return None
    apart = [float((one - other).abs().max()) for one, other in zip(_tensors(plain), _tensors(again), strict=True)]
    return max(apart, default=0.0)


def _tensors(output: Any) -> list[Tensor]:
    """The numbers in an output, in their order; hidden ones too."""
    if isinstance(output, Tensor):
        return [output.float()] if output.is_floating_point() else []
    if isinstance(output, dict):
        return [tensor for value in output.values() for tensor in _tensors(value)]
    return [tensor for value in output for tensor in _tensors(value)] if isinstance(output, tuple | list) else []


def _equal(own: Tensor, other: Tensor) -> bool:
    return own.shape == other.shape and bool(((own - other.nan_to_num()).abs() < CLOSE).all())


def _words(error: Exception) -> str:
    words = " ".join(str(error).split()) or type(error).__name__
    return words if len(words) <= LONGEST else f"{words[:LONGEST].rpartition(' ')[0]} …"


def _too_late(_signal: int, _frame: Any) -> None:
    raise TimeoutError(f"It takes more than {PATIENCE} seconds.")


# torch


def _of_torch() -> Iterator[tuple[str, str, Callable[[], Built]]]:
    text = torch.randn(2, TOKENS, WIDTH)

    def attention() -> Built:
        def eager(model: nn.Module) -> list[Tensor]:
            return [model(text, text, text, average_attn_weights=False)[1]]

        return (
            lambda: nn.MultiheadAttention(WIDTH, HEADS, batch_first=True),
            lambda model: model(text, text, text),
            eager,
        )

    def encoder() -> Built:
        layer = nn.TransformerEncoderLayer(WIDTH, HEADS, 64, batch_first=True)
        return lambda: nn.TransformerEncoder(layer, LAYERS), lambda model: model(text), None

    def decoder() -> Built:
        layer = nn.TransformerDecoderLayer(WIDTH, HEADS, 64, batch_first=True)
        return lambda: nn.TransformerDecoder(layer, LAYERS), lambda model: model(text, text.flip(1)), None

    def both() -> Built:
        return lambda: nn.Transformer(WIDTH, HEADS, 1, 1, 64, batch_first=True), lambda model: model(text, text), None

    for name, build in (
        ("MultiheadAttention", attention),
        ("TransformerEncoder", encoder),
        ("TransformerDecoder", decoder),
        ("Transformer", both),
    ):
        yield "torch.nn", name, build


# transformers


def _of_transformers() -> Iterator[tuple[str, str, Callable[[], Built]]]:
    from transformers import MODEL_MAPPING
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    known = set(MODEL_MAPPING.keys())
    for family in sorted(CONFIG_MAPPING):
        with contextlib.suppress(Exception):  # one that a library is missing for
            config_class = CONFIG_MAPPING[family]
            if config_class in known:
                yield "transformers", family, lambda config_class=config_class: _transformer(config_class)


def _transformer(config_class: Any) -> Built:
    from transformers import AutoModel

    def config(form: str) -> Any:
        made = config_class()
        for part in (made, *(getattr(made, name) for name in getattr(made, "sub_configs", {}))):
            _shrink(part)
        for name, value in OWN.get(made.model_type, {}).items():
            setattr(made, name, value)
        made._attn_implementation = form
        return made

    def make() -> nn.Module:
        torch.manual_seed(0)
        try:
            return AutoModel.from_config(config("sdpa"), attn_implementation="sdpa")
        except ValueError:  # it has an eager form only
            torch.manual_seed(0)
            return AutoModel.from_config(config("eager"), attn_implementation="eager")

    def run(model: nn.Module) -> Any:
        return model(**_inputs(model))

    def eager(model: nn.Module) -> list[Tensor]:
        twin = AutoModel.from_config(config("eager"), attn_implementation="eager").eval()
        twin.load_state_dict(model.state_dict())
        with torch.no_grad():
            output = twin(**_inputs(twin), output_attentions=True)
        names = ("attentions", "encoder_attentions", "decoder_attentions", "cross_attentions")
        maps = [each for name in names for each in (getattr(output, name, None) or ())]
        return [each for each in maps if isinstance(each, Tensor) and each.ndim == 4]

    return make, run, eager


def _shrink(config: Any) -> None:
    """Small numbers in place of large ones; what depends on others follows them."""
    if config is None:
        return
    by_stage = isinstance(getattr(config, "num_heads", None), list | tuple)  # their widths belong to these heads
    for name, small in SMALL.items():
        held = getattr(config, name, None)
        if by_stage and small == WIDTH:
            continue
        if isinstance(held, int) and not isinstance(held, bool):
            setattr(config, name, small)
    for name, held in list(vars(config).items()):  # lists with an entry for each layer
        if isinstance(held, list | tuple) and name.endswith(("layer_types", "layers_block_type", "attention_layers")):
            setattr(config, name, type(held)(held[:LAYERS]))
    for name in ("pad_token_id", "bos_token_id", "eos_token_id", "decoder_start_token_id"):
        held = getattr(config, name, None)
        if isinstance(held, int) and held >= VOCABULARY:
            setattr(config, name, 1)


def _inputs(model: Any) -> dict[str, Tensor]:
    """Something of each kind that the model reads: words, a picture, sound."""
    torch.manual_seed(1)
    config, asked = model.config, set(inspect.signature(model.forward).parameters)
    ids = torch.randint(3, VOCABULARY - 1, (1, LONG.get(config.model_type, TOKENS)))
    given: dict[str, Tensor] = {}
    main = model.main_input_name
    if main == "pixel_values" or ("pixel_values" in asked and "vision_config" in vars(config)):
        vision = getattr(config, "vision_config", None) or config
        side = getattr(vision, "image_size", SIDE)
        side = side if isinstance(side, int) else max(side)
        given["pixel_values"] = torch.randn(1, getattr(vision, "num_channels", 3), side, side)
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


# timm


def _of_timm() -> Iterator[tuple[str, str, Callable[[], Built]]]:
    import timm

    from core.models.attention_heads import has_heads

    for module in timm.list_modules():
        names = [name for name in timm.list_models(module=module) if "_in21k" not in name]
        if not names:
            continue
        small = sorted(names, key=lambda name: (_size(name), len(name), name))[0]

        def build(name: str = small) -> Built:
            with torch.device("meta"):
                outline = timm.create_model(name)
            if not has_heads(outline):
                raise LookupError("It has no attention heads.")
            size = outline.pretrained_cfg.get("input_size", (3, 224, 224))
            picture = torch.randn(1, *size)
            return lambda: timm.create_model(name, num_classes=3), lambda model: model(picture), None

        yield "timm", f"{module} ({small})", build


def _size(name: str) -> int:
    """The smallest of a family comes first, by what its name says."""
    words = (
        "pico",
        "nano",
        "atto",
        "femto",
        "xxt",
        "xxs",
        "xt",
        "xs",
        "tiny",
        "_t",
        "mini",
        "small",
        "_s",
        "_b0",
        "base",
    )
    return next((place for place, word in enumerate(words) if word in name), len(words))


# torchvision


def _of_torchvision() -> Iterator[tuple[str, str, Callable[[], Built]]]:
    from torchvision import models

    def of(name: str, **settings: Any) -> Callable[[], Built]:
        side = settings.pop("side", 224)
        picture = torch.randn(1, 3, side, side)
        return lambda: (lambda: models.get_model(name, **settings), lambda model: model(picture), None)

    yield "torchvision", "vit_b_16", of("vit_b_16", image_size=32, side=32)
    yield "torchvision", "swin_t", of("swin_t", side=64)
    yield "torchvision", "swin_v2_t", of("swin_v2_t", side=64)
    yield "torchvision", "maxvit_t", of("maxvit_t")


def page(rows: list[Row]) -> str:
    """The page: how many of each verdict, then every row that has attention; those without are named in a line."""
    told = {
        "exact": "every map that the library's own eager attention gives equals one of the record's (to 0.0001)",
        "consistent": "nothing changes when the record's maps are pasted in place of the model's own",
        "partly": "something of it is not seen, cannot be edited, or differs: the row says what",
        "refused": "the recorder says why, in the sentence of the row",
        "not built": "no small random one could be made or run from its configuration alone; nothing is known of it",
        "FAILED": "the recorder ended in another error: a fault of ours",
    }
    without = [row for row in rows if row.detail == "It has no attention heads."]
    rows = [row for row in rows if row not in without]
    lines = [
        "# Which models can be seen",
        "",
        "Made by `make models`: every family of the installed libraries, small and with random weights, run once on "
        "one input. What is true of the small one is true of the large one: it is the same code.",
        "",
        "| verdict | families | what it says |",
        "|---|---|---|",
        *(f"| {name} | {sum(row.verdict == name for row in rows)} | {what} |" for name, what in told.items()),
        "",
        "| library | family | verdict | detail |",
        "|---|---|---|---|",
        *(f"| {row.library} | {row.family} | {row.verdict} | {_cell(row.detail)} |" for row in rows),
        "",
        f"Without attention heads, so not here: {', '.join(row.family for row in without)}.",
        "",
    ]
    return "\n".join(lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


if __name__ == "__main__":
    main()
