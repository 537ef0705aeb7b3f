"""Parameters of each part of a transformer by formula (Kaplan et al. 2020, table 1, made exact)."""

from .bill import CROSS, EMBEDDING, HEAD, MLP, NORMS, OUT, POSITIONS, QKV, Line, line
from .shape import Shape


def parameters(shape: Shape) -> tuple[Line, ...]:
    """One line for each part that has parameters."""
    lines = (_embedding(shape), _positions(shape), *_attention(shape), _mlp(shape), _norms(shape), _head(shape))
    return tuple(entry for entry in lines if entry.value)


def total(shape: Shape) -> int:
    """The number of all parameters; tied ones count once."""
    return sum(entry.value for entry in parameters(shape))


def _embedding(s: Shape) -> Line:
    if s.patch:
        pixels = s.channels * s.patch**2
        value = (pixels + 1 + s.prefix) * s.width
        return line(EMBEDDING, r"({p} + 1 + {c})\cdot {d}", value, s, p=pixels, c=s.prefix)
    rows = s.tables * s.vocabulary + s.segments
    extra = " + {s}" if s.segments else ""
    tables = "{t}\\cdot " if s.tables > 1 else ""
    template = rf"({tables}{{V}}{extra})\cdot {{d}}" if extra else rf"{tables}{{V}}\cdot {{d}}"
    return line(EMBEDDING, template, rows * s.width, s, s=s.segments, t=s.tables)


def _positions(s: Shape) -> Line:
    if s.buckets:
        value = s.stacks * s.buckets * s.heads
        return line(POSITIONS, r"{s}\cdot {r}\cdot {h}", value, s, s=s.stacks, r=s.buckets)
    return line(POSITIONS, r"{m}\cdot {d}", s.positions * s.width, s, m=s.positions)


def _attention(s: Shape) -> tuple[Line, Line, Line]:
    layers = s.layers + s.decoder_layers
    rows = s.inner + 2 * s.inner_keys
    qkv = rows * (s.width + s.query_bias)
    out = s.width * (s.inner + s.out_bias)
    inputs = "({d} + 1)" if s.query_bias else "{d}"
    grouped = r"({h} + 2\cdot {g})" if s.inner != s.inner_keys else r"3\cdot {h}"
    bias = " + 1" if s.out_bias else ""
    return (
        line(QKV, rf"{{L}}\cdot {grouped}\cdot {{k}}\cdot {inputs}", layers * qkv, s, L=layers),
        line(OUT, rf"{{L}}\cdot {{d}}\cdot ({{h}}\cdot {{k}}{bias})", layers * out, s, L=layers),
        line(
            CROSS,
            rf"{{L}}\cdot ({grouped}\cdot {{k}}\cdot {inputs} + {{d}}\cdot ({{h}}\cdot {{k}}{bias}))",
            s.decoder_layers * (qkv + out),
            s,
            L=s.decoder_layers,
        ),
    )


def _mlp(s: Shape) -> Line:
    layers = s.layers + s.decoder_layers
    matrices = s.matrices * s.width * s.hidden
    biases = (s.matrices - 1) * s.hidden + s.width if s.mlp_bias else 0
    wide = r"2\cdot {f}" if s.gated else "{f}"
    template = rf"{{L}}\cdot ({s.matrices}\cdot {{d}}\cdot {{f}}" + (rf" + {wide} + {{d}})" if s.mlp_bias else ")")
    return line(MLP, template, layers * (matrices + biases), s, L=layers)


def _norms(s: Shape) -> Line:
    vectors = 2 if s.norm_bias else 1
    count = 2 * s.layers + 3 * s.decoder_layers + s.embedding_norm + s.final_norms
    inner = 2 * s.head_dim * vectors * (s.layers + s.decoder_layers) if s.head_norms else 0
    template = rf"{vectors}\cdot {{c}}\cdot {{d}}" + (r" + {i}" if inner else "")
    return line(NORMS, template, vectors * count * s.width + inner, s, c=count, i=inner)


def _head(s: Shape) -> Line:
    """The output layer to the vocabulary or to classes, with the layers before it that serve it alone."""
    terms: list[tuple[str, int]] = []
    dense = s.width * (s.width + 1)
    if s.pooler:
        terms.append((r"{d}\cdot ({d} + 1)", dense))
    if s.logits and s.head_dense:
        terms.append((r"{d}\cdot ({d} + 1) + 2\cdot {d}", dense + 2 * s.width))
    if s.logits and not s.tied:
        terms.append((r"{V}\cdot {d}", s.vocabulary * s.width))
    if s.logits and s.head_bias:
        terms.append(("{V}", s.vocabulary))
    if s.classes:
        terms.append((r"{c}\cdot ({d} + 1)", s.classes * (s.width + 1)))
    template = " + ".join(term for term, _ in terms) or "0"
    return line(HEAD, template, sum(value for _, value in terms), s, c=s.classes)
