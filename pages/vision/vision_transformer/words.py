"""Vision transformer: what the page says, section by section."""

from dataclasses import replace

from core.attribution.image_methods import ACTIVATION, ATTENTION, RELEVANCE, ROLLOUT
from dashboard.frame.layout import PageWords
from dashboard.frame.references import references

# The sections of the page, as they stand in the address.
SEQUENCE, MAPS, EXPLAIN, CHANGE, MEASURED = (
    "Picture to sequence",
    "Maps",
    "Explanations",
    "Change it",
    "Measured",
)
PAGE = PageWords(
    question="How does a picture become a sequence?",
    lead="A photograph is cut into patches, and patches attend to one another as words do.",
    about=(
        "A transformer reads sequences, and a photograph is not a sequence. So it is cut into patches, each patch "
        "becomes a vector, and from there on patches look at one another as words do. Follow your own photograph "
        "through a real model, see where each head looks, and ask what its prediction really rests on."
    ),
    try_this=(),
    references=references("DOSOVITSKIY", "VASWANI"),
)

# Picture to sequence: what each stage is called, and what happens there.
STAGES = {
    "pixels": "Pixels",
    "features": "Features",
    "patches": "Patches",
    "flattened": "Flattened",
    "projected": "Projected",
    "embedding_norm": "Normed",
    "prefix": "Joining",
    "positions": "Positions",
    "tokens": "Tokens",
    "token_norm": "Normed",
    "encoded": "Encoded",
    "encoder_norm": "Normed",
    "logits": "Scores",
}
WHAT = {
    "pixels": "the photograph as the model takes it, {height} × {width}; each colour shifted and scaled",
    "patches": "cut into {rows} rows and {columns} columns of patches, {high} × {wide} pixels each",
    "flattened": "each patch as one vector: all of red, then green, then blue, row by row",
    "projected": "every vector times the same matrix E{bias}: {numbers} numbers become {channels} channels",
    "embedding_norm": "a norm that belongs to the projection",
    "prefix": "tokens that are not patches, the same for every picture: {prefix}",
    "positions": "one vector for each place, added to {who}",
    "tokens": "the sequence that the encoder reads: {joined}",
    "token_norm": "one more norm before the first block",
    "encoded": "after {blocks} blocks of attention and MLP{merged}",
    "encoder_norm": "the last norm, token by token",
    "logits": "the head reads {read}: one score for each class",
}
# The same of a hybrid, whose patches are cut from features.
WHAT_OF_FEATURES = {
    "features": "what a convolutional network makes of it: {kinds} numbers at each of {places} places",
    "flattened": "each patch as one vector: its features, one after another",
}
MERGED = ", in which patches were merged: there are fewer tokens now"
# Titles of the strips, where the name alone would say too little.
VECTORS = {
    "flattened": "Flattened: its pixels",
    "features": "Its features",
    "projected": "Projected: times E",
    "projected, after its norm": "Projected, after its norm",
    "position": "Position of this place",
    "token": "Token: projected + position",
    "token, after a norm": "Token, after one more norm",
}
CLICK = "Click a patch to follow it."
PIXELS_HELP = "The picture at the model's own resolution: this is all that the model gets."
FLATTENED = "Flattened, it begins with {some} … and has {count} numbers."
ARRAYS = (
    "Each row is a token, each column a channel; the colour of the page is 0. The followed patch is framed as long as "
    "it has a row of its own. Until the encoder no row depends on another; in the encoder they look at one another."
)
FILTERS = (
    "E has {count} filters, one for each channel of a token; each multiplies the {numbers} numbers of a patch. Here "
    "are the first {shown} principal components of the filters, as pictures, each with its share of the variance; "
    "together they hold {held:.0%}. Grey is 0."
)
NO_COLOURS = "This model's pictures do not have three colours, so its filters cannot be shown as pictures."
NO_POSITIONS = (
    "This model adds no position to its tokens: {way}. So two identical patches begin as identical tokens, wherever "
    "they lie, and there is no map of positions to show."
)
ANOTHER_WAY_TOO = "This model does not only add these vectors: {way}."
NO_SEQUENCE = (
    "**{title}** has no attention: it has no sequence of patches that look at one another. Choose a vision transformer "
    "here. Explanations shows what matters to such a network, Change it what the network says without a part of the "
    "picture."
)
SEQUENCE_FORMULA = (
    "The libraries write the first line as a convolution whose stride is its kernel; the sums are the same, and a test "
    "compares the two. {learned} the same for every patch: the projection does not know where a patch lies."
)
SEQUENCE_NOTES = replace(
    PAGE,
    try_this=(
        "Follow a patch of the background, then one on the edge of something. How do their vectors differ?",
        "Choose more patches on a side. `vit-tiny-imagenet` learned positions for 8 × 8 places: see them stretched.",
        "Follow a corner patch: which places are as good as its own, for this model?",
        "Choose `vit-tiny-imagenet`: it makes a token of the pixels of a patch alone. What does a token of the hybrid "
        "know more?",
        "Type `vit_small_patch14_reg4_dinov2` or `vit_small_patch16_dinov3`: registers in front, and no added "
        "positions in the second.",
    ),
    references=references("DOSOVITSKIY", "VASWANI", "LUO", "SU"),
)

