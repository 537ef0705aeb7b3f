"""How does a picture become a sequence?"""

from dashboard.frame import page_head, sections
from pages.vision.vision_transformer import change, explain, maps, measured, sequence, words

page_head.head(words.PAGE)
sections.chosen(
    {
        words.SEQUENCE: sequence.show,
        words.MAPS: maps.show,
        words.EXPLAIN: explain.show,
        words.CHANGE: change.show,
        words.MEASURED: measured.show,
    }
)()
