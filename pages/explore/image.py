"""Where a model looks, in one's own picture: every head, every patch."""

from dashboard import controls, layout, runs, words
from dashboard.explore import explore

layout.head(words.IMAGE)
with layout.control_bar():
    picture = controls.picture()
    name = controls.model("image")
    resolution = controls.resolution(runs.image_model(name))

with layout.waiting_place():
    plain = runs.watch_image(name, picture, resolution)
explore(plain, lambda heads: runs.watch_image(name, picture, resolution, heads), words.IMAGE, view="picture")
