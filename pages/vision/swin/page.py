"""What do shifted windows see?"""

from dashboard.frame import page_head, sections
from pages.vision.swin import maps, position_bias, reach, windows
from pages.vision.swin.prose import PAGE

page_head.head(PAGE)
sections.chosen(
    {
        windows.SECTION.name: windows.show,
        maps.SECTION.name: maps.show,
        position_bias.SECTION.name: position_bias.show,
        reach.SECTION.name: reach.show,
    }
)()
