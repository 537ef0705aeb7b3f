"""Where a model looks, in one's own picture: every head, every patch."""

from dashboard.frame import layout, page_head
from dashboard.inputs import photograph
from dashboard.output.explore import explore
from pages.explore.image.prose import PAGE

page_head.head(PAGE)
bar, settings = layout.bar_with_settings()
with bar:
    photo = photograph.choose_in_bar(models_in=settings, patches_in=settings)
with layout.waiting_place():
    plain = photo.watched()
explore(plain, photo.watched, PAGE, view="picture")
