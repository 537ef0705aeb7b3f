"""For each group of example_texts.toml, whether its opening succeeds by the measure of its page."""

from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import Any

import torch

from core.capture import record_attention
from core.results.joint_results import ITS, NONE
from core.scenes.codes import read_code
from core.scenes.sentences import parse
from core.scenes.telling import scene_for
from core.scenes.truth import is_true
from core.zoo import TRANSLATION
from core.zoo.joint import JOINT
from core.zoo.sentiment_classifiers import REVIEWERS
from dashboard.cache.models import text_model
from dashboard.inputs import controls
from dashboard.inputs.picture_input import EMOJI, PHOTOGRAPHS, SCENES, PictureInput
from dashboard.inputs.scene_builder import FIRST_SCENE
from pages.explore.home import compute as home
from pages.foundations.before_attention import compute as characters
from pages.foundations.inside_the_transformer import compute_kinds as kinds
from pages.language.missing_word import (
    compute_across,
    compute_both_ways,
    compute_fill_in,
    compute_inference,
    compute_tasks,
    compute_two_sentences,
    hidden_words,
)
from pages.language.missing_word.across import Example as Translated
from pages.language.missing_word.inference import RELATIONS
from pages.language.missing_word.inference import Example as Related
from pages.language.missing_word.tasks_sentences import tags_of
from pages.language.next_word import compute_tokens
from pages.language.sentiment import compute as sentiment
from pages.language.sentiment import compute_fooled
from pages.language.translation import compute as translation
from pages.scale.shrinking import compute as shrinking
from pages.words_and_pictures.captioning import compute as captioning
from pages.words_and_pictures.clip import compute as clip
from pages.words_and_pictures.clip import inputs as clip_inputs
from pages.words_and_pictures.generation import compute as drawing
from pages.words_and_pictures.generation import compute_painted as painting
from pages.words_and_pictures.joint import compute as joint

Texts = Sequence[Any]  # the examples of a group, in order
BERT = "bert-books"
SCENE = PictureInput(SCENES, FIRST_SCENE)
CAT = PictureInput(PHOTOGRAPHS, controls.FIRST_PICTURE)
TRANSLATIONS = {
    "Mon frère a acheté une petite voiture rouge parce que ce n'était pas cher.",
    "Mon frère a acheté une petite voiture rouge parce qu'elle n'était pas chère.",
}


def expects(texts: Texts, *, name: str, word: str) -> bool:
    """A network's first answer is a word."""
    question = shrinking.Question(name, texts[0])
    probabilities = shrinking.asker(question, shrinking.network_of(question))()
    return shrinking.answers_of(question)[int(probabilities.argmax())].strip() == word


def shows_home(texts: Texts) -> bool:
    """A head finds what followed earlier, another has one strong link, and “film” comes from “film”."""
    head, (row, column) = home.one_head(), (matrix := home.alignment()).strongest
    return (
        tuple(texts) == (home.REPEATING, home.SENTENCE, home.TRANSLATED)
        and (repeated := home.repeated()).tested.holds
        and repeated.weight > 0.5
        and head.values[-1, 1:-2].max() > 0.5
        and (matrix.rows[row], matrix.columns[column]) == ("film", "film")
    )


def is_translated(texts: Texts) -> bool:
    """Both models with attention translate it right, and the one without does not."""
    written = {name: translation.translate(name, texts[0], 5).text in TRANSLATIONS for name in TRANSLATION}
    return written == {"seq2seq": False, "bahdanau": True, "transformer": True}


def suits_three_kinds(texts: Texts) -> bool:
    """BERT's first guess is the masked word, and the translation is right."""
    words = kinds.shared(texts[0]).words
    filled, translated = kinds.fill(texts[0], kinds.usual_word(words)), kinds.translate(texts[0])
    right = translated.text == "Le vieil homme ouvrit les yeux et m'a regardé."
    return filled.predictions[0].number == filled.true and right


def has_strong_link(texts: Texts) -> bool:
    """In some head the last word gives nearly all of its attention to one word that stands two or more before it."""
    model = text_model("gpt-books")
    tokens = model.encode(texts[0])
    last = max(place for place, label in enumerate(tokens.labels) if any(map(str.isalnum, label)))
    with torch.inference_mode(), record_attention(model.network) as record:
        model.run(tokens)
    rows = [call.weights(head, queries=[last])[0, 1 : last - 1] for call in record.calls for head in range(call.heads)]
    return max(float(row.max()) for row in rows) > 0.85


