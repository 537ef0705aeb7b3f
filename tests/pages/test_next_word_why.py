"""Next word, "Why this word": what is shown adds up, links hold it, odd input gets a sentence, what is said is true."""

import math

import numpy as np
import pytest
import torch

from core import zoo
from core.capture import edit_attention
from core.errors import InputError
from core.interpretability.component_outputs import Component
from dashboard.inputs import controls
from pages.language.next_word import compute_why
from pages.language.next_word.figures_why import by_kind, by_layer, component_name, grid, largest, plus, source_rows
from pages.language.next_word.why_one_head import about_head, about_lens, about_silence, changes_of
from pages.language.next_word.why_this_word import NEAR, noticed
from tests.core.saved_models import save_text_model
from tests.pages.conftest import check, message_text, prose

TEXT = controls.FIRST_TEXT


@pytest.fixture
def why(visit):
    return lambda **address: visit("language/next_word", show="Why this word", **address)


@pytest.fixture(scope="module")
def read():
    return compute_why.reading("gpt-books", TEXT)


@pytest.fixture(scope="module")
def attribution(read):
    return compute_why.attribution(read, *read.best[:2])


def drawn(rng, *, layers=3, heads=4) -> dict[Component, float]:
    """Shares of parts, at random."""
    components = [Component("token"), Component("position")]
    for layer in range(layers):
        components += [Component("head", layer, head) for head in range(heads)]
        components += [Component("bias", layer), Component("MLP", layer)]
    components.append(Component("constant"))
    return dict(zip(components, rng.normal(size=len(components)).tolist(), strict=True))


def test_the_section_opens_with_the_best_two_candidates_that_are_no_tie_and_says_by_how_much(why, read):
    app = why()
    assert not app.warning
    logits = zoo.load_text("gpt-books").run(read.tokens).logits[-1]
    values, numbers = logits.topk(3)
    assert read.best[:3] == numbers.tolist()
    second = 1 if values[0] - values[1] >= NEAR else 2
    assert values[0] - values[second] >= NEAR
    assert f"by **{plus(float(values[0] - values[second]))} nats**" in prose(app)
    names = [compute_why.name_of(read.model, int(numbers[place])) for place in (0, second)]
    assert f"Why “{names[0]}” and not “{names[1]}”?" in prose(app).replace("\\", "")


def test_a_link_holds_tokens_and_head(why):
    app = why(why_token="sat", why_against="tired", why_layer="2", why_head="3", why_parts="By layer")
    assert "Why “sat” and not “tired”?" in prose(app).replace("\\", "")
    assert "Layer 2, head 3" in [element.value for element in app.subheader]
    assert app.segmented_control(key="why_parts").value == "By layer"


def test_another_text_and_another_head_keep_the_page_alive(why):
    app = why(why_layer="5", why_head="5")
    app.text_area(key="text").set_value("One, two, three,").run()
    app.number_input(key="why_head").set_value(0).run()
    assert not check(app).warning


@pytest.mark.parametrize(
    "address",
    [
        {"why_layer": "99", "why_head": "-1", "why_parts": "Backwards"},
        {"why_token": "<b>x</b> 👩‍👩‍👧", "why_against": "שלום"},
        {"text": "<img src=x> 👩‍👩‍👧 שלום"},
        {"text": "a"},
        {"why_token": "…s"},
    ],
)
def test_odd_links_are_read_as_they_are(why, address):
    app = why(**address)
    assert not app.warning
    assert "<b>" not in prose(app)


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ({"text": "  "}, "There is no text here yet"),
        ({"why_token": "cat", "why_against": "cat"}, "cannot be compared with itself"),
    ],
)
def test_what_cannot_be_answered_is_a_sentence(why, address, says):
    assert says in message_text(why(**address), "warning")


def test_a_long_text_is_cut_with_a_sentence(why):
    assert "The first 256 of" in message_text(why(text="the cat sat " * 200), "info")


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize("kind", ["bert", "t5"])
def test_a_model_that_does_not_go_on_with_a_text_is_refused(why, tmp_path, kind):
    assert "does not say what comes next" in message_text(why(model=str(save_text_model(kind, tmp_path))), "warning")


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize("kind", ["gpt2", "llama"])
def test_a_named_model_is_taken_apart_too(why, tmp_path, kind):
    app = why(model=str(save_text_model(kind, tmp_path)), text="The quick brown fox")
    assert not app.warning
    assert "All heads together add" in prose(app)
    assert "Ablating the head changes" in prose(app)


