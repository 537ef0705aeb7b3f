import base64
import math

import numpy as np
import pytest

from dashboard.components.alignment_view import AlignmentScene, Map, Panel
from dashboard.components.alignment_view.scene import cell_of, pack

SOURCE = ("The", " cat", "</s>")
WEIGHTS = np.array([[0.9, 0.1, 0.0], [0.25, 0.5, 0.25]], np.float32)


def panel(**changed) -> Panel:
    fields = {
        "key": "own",
        "title": "Own",
        "about": "weights",
        "target": ("Le", " chat"),
        "maps": (Map("one", WEIGHTS),),
    }
    return Panel(**fields | changed)


def numbers(message: dict, place: int = 0) -> np.ndarray:
    sent = base64.b64decode(message["panels"][0]["maps"][place]["weights"])
    return np.frombuffer(sent, "<f2").reshape(2, 3)


def test_weights_travel_as_float16_row_by_row_with_what_may_not_be_looked_at():
    weights = WEIGHTS.copy()
    weights[0, 2] = np.nan
    turned = np.asfortranarray(weights)
    message = pack(AlignmentScene(SOURCE, (panel(maps=(Map("one", weights), Map("two", turned))),)))
    for place in (0, 1):
        np.testing.assert_array_equal(numbers(message, place), weights.astype(np.float16))


def test_labels_travel_as_they_are_and_places_of_numpy_as_numbers():
    odd = ("<img src=x onerror=alert(1)>", "=1+1")
    message = pack(AlignmentScene(SOURCE, (panel(target=odd, marked=(np.int64(1), 0)),)))
    assert message["panels"][0]["target"] == list(odd)
    assert message["panels"][0]["marked"] == [0, 1]
    assert all(type(place) is int for place in message["panels"][0]["marked"])


def test_links_of_people_and_links_that_are_cut_are_sent_as_cells_of_the_same_kind():
    scene = AlignmentScene(SOURCE, (panel(),))
    # A link is (source, target), a cut is (target, source): both are sent as (target, source).
    message = pack(scene, links=frozenset({(2, 0), (1, 1)}), cut=frozenset({(1, 2)}))
    assert message["links"] == [[0, 2], [1, 1]]
    assert message["cut"] == [[1, 2]]
    assert pack(scene)["links"] is None


def test_a_probability_of_zero_can_be_sent():
    message = pack(AlignmentScene(SOURCE, (panel(log_probabilities=(-math.inf, -0.5)),)))
    assert message["panels"][0]["logProbabilities"] == [None, -0.5]


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"target": ("Le",)}, r"has the shape \(2, 3\); its words need \(1, 3\)"),
        ({"maps": ()}, "at least one target word and one map"),
        ({"start": 1}, "has 1 maps; it cannot start with map 1"),
        ({"maps": (Map("same", WEIGHTS), Map("same", WEIGHTS))}, "a name of its own"),
        ({"log_probabilities": (0.0,)}, "1 log-probabilities for 2 target words"),
        ({"marked": (2,)}, "2 target words, but word 2 is marked"),
    ],
)
def test_what_does_not_fit_a_panel_is_an_error_that_says_which_and_why(changed, sentence):
    with pytest.raises(ValueError, match=sentence):
        AlignmentScene(SOURCE, (panel(**changed),))


def test_panels_need_keys_of_their_own_and_a_source_a_word():
    with pytest.raises(ValueError, match="a key of its own"):
        AlignmentScene(SOURCE, (panel(), panel()))
    with pytest.raises(ValueError, match="at least one word"):
        AlignmentScene((), (panel(),))


def test_a_click_is_a_cell_of_a_panel_or_nothing():
    scene = AlignmentScene(SOURCE, (panel(),))
    assert cell_of({"panel": "own", "target": 1, "source": 2}, scene) == ("own", 1, 2)
    for broken in (
        None,
        {},
        {"panel": "other", "target": 0, "source": 0},
        {"panel": ["own"], "target": 0, "source": 0},
        {"panel": "own", "target": 2, "source": 0},
        {"panel": "own", "target": 0, "source": -1},
        {"panel": "own", "target": True, "source": 0},
        {"panel": "own", "target": "0", "source": 0.0},
    ):
        assert cell_of(broken, scene) is None
