"""The five models by name: how they are called, and the hue that each has in every figure."""

from dashboard.theme import HUES

TITLES = {
    "rnn": "RNN",
    "lstm": "LSTM",
    "gru": "GRU",
    "convolution": "Convolution",
    "self_attention": "Self-attention",
}
HUE = dict(zip(TITLES.values(), (HUES[1], HUES[0], HUES[4], HUES[2], HUES[3]), strict=True))