# Maps.
HOW_FAR = "How far does each head look?"
HOW_FAR_ABOUT = (
    "For each patch the distances to all patches are averaged with its weights, then patches are averaged. Tokens "
    "without a place (class, distillation, registers) are left out here, with what goes to them, and the rest of each "
    "row is made to sum to 1 again. A mean over 3 × 3 patches would come to about one patch."
)
LEFT_OUT = (
    "{layers} of {total} attention layers {are} not in the chooser ({paths}): there {who} alone looks at the patches, "
    "to sum them up for the head. It has no place in the grid of patches; its weights are in the file below."
)
CLASS_TOKEN, OWN_VECTOR = "the {token} token", "a vector of the head's own, no token of the picture,"
OTHER_GRIDS = (
    "{layers} of {total} attention layers {are} not in the chooser ({paths}): there patches look at a grid of another "
    "size. The weights are in the file below."
)
MAPS_FORMULA = (
    "*q* and *k* are the vectors of one head, recorded inside the model as it ran. Above a size they are sent to your "
    "browser instead of the map, as 16-bit numbers, and each row is computed there when you point at it."
)
MAPS_BIASED = "*q* and *k* are the vectors of one head and *M* what the model adds to their products, as it ran."
MAPS_SEEN = "They are the model's own softmax, recorded as it ran."
KEEP_THE_TOP = (
    "*keep the top* takes the largest weights on the picture until they hold that share of all that falls on it."
)
MAPS_NOTES = replace(
    PAGE,
    try_this=(
        "Click a patch of the object, then one of the background. Do they look at their own kind, and from which layer "
        "on?",
        "Go through the layers with the arrows beside the chooser. Are there heads that look only at their neighbours?",
        "Keep the top 60% of the mass, as the figures of DINO do: which heads outline the object, and is it the same "
        "ones for another photograph?",
        "Set *Patches on a side* to its largest: `vit-tiny-imagenet` was trained with 8. Do its heads look the same "
        "distance in pixels, or in patches?",
    ),
    references=references("DOSOVITSKIY", "CARON", "DARCET", "JAIN"),
)

# Explanations: what they are called, how each is read below the pointer before the number, and what they are.
TITLES = {
    ATTENTION: "Attention, last layer",
    ROLLOUT: "Rollout",
    RELEVANCE: "Gradient × attention",
    ACTIVATION: "Class activation",
}
TELLS = {
    ATTENTION: "the last layer gives it",
    ROLLOUT: "rollout gives it",
    RELEVANCE: "relevance",
    ACTIVATION: "activation for the class",
}
ABOUT = {
    ATTENTION: "Where {readers} in the last layer, all heads averaged. It is the same for every class.",
    ROLLOUT: "The same through all layers at once, down to the patches. It is the same for every class, too.",
    RELEVANCE: "Attention counts only where a little more of it would raise the score of this class.",
    ACTIVATION: "The last feature map, its channels weighted by how the score of this class changes with them.",
}
MOST_PROBABLE = "the most probable"
CLASS_HELP = (
    "Which class the explanations are asked about, the most probable one at first. Attention and rollout are the same "
    "for every class; gradient × attention and class activation need not be."
)
NO_ATTENTION = (
    "**{model}** has no attention, so there is no attention map, no rollout and no relevance. What it has is a class "
    "activation map, as coarse as its last feature map: {rows} × {columns} places."
)
NO_CLASSES = (
    "This model has no classes, so there is no prediction to explain, and faithfulness cannot be measured. The maps "
    "show where it looks."
)
MAP_SCALE = (
    "Each map has a scale of its own, written above it: nothing is drawn where it is 0, full ink where it is largest. "
    "What falls on tokens without a place on the picture is left out."
)
TAKEN_AWAY = (
    "Deletion paints patches in {colour}, which is 0 for this model, the most important ones first: the faster the "
    "probability falls, the more faithful the explanation. Insertion puts them into a blurred copy (a Gaussian, "
    "standard deviation a tenth of the shorter side): the faster it rises, the better. Numbers in the legend are areas "
    "under the curves; grey is the range of {draws} random orders."
)
LONG = "Measure it on this photograph (about {seconds:.0f} seconds)"
FORMULA_ATTENTION = (
    "*A* are the weights of a layer ({layers} layers of {heads} heads here), ∇*A* how the logit of the class changes "
    "with each of them, E the mean over heads, ⁺ what is above 0. Rollout multiplies the layers instead, each as ½ "
    "E(A) + ½ I. Read are the rows of {read}."
)
FORMULA_ACTIVATION = (
    "*Fᵏ* is channel *k* of the last feature map, αₖ the mean over its places of the gradient of the class's logit."
)
FORMULA_AREA = "The area of {name} under deletion, with the numbers of its curve:"
EXPLAIN_NOTES = replace(
    PAGE,
    try_this=(
        "Ask about another class. Which maps change, and which cannot?",
        "Move the slider to a low share: does the prediction change although you can still see the object?",
        "Choose a picture with two things in it, such as *astronaut*, and ask for a class of each.",
        "Insert instead of delete: how little of the picture is enough?",
    ),
    references=references("CHEFER", "ABNAR", "SELVARAJU", "PETSIUK", "CAPTUM", "JAIN"),
)

