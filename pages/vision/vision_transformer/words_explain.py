"""Explanations."""

from dataclasses import replace

from core.vision.explain import ACTIVATION, ATTENTION, RELEVANCE, ROLLOUT
from dashboard.references import ABNAR, CAPTUM, CHEFER, JAIN, PETSIUK, SELVARAJU
from pages.vision.vision_transformer.words import VISION

TITLES = {
    ATTENTION: "Attention, last layer",
    ROLLOUT: "Rollout",
    RELEVANCE: "Gradient × attention",
    ACTIVATION: "Class activation",
}
# How each is read below the pointer, before the number.
TELLS = {
    ATTENTION: "the last layer gives it",
    ROLLOUT: "rollout gives it",
    RELEVANCE: "relevance",
    ACTIVATION: "activation for the class",
}
ABOUT = {
    ATTENTION: "Where {readers} in the last layer, all heads averaged. It knows nothing of the class.",
    ROLLOUT: "The same through all layers at once, down to the patches. It knows nothing of the class either.",
    RELEVANCE: "Attention counts only where more of it would raise the score of this class.",
    ACTIVATION: "The last feature map, its channels weighted by what they do for this class.",
}
MOST_PROBABLE = "the most probable"
CLASS_HELP = (
    "Which class the explanations are asked about, the most probable first. Attention and rollout look the same for "
    "every class; gradient × attention and class activation do not."
)
NO_ATTENTION = (
    "**{model}** is convolutional: it has no attention, so there is no map of attention, no rollout and no relevance "
    "of it. What it has is a class activation map, as coarse as its last feature map: {rows} × {columns} places."
)
NO_CLASSES = (
    "This model knows no classes, so no verdict can be explained and no faithfulness measured: what remains is where "
    "it looks."
)
MAP_SCALE = (
    "Each map has a scale of its own, written above it: nothing is drawn where it is 0, full ink where it is largest. "
    "What falls on tokens without a place on the picture is left out."
)
TAKEN_AWAY = (
    "Deletion puts the mean colour over patches, the most important first: the probability of a faithful explanation "
    "falls fast. Insertion puts them into a blurred copy (a Gaussian, standard deviation a tenth of the shorter side): "
    "there it rises fast. Numbers in the legend are areas under the curves; grey is the range of {draws} random orders."
)
LONG = "Measure it on this photograph (about {seconds:.0f} seconds)"
FORMULA_ATTENTION = (
    "*A* are the weights of a layer ({layers} layers of {heads} heads here), ∇*A* how the logit of the class changes "
    "with each of them, E the mean over heads, ⁺ what is above 0. Rollout multiplies the layers instead, each as "
    "½ E(A) + ½ I. Read are the rows of {read}."
)
FORMULA_ACTIVATION = (
    "*Fᵏ* is channel *k* of the last feature map, αₖ the mean over its places of the gradient of the class's logit."
)
FORMULA_AREA = "The area of {name} under deletion, with the numbers of its curve:"
NOTES = replace(
    VISION,
    try_this=(
        "Ask about another class. Which maps change, and which cannot?",
        "Move the slider on a low share: is the verdict gone although the object can still be seen?",
        "Choose a picture with two things in it, such as *astronaut*, and ask for a class of each.",
        "Insert instead of delete: how little of the picture is enough?",
    ),
    references=(CHEFER, ABNAR, SELVARAJU, PETSIUK, CAPTUM, JAIN),
)
