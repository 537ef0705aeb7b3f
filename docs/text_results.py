"""Held-out results of the models that read texts of one language."""

from functools import partial

from core.probing.fine_tuning.inference import COMBINATIONS
from core.results import (
    bert_inference_results,
    bert_tasks_results,
    character_results,
    grammar_heads,
    next_sentence_results,
    sentiment_results,
    small_task_results,
)
from docs.result_rows import BITS, PERPLEXITY, SHARE, WEIGHTS, Baseline, Result, parameters, read, share

CHARACTER_NETWORKS = {
    "rnn": "RNN",
    "lstm": "LSTM",
    "gru": "GRU",
    "convolution": "convolution",
    "self_attention": "self-attention",
}
ENCODINGS = {
    "learned": "learned",
    "sinusoidal": "sinusoidal",
    "rotary": "rotary",
    "alibi": "ALiBi",
    "relative": "T5's relative bias",
}
EXTENSIONS = {"none": "without extension", "ntk": "NTK-aware scaling", "yarn": "YaRN"}
TASKS = {"sort": "sort six digits", "add": "add two numbers"}
CLASSIFIERS = {
    "bert": "BERT, fine-tuned",
    "cnn": "convolution",
    "rnn": "recurrent, attention pooling",
    "rnn-uniform": "recurrent, uniform pooling",
    "encoder": "one-block encoder",
}
TEXTS = {"english": "film reviews", "spanish": "tweets, three classes"}
COPIED_DIGITS = 5_000  # 1,000 questions of five digits at each distance, as the report of `characters` poses them
RELATIONS = {"det": "determiner", "case": "preposition", "nsubj": "subject"}


def gpt_books() -> list[Result]:
    """Bits per byte of two texts beside a trigram model of the same tokens, and bits of a long context."""
    trigram = {text: scores["trigram_bits_per_byte"] for text, scores in read("gpt-books")["held_out"].items()}
    return [
        *(
            Result(
                name,
                "",
                f"bits per byte: {text}",
                scores["bits_per_byte"],
                BITS,
                (Baseline("trigram", trigram[text]),),
                results["parameters"],
            )
            for name in ("gpt-books", "gpt-books-long")
            for results in [read(name)]
            for text, scores in results["held_out"].items()
        ),
        induction(),
        long_context(),
    ]


def induction() -> Result:
    """The share of its attention with which the best induction head looks at what came next the first time."""
    results = read("gpt-books")
    best, of_books_alone = (
        max(figures["heads"], key=lambda score: score["induction"]) for figures in (results, results["books_alone"])
    )
    return Result(
        "gpt-books",
        f"layer {best['layer']}, head {best['head']}",
        "induction score, random tokens said twice",
        best["induction"],
        SHARE,
        (Baseline("taught by books alone", of_books_alone["induction"]),),
        results["parameters"],
    )


def long_context() -> Result:
    """Bits per token at the last positions of a long text, with and without the extension of the context."""
    results = read("gpt-books-long")
    low, high = results["by_position"]["edges"][-2:]
    last = {name: bits[-1] for name, bits in results["by_position"]["bits_per_token"].items()}
    value = last.pop(results["extension"])
    return Result(
        "gpt-books-long",
        f"with {EXTENSIONS[results['extension']]}",
        f"bits per token at positions {low:,} to {high - 1:,}",
        value,
        BITS,
        tuple(Baseline(EXTENSIONS.get(name, name), bits) for name, bits in last.items()),
        results["parameters"],
    )


def characters() -> list[Result]:
    """Bits per character of Shakespeare, and five digits copied over the longest distance."""
    trigram = Baseline("trigram", read("characters")["baseline"]["trigram_bits"])
    copied = character_results.copied()
    longest = max(row.distance for row in copied)
    copying, measure = f"five digits copied over {longest} characters", "bits per character of Shakespeare"
    return [
        *(
            Result("characters", CHARACTER_NETWORKS[name], measure, model.bits, BITS, (trigram,), model.parameters)
            for name, model in character_results.results().items()
        ),
        *(
            share(
                "characters",
                f"{CHARACTER_NETWORKS[row.model]}, copy task",
                copying,
                row.accuracy,
                COPIED_DIGITS,
                chance=0.1,
            )
            for row in copied
            if row.distance == longest
        ),
    ]


def positions() -> list[Result]:
    """Bits per character within the trained context and far beyond it, beside the model without positions."""
    results = read("positions")
    bits = results["bits"]
    inside, *_, beyond = bits["none"]
    return [
        Result(
            "positions",
            name,
            f"bits per character at positions {span}, trained on {results['context']}",
            bits[kind][span],
            BITS,
            (Baseline("no positions", bits["none"][span]),),
            results["parameters"][kind],
        )
        for kind, name in ENCODINGS.items()
        for span in (inside, beyond)
        if bits[kind][span] is not None
    ]


