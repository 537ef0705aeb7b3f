"""Translation: all prose of the page, section by section."""

from dataclasses import replace

from core.zoo import TRANSLATION
from dashboard.frame.layout import PageWords
from dashboard.frame.references import references
from dashboard.inputs import example_texts

SENTENCE = example_texts.opening("translation")
CLASSIC = "The agreement on the European Economic Area was signed in August 1992."
# Translations of both, as a person writes them.
FRENCH = {
    SENTENCE: "Mon frère a acheté une petite voiture rouge parce qu'elle n'était pas chère.",
    CLASSIC: "L'accord sur la zone économique européenne a été signé en août 1992.",
}
CLASSIC_BUTTON = "The classic sentence"
CLASSIC_HELP = (
    "The sentence of figure 3 of Bahdanau et al. 2014, in which three words reverse their order. The models here are "
    "small, and learned from everyday sentences: “Economic Area” is new to them."
)

# The sections of the page, as they stand in the address.
TRANSLATE, STEPS, PAIR, CHANGE, MEASURED, OTHERS = (
    "Three translators",
    "Word by word",
    "Your own pair",
    "Cut a link",
    "Measured",
    "Any model",
)

# The three models in the order in which they were invented, by the names of their weights.
TITLES = TRANSLATION

PAGE = PageWords(
    question="Which word does each word come from?",
    lead="Three models translate your sentence into French: see which English words each French word attends to.",
    about=(
        "Translation is what attention was invented for. Three models of about the same size, trained on the same "
        "sentences, turn English into French: one squeezes the sentence into a single vector, one looks back at its "
        "words (Bahdanau et al. 2014), one is a transformer (Vaswani et al. 2017). What does each look at as it writes?"
    ),
    try_this=(),
    references=references("CHO_ENCODER_DECODER", "SUTSKEVER", "BAHDANAU", "LUONG", "TRANSFORMER"),
)

# What more than one section says.
NO_END = "it reached the length limit without ending"
UNITS_HELP = (
    "The models read pieces of words. For words, weights are summed over the pieces attended to, and averaged over the "
    "pieces that attend."
)

# Three translators.
WAITING = "waiting"
UNKNOWN = "The models do not know {shown}: they read every such character as the same unknown token."
ABOUT_MAP = {
    "seq2seq": "has no attention: influence of each source word, measured by the gradient",
    "bahdanau": "attention weights, one map",
    "transformer": "attention weights of the decoder, in every layer and head",
}
BEST_SHIFTED = "aligns best, one step later"
PARTS_HELP = (
    "Target to source: the English words that each model attends to as it writes. Encoder: attention among the source "
    "words of the transformer. Decoder: attention of its target words to those written before."
)
MARKS_HELP = "Without them rows sum to less than 1: the marks keep their share of the attention."
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
    "A word of several pieces gets the sum of their columns and the mean of their rows (Clark et al. 2019, section "
    "4.1), and its log-probability is the sum over its pieces. The influence in the model without attention is the "
    "norm of the gradient of each token's log-probability with respect to each source embedding, each row scaled to "
    "sum to 1."
)
TRANSLATE_NOTES = replace(
    PAGE,
    try_this=(
        "Take the classic sentence (under *Settings*) and point at “Area”. Which French word lights up in each model?",
        "Write a sentence of thirty words or more. Which of the three translations becomes wrong first?",
        "Change one word in the middle of the sentence. How much of each translation changes?",
        "Choose single heads of the transformer: which look straight at the word being translated, which at the full "
        "stop or the end mark?",
    ),
    references=(*PAGE.references, *references("CLARK")),
)

# Word by word.
HANDED_ON = (
    "The context vector is the sum of all annotations *h*, each times its weight. All strips share one scale: the "
    "lower strips add up to the first."
)
HANDED_ON_BY_A_HEAD = (
    "The head's output is the sum of all values *v*, each times its weight. All strips share one scale: the lower "
    "strips add up to the first."
)
ONE_VECTOR = (
    "This model has no attention, so it has no scores and no weights. It keeps **one vector** of the whole sentence, "
    "and writes every word from these same numbers."
)
MEMORY_FORMULA = (
    "*h* is the encoder's state when it has read the whole sentence, from the last word to the first. *c* does not "
    "depend on the step *i*: that is the bottleneck which attention was invented to remove."
)
BEAM_FORMULA = (
    "Unfinished translations are compared by the sum above the line, complete ones by the score: without dividing by "
    "what is below it, every additional word would make a translation less probable (Wu et al. 2016, equation 14)."
)
STEPS_NOTES = replace(
    PAGE,
    try_this=(
        "Press **→** and watch the weights move through the sentence. At which French words do they jump back?",
        "Find a step at which two words share the weight. How far apart are their scores?",
        "Set the beam to 1 and step through again. Does the translation change, and from which step on?",
        "Choose the transformer and go through layers and heads at one step: which of them look at the word that is "
        "being translated, and which at the end mark?",
    ),
    references=references("BAHDANAU", "VASWANI", "LUONG", "SUTSKEVER", "WU"),
)

