"""What can be told from a few patches?"""

from dashboard.frame import page_head, sections
from pages.vision.reconstruction import gaps, looking_up, measured, pixels, side_by_side, sources, words

page_head.head(words.PAGE)
sections.chosen(
    {
        words.GAPS: gaps.show,
        words.SOURCES: sources.show,
        words.PIXELS: pixels.show,
        words.LOOKING_UP: looking_up.show,
        words.SIDE_BY_SIDE: side_by_side.show,
        words.MEASURED: measured.show,
    }
)()
