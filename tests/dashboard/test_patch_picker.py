import numpy as np
import pytest

from dashboard.components.patch_picker import pack

PICTURE = np.zeros((30, 40, 3), dtype=np.uint8)
PLAIN = {"values": None, "limits": None, "chosen": ()}


def test_a_picture_that_the_browser_has_is_not_sent_again():
    first = pack(PICTURE, (3, 4), **PLAIN)
    assert first["picture"].startswith("data:image/png;base64,")
    again = pack(PICTURE, (3, 4), **PLAIN | {"chosen": [(2, 3)]}, have=first["ofPicture"])
    assert again["picture"] is None
    assert again["marked"] == [[2, 3]]
    assert pack(PICTURE + 1, (3, 4), **PLAIN, have=first["ofPicture"])["picture"]


def test_values_always_travel_and_decide_the_scale():
    values = np.array([[0.5, -2.0]])
    sent = pack(PICTURE, (1, 2), **PLAIN | {"values": values})
    assert sent["hasValues"]
    assert sent["limits"] == [-2.0, 2.0]
    assert not pack(PICTURE, (1, 2), **PLAIN)["hasValues"]


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"values": np.zeros((2, 2))}, r"3 × 4 patches, but the values have the shape \(2, 2\)"),
        ({"chosen": [(3, 0)]}, r"3 × 4 cells, but \(3, 0\) is marked"),
    ],
)
def test_what_does_not_fit_the_grid_is_an_error_that_says_so(wrong, sentence):
    with pytest.raises(ValueError, match=sentence):
        pack(PICTURE, (3, 4), **PLAIN | wrong)


@pytest.mark.parametrize("picture", [PICTURE[..., 0], PICTURE.astype(np.float32), PICTURE[:0]])
def test_what_is_no_picture_is_an_error(picture):
    with pytest.raises(ValueError, match="A picture is"):
        pack(picture, (3, 4), **PLAIN)
