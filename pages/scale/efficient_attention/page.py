"""What may be left out?"""

from dashboard.frame import page_head, sections
from pages.scale.efficient_attention import cost, from_scratch, maps, swapped_in
from pages.scale.efficient_attention.prose import PAGE

page_head.head(PAGE)
sections.chosen(
    {
        maps.SECTION.name: maps.show,
        swapped_in.SECTION.name: swapped_in.show,
        from_scratch.SECTION.name: from_scratch.show,
        cost.SECTION.name: cost.show,
    }
)()
