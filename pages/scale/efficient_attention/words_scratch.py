"""From scratch."""

from dataclasses import replace

from core.measured import HIDDEN, NEXT
from dashboard.references import BELTAGY, CHOROMANSKI, KARPATHY, LINFORMER, MASKED, VYAS, ZAHEER
from pages.scale.efficient_attention.words import EFFICIENT

LEAD = (
    "A model that was trained with exact attention is at a loss when some of it is taken away. What if it never knew "
    "anything else? Here the same small model was trained from the same first weights with each kind of attention: "
    "{parameters:,} parameters that read Shakespeare letter by letter, {context} at a time, {steps:,} steps each."
)
TASK = "What the model learns"
TASKS = {HIDDEN: "To fill in hidden letters", NEXT: "To predict the next letter"}
TASK_HELP = "The two kinds of language model: BERT fills in, GPT goes on."
TOLD = {
    HIDDEN: (
        "One letter in four is hidden, as in `To _e, or n_t _o b_`, and the model may look to both sides. That is how "
        "BERT learns, and the task on which Linformer and BigBird were first measured."
    ),
    NEXT: (
        "Each letter is predicted from those before it; none may look ahead. That is how GPT learns. Clustered and "
        "low-rank attention are missing here, and must be: both let later letters have a say in a row of the map, so a "
        "model would learn to read the next letter there instead of predicting it."
    ),
}
HOW = (
    "Held-out loss on the last tenth of the text, in bits a {letter}: lower is better. Made by `{source}` on "
    "{hardware}, one seed each: how much of a small difference is chance was not measured. The text is short and the "
    "windows are small: at {context} letters exact attention is cheap, and what far letters say is little."
)
LETTER = {HIDDEN: "hidden letter", NEXT: "letter"}
BOUND = (
    "**Low rank** is no method but a bound: in every step the nearest map of its rank is cut out of the exact one, "
    "which must be there first, so that nothing is saved. With {against} it says what a map of rank {rank} can still "
    "do."
)
BETTER = (
    "Better than exact is no mistake: {steps:,} steps are few, and a model that cannot look far need not learn first "
    "that near letters matter most. What exact attention reaches in a longer training was not measured."
)
WHY = {
    "Clustered": "all letters of a cluster share one row of weights, so none of them can ask for its own neighbours",
    "Performer": "so few random features blur a row that should point at one or two letters",
}
NOTES = replace(
    EFFICIENT,
    try_this=(
        "Which kind of attention loses least for what it saves? Is it the same one for both tasks?",
        "To fill in, Linformer sees blends of letters only; to go on, it sees those of its own block as they are. What "
        "is that worth?",
        "Compare with *Swapped in*: how much of the loss there does training win back?",
    ),
    references=(KARPATHY, MASKED, BELTAGY, ZAHEER, LINFORMER, CHOROMANSKI, VYAS),
)