def test_presented_there_is_no_prose(why):
    app = why(present="1")
    assert "How it is computed" not in [element.value for element in app.subheader]
    assert "How it is computed" not in [element.value for element in app.subheader]


def test_without_a_head_the_difference_is_that_of_the_model_with_it_silenced(read, attribution):
    without = compute_why.reading("gpt-books", TEXT, (5, 2))
    model = zoo.load_text("gpt-books")
    with edit_attention(model.network, {("blocks.5.attention", 2): "silence"}):
        logits = model.run(read.tokens).logits[-1]
    changed = compute_why.attribution(without, attribution.target, attribution.foil)
    assert changed.difference == pytest.approx(float(logits[attribution.target] - logits[attribution.foil]), abs=1e-4)
    torch.testing.assert_close(without.lens[-1], logits, atol=1e-4, rtol=1e-4)
    changes = changes_of(attribution.by_component, changed.by_component)
    assert sum(changes.values()) == pytest.approx(changed.difference - attribution.difference, abs=1e-3)
    assert changes[Component("head", 5, 2)] == pytest.approx(-attribution.share(Component("head", 5, 2)), abs=1e-6)


def test_a_head_that_is_not_there_cannot_be_silenced():
    with pytest.raises(InputError, match="no head 9 in block 0"):
        compute_why.reading("gpt-books", TEXT, (0, 9))


def test_a_typed_word_is_its_first_token_after_a_space_and_a_piece_the_one_without(read):
    encode = read.model.tokenizer.encode
    assert compute_why.token_of(read.model, "dog") == encode(" dog").ids[0]
    assert compute_why.token_of(read.model, "…s") == encode("s").ids[0]
    for name, number in compute_why.names_of(read.model, read.best).items():
        if "#" not in name:
            assert compute_why.name_of(read.model, number) == name


def test_two_tokens_that_read_the_same_have_two_names(read):
    twins = [number for number in range(4096) if read.model.label(number).strip() == "the"]
    names = compute_why.names_of(read.model, [*twins, *twins])
    assert set(names.values()) == set(twins)


@pytest.mark.parametrize("seed", range(5))
def test_map_bars_and_sums_hold_every_part_once(seed, attribution):
    parts = drawn(np.random.default_rng(seed))
    total = sum(parts.values())
    for rows in (largest(parts), by_layer(parts), by_kind(parts)):
        assert sum(value for _, value in rows) == pytest.approx(total)
    ranked = sorted(parts.values(), key=abs, reverse=True)
    assert [value for _, value in largest(parts)[:12]] == ranked[:12]
    named = dict(by_layer(parts))
    attention = [share for writer, share in parts.items() if writer.block == 1 and writer.kind in ("head", "bias")]
    assert named["layer 1, attention"] == pytest.approx(sum(attention))
    columns, values = grid(attribution)
    assert columns == ["h0", "h1", "h2", "h3", "h4", "h5", "MLP", "bias"]
    outside = sum(attribution.share(writer) for writer in attribution.components if writer.block is None)
    assert float(np.nansum(values)) + outside == pytest.approx(attribution.total, abs=1e-4)
    assert values[3, 2] == pytest.approx(attribution.share(Component("head", 3, 2)), abs=1e-6)


def test_of_very_many_layers_each_has_one_bar():
    rows = by_layer(drawn(np.random.default_rng(0), layers=30))
    assert len(rows) == 33
    assert rows[2][0] == "layer 0"


@pytest.mark.parametrize("seed", range(20))
def test_who_writes_most_for_either_is_found_by_looking_at_all(seed):
    rng = np.random.default_rng(seed)
    parts = drawn(rng)
    difference = sum(parts.values())
    first, second, third = noticed(parts, difference, "“a”", "“b”")
    more = "“a”" if difference > 0 else "“b”"
    if abs(difference) >= 0.005:
        digits = 2 if abs(difference) < math.log(1000) else 0
        assert f"{more} is {math.exp(abs(difference)):,.{digits}f} times as probable" in first
    for writer, share in parts.items():
        name = f"{component_name(writer)}** adds most toward".lower()
        assert (name in second.lower()) == (share in (max(parts.values()), min(parts.values())))
    heads = sum(share for writer, share in parts.items() if writer.kind == "head")
    assert f"All heads together add {plus(heads)}" in third
    assert third.endswith(f"that is {plus(difference)}.")


