"""Operations of one forward pass by formula; a multiplication and an addition count as two.

Only products of matrices are counted, as in Kaplan et al. 2020, table 1, and Hoffmann et al. 2022, appendix F: norms,
softmax, activations, biases and sums cost n d or n^2 h, without another factor of d. Under a causal mask all scores are
counted, because most kernels compute them, and torch's own counter counts them.
"""

from .bill import CROSS, EMBEDDING, HEAD, MLP, OUT, QKV, SCORES, Line, line
from .shape import Shape


def flops(shape: Shape, tokens: int, target: int = 0) -> tuple[Line, ...]:
    """One line for each part with operations; `target` is the number of tokens in the decoder of an encoder-decoder.

    Tokens of a picture include its prefix. Raises ValueError below 1 token.
    """
    if tokens < 1 or (shape.decoder_layers and target < 1):
        raise ValueError(f"Work needs at least 1 token, not {min(tokens, target) if shape.decoder_layers else tokens}.")
    s, n, m = shape, tokens, target
    # A source token passes `layers` blocks, a target token `decoder_layers`.
    passes = s.layers * n + s.decoder_layers * m
    if s.decoder_layers:
        count, square = "({L}\\cdot {n} + {M}\\cdot {m})", "({L}\\cdot {n}^2 + {M}\\cdot {m}^2)"
    else:
        count, square = "{L}\\cdot {n}", "{L}\\cdot {n}^2"
    symbols = {"n": n, "m": m, "M": s.decoder_layers}
    grouped = r"({h} + 2\cdot {g})" if s.inner != s.inner_keys else r"3\cdot {h}"
    squares = s.layers * n**2 + s.decoder_layers * m**2
    inner = r"{h}\cdot {k}"
    lines = (
        _patches(s, n),
        line(
            QKV,
            rf"2\cdot {count}\cdot {{d}}\cdot {grouped}\cdot {{k}}",
            2 * passes * s.width * (s.inner + 2 * s.inner_keys),
            s,
            **symbols,
        ),
        line(SCORES, rf"4\cdot {square}\cdot {inner}", 4 * squares * s.inner, s, **symbols),
        line(OUT, rf"2\cdot {count}\cdot {inner}\cdot {{d}}", 2 * passes * s.inner * s.width, s, **symbols),
        _cross(s, n, m),
        line(
            MLP,
            rf"2\cdot {count}\cdot {s.matrices}\cdot {{d}}\cdot {{f}}",
            2 * passes * s.matrices * s.width * s.hidden,
            s,
            **symbols,
        ),
        _head(s, m if s.decoder_layers else n),
    )
    return tuple(entry for entry in lines if entry.value)


def crossing(shape: Shape) -> float:
    """The tokens at which scores and weighted sum of a layer cost as much as its MLP: 4 n^2 h k = 2 n (2 or 3) d f.

    Above it scores and weighted sum cost more. With h k = d and f = 4 d, as in GPT and BERT, that is 4 d.
    """
    return shape.matrices * shape.width * shape.hidden / (2 * shape.inner)


def _patches(s: Shape, n: int) -> Line:
    patches = max(n - s.prefix, 0) if s.patch else 0  # embeddings of tokens need no multiplication
    pixels = s.channels * s.patch**2
    return line(EMBEDDING, r"2\cdot {n}\cdot {p}\cdot {d}", 2 * patches * pixels * s.width, s, n=patches, p=pixels)


def _cross(s: Shape, n: int, m: int) -> Line:
    work = 2 * s.width * (2 * m * s.inner + 2 * n * s.inner_keys) + 4 * n * m * s.inner
    template = (
        r"{M}\cdot (4\cdot {m}\cdot {d}\cdot {h}\cdot {k} + 4\cdot {n}\cdot {d}\cdot {g}\cdot {k}"
        r" + 4\cdot {n}\cdot {m}\cdot {h}\cdot {k})"
    )
    return line(CROSS, template, s.decoder_layers * work, s, n=n, m=m, M=s.decoder_layers)


def _head(s: Shape, n: int) -> Line:
    terms: list[tuple[str, int]] = []
    if s.pooler:
        terms.append((r"2\cdot {d}^2", 2 * s.width**2))
    if s.logits and s.head_dense:
        terms.append((r"2\cdot {n}\cdot {d}^2", 2 * n * s.width**2))
    if s.logits:
        terms.append((r"2\cdot {n}\cdot {d}\cdot {V}", 2 * n * s.width * s.vocabulary))
    if s.classes:
        terms.append((r"2\cdot {d}\cdot {c}", 2 * s.width * s.classes))
    template = " + ".join(term for term, _ in terms) or "0"
    return line(HEAD, template, sum(value for _, value in terms), s, n=n, c=s.classes)
