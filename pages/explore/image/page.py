"""Where a model looks, in one's own picture: every head, every patch."""

from dashboard.cache.models import image_model
from dashboard.frame import layout, page_head
from dashboard.inputs import controls, model_name
from dashboard.inputs.photograph import Photograph
from dashboard.output.explore import explore
from pages.explore.image import words

page_head.head(words.IMAGE)
with layout.control_bar():
    picture = controls.picture()
    menu = layout.settings()
name = model_name.model("image", menu=menu)
with menu:
    photo = Photograph(name, picture, controls.resolution(image_model(name)))
with layout.waiting_place():
    plain = photo.watched()
explore(plain, photo.watched, words.IMAGE, view="picture")
