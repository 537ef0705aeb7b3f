"""What did RNN, LSTM, GRU and convolution see?"""

from dashboard.frame import page_head, sections
from pages.foundations.before_attention import copies, five_models, reach, ways, words

page_head.head(words.BEFORE)
sections.chosen(
    {words.REACH: reach.show, words.COPY: copies.show, words.WAYS: ways.show, words.MODELS: five_models.show}
)()
