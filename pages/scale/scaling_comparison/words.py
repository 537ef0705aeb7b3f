"""Scaling comparison: all that the page says, section by section."""

from dataclasses import replace

from dashboard.frame.layout import PageWords
from dashboard.frame.references import references

# The sections of the page, as they stand in the address.
TRANSLATION, IMAGES, TRANSFER, LANGUAGE = "Translation", "Images", "Pre-training", "Language"
YEARS, LAWS, CALCULATOR, SMALL = "By year", "Laws", "Calculator", "Small data"

PAGE = PageWords(
    question="What does size buy?",
    lead="Compare published models by size, data and cost, and forecast larger ones with fitted laws.",
    about=(
        "Larger models, more data, more computing: tables of published figures, on axes and with filters of your "
        "choice, and every point says where it comes from. Laws fitted to published runs forecast what a larger one "
        "would reach; our own small trainings show what more data bought."
    ),
    try_this=(),
    references=(),
)
NOTHING = "No model passes the filters. Remove one of them."

# The explorer that all tables of published figures share.
X, Y = "Across", "Up"
LOG_X, LOG_Y = "Logarithmic scale across", "Logarithmic scale up"
FRONT = "Pareto front"
FRONT_HELP = (
    "Joins the models that no model shown beats: none is at least as good in both numbers and better in one. It is "
    "drawn where “better” is defined, such as more accuracy for fewer parameters."
)
SEARCH, SEARCH_HINT = "Name contains", "part of a name"
ALL = "all"
YEARS_SLIDER = "Years"
CHOSEN = "Chosen"
CHOSEN_HINT = "click points in the figure, or type a name"
CHOSEN_HELP = "One model opens a card with all of its numbers; several are compared. A second click removes a model."
NO_ROW = "None of the {count:,} {things} passes these filters. Remove one, or shorten “Name contains”."
NO_FIGURE = (
    "Of the {things} that pass the filters ({count:,}), none has both *{x}* and *{y}*: choose other axes, or a scale "
    "that is not logarithmic."
)
HIDES = "What this figure hides"
NOTE = "Note"
OPEN_SOURCE = "Open the source"
BEST = "Bold: the best of those compared, where better is defined."

# Translation
TRANSLATION_TITLE = "What does a better translation cost?"
GERMAN, FRENCH, WMT_YEARS = "English to German", "English to French", "By year, until 2020"
_PAPER = (
    "The table with which the transformer was presented in 2017: quality on newstest2014, and what the training cost. "
    "Cheaper is to the left, better is up."
)
TRANSLATION_ABOUT = {
    GERMAN: _PAPER,
    FRENCH: _PAPER,
    WMT_YEARS: "The same test set in the years after, as NLP-progress collected it until 2020. It lists no cost.",
}
ESTIMATED = (
    "These operations were not counted: the authors of the transformer estimated them, for their rivals too, from "
    "hours, cards and the speed that a card sustains."
)
STATED = "Each paper states its own score; NLP-progress copied them."
TOKENS = (
    "Papers cut texts into words for BLEU in different ways, and do not always say how: Post 2018 found up to 1.8 "
    "points between common ways."
)
FLOPS_FORMULA = (
    "The base and the big transformer: twelve hours and 3.5 days on eight P100 cards (Vaswani et al. 2017, section "
    "5.2), each taken to sustain 9.5 teraFLOPS (the footnote in section 6.1)."
)
TRANSLATION_NOTES = replace(
    PAGE,
    try_this=(
        "Choose *ensemble* under *Single or ensemble*: what do several networks buy, and at what price?",
        "Click *Transformer (big)* and *GNMT + RL ensemble*, and compare them in the table.",
        "Under *By year*: the paper of 2017 says 41.0 for French in its text, 41.8 in its table. Which one is where?",
    ),
    references=references("VASWANI", "WU", "GEHRING", "PAPINENI", "POST"),
)

