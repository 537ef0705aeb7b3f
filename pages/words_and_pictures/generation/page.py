"""Where does a new picture come from?"""

from dashboard.frame import page_head, sections
from pages.words_and_pictures.generation import codes, go_on, measured, painted, side_by_side, sources, words, write

page_head.head(words.PAGE)
sections.chosen(
    {
        words.WRITE: write.show,
        words.SOURCES: sources.show,
        words.GO_ON: go_on.show,
        words.CODES: codes.show,
        words.PAINTED: painted.show,
        words.SIDE_BY_SIDE: side_by_side.show,
        words.MEASURED: measured.show,
    }
)()