def test_nothing_is_said_of_a_side_for_which_nobody_writes():
    parts = {Component("token"): 2.0, Component("MLP", 0): 1.0}
    sentences = noticed(parts, 3.0, "“a”", "“b”")
    assert sentences[1] == "**Token embedding** adds most toward “a” (+2.00)."
    assert "20.09 times" in sentences[0]
    assert "equally probable" in noticed({Component("token"): 0.0}, 0.0, "“a”", "“b”")[0]
    assert len(noticed({Component("token"): 0.0}, 0.0, "“a”", "“b”")) == 2
    assert "10⁵⁰" in noticed({Component("token"): 117.0}, 117.0, "“a”", "“b”")[0]


@pytest.mark.parametrize("seed", range(20))
def test_from_where_on_the_stream_favours_the_answer_is_the_last_change_of_sign(seed):
    values = np.random.default_rng(seed).normal(size=8)
    sentence = about_lens(values, "“a”", "“b”")
    first = 7
    while first > 0 and (values[first - 1] > 0) == (values[7] > 0):
        first -= 1
    assert ("“a”" if values[7] > 0 else "“b”") in sentence
    assert "favours neither" in about_lens(np.append(values, 0.001), "“a”", "“b”")
    assert ("already before the first layer" if first == 0 else f"after layer {first - 1} and from then on") in sentence


@pytest.mark.parametrize("seed", range(20))
def test_from_where_a_head_moved_most_is_the_largest_of_either_sign(seed):
    rng = np.random.default_rng(seed)
    weights, moved = rng.dirichlet(np.ones(6)), rng.normal(size=6)
    labels = list("uvwxyz")
    sentence = about_head((1, 2), labels, weights, moved)
    most = max(range(6), key=lambda place: abs(moved[place]))
    looked = max(range(6), key=lambda place: weights[place])
    assert f"“{labels[most]}” (token {most}): {plus(moved[most])}, by {weights[most]:.0%}" in sentence
    assert f"writes {plus(moved.sum())}" in sentence
    assert ("It also attends to that token most" in sentence) == (most == looked)
    assert ("the largest share from" in sentence) == ((moved[most] > 0) == (moved.sum() > 0))
    assert "almost nothing" in about_head((1, 2), labels, weights, 0 * moved)


@pytest.mark.parametrize("seed", range(20))
def test_what_silence_changes_beyond_the_own_part_is_told_with_its_largest_share(seed):
    rng = np.random.default_rng(seed)
    before, after = drawn(rng), drawn(rng)
    after[Component("head", 1, 1)] = 0.0
    changes = changes_of(before, after)
    total = (sum(before.values()), sum(after.values()))
    sentence = about_silence((1, 1), *total, changes)
    own = -before[Component("head", 1, 1)]
    real = total[1] - total[0]
    assert (
        f"by **{plus(real)}**, from {plus(total[0])} to {plus(total[1])}; its own part alone would change it by "
        f"{plus(own)}." in sentence
    )
    others = {writer: change for writer, change in changes.items() if writer != Component("head", 1, 1)}
    most = max(others, key=lambda writer: abs(others[writer]))
    if abs(real - own) >= 0.005:
        assert f"The other {plus(real - own)}" in sentence
    assert f"most {component_name(most)} ({plus(others[most])})" in sentence
    alone = {**before, Component("head", 1, 1): 0.0}
    sentence = about_silence((1, 1), total[0], sum(alone.values()), changes_of(before, alone))
    assert "No other part changes by as much as" in sentence
    alone[Component("MLP", 2)] += 1
    alone[Component("MLP", 1)] -= 1
    sentence = about_silence((1, 1), total[0], sum(alone.values()), changes_of(before, alone))
    assert "their changes cancel" in sentence


@pytest.mark.parametrize("count", [3, 24, 60])
def test_rows_by_token_add_up_however_many_tokens_there_are(count):
    rng = np.random.default_rng(count)
    weights, moved = rng.dirichlet(np.ones(count)), rng.normal(size=count)
    rows = source_rows([str(place) for place in range(count)], weights, moved)
    assert len(rows) == min(count, 24)
    assert rows["moved"].sum() == pytest.approx(moved.sum())
    assert rows["weight"].sum() == pytest.approx(1)
    assert str(int(np.abs(moved).argmax())) in rows["token"].tolist()