# Images
IMAGES_TITLE = "What does accuracy cost?"
TIMM, LEADERS = "Measured by timm", "Leaders of 2020 and 2022"
IMAGES_ABOUT = {
    TIMM: (
        "Each point is a network with its weights, tested on ImageNet and timed by one library (timm). Choose what "
        "stands across: parameters, operations, or pictures per second."
    ),
    LEADERS: (
        "The first places of the public ImageNet leaderboard in December 2020, when vision transformers had just "
        "arrived, and in September 2022."
    ),
}
CHOSEN_ON_TEST = (
    "Many settings of these models were chosen by their results on ImageNet's validation pictures, which are the test "
    "here; ImageNet-V2 was gathered later."
)
COPIED = "The leaderboard lists what each paper states of its own model."
_CARDS = "The speed is that of whole batches in mixed precision with PyTorch {version}: "
_NEWER = _CARDS.format(version="2.9.1") + (
    "it does not show what the same card does with other software or with a single picture."
)
SPEED = {
    "rtx5090": _NEWER,
    "rtx4090": _NEWER,
    "rtx3090": _CARDS.format(version="2.4.0")
    + "older than that of the newer cards, so part of their lead may be software.",
    "cpu": (
        "An Intel i7-12700H ran one picture at a time, compiled, in float32: another processor may order the models "
        "differently."
    ),
}
FRONT_FORMULA = (
    "*A* beats *B* if it costs no more, scores no less, and is not equal in both. The front is what no other model "
    "beats; between two of its models you get the score of the cheaper one, hence the steps. For pictures per second, "
    "more is better, and the steps turn."
)
BEATEN = "Here *{winner}* beats *{loser}*: {winner_x} against {loser_x}, {winner_y} against {loser_y}."
IMAGES_NOTES = replace(
    PAGE,
    try_this=(
        "Put *Pictures/s, RTX 5090* across: which models are on the front now, and which have left it?",
        "Leave only *ImageNet-1k* under *Learned from*. How far do the transformers fall?",
        "Put *Top-1, ImageNet-A* up, with pictures that were chosen because a ResNet-50 fails on them.",
        "Search for `resnet50.`: how far do other ways of training move one network and its near relatives?",
    ),
    references=references("WIGHTMAN", "DOSOVITSKIY", "SWIN_TRANSFORMER", "CONVNEXT", "HE", "RECHT", "BEYER"),
)

# Pre-training
TRANSFER_TITLE = "What does pre-training buy, and for which model?"
DUEL, COST, GAINS = "Who wins where", "Accuracy and cost", "More data, same network"
TRANSFER_ABOUT = {
    DUEL: (
        "Models that were pre-trained on millions of pictures, then fine-tuned on each data set (Dosovitskiy et al. "
        "2020, Table 2). Choose any two: a vision transformer against a convolutional network, or the same transformer "
        "after different data."
    ),
    COST: "The same results against what the pre-training cost: days of one TPUv3 core.",
    GAINS: (
        "Networks that timm has twice: trained on ImageNet-1k alone, and with pre-training on more. Which gains most?"
    ),
}
DUEL_AXIS = "points ahead (right) or behind (left)"
VARIANTS = "The sizes of the vision transformer that these names mean; */16* and */14* are pixels on a side of a patch."
SAME = "This compares a model with itself: choose another one."
DUEL_FORMULA = (
    "Whiskers are twice the standard error of the difference. The paper prints the standard deviation *s* of three "
    "single runs of the tuning, and their mean; a mean of three is off by *s* / √3. Three runs give *s* only roughly, "
    "and the pre-training ran once: no whisker shows what another one would change. Where no deviation is printed "
    "there is no whisker."
)
MIXED_SETS = "The data sets are not equally hard: choose one under *Tested on* to see what a core-day buys."
ONE_TABLE = (
    "The authors of the vision transformer measured their own models and chose the rivals; the figures of BiT-L and "
    "Noisy Student are those of other papers."
)
COST_FORMULA = "{model}, as if it had been trained on 512 cores at once. Tuning to the data set is not counted."
RECIPES = (
    "The recipes of the two trainings may differ in more than their data: in augmentation, in length, in the year they "
    "were made."
)
GAIN_FORMULA = "The best that timm has on each side, at one resolution."
TRANSFER_NOTES = replace(
    PAGE,
    try_this=(
        "Let *ViT-L/16 (JFT)* stand against *ViT-L/16 (ImageNet-21k)*: the same network, twenty times the pictures.",
        "Let *ViT-L/16 (ImageNet-21k)* stand against BiT-L: with less data, which of them wins?",
        "Under *More data, same network*, choose *transformer*, then *convolutional*: which gains more?",
    ),
    references=references("DOSOVITSKIY", "KOLESNIKOV", "XIE", "STEINER"),
)