def small_tasks() -> list[Result]:
    """Problems of two tasks answered without a mistake, beside a linear model."""
    return [
        share(
            "small-tasks",
            TASKS[name],
            f"all digits right, of {task.held_out:,} problems",
            1 - task.held_out_wrong / task.held_out,
            task.held_out,
            [("linear model", task.linear)],
            parameters=task.parameters,
        )
        for name, task in small_task_results.results().items()
    ]


def bert_books() -> list[Result]:
    """Masked tokens with both neighbours visible, and whether two sentences follow one another."""
    size, scores = parameters("bert-books"), dict(read("bert-books")["baselines"])
    own = scores.pop("the model")
    accuracy = [(name, score["accuracy"]) for name, score in scores.items()]
    perplexity = tuple(Baseline(name, score["perplexity"]) for name, score in scores.items())
    measure = "masked tokens right, both neighbours visible"
    rows = [
        share("bert-books", "", measure, own["accuracy"], own["tokens"], accuracy, parameters=size),
        Result("bert-books", "", "perplexity of the same tokens", own["perplexity"], PERPLEXITY, perplexity, size),
    ]
    if pairs := next_sentence_results.next_sentence(WEIGHTS / "bert-books"):
        measure, chance = "next sentence or not, within one book", next_sentence_results.CHANCE
        rows.append(share("bert-books", "", measure, pairs.accuracy, pairs.pairs, chance=chance, parameters=size))
    return rows


def bert_tasks() -> list[Result]:
    """Parts of speech and sentiment of the fine-tuned model, beside other trainings and counting."""
    results = bert_tasks_results.results()
    tuned, scratch, frozen = (results.variants[name] for name in ("tuned", "scratch", "frozen"))
    trainings = {"from random weights": scratch, "heads trained on frozen `bert-books`": frozen}
    row = partial(share, "bert-tasks", "", parameters=parameters("bert-tasks"))
    tags = [(name, scores.tags) for name, scores in trainings.items()]
    sentiments = [(name, scores.verdicts) for name, scores in trainings.items()]
    frequent = ("most frequent tag of the word", results.most_frequent_tag)
    counted = [("naive Bayes", results.naive_bayes), ("the more frequent class", results.majority)]
    return [
        row("parts of speech right, UD_English-EWT test", tuned.tags, results.words, [*tags, frequent]),
        row("sentiment right, SST-2 dev", tuned.verdicts, results.sentences, [*sentiments, *counted]),
    ]


def bert_inference() -> list[Result]:
    """Inference in each combination of languages, beside the same network without its bilingual training."""
    results = bert_inference_results.results()
    english = results.english or {}
    return [
        share(
            "bert-inference",
            "",
            f"entailment, neutral or contradiction right, SICK test, {' then '.join(dict.fromkeys(languages))}",
            results.bilingual[name],
            results.pairs,
            [
                *([("without the bilingual training", english[name])] if english else []),
                ("logistic regression, shared words and negations", results.logistic[name]),
                ("the most frequent relation", results.majority),
            ],
            parameters=parameters("bert-inference"),
        )
        for name, languages in COMBINATIONS.items()
    ]


def sentiment() -> list[Result]:
    """Accuracy of each classifier beside two linear models of TF-IDF features of the same texts."""
    return [
        share(
            "sentiment",
            f"{language.title()}: {name}",
            f"right, {TEXTS[language]}",
            results.models[kind].accuracy,
            results.test,
            [
                ("TF-IDF with a linear support vector machine", results.models[sentiment_results.MACHINE].accuracy),
                ("TF-IDF with logistic regression", results.models[sentiment_results.LOGISTIC].accuracy),
            ],
            parameters=results.models[kind].parameters,
        )
        for language, results in sentiment_results.results().items()
        for kind, name in CLASSIFIERS.items()
        if kind in results.models
    ]


def best_grammar_heads() -> list[Result]:
    """The best head of each model for three relations, beside the best fixed distance."""
    return [
        share(
            model,
            f"layer {best.head[0]}, head {best.head[1]}",
            f"attends to the {RELATIONS[best.relation]} of a word, UD_English-EWT test",
            best.share,
            best.cases,
            [(f"always {abs(best.offset)} {'back' if best.offset < 0 else 'ahead'}", best.offset_share)],
        )
        for model, measured in grammar_heads().items()
        for best in measured.heads
        if best.relation in RELATIONS and best.direction == "to dependent"
    ]
