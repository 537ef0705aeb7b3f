"""The explorer that all tables of published figures share."""

X, Y, LOG = "Across", "Up", "log"
FRONT = "Pareto front"
FRONT_HELP = (
    "Joins the models that none of those shown beats: no other is at least as good in both figures and better in one. "
    "It is drawn where better is defined, such as more accuracy for fewer parameters."
)
SEARCH, SEARCH_HINT = "Name contains", "part of a name"
ALL = "all"
YEARS = "Years"
CHOSEN = "Chosen"
CHOSEN_HINT = "click points in the picture, or type a name"
CHOSEN_HELP = "One opens a card with all of its figures, several are compared. A second click takes one away."
NOTHING = "Nothing of {count:,} {things} passes these filters: take one away, or shorten “Name contains”."
NO_FIGURE = (
    "Of the {things} that pass the filters ({count:,}), none has both {x} and {y}: choose other axes, or a scale that "
    "is not logarithmic."
)
HIDES = "What this picture hides"
FRONT_NAME = "Pareto front"
NOT_SHOWN = "not in the picture"
OPEN_SOURCE = "Open the source"
BEST = "Bold: the best of those compared, where better is defined."
