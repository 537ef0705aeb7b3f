"""Resources of a transformer: operations and memory to train it, memory to run it, hours on a device."""

from dataclasses import dataclass

from ..costs import Line, Shape, flops, memory, total
from ..costs.bill import line
from ..costs.weights_and_cache import CACHE, WEIGHTS
from .law import FLOPS_EACH

# Bytes that Adam keeps for a parameter in mixed precision (Rajbhandari et al. 2020, "ZeRO", section 3.1).
HALF_WEIGHTS, HALF_GRADIENTS, MASTER_AND_MOMENTS = 2, 2, 12
# Bytes that a token leaves in a layer for the backward pass, for each channel (Korthikanti et al. 2022, equation 1).
CHANNEL_BYTES, SCORE_BYTES = 34, 5

RULE, EXACT = "6\u00a0N\u00a0D", "Counted from the architecture"
GRADIENTS, OPTIMISER, ACTIVATIONS = "Gradients", "Optimiser (Adam)", "Activations"


@dataclass(frozen=True)
class Device:
    """A processor as its maker describes it: dense bfloat16 (or float16) operations a second, and bytes of memory."""

    name: str
    flops_per_second: float
    bytes: float
    source: str


def training_flops(shape: Shape, context: int, tokens: int) -> tuple[Line, Line]:
    """Operations of a training by the rule 6 N D, and as three forward passes (one forward, two backward)."""
    forward = sum(part.value for part in flops(shape, context, context if shape.decoder_layers else 0))
    return (
        line(
            RULE,
            rf"{FLOPS_EACH}\cdot {{P}}\cdot {{D}}",
            FLOPS_EACH * total(shape) * tokens,
            shape,
            P=total(shape),
            D=tokens,
        ),
        line(
            EXACT,
            r"3\cdot {F}\cdot {D} / {n}",
            3 * forward * tokens // context,
            shape,
            F=forward,
            D=tokens,
            n=context,
        ),
    )


def training_memory(shape: Shape, context: int, batch: int, *, fused: bool = True) -> tuple[Line, ...]:
    """Bytes to train with Adam in mixed precision on `batch` texts of `context` tokens, nothing recomputed or shared.

    `fused`: the scores are not kept for the backward pass (Dao et al. 2022, "FlashAttention"). Activations are those
    of a block with two biased matrices in its MLP, as in GPT.
    """
    weights, layers = total(shape), shape.layers + shape.decoder_layers
    channels = CHANNEL_BYTES * shape.width + (0 if fused else SCORE_BYTES * shape.heads * context)
    activation_formula = r"{t}\cdot {d}" if fused else r"({t}\cdot {d} + {u}\cdot {h}\cdot {n})"
    values = {"P": weights, "B": batch, "n": context, "t": CHANNEL_BYTES, "u": SCORE_BYTES, "L": layers}
    return (
        line(WEIGHTS, rf"{HALF_WEIGHTS}\cdot {{P}}", HALF_WEIGHTS * weights, shape, P=weights),
        line(GRADIENTS, rf"{HALF_GRADIENTS}\cdot {{P}}", HALF_GRADIENTS * weights, shape, P=weights),
        line(OPTIMISER, rf"{MASTER_AND_MOMENTS}\cdot {{P}}", MASTER_AND_MOMENTS * weights, shape, P=weights),
        line(
            ACTIVATIONS,
            rf"{{L}}\cdot {{B}}\cdot {{n}}\cdot {activation_formula}",
            layers * batch * context * channels,
            shape,
            **values,
        ),
    )


def running_memory(shape: Shape, context: int, batch: int, precision: str) -> tuple[Line, ...]:
    """Bytes to generate `batch` texts of `context` tokens: the weights, and the cached keys and values."""
    bill = {row.part: row for row in memory(shape, context, precision)}
    cache_line = bill[CACHE]
    # Without a batch the formula is that of one text.
    times = Line(
        CACHE, rf"B\cdot {cache_line.formula}", rf"{batch:,}\cdot {cache_line.filled}", batch * cache_line.value
    )
    return bill[WEIGHTS], times


def hours(operations: float, device: Device, *, devices: int = 1, utilisation: float = 0.4) -> float:
    """Hours that `devices` take at the share `utilisation` of their peak (Chowdhery et al. 2022, section 4.1).

    ValueError unless the share lies above 0 and up to 1.
    """
    if not 0 < utilisation <= 1:
        raise ValueError(f"A utilisation is a share above 0 and up to 1, not {utilisation}.")
    return operations / (device.flops_per_second * devices * utilisation) / 3600
