"""Three translators."""

from dataclasses import replace

from dashboard.references import CLARK
from pages.language.translation.words import TRANSLATION

SOURCE = "English"
WAITING = "waits for its turn"
UNKNOWN = (
    "The models have never seen {shown}. Whatever the character is, they read it as one and the same unknown token, "
    "and can only guess what it means."
)
ABOUT_MAP = {
    "seq2seq": "has no attention: influence of each source word, measured by the gradient",
    "bahdanau": "attention weights, one map",
    "transformer": "attention weights of the decoder, in every layer and head",
}
BEST_SHIFTED = "aligns best, one step later"
PARTS_HELP = (
    "Target to source: what each model looks at in the English sentence as it writes. Encoder and decoder: how the "
    "transformer's source words look at one another, and its target words at those written before."
)
MARKS_HELP = "Without them, rows no longer sum to 1: what is left out keeps its share."
ABOUT_PART = {
    "encoder": "**Encoder of the transformer.** Before a word is written, the source words look at one another, in "
    "both directions. The other two models read with recurrent networks and have no such maps.",
    "decoder": "**Decoder of the transformer.** Rows are the words that are written, columns what has been read by "
    "then: `<s>` and the words before. The causal mask leaves out everything later.",
}
ARRAYS = "Every map of the three models between tokens, their labels and log-probabilities"
SOFTMAX_FORMULA = (
    r"\begin{gathered} e_{ij} = v^\top \tanh(W s_{i-1} + U h_j) \\ "
    r"\alpha_{ij} = \frac{\exp(e_{ij})}{\sum_k \exp(e_{ik})} \end{gathered}"
)
SOFTMAX_ROW = (
    "Bahdanau's attention in step {number}, which writes “{word}”, over the pieces of the English sentence (*m* is the "
    "largest score):"
)
JOINED = (
    "A word of several pieces gets the sum of their columns and the mean of their rows (Clark et al. 2019, "
    "section 4.1), and its log-probability is the sum over its pieces. The influence in the model without attention is "
    "the norm of the gradient of each token's log-probability with respect to each source embedding, each row scaled "
    "to sum to 1."
)
NOTES = replace(
    TRANSLATION,
    try_this=(
        "Take the classic sentence and point at “Area”. Which French word lights up in each model, and how clearly?",
        "Write a long sentence, of thirty words or more. Which of the three translations falls apart first?",
        "Change one word in the middle of the sentence. How much of each translation changes?",
        "Choose single heads of the transformer: which look straight at the word being translated, which at the full "
        "stop or the end mark?",
    ),
    references=(*TRANSLATION.references, CLARK),
)
