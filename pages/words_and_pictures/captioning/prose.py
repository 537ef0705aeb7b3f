"""Captioning: what the page says, but for the sentences that are computed."""

from dashboard.frame.prose import read_prose

PAGE = read_prose(__file__)
