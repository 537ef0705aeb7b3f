"""What the heads say of a sentence, and how well they follow grammar: from the table, or from a visitor's treebank."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Float, Int

from core import results
from core.errors import InputError
from core.probing.grammar.links import Head, WordMaps, strongest, word_maps, words_of
from core.probing.grammar.relations import Measured, best_heads, count
from core.probing.grammar.trees import Tree, Treebank, encode_tree, read_conllu
from core.progress import Progress, no_progress
from core.published import ClarkHead, clark_heads
from core.text import Tokens
from dashboard.cache.memo import cached
from dashboard.cache.models import text_model
from dashboard.cache.upload import Upload

EXAMPLES: tuple[Tree, ...] = read_conllu((Path(__file__).parent / "annotated.conllu").read_bytes()).trees
FEWEST = 40  # sentences of a visitor's treebank: with fewer, hardly any relation would have a share worth showing


@dataclass(frozen=True, eq=False)
class Reading:
    """The words of a sentence; the word that each looks at most in every head (-1: none), and how much it gives it."""

    words: tuple[str, ...]
    heads: tuple[Head, ...]
    attended_words: Int[np.ndarray, "head query"]
    weight: Float[np.ndarray, "head query"]
    tokens: Tokens


@cached("The model reads …")
def read_own(name: str, sentence: str) -> Reading:
    """A sentence that nobody has annotated."""
    model = text_model(name)
    tokens, words = words_of(model.encode(sentence))
    if len(words) < 2:
        raise InputError("A link needs two words, and this sentence has fewer. Type more, or choose another one.")
    return _reading(words, tokens, word_maps(model, tokens, len(words)))


@cached("The model reads …")
def read_example(name: str, number: int) -> Reading:
    """One of EXAMPLES."""
    model, tree = text_model(name), EXAMPLES[number]
    tokens = encode_tree(model, tree)
    if tokens is None:
        raise InputError(f"{model.title} reads {model.context:,} tokens at once, too few for this sentence.")
    return _reading(tree.words, tokens, word_maps(model, tokens, len(tree.words)))


def _reading(words: Sequence[str], tokens: Tokens, maps: WordMaps) -> Reading:
    attended_words = strongest(maps.weights)
    weight = maps.weights.gather(-1, attended_words.clamp(min=0)[..., None])[..., 0]
    return Reading(tuple(words), maps.heads, attended_words.numpy(), weight.numpy(), tokens)


@cached()
def table() -> dict[str, Measured]:
    """What was measured of the models that come with the atlas, by their names."""
    return results.grammar_heads(results.GRAMMAR_HEADS)


@cached()
def published() -> dict[str, ClarkHead]:
    """The heads of BERT-base by Clark et al. 2019, by relation."""
    return {head.relation: head for head in clark_heads()}


@cached("Reading the treebank …")
def treebank(file: Upload) -> Treebank:
    """A visitor's file; InputError where it is none."""
    return read_conllu(file.content)


@cached("Measuring every head …", unit="sentences")
def measure(name: str, file: Upload, progress: Progress = no_progress) -> Measured:
    """Heads chosen in every other sentence of a visitor's file, and tried in those between them."""
    trees = treebank(file).trees
    if len(trees) < FEWEST:
        raise InputError(
            f"This file has {len(trees)} sentences, and {FEWEST} are the fewest from which shares say anything. Choose "
            "a larger one."
        )
    chosen, tried = trees[::2], trees[1::2]
    model = text_model(name)
    learned = count(model, chosen, lambda done, _: progress(done, len(trees)))
    return best_heads(learned, count(model, tried, lambda done, _: progress(len(chosen) + done, len(trees))))
