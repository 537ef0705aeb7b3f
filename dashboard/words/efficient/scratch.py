"""From scratch."""

from dataclasses import replace

from dashboard.words.efficient import EFFICIENT
from dashboard.words.references.before import KARPATHY
from dashboard.words.references.efficient import BELTAGY, CHOROMANSKI, LINFORMER, ZAHEER

LEAD = (
    "A model that was trained with exact attention is at a loss when some of it is taken away. What if it never knew "
    "anything else? Here the same small model was trained from the same first weights with each kind of attention: "
    "{parameters:,} parameters that read Shakespeare letter by letter, {context} at a time, {steps} steps each."
)
HOW = (
    "Held-out loss on the last tenth of the text, in bits a character: lower is better. Made by `{source}` on "
    "{hardware}, one seed each: how much of a small difference is chance was not measured. The text is short and the "
    "windows are small: at {context} letters exact attention is cheap, and what far letters say is little."
)
LEFT_OUT = (
    "Clustered attention is missing, and must be: its clusters are made from all queries, so a model trained with it "
    "would learn to read the next letter in them instead of predicting it. Low rank is missing as well: it is cut out "
    "of the exact map, which must be there first."
)
BETTER = (
    "Better than exact is no mistake: {steps} steps are few, and a model that cannot look far need not learn first "
    "that near letters matter most. What exact attention reaches in a longer training was not measured."
)
NOTES = replace(
    EFFICIENT,
    try_this=(
        "Which kind of attention loses least for what it saves?",
        "Compare with *Swapped in*: how much of the loss there does training win back?",
    ),
    references=(KARPATHY, BELTAGY, ZAHEER, LINFORMER, CHOROMANSKI),
)
