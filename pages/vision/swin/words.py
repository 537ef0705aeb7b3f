"""Swin: all that the page says, but for the sentences that are computed."""

from dataclasses import replace

from dashboard.frame.layout import PageWords
from dashboard.frame.references import references

# The sections of the page, as they stand in the address.
WINDOWS, MAPS, BIAS, REACH = ("Windows", "Maps", "Position bias", "Reach and cost")

SWIN = PageWords(
    question="What do shifted windows see?",
    lead="In Swin each patch attends only to its own small window; windows shift in every second block.",
    about=(
        "In a vision transformer every patch looks at every other: a picture of twice the side has four times as many "
        "patches, and sixteen times as many pairs. Swin lets each patch look only at the small window in which it "
        "lies, shifts the windows in every second block, and merges patches between stages. What does a place in your "
        "photograph see, and how far?"
    ),
    try_this=(),
    references=references("SWIN_TRANSFORMER", "DOSOVITSKIY"),
)

# How queries and keys are compared: by their products or, in SwinV2, by their cosines.
CONTENT = {False: r"\tfrac{QK^{\top}}{\sqrt{d}}", True: r"\tau \cos(Q, K)"}

AS_IT_IS = "**On the photograph.** White lines are the borders of windows: no place attends to another window."
AS_CUT_SHIFTED = "**After the cyclic shift**, as the block cuts it. In a window, places attend only to their own tint."
AS_CUT = "**As the block cuts it.** It does not shift its windows, so every place attends to all of its window."
CHOOSE = "**All windows**: the share of pairs that may look at one another. Click one."
MASK = "**The mask of window {window}**: which query may look at which key."
MERGING = (
    "Between two stages 2 × 2 neighbours become one place. Their vectors are laid side by side, normalised and mapped "
    "to fewer numbers (in SwinV2 mapped first, then normalised). Choose a place of the stage, and see the real numbers."
)
WINDOWS_FORMULA = (
    "Swin's even blocks cut the grid into windows from the upper left corner; odd blocks move all windows by half a "
    "window, where there are several. Instead of smaller windows at the edges, the whole grid is rolled, and a mask of "
    "−100 is added to the scores of pairs that the roll has joined. Where the grid does not fill whole windows it is "
    "padded with zeros, which are keys like any other."
)
WINDOWS_NOTES = replace(
    SWIN,
    try_this=(
        "Go from an even block to the odd one after it. Which two neighbours could not look at one another before, and "
        "can now?",
        "Choose the last window of a shifted block. How many colours has it, and how few pairs does the mask leave?",
        "Choose a resolution that does not divide evenly (24 patches on a side) and look at the last stage: how much "
        "of its windows is padding?",
        "Follow one place through merging. Which four neighbours is it made of, and how many pixels of your photograph "
        "does it stand for?",
    ),
)

EACH_HEAD, TWO_HEADS = "each head", "the difference of two heads"
COMPARED_ABOUT = (
    "Each number is |weight of head {first} − weight of head {second}|: ink lies where the two heads disagree."
)
COMPARED_FORMULA = (
    "Two heads of the same block share their weights out among the same keys. Half the sum of the absolute differences "
    "is what one of them gives elsewhere: 0 where both rows are equal, 1 where they share no key."
)
HOW_FAR = "How far does each head look?"
HOW_FAR_ABOUT = (
    "A head cannot look beyond its window, but within it it may look near or far. One point for each head; the mean "
    "distance, in pixels of the picture as the model takes it, between a place and what it looks at. Places grow where "
    "stages begin, so that a window of as many places covers more of the picture."
)
MAPS_FORMULA = (
    "A window holds *M* × *M* places, and the softmax runs over these alone: each row has {positions} weights that sum "
    "to 1, where global attention would have {tokens:,}. *B* is the position bias of the pair. In shifted blocks the "
    "mask forbids pairs that only the cyclic shift brought together. For the picture, the shift is undone and what "
    "was padded is left out: each weight lies where its key lies."
)
MAPS_NOTES = replace(
    SWIN,
    try_this=(
        "Click a place near the edge of a window, in a block that is not shifted, and then the same place in the next "
        "block. Where does its window lie now?",
        "Choose *the same place in every window*: do all windows look alike, as a pattern of positions, or does each "
        "follow what is in its part of the photograph?",
        "Choose a shifted block and click a place in the last row. Why does its part of the window end there?",
        "Take more patches on a side. What of a head's pattern stays, and what was only there because of the coarse "
        "grid?",
        "Show the difference of two heads. In which block do they differ most?",
    ),
)

