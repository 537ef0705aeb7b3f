"""Where a model looks, in one's own picture: every head, every patch."""

from dashboard import controls, layout
from dashboard.explore import explore
from dashboard.models import image_model
from dashboard.watched import watch_image
from pages.explore.image import words

layout.head(words.IMAGE)
with layout.control_bar():
    picture = controls.picture()
    name = controls.model("image")
    resolution = controls.resolution(image_model(name))

with layout.waiting_place():
    plain = watch_image(name, picture, resolution)
explore(plain, lambda heads: watch_image(name, picture, resolution, heads), words.IMAGE, view="picture")