# Your own pair.
PAIR_ABOUT = {"attention": "attention weights", "influence": "influence by the gradient"}
PAIR_NO_LINKS = (
    "Click the cells of the words that belong together, in any of the maps: precision, recall and error rate of every "
    "model follow. Or start from the strongest links of one of them, and correct what is wrong."
)
PAIR_FORMULA = (
    "*S* are your links, all of them sure; *A* are a model's: of the weights between words (the sum over the pieces "
    "that are looked at, the mean over the pieces that look; end marks left out), the strongest. With possible links "
    "*P* beside the sure ones, which need not be found but may be, AER = 1 − (|A∩S| + |A∩P|) / (|A| + |S|) (Och and "
    "Ney 2003). All three models read the English sentence and are made to write yours: after each word the one that "
    "you chose is put in, whatever they would have written themselves (teacher forcing). A surprise of *b* bits means "
    "a probability of 2⁻ᵇ."
)
PAIR_NOTES = replace(
    PAGE,
    try_this=(
        "Take the strongest links of Bahdanau's attention, correct them by clicking, and watch the error rates. Which "
        "of your corrections helps the other models?",
        "Swap two words of the French sentence, or put in a wrong one. Which model is surprised, and does any of them "
        "still look at the right English word?",
        "Write a word-for-word translation: *la européenne économique zone*. Do the maps follow your order?",
        "Choose *both agree*. Which measure rises, and which one pays for it?",
    ),
    references=references("OCH", "KOEHN", "BAHDANAU", "VOITA", "JAIN"),
)

# Cut a link.
CHANGE_NOTHING = (
    "Nothing is cut yet. Click a cell of the map, or choose two words: the model then translates again without this "
    "link."
)
CHANGE_POSITION = (
    "A cut belongs to a **position** in the translation, not to the word that stood there at first. When the "
    "translation changes, the cut applies to the word that now stands at that position."
)
CHANGE_WITHOUT = "The model without attention has no links to cut: it keeps one vector of the whole sentence."
CHANGE_FORMULA = (
    "A cut sets a score to −∞ before the softmax: the weight is 0, and what is left of the row is shared out again in "
    "proportion. In the transformer every head of every decoder layer loses the link. Everything else that is read "
    "from the source stays: the encoder has mixed its words, so a neighbour may still carry what the cut word said. A "
    "ablated head adds nothing to the sum over heads. The loss of the first translation is measured by making the "
    "changed model write it once more (teacher forcing)."
)
CHANGE_NOTES = replace(
    PAGE,
    try_this=(
        "Cut the strongest link of one word. Does the model find another way, or does the word change?",
        "Cut a name or a number for the whole translation. What does the model write in its place?",
        "Cut the end mark for the whole translation, in both models. Which of them needs it?",
        "Ablate the cross-attention heads of the transformer one by one, then all of the last layer.",
    ),
    references=references("SERRANO", "KNOCKOUT", "MICHEL", "VOITA", "JAIN"),
)

