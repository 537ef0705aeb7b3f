"""What do shifted windows see?"""

from dashboard import layout, sections
from pages.vision.swin import maps, position_bias, reach, windows, words

layout.head(words.SWIN)
sections.chosen(
    {words.WINDOWS: windows.show, words.MAPS: maps.show, words.BIAS: position_bias.show, words.REACH: reach.show}
)()
