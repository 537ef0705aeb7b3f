"""Living examples, one large and a small one of each task: a figure, and a sentence that is true of it."""

import streamlit as st

from core import zoo
from dashboard import contents, theme
from dashboard.components.attention_view import attention_view
from dashboard.components.cell_map import cell_map
from dashboard.components.patch_picker import patch_picker
from dashboard.inputs import controls
from dashboard.recordings.watched import watch_image
from dashboard.typeset import plain
from pages.explore.home import compute
from pages.explore.home.compute import Matrix, PatchMap, Repeated

HEIGHT = 210  # pixels
CORE = "Core path"
# The way from the example to a visitor's own, by the name of the page.
OWN = {"Text": "Try it with your own sentence", "Image": "Try it with your own photograph"}


def sentence() -> None:
    """The head of a small GPT that finds best what followed the same words earlier."""
    repetition = compute.repeated()
    attention_view(repetition.scene, key="view", token=len(repetition.watched.inputs) - 1, address=False)
    _below(about_repeated(repetition), contents.TEXT)


def photograph() -> None:
    """A vision transformer on a photograph."""
    watched = watch_image(zoo.GLOBAL_ATTENTION[0], controls.FIRST_PICTURE, None)
    attention_view(watched.scene, key="view", view="picture", token=watched.notice.start.token, address=False)
    _below(watched.notice.ordered[0], contents.IMAGE)


def _below(sentence: str, own: contents.Page) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(sentence, width=theme.PROSE)
        own.link(OWN[own.name])


def about_repeated(repetition: Repeated) -> str:
    """What the last token gives to the one that followed the same words earlier, and whether that is the head's job."""
    labels = [plain(label.strip()) for label in repetition.watched.inputs.labels]
    (layer, head), tested = repetition.head, repetition.tested
    before = " ".join(labels[repetition.place - repetition.length : repetition.place])
    conclusion = (
        "it looks for what came next the last time"
        if tested.holds
        else "too little to say that it looks for what came next the last time"
    )
    return (
        f"**Layer {layer}, head {head}**: the last “{labels[-1]}” gives {repetition.weight:.0%} of its attention to "
        f"“{labels[repetition.place]}”, which followed “{before}” earlier. In {tested.cases} other sentences it gives "
        f"such a word {tested.job:.0%} on average, and {tested.control:.0%} where the words before it are not "
        f"repeated: {conclusion}."
    )


def core_path() -> str:
    """One head of a small GPT."""
    head_map = compute.one_head()
    _matrix("one-head", head_map, x="looked at", y="looks", alt=f"Attention of one head on “{compute.SENTENCE}”")
    return about_last(head_map)


def about_last(head_map: Matrix) -> str:
    """What the last row gives most to, the first column left aside."""
    row = head_map.values[-1]
    place = 1 + int(row[1:].argmax())
    last, other = plain(head_map.rows[-1]), plain(head_map.columns[place])
    return f"In one head of a small GPT, “{last}” gives {row[place]:.0%} of its attention to “{other}”."


def language() -> str:
    """A translation, word by word."""
    alignment = compute.alignment()
    alt = f"Which English token each French one looked at: “{compute.TRANSLATED}”"
    _matrix("alignment", alignment, x="English", y="French", alt=alt)
    return about_alignment(alignment)


def about_alignment(alignment: Matrix) -> str:
    """The surest link."""
    row, column = alignment.strongest
    french, english = plain(alignment.rows[row]), plain(alignment.columns[column])
    return f"Before it writes “{french}”, a translator gives {alignment.values[row, column]:.0%} to “{english}”."


def vision() -> str:
    """A photograph, and what a vision transformer looks at."""
    patch_map = compute.photograph()
    _picture("photograph", patch_map, alt="What the class token of the last layer gives to each patch of a photograph")
    return about_patches(patch_map, "The class token of a vision transformer")


def words_and_pictures() -> str:
    """A caption, and where was looked for one of its words."""
    patch_map = compute.caption()
    _picture("caption", patch_map, alt=f"Where the network looked for “{patch_map.word}”")
    return f"“{plain(patch_map.text)}”. {about_patches(patch_map, f'For “{plain(patch_map.word)}” the network')}"


def about_patches(patch_map: PatchMap, who: str) -> str:
    """What share of the attention to all patches the tenth of them holds that was given most."""
    values = sorted(patch_map.values.flatten().tolist(), reverse=True)
    if not sum(values):
        return f"{who} gives nothing to patches."
    count = max(1, round(len(values) / 10))
    share = sum(values[:count]) / sum(values)
    return f"{who} gives {share:.0%} of what it gives to patches to {count} of {len(values)}."


def scale() -> str:
    """The same head, with a window only."""
    windowed, share = compute.left_out()
    _matrix("left-out", windowed, x="looked at", y="looks", alt="The same head with a sliding window only")
    return (
        f"The same head with a window of {compute.WINDOW} tokens: {share:.0%} of its attention is inside, and what is "
        "hatched is left out."
    )


def _matrix(name: str, matrix: Matrix, *, x: str, y: str, alt: str) -> None:
    cell_map(
        matrix.values,
        key=name,
        x=x,
        y=y,
        rows=matrix.rows,
        columns=matrix.columns,
        limits=(0.0, 1.0),
        tell="“{row}” gives {value} to “{column}”",
        alt=alt,
        name=f"home-{name}",
        height=HEIGHT,
    )


def _picture(name: str, patch_map: PatchMap, *, alt: str) -> None:
    rows, columns = patch_map.values.shape
    patch_picker(
        patch_map.picture,
        rows=rows,
        columns=columns,
        key=name,
        values=patch_map.values,
        tell="row {row}, column {column}: {value}",
        hint="Point at a patch.",
        alt=alt,
        name=f"home-{name}",
        height=HEIGHT,
    )


# By task.
EXAMPLES = {
    CORE: core_path,
    "Language": language,
    "Vision": vision,
    "Words and pictures": words_and_pictures,
    "Scale": scale,
}
# At the top of the page, by what the visitor chooses.
LARGE = {"A sentence": sentence, "A photograph": photograph}
