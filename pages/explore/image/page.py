"""Where a model looks, in one's own picture: every head, every patch."""

from dashboard import layout, photograph
from dashboard.explore import explore
from pages.explore.image import words

layout.head(words.IMAGE)
seen = photograph.choose()
with layout.waiting_place():
    plain = seen.watched()
explore(plain, seen.watched, words.IMAGE, view="picture")
