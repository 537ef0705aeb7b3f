import numpy as np
import pytest

from core.view import Layer, PatchSequence, Scene, TextSequence


def even(queries: int, keys: int):
    return lambda _: np.full((queries, keys), 1 / keys, np.float32)


def layer(query: str = "text", key: str = "text", **more) -> Layer:
    return Layer("0", query, key, 2, more.pop("weights", even(3, 3)), **more)


TEXT = {"text": TextSequence(("a", "b", "c"))}


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: TextSequence(()), "at least one token"),
        (lambda: TextSequence(("a", "b"), (True,)), "2 labels and 1 special marks"),
        (lambda: PatchSequence(0, 4), "grid of 0 x 4 patches is empty"),
        (lambda: PatchSequence(1, 1, picture=np.zeros((4, 4), np.uint8)), r"shape \(row, column, 3\), not \(4, 4\)"),
        (lambda: Layer("7", "text", "text", 0, even(3, 3)), "Layer '7' has 0 heads"),
        (lambda: Scene(TEXT, ()), "at least one layer"),
        (lambda: Scene(TEXT, (layer(key="source"),)), "Layer 0 looks for a sequence 'source'; this scene has 'text'"),
        (lambda: Scene(TEXT, (layer(),)).pattern(0, 2), "heads 0 to 1; head 2 was asked for"),
        (lambda: Scene(TEXT, (layer(weights=even(3, 4)),)).pattern(0, 1), r"\(3, 4\).*need \(3, 3\)"),
        (lambda: Scene(TEXT, (layer(allowed=lambda: np.ones((2, 3), bool)),)).pattern(0, 0), r"mask of shape \(2, 3\)"),
    ],
)
def test_what_does_not_fit_is_a_sentence(make, sentence):
    with pytest.raises(ValueError, match=sentence):
        make()


def test_patches_come_after_the_prefix_tokens():
    assert len(PatchSequence(3, 5, ("class", "register"))) == 17


def test_a_causal_layer_may_not_look_ahead():
    pattern = Scene(TEXT, (layer(causal=True),)).pattern(0, 0)
    np.testing.assert_array_equal(pattern < 0, [[False, True, True], [False, False, True], [False, False, False]])


def test_a_causal_layer_with_older_keys_may_look_at_all_of_them():
    sequences = {"new": TextSequence(("d", "e")), "all": TextSequence(("a", "b", "c", "d", "e"))}
    pattern = Scene(sequences, (layer("new", "all", causal=True, weights=even(2, 5)),)).pattern(0, 0)
    np.testing.assert_array_equal((pattern < 0).sum(axis=1), [1, 0])


def test_masked_links_are_told_from_links_of_weight_zero():
    allowed = np.array([[True, True, False]] * 3)
    pattern = Scene(TEXT, (layer(allowed=lambda: allowed, weights=lambda _: np.eye(3, dtype=np.float32)),)).pattern(
        0, 0
    )
    np.testing.assert_array_equal(pattern, [[1, 0, -1], [0, 1, -1], [0, 0, -1]])


def test_nan_is_never_turned_into_a_number():
    pattern = Scene(TEXT, (layer(weights=lambda _: np.full((3, 3), np.nan, np.float32)),)).pattern(0, 0)
    assert np.isnan(pattern).all()


def test_the_array_of_the_model_is_not_changed():
    own = np.full((3, 3), 1 / 3, np.float32)
    Scene(TEXT, (layer(causal=True, weights=lambda _: own),)).pattern(0, 0)
    assert (own > 0).all()
