"""What can be told from a few patches?"""

from dashboard.frame import page_head, sections
from pages.vision.reconstruction import gaps, looking_up, measured, pixels, side_by_side, sources
from pages.vision.reconstruction.prose import PAGE

page_head.head(PAGE)
sections.chosen(
    {
        gaps.SECTION.name: gaps.show,
        sources.SECTION.name: sources.show,
        pixels.SECTION.name: pixels.show,
        looking_up.SECTION.name: looking_up.show,
        side_by_side.SECTION.name: side_by_side.show,
        measured.SECTION.name: measured.show,
    }
)()