# Measured.
MEASURED_ON = (
    "BLEU (beam of 5, and greedy) and chrF over {sentences:,} English sentences of Tatoeba that no model has read, "
    "with {references:,} French references; sacrebleu {signature}. Most of these sentences are short. FLOPs are "
    "counted, seconds belong to a machine that did other work as well."
)
MEASURED_LENGTHS = (
    "Greedy. From 16 words on the texts are test sentences read one after another, because Tatoeba has few long ones. "
    "A quarter of the training pairs were joined in the same way, to 25 words on average and rarely to more than 40."
)
MEASURED_HEADS = (
    "The number is the alignment error rate: the stronger the colour, the lower it is. Outlined: the head that was "
    "chosen, on other sentences than these. Mean: the mean map of the layer."
)
MEASURED_SHIFT_HELP = (
    "The step that writes a French word has not read it yet, and may look at what it needs to choose it; the next step "
    "has read it (Chen et al. 2020)."
)
MEASURED_PUBLISHED = (
    "First, Table 2 of Vaswani et al. 2017: news, 36 million training pairs for French and 4.5 million for German. "
    "Then the three of this page: short everyday sentences, 161,000 pairs, about 7.5 million parameters. BLEU depends "
    "on the text, the references and how words are cut, so **scores of the two cannot be compared**; each panel has "
    "scales of its own. What can be compared is the order within a panel."
)
BLEU_FORMULA = (
    "*p*ₙ is the share of the translation's sequences of *n* words that stand in a reference too, *c* the length of "
    "all translations, *r* that of the references closest in length (Papineni et al. 2002)."
)
AER_FORMULA = (
    "*A* are the links found by layer {layer}, head {head} of the transformer ({text}); *S* the sure links made by "
    "people, which should be found; *P* the possible ones, which may be, *S* among them (Och and Ney 2003). Weights of "
    "pieces are joined to words: the sum over the pieces looked at, the mean over those that look. A word that the "
    "tokenizer cannot see stays without a link."
)
MEASURED_NOTES = replace(
    PAGE,
    try_this=(
        "Switch the score from BLEU to chrF. Does the order of the models change, or only the distances?",
        "Let the step count that *has read* the word. Which heads of the transformer gain, which lose?",
        "Choose *both agree*, then *either*. What happens to precision, and what to recall? (Both are in the numbers "
        "below the map.)",
        "Compare Hansards and Stories: does the same head align best in both?",
    ),
    references=references("PAPINENI", "POST", "POPOVIC", "OCH", "BROWN", "CHEN", "KOEHN", "VASWANI"),
)

# Any model.
NAMED_PLACEHOLDER = "Helsinki-NLP/opus-mt-en-fr, google-t5/t5-small, or the path of a folder"
NAMED_HELP = (
    "The name of any encoder-decoder on Hugging Face: Marian (`Helsinki-NLP/opus-mt-en-fr`), T5 "
    "(`google-t5/t5-small`), NLLB (`facebook/nllb-200-distilled-600M`), BART (`facebook/bart-large`). In an app of "
    "your own, also the path of a folder with `model.safetensors`."
)
NAMED_NOTHING = (
    "Here any pretrained encoder-decoder translates your sentence and shows what each of its heads looks at: name a "
    "model of the hub, such as `Helsinki-NLP/opus-mt-en-fr`, or a folder on your own computer. Nothing is downloaded "
    "before you have seen its size and agreed."
)
NAMED_OFFLINE = (
    "The model hub cannot be reached from here. What works without it: the three translators of this page, or in an "
    "app of your own a local folder."
)
NAMED_NOT_YET = "No model is named yet: name one to see its attention."
NAMED_PREFIX_HELP = (
    "The beginning of its source tells T5 what to do. T5 reads the prefix like any other words, so it is part of the "
    "source in the maps."
)
NAMED_LANGUAGE_HELP = "A code from the model's own list; the model reads or writes it as a token."
NAMED_REMARKS = {
    "bart": (
        "BART was trained to restore damaged English text, not to translate. Unless this one was trained further, "
        "expect your sentence to come back in English; its maps show how a copy is made."
    ),
    "mt5": (
        "mT5 was trained to fill in masked words in texts of a hundred languages, not to translate. Unless this one "
        "was trained further, expect it to fill in words."
    ),
    "pegasus": "Pegasus was trained to summarise English text, not to translate.",
    "led": "LED was trained to restore and summarise long English texts, not to translate.",
}
NAMED_LATEX = r"A = \mathrm{{softmax}}\left({scores}\right)"
NAMED_FORMULA = (
    "In cross-attention *Q* comes from the target, a row for each step of writing; *K* from the encoder's output, a "
    "row for each source token: so the map is a rectangle. The library's own `generate` writes the translation, with "
    "the settings that the model came with; then the model is made to write it once more in a single pass (teacher "
    "forcing), and all its attention is recorded. Row *i* belongs to the step that writes token *i*; each row sums to "
    "1."
)
NAMED_FORMULA_T5 = (
    "T5 does not divide by a root: its weights were initialised small enough to do without. In the self-attention of "
    "encoder and decoder it adds a learned bias for each distance between tokens; not here. " + NAMED_FORMULA
)
NAMED_NOTES = replace(
    PAGE,
    try_this=(
        "Open `Helsinki-NLP/opus-mt-en-fr` and compare its mean map with those of single heads, layer by layer. Which "
        "of them is an alignment?",
        "Open `google-t5/t5-small` and change the prefix to *translate English to German:*. Which columns did the "
        "prefix have, and does any head look there?",
        "Give BART the same sentence: what does the map of a mere copy look like?",
        "In the encoder, look for heads that look one token back, one ahead, or at the end mark.",
    ),
    references=references("MARIAN", "T5", "NLLB", "LEWIS", "VASWANI", "KUDO"),
)
