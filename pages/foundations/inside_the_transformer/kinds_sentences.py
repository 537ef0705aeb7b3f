"""What is noticed about three kinds of transformer, and their held-out results."""

import numpy as np

from core.results import bert_tasks_results, language_model_results, translator_results
from core.zoo import TRANSLATION
from dashboard import typeset
from dashboard.number_format import share_error
from dashboard.output.prediction_changes import percent
from pages.foundations.inside_the_transformer.compute import TRANSLATOR
from pages.foundations.inside_the_transformer.compute_kinds import Continued, Filled, Links, Translated

ENCODER, DECODER, BOTH = "Encoder only", "Decoder only", "Encoder and decoder"
TRIGRAM = "trigram with both neighbours"


def about_links(filled: Filled, continued: Continued, translated: Translated) -> str:
    """How many links each mask leaves open."""
    parts = [
        f"{_open(links)} {where}"
        for links, where in zip(
            translated.links, ("within the source", "within the translation", "from translation to source"), strict=True
        )
    ]
    return (
        f"The encoder's mask leaves **{_open(filled.links)}** links open{_formula(filled.links)}, the decoder's "
        f"**{_open(continued.links)}**{_formula(continued.links)}. The encoder-decoder's three masks leave "
        f"{parts[0]}, {parts[1]} and {parts[2]}."
    )


def _open(links: Links) -> str:
    return f"{links.open:,} of {links.allowed.size:,}"


def _formula(links: Links) -> str:
    """The count in letters, where the mask is one of the two kinds and there is more than one token."""
    queries, keys = links.allowed.shape
    if queries != keys or queries == 1:
        return ""
    return {"none": f" (n² for n = {keys})", "causal": f" (n(n + 1)/2 for n = {keys})"}.get(links.mask, "")


def about_predictions(filled: Filled, continued: Continued, translated: Translated) -> str:
    """What each model says about the text."""
    word, first, following = filled.words[filled.chosen], filled.predictions[0], continued.predictions[0]
    name = f"{_quoted(word.label)}{f' (its first of {len(word.places)} tokens)' if len(word.places) > 1 else ''}"
    outcome = f"{_quoted(first.label)} ({percent(first.probability)}"
    if filled.true is None:
        outcome += ")"
    elif first.number == filled.true:
        outcome += "), which is right"
    else:
        outcome += f"; the true token has {percent(filled.probability)})"
    return (
        f"In place of {name} the encoder predicts **{outcome}**. After {_quoted(continued.tokens.labels[-1])} the "
        f"decoder predicts **{_quoted(following.label)} ({percent(following.probability)})**. The encoder-decoder "
        f"writes “{one_line(translated.text)}”."
    )


def about_later_tokens(filled: Filled, continued: Continued) -> str:
    """How much attention goes to later tokens, which only the encoder may attend to."""
    encoder, decoder = (later_share(links) for links in (filled.links, continued.links))
    count = len(filled.links.allowed)
    even = (count - 1) / (2 * count)
    closed = "the decoder's mask leaves none of it" if decoder == 0 else f"the decoder gives them {decoder:.0%}"
    return (
        f"On average **{encoder:.0%}** of the attention of the encoder's tokens goes to later tokens (spread evenly it "
        f"would be {even:.0%}); {closed}."
    )


def later_share(links: Links) -> float:
    """The share of the attention of one sequence that goes to later tokens; 0 to 1, NaN without any attention."""
    weights = np.nan_to_num(links.mean)
    total = weights.sum()
    return float(np.triu(weights, 1).sum() / total) if total else float("nan")


def _quoted(label: str) -> str:
    return f"“{typeset.plain(typeset.readable(label))}”"


def one_line(text: str) -> str:
    """A translation in one line, exactly these characters."""
    return typeset.plain(" ".join(text.split())) or "∅"


def measured() -> dict[str, list[str]]:
    """By kind its held-out results, each beside a baseline where one was measured; in Markdown."""
    masked, tasks = language_model_results.masked_words(), bert_tasks_results.results()
    tuned = tasks.variants[bert_tasks_results.TUNED]
    translators = translator_results.results()
    ours, recurrent = translators.models[TRANSLATOR], translators.models["seq2seq"]
    neighbours = f" ({TRIGRAM}: {masked.baselines[TRIGRAM].accuracy:.1%})" if TRIGRAM in masked.baselines else ""
    return {
        ENCODER: [
            f"{_share(masked.model.accuracy, masked.model.tokens)} of {masked.model.tokens:,} masked tokens between "
            f"visible ones are predicted right{neighbours}",
            f"{_share(masked.words_accuracy, masked.words)} of {masked.words:,} masked words, all of their tokens",
            f"{_share(tuned.tags, tasks.words)} of {tasks.words:,} parts of speech after fine-tuning (most frequent "
            f"tag: {tasks.most_frequent_tag:.1%})",
            f"{_share(tuned.verdicts, tasks.sentences)} of {tasks.sentences:,} sentiments after fine-tuning (naive "
            f"Bayes: {tasks.naive_bayes:.1%})",
        ],
        DECODER: [
            f"perplexity **{scores.perplexity_per_token:,.1f}** per token, {scores.bits_per_byte:.2f} bits per byte "
            f"(trigram: {scores.trigram_bits_per_byte:.2f}) on {typeset.plain(name)}"
            for name, scores in language_model_results.next_tokens().items()
        ],
        BOTH: [
            f"BLEU **{ours['bleu']:.1f}** on {translators.sentences:,} sentences ({TRANSLATION['seq2seq'].lower()}: "
            f"{recurrent['bleu']:.1f})",
            f"chrF **{ours['chrf']:.1f}** on the same ({TRANSLATION['seq2seq'].lower()}: {recurrent['chrf']:.1f})",
        ],
    }


def _share(share: float, count: int) -> str:
    return f"**{share:.1%}** ± {100 * share_error(share, count):.1f}"
