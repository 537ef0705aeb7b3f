"""What Attention step by step says."""

from dataclasses import replace

from dashboard import contents
from dashboard.frame.layout import PageWords
from dashboard.frame.references import references

DICTIONARY, STEPS, GEOMETRY = "Dictionary", contents.EIGHT_STEPS, "Geometry"
# Parameters by which links from before the page had sections are known: they open the eight steps.
STEPS_PARAMETERS = (
    *("begin", "example", "text", "layer", "head", "token", "scaled", "masked", "mask", "temperature", "step", "cell"),
    *("X", "W_Q", "W_K", "W_V", "W_O", "Q", "K", "V"),
)
GEOMETRY_PARAMETERS = ("query_turn", "query_plane")

PAGE = PageWords(
    question="How does a query find its values?",
    lead="Attention is a dictionary that answers with a mixture: eight small pieces of arithmetic.",
    about=(
        "A dictionary of a programming language has a value for each key, and an answer only for a query that equals a "
        "key. Attention compares the query with every key, turns the scores into shares of 100%, and answers with the "
        "mixture of all values. Here the keys are directions of the wind, and the values are rain and sun on a day "
        "with that wind; all three entries are invented."
    ),
    try_this=(
        "Move the temperature to 0: which key is left? Then to 2: what does the answer come close to?",
        "Turn the query to 45°, halfway between two keys, at temperature 0. Who answers?",
        "Turn the query to 0°, which equals the key “north”. Does only that key answer?",
        "Under *Settings*, make the query longer. Which other control has the same effect?",
    ),
    references=references("VASWANI", "GRAVES", "SANDERSON"),
)
STEPS_NOTES = replace(
    PAGE,
    about=(
        "Walk through attention one step at a time, with numbers that you can change (below the figure) or with those "
        "of a real model. Rest the pointer on a number of the result to see the sum that made it."
    ),
    try_this=(
        "Turn the scale off (under *Settings*) and watch the largest weight: what is left for the other tokens?",
        "Turn the mask on. Which numbers change, and which stay exactly as they are?",
        "Move the temperature towards 4. Do the weights come closer to one another, and does their order change?",
        "In the classic example, give both rows of *K* the same numbers. Can a query still tell the two tokens apart?",
    ),
    references=references("VASWANI", "ALAMMAR", "RADFORD", "CLARK"),
)
GEOMETRY_NOTES = replace(
    PAGE,
    about=(
        "A query and the keys of one head as arrows. A dot product is the length of the query times the length of the "
        "key's shadow on it (dashed): large where a key is long and points where the query points, negative where it "
        "points away. Dragging the query turns it: its length stays, its angles change, and with them every score and "
        "every weight. The darker an arrow, the larger its weight. A head has more channels than a plane has "
        "axes, so the figure says what its plane leaves out."
    ),
    try_this=(
        "Drag the query towards another key until that one gets the largest weight. How many degrees does it take?",
        "Turn the query by 180° (arrow keys, or *Settings*): which key gets the largest weight now?",
        "Follow your own sentence in a head of `gpt-books`, in the plane of all queries and keys: how much does it "
        "keep of them?",
    ),
    references=references("VASWANI", "SANDERSON"),
)

QUERY_PLANE, MOST_PLANE = "The query and its strongest key", "All queries and keys"
