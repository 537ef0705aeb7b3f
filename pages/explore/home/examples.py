"""Living examples, one large and a small one of each group: a figure, and a sentence that is true of it."""

import streamlit as st

from core import zoo
from dashboard import contents, theme
from dashboard.components.attention_view import attention_view
from dashboard.components.cell_map import cell_map
from dashboard.components.patch_picker import patch_picker
from dashboard.inputs import controls
from dashboard.recordings.watched import watch_image
from dashboard.typeset import plain
from pages.explore.home import compute, words
from pages.explore.home.compute import Looked, Matrix, Repeated

HEIGHT = 210  # pixels


def sentence() -> None:
    """The head of a small GPT that finds best what followed the same words earlier."""
    found = compute.repeated()
    attention_view(found.scene, key="view", token=len(found.watched.inputs) - 1, address=False)
    _below(about_repeated(found), contents.TEXT)


def photograph() -> None:
    """A vision transformer on a photograph."""
    watched = watch_image(zoo.WHOLE[0], controls.FIRST_PICTURE, None)
    attention_view(watched.scene, key="view", view="picture", token=watched.notice.start.token, address=False)
    _below(watched.notice.ordered[0], contents.IMAGE)


def _below(sentence: str, own: contents.Page) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(sentence, width=theme.PROSE)
        own.link(words.OWN[own.name])


def about_repeated(found: Repeated) -> str:
    """What the last token gives to the one that followed the same words earlier, and whether that is the head's job."""
    labels = [plain(label.strip()) for label in found.watched.inputs.labels]
    (layer, head), tested = found.head, found.tested
    before = " ".join(labels[found.place - found.length : found.place])
    verdict = (
        "it looks for what came next the last time"
        if tested.holds
        else "too little to say that it looks for what came next the last time"
    )
    return (
        f"**Layer {layer}, head {head}**: the last “{labels[-1]}” gives {found.weight:.0%} of its attention to "
        f"“{labels[found.place]}”, which followed “{before}” earlier. In {tested.cases} other sentences it gives such "
        f"a word {tested.job:.0%} on average, and {tested.control:.0%} where the words before it are not repeated: "
        f"{verdict}."
    )


def foundations() -> str:
    """One head of a small GPT."""
    found = compute.one_head()
    _matrix("one-head", found, x="looked at", y="looks", alt=f"Attention of one head on “{words.SENTENCE}”")
    return about_last(found)


def about_last(found: Matrix) -> str:
    """What the last row gives most to, the first column left aside."""
    row = found.values[-1]
    place = 1 + int(row[1:].argmax())
    last, other = plain(found.rows[-1]), plain(found.columns[place])
    return f"In one head of a small GPT, “{last}” gives {row[place]:.0%} of its attention to “{other}”."


def language() -> str:
    """A translation, word by word."""
    found = compute.alignment()
    alt = f"Which English token each French one looked at: “{words.TRANSLATED}”"
    _matrix("alignment", found, x="English", y="French", alt=alt)
    return about_alignment(found)


def about_alignment(found: Matrix) -> str:
    """The surest link."""
    row, column = found.strongest
    french, english = plain(found.rows[row]), plain(found.columns[column])
    return f"Before it writes “{french}”, a translator gives {found.values[row, column]:.0%} to “{english}”."


def vision() -> str:
    """A photograph, and what a vision transformer looks at."""
    found = compute.photograph()
    _picture("photograph", found, alt="What the class token of the last layer gives to each patch of a photograph")
    return about_patches(found, "The class token of a vision transformer")


def words_and_pictures() -> str:
    """A caption, and where was looked for one of its words."""
    found = compute.caption()
    _picture("caption", found, alt=f"Where the network looked for “{found.word}”")
    return f"“{plain(found.text)}”. {about_patches(found, f'For “{plain(found.word)}” the network')}"


def about_patches(found: Looked, who: str) -> str:
    """What share of the attention to all patches the tenth of them holds that was given most."""
    values = sorted(found.values.flatten().tolist(), reverse=True)
    if not sum(values):
        return f"{who} gives nothing to patches."
    count = max(1, round(len(values) / 10))
    share = sum(values[:count]) / sum(values)
    return f"{who} gives {share:.0%} of what it gives to patches to {count} of {len(values)}."


def scale() -> str:
    """The same head, with a window only."""
    found, kept = compute.left_out()
    _matrix("left-out", found, x="looked at", y="looks", alt="The same head with a sliding window only")
    return (
        f"The same head with a window of {compute.WINDOW} tokens: {kept:.0%} of its attention is inside, and what is "
        "hatched is left out."
    )


def _matrix(name: str, found: Matrix, *, x: str, y: str, alt: str) -> None:
    cell_map(
        found.values,
        key=name,
        x=x,
        y=y,
        rows=found.rows,
        columns=found.columns,
        limits=(0.0, 1.0),
        tell="“{row}” gives {value} to “{column}”",
        alt=alt,
        name=f"home-{name}",
        height=HEIGHT,
    )


def _picture(name: str, found: Looked, *, alt: str) -> None:
    rows, columns = found.values.shape
    patch_picker(
        found.picture,
        rows=rows,
        columns=columns,
        key=name,
        values=found.values,
        tell="row {row}, column {column}: {value}",
        hint="Point at a patch.",
        alt=alt,
        name=f"home-{name}",
        height=HEIGHT,
    )


# By group; what belongs to the first one, Explore, stands at the top of the page.
EXAMPLES = {
    "Foundations": foundations,
    "Language": language,
    "Vision": vision,
    "Words and pictures": words_and_pictures,
    "Scale": scale,
}
# At the top of the page, by what the visitor chooses.
LARGE = {"A sentence": sentence, "A photograph": photograph}