TABLE = "**Bias at each distance**, head {head}. Click a distance."
ADDED = "**The same for each pair** in a window. Click a pair."
HEADS = "**All heads of this block**, on one scale: the middle is the place itself."
PAIR = "One score of this photograph, number by number"
PLACE = "How much is content, how much is place?"
PLACE_ABOUT = (
    "The share of the bias in the variance of the scores, over all places of this photograph and all keys that each "
    "may look at. Near 0% the scores depend on what is seen, near 100% on where it lies; below 0% the bias works "
    "against the content. Click a head."
)
CONTINUOUS = "From distance to bias"
CONTINUOUS_ABOUT = (
    "SwinV2 does not learn a number for each distance. It learns a small network that gives a bias for any distance, "
    "measured on a logarithmic scale: near distances keep their resolution, and in a larger window the farthest "
    "distances are only slightly farther."
)
# How the bias comes about: from a table or, in SwinV2, from a network, which is asked about logarithmic distances.
BIAS_OF = {
    False: (
        r"\begin{gathered} s_{ij} = \tfrac{q_i \cdot k_j}{\sqrt{d}} + B_{ij} \\ "
        r"B_{ij} = \hat{B}_{r_i - r_j,\; c_i - c_j} \end{gathered}",
    ),
    True: (
        r"\begin{gathered} s_{ij} = \tau \cos(q_i, k_j) + B_{ij} \\ "
        r"B_{ij} = 16\,\sigma(\operatorname{MLP}(\hat\Delta_{ij})) \end{gathered}",
        r"\hat\Delta = \operatorname{sign}(\Delta) \log_2\!\left(1 + \tfrac{8\,|\Delta|}{M_\text{trained} - 1}\right) "
        r"/ \log_2 8",
    ),
}
BIAS_FORMULA = (
    "A window of *h* × *w* places has (*hw*)² pairs but only (2*h* − 1)(2*w* − 1) distances. Pairs at the same "
    "distance share one number for each head. *Share* is cov(bias, score) / var(score), each row of the scores taken "
    "without its mean, because adding the same to a whole row changes no weight: the shares of content and bias add up "
    "to 100%. *Moved* is the share of weight that would go to other keys if the bias were left out."
)
BIAS_NOTES = replace(
    SWIN,
    try_this=(
        "Find a head that looks at its own row, one that looks at its own column, and one that looks away from itself.",
        "Click along a diagonal of the matrix: which number of the table do all these pairs share?",
        "Choose the head with the largest share. What would it look at if all patches were the same grey?",
        "Change the photograph. The tables stay; which of the shares move most?",
    ),
    references=references("SWIN_TRANSFORMER", "SWIN_V2", "RAFFEL"),
)

BACK_HELP = (
    "Backwards: of what the chosen place is made after a block. Forwards: how much of each place, after a block, is "
    "the chosen patch."
)
TELL = {
    "back": "{title}, after {label}: {value} of the chosen place comes from row {row}, column {column}.",
    "forth": "{title}, after {label}: {value} of the place in row {row}, column {column} is the chosen patch.",
}
NEVER = {
    "back": "{title}, after {label}: row {row}, column {column} cannot have reached the chosen place yet.",
    "forth": "{title}, after {label}: the chosen patch cannot have come to row {row}, column {column} yet.",
}
ROLLOUT = (
    r"\begin{gathered} r_b = e_{\text{place}}\, B_b\, B_{b-1} \cdots B_1 \\ "
    r"B = \begin{cases} \tfrac12 A + \tfrac12 I & \text{block} \\ \tfrac14 \text{ for each of } 2 \times 2 & "
    r"\text{merging} \end{cases} \end{gathered}"
)
REACH_FORMULA = (
    "As in attention rollout: each block keeps one half of a place and takes the other half by its weights, whatever "
    "the model really keeps; where stages begin, a merged place takes its 2 × 2 places equally. Values, $W_O$, norms "
    "and the MLP are left out, so a share says through which links information can have come, and how strong the links "
    "are, not what the model makes of it. Where nothing of the photograph is shown, nothing can have come: windows, "
    "shifts and masks forbid it."
)
COST = (
    "One attention block over the finest grid of this model: {width} channels in {heads} heads, a place for every "
    "{patch} × {patch} pixels, windows of {high} × {wide} places. Lines are counted multiply-adds (equations 1 and 2 "
    "of the paper). The measurement times a block with these sizes on this machine, without bias and mask, once in "
    "windows and once over the whole grid, both with torch's fused kernel. Lines and points are each relative to the "
    "block in windows at {least} pixels."
)
COST_FORMULA = "The cost of one attention block, in multiply-adds (Liu et al. 2021, equations 1 and 2), with *h* = *w*:"
REACH_NOTES = replace(
    SWIN,
    try_this=(
        "Choose a patch in the middle of a window of the first block, then one in a corner. Which of them meets its "
        "neighbours earlier?",
        "Raise the patches on a side. After how many blocks is the whole picture within reach now, and what does the "
        "vision transformer pay for needing only one?",
        "Look forwards: where has a patch got to after the last block, and where has most of it gone?",
        "Measure the cost on this machine. From which size on are windows faster, and by as much as was counted?",
    ),
    references=references("SWIN_TRANSFORMER", "ABNAR", "DOSOVITSKIY"),
)
