"""What the section Inference across languages says."""

from dataclasses import dataclass, replace

from core.probing.fine_tuning.inference import Language
from dashboard.frame.references import references
from dashboard.inputs import example_texts
from pages.language.missing_word.words import PAGE


@dataclass(frozen=True)
class Example:
    """Two sentences, each in both languages."""

    first: dict[Language, str]
    second: dict[Language, str]


EXAMPLES = example_texts.examples_of("inference", Example)
FIRST = next(iter(EXAMPLES.values()))

RELATION_NAMES = {
    "entailment": "the second sentence is true if the first one is",
    "neutral": "the second sentence may be true or not",
    "contradiction": "both sentences cannot be true of one scene",
}
BEFORE, AFTER = "before", "after"
WHEN_HELP = (
    "Before: `bert-pairs`, which has read sentences beside their translations. After: the same network fine-tuned on "
    "English pairs of sentences."
)
MAP = (
    "Rows attend to columns; each row sums to 1. The relation is read off `[CLS]` after the last layer: this is one "
    "head's attention on the way there, which does not prove what decided."
)
MOVED = "How much each head's attention moved, from 0 (none) to 1 (all of it), on average over the rows: click one."
MEASURED = (
    "Right among the {pairs:,} test pairs of SICK (Marelli et al. 2014) and of their French translations (Skandalis et "
    "al. 2024). All learned from {learned:,} English pairs only. Words: logistic regression on shared words, lengths "
    "and negations. SICK (CC BY-NC-SA 3.0) is not part of the project."
)
ENGLISH_BODY = (
    " English body: the same network, fine-tuned in the same way from what `bert-pairs` was before it read English "
    "beside French."
)
FORMULA = (
    "$h_{\\mathtt{[CLS]}}$ is the vector of the first token after the last layer; it has gathered both sentences "
    "through attention. Only $W$ and $b$ are new; all other weights are those of `bert-pairs`, tuned further. With the "
    "logits $z$ of these sentences, counted from that of neutral:"
)
MOVED_FORMULA = (
    "The share of a row's attention that moved is half the sum of all differences. Row `[CLS]` of this head:"
)
ACROSS_FORMULA = (
    "Between the sentences: what a word gives to words of the other sentence, on average over the {words} words $i$, "
    "with $S(i)$ the other sentence. Special tokens belong to neither."
)
NOTES = replace(
    PAGE,
    about=(
        "Does the second sentence follow from the first, or contradict it? `bert-pairs` learned this from English "
        "pairs, and is asked in two languages."
    ),
    try_this=(
        "Turn the second sentence into French, then both. Does the answer stay the same?",
        "“Less said”: exchange the sentences. A dog that runs need not be on the grass. Does the model know that?",
        "“Who chases whom?” has the same words in both sentences. Is the model taken in?",
        "Write “There is no …” into a sentence that has nothing to do with the other one. Does it still contradict?",
        "Take the head that moved most, and turn to before. What did it attend to when it had read translations only?",
    ),
    references=references("MARELLI", "SKANDALIS", "DEVLIN_TASKS", "LAMPLE", "PIRES", "GURURANGAN", "KOVALEVA"),
)
