"""Words and pictures: captions and maps alone, and what visitors of the pages wait for."""

import statistics
from collections.abc import Iterator
from functools import partial
from itertools import islice, product

from PIL import Image

from benchmarks import controls
from benchmarks.measure import times
from benchmarks.student import opened, typed, visiting, wait
from benchmarks.table import Row
from core.attribution.word_maps import captioner_maps, clip_maps
from core.capture import record_attention
from core.images import open_example
from core.scenes.codes import EXAMPLE, read_code
from core.scenes.draw import draw
from core.scenes.things import COLOURS, SHAPES
from core.zoo.attention_gans import load_attention_gan
from core.zoo.captioners import CAPTIONERS, load_captioner
from core.zoo.clips import load_clip
from core.zoo.dalles import available, load_dalle
from core.zoo.joint import JOINT, load_joint

ANSWER = 1.5  # seconds from a new photograph or sentence to its maps
LOADING = 0.5  # seconds
PICTURE = 3.0  # seconds from a sentence to its drawings
SENTENCES = ("a blue circle above a red star", "a large green square", "two small yellow rings")
SCENES = (
    "0-0~ring.blue.large.plain.30.30",
    "1-2~heart.pink.small.striped.12.40~cross.brown.medium.plain.44.20",
    "3-3~diamond.orange.large.plain.40.40~star.yellow.small.plain.12.12",
)


def rows() -> Iterator[Row]:
    """Networks alone, then the pages."""
    loads = (
        partial(load_captioner, "photographs-lstm"),
        partial(load_clip, "photographs"),
        partial(load_joint, "two-streams"),
    )
    seconds = times(*loads, repeats=3)
    yield Row("Captioning: loading a captioner of photographs", seconds[0], "s", LOADING)
    yield Row("CLIP: loading that of photographs", seconds[1], "s", LOADING)
    yield Row("Joint: loading two streams", seconds[2], "s", LOADING)
    scene = Image.fromarray(draw(read_code(EXAMPLE)))
    for name in CAPTIONERS:
        model = load_captioner(name)
        picture = scene if name.startswith("scenes") else open_example("coffee")
        pixels = model.prepare(picture).pixels

        def write(model=model, pixels=pixels):
            words = model.tokens(model.write(pixels, beam=3, keep_steps=True).best.tokens)
            return model.look(pixels, words)

        words = write().words
        seconds_of_caption = times(write, partial(captioner_maps, model, pixels, words), repeats=5)
        yield Row(f"Captioning, {name}: a caption with beam 3, and all its maps", seconds_of_caption[0], "s", ANSWER)
        yield Row(f"Captioning, {name}: its words by every way to tell", seconds_of_caption[1], "s", ANSWER)
    clip = load_clip("photographs")
    pixels = clip.prepare(open_example("coffee")).pixels
    alternatives = [["a cup of coffee"], ["a cup on a table"], ["coffee on a table"]]
    (seconds_of_maps,) = times(partial(clip_maps, clip, pixels, "a cup of coffee on a table", alternatives), repeats=5)
    yield Row("CLIP: three words of a sentence by every way to tell", seconds_of_maps, "s", ANSWER)
    for name in JOINT:
        joint = load_joint(name)
        tokens, pixels = joint.encode(SENTENCES[0]), joint.prepare(scene).pixels

        def look(joint=joint, tokens=tokens, pixels=pixels):
            with record_attention(joint.network) as record:
                joint.run(pixels, tokens)
            return joint.attention(record, len(tokens))

        yield Row(f"Joint, {name}: who looks at whom in every head", times(look, repeats=5)[0], "s", ANSWER)
    yield from drawings()
    with visiting() as (page, address):
        opened(page, address, "captioning", "A caption")
        waits = []
        for scene_code in SCENES:
            page.get_by_role("button", name="Scene").click()
            waits.append(wait(page, typed(page, "The scene as a text", scene_code, "Enter")))
            page.keyboard.press("Escape")
        yield Row("Captioning: new scene to two captions and their maps", statistics.median(waits), "ms", 1000 * ANSWER)
        for name, section, field in (
            ("captioning", "Your own caption", "Your caption"),
            ("clip", "Why?", "Your sentence"),
            ("clip", "Search", "Search for"),
            ("joint", "Who looks at whom?", "Your sentence"),
            ("joint", "Hidden words", "Your sentence"),
        ):
            opened(page, address, name, section)
            waits = [wait(page, typed(page, field, sentence, "Enter")) for sentence in SENTENCES]
            what = f"{name.capitalize()}, {section}: new sentence to its maps"
            yield Row(what, statistics.median(waits), "ms", 1000 * ANSWER)
        if available():
            fresh = (f"a large {colour} {shape}" for colour, shape in product(COLOURS, SHAPES))
            for section in ("Write a sentence", "Who told it?", "Go on", "Painted in stages", "Side by side"):
                opened(page, address, "generation", section)
                # Sections share what was drawn: a sentence that another one has asked for would not be new.
                new_sentences = islice(fresh, len(SENTENCES))
                waits = [wait(page, typed(page, "Your sentence", sentence, "Enter")) for sentence in new_sentences]
                what = f"Generation, {section}: new sentence to four pictures"
                yield Row(what, statistics.median(waits), "ms", 1000 * PICTURE)
        for name, section in (
            ("captioning", "The right region?"),
            ("captioning", "Measured"),
            ("clip", "Agreement"),
            ("clip", "The space"),
            ("clip", "Measured"),
            ("joint", "Hidden words"),
            ("joint", "Do they match?"),
            ("joint", "Measured"),
            ("generation", "Measured"),
        ):
            opened(page, address, name, section)
            label, slowest = max(controls.waits(page), key=lambda label_and_wait: label_and_wait[1])
            yield Row(
                f"{name.capitalize()}, {section}: slowest control, until the page is still",
                slowest,
                "ms",
                400,
                detail=label,
            )


def drawings() -> Iterator[Row]:
    """DALL-E alone, if its weights exist."""
    if not available():
        return
    yield Row("Generation: loading a DALL-E", times(partial(load_dalle, "scenes"), repeats=3)[0], "s", LOADING)
    drawer = load_dalle("scenes")
    words = drawer.encode(SENTENCES[0])

    def draw(count: int):
        *_, codes = drawer.draw(words, range(count))
        return drawer.coder.paint(codes)

    for count in (1, 4, 16):
        (seconds,) = times(partial(draw, count), repeats=3)
        yield Row(f"Generation: {count} drawings of a sentence", seconds, "s", PICTURE)
    *_, codes = drawer.draw(words, range(1))
    (seconds,) = times(partial(drawer.attention, words, codes[0]), repeats=5)
    yield Row("Generation: what each part was made from, in every head", seconds, "s", ANSWER)
    yield Row(
        "Generation: loading an attention GAN", times(partial(load_attention_gan, "scenes"), repeats=3)[0], "s", LOADING
    )
    painter = load_attention_gan("scenes")
    (seconds,) = times(lambda: painter.paint([words] * 16, painter.noise(0, range(16))), repeats=5)
    yield Row("Generation: 16 pictures painted in stages, with what each place took", seconds, "s", PICTURE)