# Language
LANGUAGE_TITLE = "How well do models understand language?"
GLUE, ENTRIES, SENTIMENT, SIZES = "GLUE against people", "All entries of GLUE", "Sentiment", "Model sizes"
LANGUAGE_ABOUT = {
    GLUE: (
        "Nine tasks of understanding English: is a sentence well formed, do two mean the same, does one follow from "
        "the other? Each entry of the leaderboard as a mark, the chosen one large, people as the line in the middle."
    ),
    ENTRIES: "The same table, with any two of its scores on the axes.",
    SENTIMENT: (
        "Positive or negative? Small networks on English film reviews and Spanish tweets: recurrent, convolutional and "
        "one encoder layer of a transformer; for Spanish, three other methods beside them."
    ),
    SIZES: "From the first attention to GPT-3: parameters, and the text they learned from, where the table has it.",
}
GLUE_AXIS = "points ahead of people (right) or behind (left)"
GLUE_SOURCE = "Every score: {source}."
PEOPLE = (
    "“People” are, for most tasks, crowd workers after a short training, by majority: a careful estimate, not the "
    "limit of what people can."
)
GLUE_FORMULA = (
    "A task with two measures, such as accuracy and F1, counts with their mean. People have {people} by the same "
    "formula."
)
LEADERS_ONLY = (
    "Only the first places are in the table, and a task is part of the mean: how scores go together says little about "
    "models in general."
)
HIDDEN_TEST = "The answers of the test were hidden: a server graded all entries in one way."
CORRELATION_FORMULA = "Over the models shown; people are left out of it."
VALIDATION = (
    "Accuracy on validation data, by which the epochs may have been chosen, and one figure each: differences of a "
    "point may be chance."
)
SECONDS_FORMULA = "What hardware it ran on, the source does not say."
FAMOUS = "A few famous models were chosen: others of the same years, smaller ones above all, are missing."
LANGUAGE_NOTES = replace(
    PAGE,
    try_this=(
        "Choose *Snorkel MeTaL*, the last of the table, then the first: which tasks made the difference?",
        "Under *All entries of GLUE*, put *RTE* up: how close do the scores of the leaders lie?",
        "Under *Sentiment*, put *Trainable parameters* across: what did twenty million buy in Spanish?",
    ),
    references=references("WANG_GLUE", "NANGIA", "DEVLIN", "RADFORD", "GPT3"),
)

# By year
YEARS_TITLE = "How fast did models grow?"
YEARS_ABOUT = (
    "Notable models since 1950, as Epoch AI collected them: parameters, the floating point operations of their "
    "training, and their data. The line is fitted to what you leave in the picture: move the years, choose a field, "
    "and read the doubling time."
)
NO_FIT = "A line is fitted to a size against years, if at least three models of two different days are shown."
NOTABLE = (
    "“Notable” was chosen by Epoch AI: state of the art, many citations, historical relevance, much use or a large "
    "budget. Ordinary models are missing in every year, and of the newest ones many figures are secret or estimated."
)
YEARS_FORMULA = (
    "*t* is the day of publication in years, its mean in brackets; *a* and *b* are least squares over {count} models. "
    "At the mean day the line stands at {middle} ({measure}). The interval is Student's *t*, as if models were "
    "independent draws, which siblings of one family are not."
)
YEARS_NOTES = replace(
    PAGE,
    try_this=(
        "Let the years begin at 2012, then end in 2010: the doubling time before and after deep learning.",
        "Choose *language* alone, then *vision*: which grew faster?",
        "Put *Parameters* up. Do they grow as fast as the compute?",
        "Leave only figures that Epoch is *Confident* of. Does the doubling time change?",
        "Put *Parameters* across and *Data points* up: did the data keep up?",
    ),
    references=references("EPOCH", "SEVILLA", "GPT3"),
)

# Small data
SMALL_LEAD = (
    "It is built into a convolution that neighbouring pixels belong together, and that a pattern means the same "
    "everywhere. A vision transformer has this only within a patch and must learn the rest. We trained both kinds on "
    "CIFAR-10, on all of its 50,000 pictures and on parts of them, and on no other pictures."
)
HOW = (
    "Each point is one training from scratch, with the same crops and mirrored pictures for all; small parts are seen "
    "more often ({epochs}). Accuracy on the 10,000 test pictures of a JPEG copy of CIFAR-10. The matrices of the "
    "transformers' blocks learn by Muon, all else by AdamW. Learning rates were looked for with the convolution "
    "network, ViT 0.3M and ResNet18 alone; a better one may move the others. One seed each: differences of a point may "
    "be chance. All trainings are short, and the residual networks are those for pictures of 224 pixels: of a small "
    "picture they keep a single place at the end. {hardware}, shared with others: durations cannot be compared."
)
BESIDE = (
    "The lecture's trainings were different ones (their settings are not published): compare the two only as a whole. "
    "There, the two largest networks were trained for ten epochs, the others for twenty."
)
SMALL_NOTES = replace(
    PAGE,
    try_this=(
        "Which network gains most when it sees ten times the pictures?",
        "At which amount of data would you choose a transformer?",
        "Open *Pre-training*: how much data do vision transformers need to overtake?",
    ),
    references=references("DOSOVITSKIY", "HE", "KRIZHEVSKY"),
)
