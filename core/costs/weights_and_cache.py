"""Memory by formula: the weights, and the activations of a text."""

from collections.abc import Mapping

from .bill import Line, line
from .parameters import total
from .shape import Shape

PRECISIONS: Mapping[str, int] = {"fp32": 4, "fp16": 2, "int8": 1}  # bytes of a number

WEIGHTS = "Weights"
STREAM = "Residual stream"
INSIDE = "Inside one MLP"
CACHE = "Keys and values kept (KV cache)"
SCORES_OUT = "Scores of one layer, written out"
LOGITS = "Logits"


def memory(shape: Shape, tokens: int, precision: str) -> tuple[Line, ...]:
    """Bytes of the weights and of the arrays that `tokens` tokens need, all in one precision of PRECISIONS.

    For an encoder-decoder, of `tokens` tokens in the source and in the target. Raises KeyError for another precision.
    """
    s, n, size = shape, tokens, PRECISIONS[precision]
    weights, layers = total(s), s.decoder_layers or s.layers
    # Each decoder layer of an encoder-decoder caches two pairs: its own keys and values, and those of the source.
    pairs = 2 if s.decoder_layers else 1
    cache = 2 * pairs * layers * n * s.inner_keys
    logits = n * s.vocabulary if s.logits else 0
    lines = (
        line(WEIGHTS, r"{P}\cdot {b}", weights * size, s, P=weights, b=size),
        line(STREAM, r"{n}\cdot {d}\cdot {b}", n * s.width * size, s, n=n, b=size),
        line(INSIDE, r"{n}\cdot {f}\cdot {b}", n * s.hidden * size, s, n=n, b=size),
        line(
            CACHE,
            rf"{2 * pairs}\cdot {{L}}\cdot {{n}}\cdot {{g}}\cdot {{k}}\cdot {{b}}",
            cache * size,
            s,
            L=layers,
            n=n,
            b=size,
        ),
        line(SCORES_OUT, r"{n}^2\cdot {h}\cdot {b}", n**2 * s.heads * size, s, n=n, b=size),
        line(LOGITS, r"{n}\cdot {V}\cdot {b}", logits * size, s, n=n, b=size),
    )
    return tuple(entry for entry in lines if entry.value)
