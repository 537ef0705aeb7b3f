"""What may be left out?"""

from dashboard.frame import page_head, sections
from pages.scale.efficient_attention import cost, from_scratch, maps, swapped_in
from pages.scale.efficient_attention.words import PAGE

page_head.head(PAGE)
sections.chosen(
    {"Maps": maps.show, "Swapped in": swapped_in.show, "From scratch": from_scratch.show, "Cost": cost.show}
)()