def repeats_words(texts: Texts) -> bool:
    """Two words stand twice, so that their order makes a difference."""
    words = texts[0].lower().strip(".").split()
    return sum(words.count(word) > 1 for word in set(words)) >= 2


def expects_character(texts: Texts, *, character: str) -> bool:
    """Self-attention expects a character next."""
    return characters.read(texts[0]).expected["self_attention"][0][0] == character


def takes_fewest_tokens(texts: Texts) -> bool:
    """The first sentence takes fewer tokens than any other."""
    first, *others = (cuts.count("tokens") for cuts in compute_tokens.cuts("gpt-books", tuple(texts)))
    return first < min(others)


def fills_gap(texts: Texts) -> bool:
    """The hidden word is the first guess, and more probable from both sides than from the left only."""
    words = compute_fill_in.words_of(compute_fill_in.read(BERT, texts[0]))
    (number,) = hidden_words.first_hidden(words)
    gaps = compute_fill_in.fill(BERT, texts[0], (number,)).gaps
    readings = [compute_both_ways.read(name, texts[0], number) for name in (compute_both_ways.FORWARD, BERT)]
    return all(int(gap.probabilities.argmax()) == gap.true for gap in gaps) and readings[0].true < readings[1].true


def follows(texts: Texts) -> bool:
    """The second sentence follows more probably than any unrelated one; the third less than these on average."""
    first, second, wrong = texts
    others = compute_two_sentences.unrelated(BERT, first, second).values()
    right, unlikely = (compute_two_sentences.follows(BERT, first, text) for text in (second, wrong))
    return right > max(others) and unlikely < sum(others) / len(others)


def tags_both_books(texts: Texts) -> bool:
    """“Book” is a verb the first time and a noun the second time."""
    predictions = compute_tasks.look(texts[0]).predictions
    tags = zip(predictions.words, tags_of(predictions), strict=True)
    return [tag for word, (tag, _) in tags if word.label.strip() == "book"] == ["VERB", "NOUN"]


def needs_translation(texts: Texts) -> bool:
    """The hidden word is the first guess with the other language, and not without it."""
    example = texts[0]
    hidden = tuple(sorted(example.hidden_english)), tuple(sorted(example.hidden_french))
    guessed = compute_across.guess(example.english, example.french, *hidden)
    guesses = [*guessed.english, *guessed.french]
    right = [[int(gap.probabilities.argmax()) == gap.true for gap in (pair.with_other, pair.alone)] for pair in guesses]
    return bool(right) and all(pair == [True, False] for pair in right)


def has_relation(texts: Texts, *, relation: str) -> bool:
    """The relation of both sentences in English is the most probable one."""
    first, second = texts[0].first["English"], texts[0].second["English"]
    probabilities = compute_inference.read(first, second, ("English", "English")).probabilities
    return RELATIONS[int(probabilities.argmax())] == relation


def all_say(texts: Texts, *, language: str, verdict: str) -> bool:
    """All networks of a language give a review the same class."""
    return {prediction.label for prediction in sentiment.verdicts(texts[0], tuple(REVIEWERS[language]))} == {verdict}


def praises_less(texts: Texts, *, language: str) -> bool:
    """In every network praise is less probable for the changed text."""
    pairs = [compute_fooled.pair_probabilities(name, *texts[0]) for name in REVIEWERS[language]]
    return all(pair[1, -1] < pair[0, -1] for pair in pairs)


def can_be_drawn(texts: Texts) -> bool:
    """A sentence is true of the scene that is drawn for it."""
    sentence = parse(texts[0])
    return is_true(sentence, scene_for(sentence, Random(0)))


def agree(texts: Texts, *, pictures: Sequence[PictureInput]) -> bool:
    """Each sentence agrees most with its picture, and each picture with its sentence."""
    cosines = clip.cosines(clip_inputs.WORLDS[pictures[0].world], pictures, texts)
    numbers = list(range(len(pictures)))
    return cosines.argmax(axis=0).tolist() == numbers == cosines.argmax(axis=1).tolist()


