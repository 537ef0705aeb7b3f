"""Held-out results of the models that read two languages: BLEU, masked tokens, and alignment error rates."""

from functools import partial

from core.results import translator_results
from docs.result_rows import BLEU, ERROR_RATE, Baseline, Result, parameters, share

HANSARDS = "hansards_enfr_test447"
ALIGNED = "alignment error rate, Hansards"
TRANSLATORS = {"seq2seq": "without attention", "bahdanau": "Bahdanau's attention", "transformer": "transformer"}


def bert_pairs() -> list[Result]:
    """Masked tokens with and without the other language, and alignment error rates on the Hansards."""
    size, alignment = parameters("bert-pairs"), translator_results.alignment().models[translator_results.PAIRS]
    baselines = alignment_baselines()
    return [
        *(
            share(
                "bert-pairs",
                "",
                f"masked tokens right, {language} with the other language",
                guesses.accuracy,
                guesses.tokens,
                [("without the other language", guesses.accuracy_alone)],
                parameters=size,
            )
            for language, guesses in translator_results.guesses().items()
        ),
        *(
            Result("bert-pairs", name, ALIGNED, chosen["agreement"][HANSARDS]["aer"], ERROR_RATE, baselines, size)
            for name, chosen in (("best head", alignment), ("mean of all heads", alignment["mean"]))
        ),
    ]


def translation() -> list[Result]:
    """BLEU of three translators, of long texts too, and the alignment error rates of their attention."""
    results, alignment = translator_results.results(), translator_results.alignment()
    lengths = translator_results.lengths()
    longest = max(row.high for row in lengths)
    long_texts = {row.model: row for row in lengths if row.high == longest}
    copied = Baseline("the English, copied", results.baselines["copy the source"]["bleu"])
    plain = Baseline("without attention", results.models["seq2seq"]["bleu"])
    plain_long = Baseline("without attention", long_texts["seq2seq"].bleu)
    rows = []
    for kind, name in TRANSLATORS.items():
        attends = kind != "seq2seq"
        row = partial(Result, "translation", parameters=int(results.models[kind]["parameters"]))
        measure = f"BLEU, {results.sentences:,} sentences, beam 5"
        rows.append(row(name, measure, results.models[kind]["bleu"], BLEU, (copied, plain) if attends else (copied,)))
        if attends:
            measure = f"BLEU, texts of {long_texts[kind].low} to {longest} words, greedy"
            rows.append(row(name, measure, long_texts[kind].bleu, BLEU, (plain_long,)))
            heads = "best head" if kind == "transformer" else "its one map"
            rate = alignment.models[kind]["agreement"][HANSARDS]["aer"]
            rows.append(row(f"{name}, {heads}", ALIGNED, rate, ERROR_RATE, alignment_baselines()))
    return rows


def alignment_baselines() -> tuple[Baseline, ...]:
    """Alignment error rates of two ways of aligning that need no network."""
    baselines = translator_results.alignment().baselines
    return tuple(
        Baseline(name, baselines[key][HANSARDS]["aer"])
        for key, name in (("IBM model 1", "IBM model 1"), ("diagonal", "the diagonal"))
    )
