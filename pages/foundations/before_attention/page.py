"""What did RNN, LSTM, GRU and convolution see?"""

from dashboard.frame import page_head, sections
from pages.foundations.before_attention import copies, five_models, reach, ways
from pages.foundations.before_attention.prose import PAGE

page_head.head(PAGE)
sections.chosen(
    {
        reach.SECTION.name: reach.show,
        copies.SECTION.name: copies.show,
        ways.SECTION.name: ways.show,
        five_models.SECTION.name: five_models.show,
    }
)()
