"""What the explanation of a weight of a translation says."""

INFLUENCE = (
    "This model has no attention: the number is the influence of {source} on {target}, measured by the gradient. No "
    "query and no key stand behind it. Click a cell of the transformer, in the map of one head."
)
ADDITIVE = (
    "Bahdanau's attention multiplies no query with a key: the score of a word is *v* · tanh(*W s* + *U h*), and the "
    "softmax of the scores is the row of {target}. Word by word shows these numbers."
)
MEAN = (
    "This map is a mean over heads, and a mean has no query and no key of its own. Choose one head above the map, and "
    "click the cell again."
)
SHIFTED = "In this map each word has the row of the step after it, which has read the word: that step is explained."
JOINED = (
    "The cell joins {count} weights between pieces of words, sums over keys and means over queries, to {cell}. The "
    "largest of them is explained: {largest}. With Pieces under Settings each has a cell of its own."
)
NEXT = "**6. Next target word.** At this step"
TRANSLATION = "**6. Translation.** The log-probability of the translation is"
LINK = "Every number of a step: Word by word"
