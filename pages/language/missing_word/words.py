"""What the page Missing word says."""

from dataclasses import replace

from dashboard.frame.layout import PageWords
from dashboard.frame.references import references
from dashboard.inputs import example_texts

PAGE = PageWords(
    question="What does a BERT look at?",
    lead="A BERT reads the whole sentence at once and predicts the words that you mask.",
    about=(
        "A BERT reads a whole text at once, every token from both sides, and was trained to predict the tokens that "
        "had been masked. Everything here is done by a model that runs now, on your own text."
    ),
    try_this=("Mask two words that stand side by side: which of them does it still predict?",),
    references=references("TRANSFORMER"),
)

FILL, BOTH, PAIRS, GRAMMAR, TASKS, ACROSS, INFERENCE = (
    "Fill in",
    "Both ways",
    "Two sentences",
    "Grammar",
    "Tasks",
    "Across languages",
    "Inference across languages",
)

NO_BERT = (
    "{title} does not fill gaps: it was not trained to predict masked words. Choose a masked language model (BERT, "
    "RoBERTa, DistilBERT), or open this one in Language / Next word (GPT)."
)

# Across languages, and inference across languages.
UNKNOWN = (
    "The model cannot read {shown}: every such character becomes the same unknown token. It learned its {pieces:,} "
    "pieces from English and French sentences."
)

EXAMPLES = example_texts.examples("missing-word")
SENTENCE = next(iter(EXAMPLES.values()))

# Fill in.
WHOLE_HELP = (
    "A word of several pieces is easier to predict while its other pieces can be read. With this on, the later pieces "
    "of the same word are masked with each piece (Kauf and Ivanova 2023)."
)
DRAW_HELP = "The words that are masked together are drawn at random; each number is another draw."
MORE_CAPTION = (
    "At every point the model predicts the same {asked} words, the first token of each. Only the number of other "
    "masked words differs."
)
FILL_FORMULA = (
    "Each token $w_t$ is masked alone, and all others, $W_{\\setminus t}$, can be read. The text is never predicted as "
    "a whole, so the sum is not a probability of the text; it serves to compare texts read by the same model. Here, "
    "with the sum in nats:"
)
FILL_NOTES = replace(
    PAGE,
    try_this=(
        "Mask two words that stand side by side. Which of them did the model predict while the other could be read?",
        "Mask a word, then change another word far away from it in the text. Does the prediction change?",
        "Find the word that costs most when it is masked, and put a more usual one in its place. What happens to the "
        "pseudo-perplexity?",
        "Write `[MASK]` into your own text where you do not know the word yourself.",
    ),
    references=references("DEVLIN", "TAYLOR", "SALAZAR", "KAUF", "WU_WORDPIECE", "CLARK"),
)

# Both ways.
NOTHING_BEFORE = "No word stands before the first one, so a model that reads from the left cannot predict it."
MASK_TOLD = {
    False: "No mask: every token may attend to every other.",
    True: "Hatched: the mask forbids it. No token may attend to later ones.",
}
PAGE_TOLD = (
    "A page of *The Time Machine*, which neither `gpt-books` nor `bert-books` has read. Both predict the words that "
    "are one piece for both. Each reads up to {side} tokens on a side: the GPT those before the word, the BERT those "
    "before, those after, or both. The BERT was trained with both sides, so one side alone is unfamiliar to it; the "
    "GPT shows what the left side is worth to a model that was trained with it."
)
BOTH_FORMULA = (
    "To predict the word, the BERT reads {before} tokens before it and {after} after it, special ones included. A GPT "
    "has a prediction for every token of a text from a single pass; a BERT needs a pass for each masked word."
)
INFLUENCE_TOLD = (
    "The prediction $p$ is a distribution over all tokens; $p_j$ is the prediction when word $j$ is replaced by random "
    "tokens (seed 0). Half the sum of the differences is the share of the probability that moved, from 0 to 1."
)
BOTH_NOTES = replace(
    PAGE,
    try_this=(
        "Click the first word of the sentence, then the last one. For which of them are the two models equally good?",
        "Take “Only the end tells” and click “stable”. Which words after it does the BERT use?",
        "Click a function word, such as “the” or “of”. Are both sides worth more for function words or for nouns?",
    ),
    references=references("DEVLIN", "RADFORD", "SCHUSTER", "TAYLOR", "WELLS"),
)

# Two sentences.
FIRST_SENTENCE, FOLLOWS, FOLLOWS_NOT = example_texts.examples("two-sentences").values()
# Second sentences of ours that follow no first one: what the model says of these is the yardstick of its answer.
UNRELATED = (
    FOLLOWS_NOT,
    "The king gave his daughter in marriage to the prince.",
    "In the morning the doctor found a letter upon the table.",
    "She opened the window and looked out into the garden.",
    "The price of corn had risen again in the spring.",
    "It is not easy to say what became of the money.",
    "“You are quite wrong,” said the lawyer, and shut the book.",
    "The horses were tired, for the road was long and steep.",
    "There were three letters in the box, and none of them was signed.",
    "The train was late, and nobody knew when it would come.",
    "My aunt had never been to London before.",
    "The soldiers crossed the river before the sun was up.",
)
AS_GIVEN, TURNED, ITSELF, NO_SEGMENTS = (
    "as they stand",
    "second one first",
    "the first one twice",
    "without segments",
)
MOST_UNRELATED, MEAN_UNRELATED = "highest of {count} unrelated", "mean of {count} unrelated"
COMPARED_TITLE = "The unrelated sentences, each in the place of the second one"
NO_NEXT_SENTENCE = (
    "{title} was not trained to predict whether one sentence follows another, or came without that head. BERT was "
    "(google-bert/bert-base-uncased); RoBERTa and DistilBERT were not. Its attention heads are shown below."
)
NO_SEGMENTS_TOLD = (
    "{title} has no segment vectors. The colours show the two sentences to you; the model knows only from the "
    "separators where the second one begins."
)
SEGMENT_KINDS = ("none", "first sentence", "second sentence")
INPUT_TOLD = (
    "`[CLS]` stands first and gathers the answer; `[SEP]` closes each sentence and belongs to the one it closes. "
    "Every token is the sum of three learned vectors: its own, that of its sentence (the colour), and that of its "
    "place."
)
PAIR_FORMULA = (
    "The sum goes into the first block (Devlin et al. 2018, figure 2). After the last one, the vector of the first "
    "token decides, by a map that was learned from pairs of sentences, some of which did follow one another."
)
EVEN_TOLD = "What a word would give to the other sentence with uniform attention, on average over all words."
PAIR_NOTES = replace(
    PAGE,
    try_this=(
        "Take the sentence that does not follow. Which heads attend to the other sentence less than before?",
        "Type a second sentence of nonsense words. How many of the unrelated sentences does it beat?",
        "Look at the share that goes to separators. In which layers is it largest?",
    ),
    references=references("DEVLIN", "LIU_ROBERTA", "CLARK"),
)