# Change it.
HIDE = "Click patches to hide them, and click them again to show them."
HIDDEN = (
    "A hidden patch is painted in {colour}, which is 0 for this model after its normalisation: it is still a token "
    "with a place, but an empty one."
)
SQUARES = (
    "This network has no patches: what can be hidden here are squares of {high} × {wide} pixels, as many as its last "
    "feature map has places. A hidden one is painted in {colour}, which is 0 for this model after its normalisation."
)
NO_HEADS = "This network has no attention heads to ablate."
NO_VERDICT = (
    "**{title}** has no classes, so there is no prediction that could change. Choose a model with classes. Maps shows "
    "what its heads attend to."
)
HEADS_HELP = "An ablated head adds nothing: its attention weights are 0."
OFFER = (
    "Hide {what} in turn, {count} times in all, each time with everything else in place, and see what **{target}** "
    "loses."
)
ALONE = "A patch that could be hidden alone without loss may still matter: another one may show the same."
CHANGED_MAPS = "Where every head looks after the change"
CHANGE_FORMULA = (
    "*H* are the hidden patches, *S* the ablated heads. For the map of single patches *H* is one square at a time and "
    "*S* is empty, and what is drawn is the first probability minus the second (Zeiler and Fergus 2014, section 4.2, "
    "slid a grey square over the picture in the same way)."
)
CHANGE_NOTES = replace(
    PAGE,
    try_this=(
        "Hide what you think the prediction rests on. Does it change? Then hide everything else instead.",
        "Find the patch that matters most, hide it, and see whether another one takes its place.",
        "Ablate whole layers, one by one. Which does the model miss more, the first or the last?",
        "Hide the same part in a convolutional network. Which of the two networks is hurt less?",
    ),
    references=references("ZEILER", "MICHEL", "NASEER", "DOSOVITSKIY"),
)

# Measured.
MODELS = {
    "vit-tiny-imagenet": "Vision transformer",
    "swin-tiny-imagenet": "Swin transformer",
    "resnet-tiny-imagenet": "Residual network",
    "plain-tiny-imagenet": "Plain convolutions",
}
RANDOM = "At random"
NOT_YET = "Not measured yet: {names}."
NOTHING = (
    "No model has been measured yet: `make train-resnet-tiny-imagenet` trains one, and says what it is worth in "
    "`weights/resnet-tiny-imagenet/results.json`."
)
NOT_FAITHFUL_YET = (
    "The explanations have not been measured yet: `python -m training.measurements.vision_faithfulness --data PATH` "
    "does it in a few minutes."
)
MEASURED_ON = (
    "Top-1 and top-5: how often the right class is the most probable one, or among the five most probable, of "
    "{pictures:,} validation pictures of 100 classes (Tiny ImageNet, 64 × 64 pixels). MACs: multiplications with "
    "addition for one picture. Swin and both convolutional networks saw the training pictures equally often, the "
    "vision transformer more often, in the end also learning from the answers of the residual network."
)
FAITHFUL_ON = (
    "Means of {pictures} validation pictures, two of each class, with their standard errors; explained is the class "
    "that the model itself finds most probable. Patches of 8 × 8 pixels are taken away, or put back into a blurred "
    "copy, four at a time. Compare explanations of one model: how large an area is at all depends on how sure that "
    "model is of itself."
)
ERROR_FORMULA = (
    "Every share comes from finitely many pictures: twice its standard error either way is where the true value "
    "probably lies. For *{model}*, top-1:"
)
AREA_FORMULA = (
    "*p* is the probability of the class after a share *s* of the patches was taken away, or put back, in the order of "
    "an explanation; the area is computed by the trapezoid rule over 16 steps and averaged over the pictures."
)
MEASURED_NOTES = replace(
    PAGE,
    try_this=(
        "Compare the two networks without attention: the only thing that the plain one lacks is the shortcuts.",
        "Which model would you take where pictures per second count, and which where memory counts?",
        "Open *Explanations* for a photograph on which the best explanation of this table loses.",
    ),
    references=references("DOSOVITSKIY", "SWIN_TRANSFORMER", "HE", "PETSIUK"),
)
