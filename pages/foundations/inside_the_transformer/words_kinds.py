"""What the section Three kinds says: encoder only, decoder only, encoder and decoder."""

from dataclasses import replace

from dashboard.frame.references import references
from dashboard.inputs import example_texts
from pages.foundations.inside_the_transformer.words import INSIDE

EXAMPLES = example_texts.examples("three-kinds")
SENTENCE = next(iter(EXAMPLES.values()))
ENCODER, DECODER, BOTH = "Encoder only", "Decoder only", "Encoder and decoder"
MODELS = {ENCODER: "BERT", DECODER: "GPT", BOTH: "translator"}
MASK, MEAN = "Mask", "Mean attention"  # what the cells show
CELLS = (
    "*Mask*: a cell is filled where the query (row) may attend to the key (column). *Mean attention*: its shade is the "
    "mean weight over all heads of all layers; where the mask is closed it is hatched."
)
CLOSED = "closed"
SIDES = {"encoder": "encoder", "decoder": "decoder", "cross": "cross"}  # in the legend of the maps
HINT = "Click a word to mask it."
CUT = "All three models read the first {kept} of {total:,} tokens; with more, the rows could not be told apart."
CUT_SOURCE = "The translator reads the first {kept} of {total:,} tokens: it has other tokens."

PREDICTS, USES, ORIGIN = (
    "What each model predicts for this text",
    "What each kind is used for, and how well ours do",
    "Where the rule of thumb comes from",
)
TRAINED = {
    ENCODER: "Trained to fill masks, with the text on both sides. Click the word to mask:",
    DECODER: "Trained to predict the next token from those before it. After the last token of your text:",
    BOTH: "Trained to write the French sentence for an English one, token by token. Your text in French:",
}
ENDED, NOT_ENDED = "the mark of the end included", "without coming to an end"
UNKNOWN = " Tokens of your text that its vocabulary lacks: {count}."
USED_FOR = {
    ENCODER: "Labels for a text or for each of its words: classes, parts of speech, vectors for search.",
    DECODER: "Text that goes on: stories, answers, code. With instructions as its beginning, most other tasks too.",
    BOTH: "One text made from another: translation, summaries.",
}
MEASURED = (
    "Held-out texts; ± is one standard error. Each model was measured on its own task, so these numbers do not say "
    "which kind is better. The encoder is `bert-books`, fine-tuned as `bert-tasks`; the decoder is `gpt-books`; the "
    "translator is the transformer of the page Translation."
)
RULE = (
    "The transformer began as an encoder-decoder for translation (Vaswani et al. 2017). GPT kept the decoder and was "
    "fine-tuned for each task (Radford et al. 2018); BERT kept the encoder, and in its ablation training from both "
    "sides beat training from the left on all tasks compared (Devlin et al. 2019, section 5.1).\n\n"
    "Raffel et al. 2020 (section 3.2) compared models that write every answer as text: an encoder-decoder with a "
    "denoising objective was best on all of their tasks, at the computational cost of a decoder with half its "
    "parameters. An encoder alone was not among them.\n\n"
    "Wang et al. 2022 compared models of over 5 billion parameters on tasks that they had not been trained for. "
    "Decoders trained on the next token were best without fine-tuning; after fine-tuning on many other tasks, models "
    "that read their input from both sides and had been trained on masked tokens were. So which kind is best depends "
    "on how a model is trained and used: none of these papers shows one that is best for everything."
)
READ_OFF = (
    "$M$ is read off the recorded run: a link is open where the mask of any head lets the query attend to the key. "
    "No call has queries of the source and keys of the translation, so the upper right part of the third map is closed."
)
NOTES = replace(
    INSIDE,
    about=(
        "A mask says which tokens a token may attend to, and so what a model can be trained to do. An encoder attends "
        "in both directions, and a word must be masked before it can be predicted. A decoder attends to earlier tokens "
        "only, so every next token of a text can be predicted at once. An encoder-decoder reads one text in both "
        "directions and writes another from left to right."
    ),
    try_this=(
        "Mask the last word. Which tokens does the encoder still read that a decoder would not?",
        "Add a full stop to your text. Whose prediction changes: that of the encoder, of the decoder, of all three?",
        "Choose *Mean attention* under *Settings*. How much attention goes to tokens that only the encoder may "
        "attend to?",
    ),
    references=references(
        "TRANSFORMER", "GENERATIVE_PRETRAINING", "DEVLIN_DIRECTIONS", "RAFFEL_ARCHITECTURES", "WANG_ARCHITECTURES"
    ),
)
