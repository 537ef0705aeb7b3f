"""What the page Next word says."""

from dataclasses import replace

from core.probing.small_tasks.tasks import CARRY, COLUMN, COPY
from core.zoo.embedded import BOOKS
from dashboard.frame.layout import PageWords
from dashboard.frame.references import references
from dashboard.inputs import example_texts

PAGE = PageWords(
    question="What does a GPT look at?",
    lead="A GPT gives each token a probability of coming next, and writes by sampling one after another.",
    about=(
        "A GPT reads a text and says for each token how probable it is to come next; one is sampled, and it reads "
        "again. Everything here is done by a model that runs now, on your own text."
    ),
    try_this=("End your text in the middle of a word: what does it expect?",),
    references=references("TRANSFORMER"),
)

WRITES, WHY, COPYING, CACHE, TOKENS, SMALL = "Writes", "Why this word", "Copying", "Cache", "Tokens", "Small tasks"

NO_GPT = (
    "{title} does not say what comes next, so it cannot go on with a text. Choose a causal language model (GPT-2, "
    "Llama, Qwen), or open this one in Language / Masked words (BERT)."
)

# Cache.
CACHE_TOO_SHORT = "A step needs a token before it: type at least two tokens, for instance two words."
CACHE_FIRST = "The first {count} tokens of your text are shown: more columns could not be told apart."
CACHE_LAYERS = "The first {shown} of {layers} layers are shown; the sentence counts all of them."
CACHE_MEASURE = (
    "One token is read after *n* − 1 others: with a cache only its own rows are computed, without one the whole "
    "forward pass, which also predicts what follows each earlier token. Memory is the most that is held at once during "
    "the step: the cache is included, the weights are not."
)
CACHE_NOT_MEASURED = "Measure the cost of the next token, above, to see what the cache saves."
CACHE_TOO_SMALL = "This model reads too few tokens at once for a curve."
SHARED = (
    "Four small models with random weights run here. They differ only in how many key and value heads their eight "
    "query heads share, and in how far they look back. Lines show the formula, points the bytes that a running model "
    "really holds."
)
FAMOUS_CACHES = (
    "From the shapes that their makers published. The outline is what the cache would take if every query head had "
    "keys and values of its own. Not all of these models were trained for texts of this length."
)
CACHE_FORMULA = (
    "A token's key and value depend on the tokens before it and on none after it, so they never change. A query is "
    "needed once, by its own token. The cache of our GPTs is `core/models/key_value_cache.py`."
)
CACHE_NOTES = replace(
    PAGE,
    try_this=(
        "Move *Newest token* to the right. Which of the two grids fills, and which only gets one more column?",
        "Read the whole text as a prompt. What is left for the cache to save in that step?",
        "Make the window as short as it can be. From which length on does its line lie below multi-query attention?",
        "Which famous model would need the most memory without shared heads, and how much does it need?",
    ),
    references=references("SHAZEER", "AINSLIE", "BELTAGY", "JIANG", "POPE"),
)

# Tokens.
MERGES, SCRIPTS, SURPRISE = "A word, merge by merge", "One sentence, many scripts", "Surprise"
WORDS = ("listening", "understandable", "antidisestablishmentarianism", "lalalala", "naïveté", "मित्र", "🙂")
TOKENS_NOTHING = "This model's tokenizer sees nothing in this word. Type another one."
MERGES_LEFT_OUT = "Only the first words are shown: there was no room for {count} more."
MERGES_ADDED = (
    "This text holds a token that was added to the vocabulary by hand, such as the end of a text: the tokenizer takes "
    "it out before it merges, so that its result differs from what the merges alone make, below."
)
MERGES_FORMULA = (
    "The list of merges was learned once: in the texts on which the tokenizer was trained, the most frequent pair of "
    "neighbours became one symbol, again and again. So a low rank means that the pair was frequent in those texts. "
    "*Count* is how often the rule was applied here. A token that is a single byte of a longer character is shown as "
    "‹E2›."
)
OTHER_KINDS = {
    "Unigram": (
        "This tokenizer is a **Unigram** model: it merges nothing. Each piece of its vocabulary has a probability, and "
        "of all ways to cut the text it takes the one whose pieces have the highest product."
    ),
    "WordPiece": (
        "This tokenizer is a **WordPiece** model: it merges nothing when it reads. From the left it takes the longest "
        "piece of its vocabulary that fits, then the longest that fits the rest."
    ),
}
OTHER_KIND = "This tokenizer is a **{kind}** model: it merges nothing, so there are no steps to show, only its tokens."
OTHER_FORMULA = (
    "Byte-pair encoding, with its merges in order, is shown for models whose tokenizer has such a list: `gpt-books`, "
    "GPT-2, Llama, Qwen."
)
MERGES_NOTES = replace(
    PAGE,
    try_this=(
        "Type a word with a spelling mistake. How many more tokens does it take?",
        "Type the same word with a space before it, with a capital letter, in the plural. Is it the same token?",
        "Type a syllable many times over (*lalalala*): which rule applies more than once?",
        "Move *Merges done* to the left: which pair came first, and is its rank the lowest?",
    ),
    references=references("SENNRICH", "RADFORD", "KUDO", "SCHUSTER"),
)