def agree_by_lines(texts: Texts, *, world: str, pictures: Sequence[str]) -> bool:
    """The same for sentences that are the lines of one text."""
    return agree(texts[0].splitlines(), pictures=[PictureInput(world, picture) for picture in pictures])


def finds(texts: Texts, *, name: str, title: str) -> bool:
    """The nearest picture has a title."""
    corpus = clip.corpus(name)
    return corpus.titles[int((corpus.vectors @ clip.text_vector(name, texts[0])).argmax())] == title


def finds_true_scene(texts: Texts) -> bool:
    """The sentence is true of the nearest scene."""
    scores = clip.corpus("scenes").vectors @ clip.text_vector("scenes", texts[0])
    return clip.truths("scenes", texts[0])[int(scores.argmax())] is True


def is_probable_caption(texts: Texts, *, picture: PictureInput) -> bool:
    """The transformer finds the first caption more probable, word by word, than the second one."""
    name = f"{clip_inputs.WORLDS[picture.world]}-transformer"
    written = [captioning.look(name, picture, text).attention.log_probabilities for text in texts[:2]]
    right, wrong = (sum(values) / len(values) for values in written)
    return right > wrong


def needs_picture(texts: Texts) -> bool:
    """In each network the picture makes a hidden colour more probable; the sentence is true of it."""
    if not is_true(parse(texts[0]), read_code(FIRST_SCENE)):
        return False
    chances = [[joint.true_chances(name, SCENE, texts[0], (2,), how)[2] for how in (ITS, NONE)] for name in JOINT]
    return all(own > without for own, without in chances)


def is_drawn(texts: Texts) -> bool:
    """All holds in the picture that CLIP ranks first, of both networks."""
    made = (
        drawing.draw(drawing.DrawRequest("scenes", texts[0])),
        painting.paint(painting.PaintRequest("scenes", texts[0])),
    )
    return all(pictures.holds(pictures.order[0]) for pictures in made)


def is_drawn_alike(texts: Texts) -> bool:
    """CLIP finds a picture of each network that agrees with the sentence by a cosine of at least a half."""
    made = (
        drawing.draw(drawing.DrawRequest("emoji", texts[0])),
        painting.paint(painting.PaintRequest("emoji", texts[0])),
    )
    return all(max(pictures.agreement) >= 0.5 for pictures in made)


KINDS_OF = {"across": Translated, "inference": Related, "fooled-english": tuple, "fooled-spanish": tuple}
MEASURES: dict[str, Callable[[Texts], bool]] = {
    "home": shows_home,
    "next-word": partial(expects, name="gpt-books", word="door"),
    "translation": is_translated,
    "three-kinds": suits_three_kinds,
    "steps": has_strong_link,
    "order": repeats_words,
    "characters": partial(expects_character, character="f"),
    "languages": takes_fewest_tokens,
    "missing-word": fills_gap,
    "two-sentences": follows,
    "tasks": tags_both_books,
    "across": needs_translation,
    "inference": partial(has_relation, relation="contradiction"),
    "reviews-english": partial(all_say, language="english", verdict="negative"),
    "reviews-spanish": partial(all_say, language="spanish", verdict="positive"),
    "fooled-english": partial(praises_less, language="english"),
    "fooled-spanish": partial(praises_less, language="spanish"),
    "shrinking": partial(expects, name="gpt-books", word="door"),
    "shrinking-mask": partial(expects, name=BERT, word="began"),
    "scene": can_be_drawn,
    "agreement-photographs": partial(agree_by_lines, world=PHOTOGRAPHS, pictures=clip_inputs.FIRST_PHOTOGRAPHS),
    "agreement-emoji": partial(agree_by_lines, world=EMOJI, pictures=clip_inputs.FIRST_EMOJI),
    "words-photographs": partial(finds, name="photographs", title="cat"),
    "words-scenes": finds_true_scene,
    "words-emoji": partial(finds, name="emoji", title="red heart"),
    "search-emoji": partial(finds, name="emoji", title="red heart"),
    "search-scenes": finds_true_scene,
    "search-photographs": partial(finds, name="photographs", title="cat"),
    "captions-scenes": partial(is_probable_caption, picture=SCENE),
    "captions-photographs": partial(is_probable_caption, picture=CAT),
    "joint": needs_picture,
    "drawing-scenes": is_drawn,
    "drawing-emoji": is_drawn_alike,
}
