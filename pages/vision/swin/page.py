"""What do shifted windows see?"""

from dashboard.frame import page_head, sections
from pages.vision.swin import maps, position_bias, reach, windows, words

page_head.head(words.SWIN)
sections.chosen(
    {words.WINDOWS: windows.show, words.MAPS: maps.show, words.BIAS: position_bias.show, words.REACH: reach.show}
)()