SENTENCES = example_texts.examples("languages")
SCRIPTS_FORMULA = (
    "Bytes are those of UTF-8: one for a letter of English, two for Greek, Cyrillic, Arabic and Hebrew, three for most "
    "others. Words are what stands between spaces. Tokens are the model's own, special ones left out. The sentences "
    "are ours, and all say the same thing."
)
SCRIPTS_NOTES = replace(
    PAGE,
    try_this=(
        "Choose *pieces a character*: for which scripts does a token hold less than a character?",
        "Type your own sentence in two languages, one after the other. Which of them takes more tokens?",
        "Open a model that read many languages (a Qwen, or XLM-R by name): which languages become cheaper?",
    ),
    references=references("SENNRICH", "RADFORD", "PETROV"),
)

SURPRISE_TOO_SHORT = "Nothing is predicted about the first token: type at least two tokens, for instance two words."
SURPRISE_SCALE = "bits: the more bits, the less expected"
SPECIAL_TOKENS = "special tokens, which the tokenizer adds"
SURPRISE_FORMULA = (
    "A token that was expected with probability 1/2 costs one bit, with probability 1/1,000 about ten. The mean over a "
    "held-out text, by bytes, is the number on a model's card."
)
SURPRISE_NOTES = replace(
    PAGE,
    try_this=(
        "Write the same sentence twice. What does the second one cost?",
        "Put a word where it does not belong: is the surprise in it, or in what follows?",
        "Compare a page of an old novel with a message of yours: which of the two did the model read more of in "
        "training?",
    ),
    references=references("HALE", "RADFORD"),
)

# Writes
HAS_READ = {
    "gpt-books": f"`gpt-books` has read {BOOKS} old books and nothing else.",
    "gpt-books-long": f"`gpt-books-long` has read {BOOKS} old books and nothing else.",
}
READ_ELSEWHERE = "What {title} has read is stated on its model card."
WRITES_NOTES = replace(
    PAGE,
    try_this=(
        "Set the temperature to 0 and write 64 tokens. Does the text begin to repeat itself? Then start over with a "
        "repetition penalty of 1.3.",
        "Write 16 tokens, start over, write 16 again: the seed gives the same text. With another seed, where do both "
        "texts part?",
        "Take the least probable candidate instead of the one that is sampled, and go on. Does the model recover?",
        "Compare top-k 5 with top-p 0.5 where the model is sure of the next token, and where it is not: which of the "
        "two removes more tokens?",
    ),
    references=references("FAN", "HOLTZMAN", "NGUYEN", "KESKAR"),
)
TEMPERATURE = (
    "Logits are divided by it: below 1 probable tokens become still more probable, above 1 all tokens become more "
    "alike. 0 is greedy."
)
TOP_K = "Only this many of the most probable tokens are kept. 0 is off."
TOP_P = "Only the most probable tokens that together have this probability are kept. 1 is off."
MIN_P = "Only tokens with at least this share of the largest probability are kept. 0 is off."
PENALTY = "Logits of tokens that have been read are divided by it (multiplied where they are negative). 1 is off."
SEED = "Fixes the sampling: the same text, settings and seed give the same words."
DROPPED = (
    "{title} reads at most {room:,} tokens at once, and there are {total:,}: it no longer sees the first {dropped:,}. "
    "Whenever its context is full, it forgets the older half of it and writes on."
)
FULL = "{most} tokens are written, which is as many as an address can hold. Go back, or start over, to write others."
ENDED = (
    "Here the model wrote “{token}”, the mark for the end of a text, and stopped. Write on, and it begins another text."
)
WRONG_LINK = (
    "What was written in this link cannot be read, or not by {title}: its numbers must be tokens from 0 to {last:,}. "
    "Writing begins anew."
)
RULES_FORMULA = (
    "The penalty θ is for tokens that have been read, *T* is the temperature; *K* are the tokens that no filter took "
    "away. They lie in a row from 0 to 1, each as long as its *q*, the most probable first; the seed gives a random "
    "number *u*, and the token that lies there is written."
)
GREEDY_FORMULA = "At temperature 0 nothing is sampled: the token with the largest logit is written."
# Why this word.
WHY_NOTES = replace(
    PAGE,
    try_this=(
        "Type a word of your own in *Against*. Which part keeps it from being said?",
        "Click the head that writes most, then the one that writes most against it: from which words did each of them "
        "take it?",
        "Find a head whose own part is large, and see what happens when it is ablated. Does the difference change by "
        "as much? If not, later layers compensate for it, or depend on it.",
    ),
    references=references("ELHAGE", "WANG_CIRCUIT", "NOSTALGEBRAIST", "MCGRATH", "KOBAYASHI"),
)
THE_BEST, THE_BEST_OTHER = "the most probable", "the most probable other"
WORD_HELP = (
    "One of the most probable next tokens, or any word that you type: its first token counts. “…s” is a token that "
    "goes on with a word. The most probable other is not one that is just as probable."
)
TOO_LONG = (
    "The first {kept:,} of {total:,} tokens are read here: what each part writes is held in memory while it is taken "
    "apart. The next token is the one after these."
)
TWICE = "A token cannot be compared with itself: choose another one under Token or under Against."
NOT_APART = "The heads of layer {layer} cannot be told apart. {reason}"
FROZEN = (
    "A part's vector *c* goes through the final norm as it is at this token: its scale, 1/σ = {scale:.3g}, is frozen, "
    "so that parts can be added up. *w* are rows of the unembedding; *γ* is the norm's gain{mean}. The constant is "
    "what norm and unembedding add by themselves."
)

