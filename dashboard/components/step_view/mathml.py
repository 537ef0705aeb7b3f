"""Formulas in LaTeX as trees of MathML, which every browser sets by itself.

Only the commands that core/attention/steps.py writes are known; any other raises ValueError. A tree is a list: the
name of the element, then its children, which are trees or (in a leaf) one text.
"""

import re

Tree = list

_TOKEN = re.compile(r"\\[A-Za-z]+|\\[,; ]|[0-9]+(?:\.[0-9]+)?|[A-Za-z]|[^\s]")

_LEAVES: dict[str, Tree] = {
    **{name: ["mi", sign] for name, sign in {r"\top": "⊤", r"\infty": "∞"}.items()},
    **{name: ["mo", sign] for name, sign in {r"\times": "×", r"\cdot": "·", r"\cdots": "⋯", r"\sum": "∑"}.items()},
    **{name: ["mspace", width] for name, width in {r"\,": "0.2em", r"\;": "0.3em", r"\ ": "0.3em"}.items()},
    **{name: ["mspace", width] for name, width in {r"\quad": "1em", r"\qquad": "2em"}.items()},
}


def mathml(latex: str) -> Tree:
    """The tree of one formula; its root is an `mrow`."""
    tokens = _TOKEN.findall(latex)
    tokens.reverse()  # so that the next one is popped off the end
    row = _row(tokens, until=None)
    if tokens:
        raise ValueError(f"A brace is closed that was never opened in {latex!r}.")
    return row


def _row(tokens: list[str], until: str | None) -> Tree:
    children: list = []
    while tokens and tokens[-1] != "}":
        if tokens[-1] in "_^'" and children:
            children.append(_script(children.pop(), tokens))
        else:
            children.append(_atom(tokens))
    if until is not None:
        if not tokens:
            raise ValueError("A brace is opened and never closed.")
        tokens.pop()
    return ["mrow", *children]


def _script(base: Tree, tokens: list[str]) -> Tree:
    """`base` with what follows it below (_), above (^) or as primes; both together become one element."""
    below = above = None
    primes = ""
    while tokens and tokens[-1] in "_^'":
        match tokens.pop():
            case "_":
                below = _atom(tokens)
            case "^":
                above = _atom(tokens)
            case _:
                primes += "′"
    if primes:
        above = ["mo", {1: "′", 2: "″"}.get(len(primes), primes)]
    limits = base == ["mo", "∑"]
    if below and above:
        return ["munderover" if limits else "msubsup", base, below, above]
    if below:
        return ["munder" if limits else "msub", base, below]
    return ["mover" if limits else "msup", base, above]


def _atom(tokens: list[str]) -> Tree:
    token = tokens.pop()
    if token == "{":
        return _row(tokens, until="}")
    if token == r"\frac":
        return ["mfrac", _atom(tokens), _atom(tokens)]
    if token == r"\sqrt":
        return ["msqrt", _atom(tokens)]
    if token == r"\underset":
        below = _atom(tokens)
        return ["munder", _atom(tokens), below]
    if token == r"\operatorname":
        return ["mi", _text(tokens)]
    if token in (r"\left", r"\right"):
        return ["mo", tokens.pop()]
    if token in _LEAVES:
        return _LEAVES[token]
    if token.startswith("\\"):
        raise ValueError(f"The command {token} is not among those that formulas use here.")
    if token[0].isdigit():
        return ["mn", token]
    return ["mi", token] if token.isalpha() else ["mo", "−" if token == "-" else token]


def _text(tokens: list[str]) -> str:
    """The letters between the next two braces, as one word."""
    letters = []
    tokens.pop()
    while tokens[-1] != "}":
        letters.append(tokens.pop())
    tokens.pop()
    return "".join(letters)
