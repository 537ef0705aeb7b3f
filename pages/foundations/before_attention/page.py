"""What did RNN, LSTM, GRU and convolution see?"""

from dashboard.frame import sections
from pages.foundations.before_attention import copies, five_models, reach, ways
from pages.foundations.before_attention.prose import PAGE

sections.show(PAGE, reach, copies, ways, five_models)
