"""Your own pair."""

from dataclasses import replace

from dashboard.references import BAHDANAU, JAIN, KOEHN, OCH, VOITA
from pages.language.translation.words import TRANSLATION

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
NOTES = replace(
    TRANSLATION,
    try_this=(
        "Take the strongest links of Bahdanau's attention, correct them by clicking, and watch the error rates. Which "
        "of your corrections helps the other models?",
        "Swap two words of the French sentence, or put in a wrong one. Which model is surprised, and does anybody "
        "still look at the right English word?",
        "Write a word-for-word translation: *la européenne économique zone*. Do the maps follow your order?",
        "Choose *both agree*. Which measure rises, and which one pays for it?",
    ),
    references=(OCH, KOEHN, BAHDANAU, VOITA, JAIN),
)