# Copying.
RANDOM, OWN_TEXT = "Random tokens", "Your own text"
COPYING_NOTES = replace(
    PAGE,
    try_this=(
        "Ablate the best head, then two, then four. When is the second time no better than the first?",
        "Choose *Your own text* and type a name that the model cannot know, such as “Xylophorus Grimble”: is it "
        "cheaper the second time?",
        "Click a head on the map: an induction head draws a line one token off the repetition, a previous-token head "
        "one just below the diagonal.",
        "Compare `gpt-books` with `gpt-books-long`, or with any model that you name.",
    ),
    references=references("OLSSON", "ELHAGE", "MICHEL"),
)
BEST_HELP = (
    "The heads with the largest induction scores are ablated. For comparison, the same number of random other heads "
    "is ablated."
)
SAID = (
    "{count} sequences of {period} random tokens of the vocabulary, none twice in a sequence; each sequence is "
    "repeated. Only the repetition can be predicted."
)
SAID_OWN = "Your text, {period} tokens of it, repeated once. Heads are still ranked on random tokens."
SAID_CUT = " The rest of its {total:,} tokens is not used."
# Small tasks.
SMALL_NOTES = replace(
    PAGE,
    about=(
        "Two GPTs small enough to ask what each head is for, on tasks whose right answers are known. One sorts six "
        "digits; the other adds two numbers, and writes the sum from the units on, as by hand."
    ),
    try_this=(
        "Sort `111111`, then `999990`. How many copies of the digit does each head attend to?",
        "Ablate the head that points best. Which digits of the answer become wrong first?",
        "Add `45+54`, then `45+55`: one digit more, and every column carries. What does the tens' digit read now?",
        "Ablate heads one after another, the least important first: how few are enough for nine right answers out of "
        "ten?",
    ),
    references=references("MINGPT", "WEISS", "LEE", "NANDA", "CLARK"),
)
SMALL_WRITES = "The model's probability of each digit. Click a row to see what each head reads before it is written."
SMALL_TASKS = {"Sort six digits": "sort", "Add two numbers": "add"}
SMALL_OWN = {"sort": "Your own six digits", "add": "Your own sum"}
SMALL_EXAMPLE = {"sort": "352041", "add": "47+85"}
SMALL_OWN_HELP = "Empty: a random problem that the model was not trained on."
SMALL_SAME = {"sort": "the same digits", "add": "the same two numbers"}
SMALL_SILENCED = "none: choose some, or click heads below"
SMALL_AIMS = {COPY: "what matters", COLUMN: "its column", CARRY: "for the carry"}
SMALL_READS = "Left of “=”: the problem; right of it: the digits written so far. Outlined: each head's strongest link."
SMALL_FORMULA = (
    "$A^{(h)}_{ij}$ is what head $h$ gives token $j$ while digit $n$ is written, from the token just before it; $M_n$ "
    "are the tokens that matter for that digit: in a sort every copy of the digit that comes next, in a sum the two "
    "digits of its column, or of the column to the right, from which the carry comes. A link counts against anything "
    "that the head can see, “=” and written digits too. *By chance*: a link drawn evenly from all of them. *Same "
    "place*: one that always goes to the same token, the best there is."
)
SMALL_MEASURED = (
    "Of all {every:,} problems {held_out:,} were held out in training, with all that differ only in order. Of those it "
    "answers **{right}** right; a linear model {linear:.1%}. {parameters:,} parameters, trained in {minutes:.0f} "
    "minutes: `make train-small-tasks`."
)
