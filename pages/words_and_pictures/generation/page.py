"""Where does a new picture come from?"""

from dashboard.frame import page_head, sections
from pages.words_and_pictures.generation import codes, go_on, measured, painted, side_by_side, sources, write
from pages.words_and_pictures.generation.prose import PAGE

page_head.head(PAGE)
sections.chosen(
    {
        write.SECTION.name: write.show,
        sources.SECTION.name: sources.show,
        go_on.SECTION.name: go_on.show,
        codes.SECTION.name: codes.show,
        painted.SECTION.name: painted.show,
        side_by_side.SECTION.name: side_by_side.show,
        measured.SECTION.name: measured.show,
    }
)()
