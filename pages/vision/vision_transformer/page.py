"""How does a picture become a sequence?"""

from dashboard.frame import page_head, sections
from pages.vision.vision_transformer import change, explain, maps, measured, sequence
from pages.vision.vision_transformer.prose import PAGE

page_head.head(PAGE)
sections.chosen(
    {
        sequence.SECTION.name: sequence.show,
        maps.SECTION.name: maps.show,
        explain.SECTION.name: explain.show,
        change.SECTION.name: change.show,
        measured.SECTION.name: measured.show,
    }
)()
