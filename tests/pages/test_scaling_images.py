"""Images: the picture holds what the table says, filters take away what they say, and the address keeps it all."""

import pytest

from pages.scale.scaling_comparison import words as page
from pages.scale.scaling_comparison import words_images as said
from tests.pages.conftest import check
from tests.pages.scaling import PAGE, drawn, families, line, original, prose, same, told

TABLE = original("image_models.csv")
BEST = "eva02_large_patch14_448.mim_m38m_ft_in22k_in1k, 448 px"


@pytest.fixture
def images(visit):
    return lambda **query: visit(PAGE, show=page.IMAGES, **query)


def test_every_result_stands_at_its_parameters_and_its_accuracy(images):
    app = images()
    points = drawn(app)
    assert len(points) == len(TABLE) == 1556
    for row in (0, 700, 1555):
        of = TABLE[row]
        assert points[row] == pytest.approx((1e6 * float(of["parameters_millions"]), float(of["top1"])))
    text = prose(app)
    assert "**1,556 of 1,556** results are shown" in text
    extra = sum(of["data"] != "ImageNet-1k" for of in TABLE)
    assert f"**{extra} of 1,556** learned from more than ImageNet-1k" in text
    assert f"**{BEST}** (90.06 %" in text


def test_the_front_is_that_of_what_is_shown(images):
    app = images(images_family="transformer", images_data="ImageNet-1k", images_x="Pictures/s, RTX 4090")
    rows = [of for of in TABLE if of["family"] == "transformer" and of["data"] == "ImageNet-1k"]
    assert families(app) == {"transformer": len(rows)}
    x, y = line(app, "Pareto front")
    speeds, scores = ([float(of[name]) for of in rows] for name in ("rtx4090", "top1"))
    # By the definition, pair by pair.
    best = {
        (a, b)
        for a, b in zip(speeds, scores, strict=True)
        if not any(c >= a and d >= b and (c, d) != (a, b) for c, d in zip(speeds, scores, strict=True))
    }
    assert set(zip(x, y, strict=True)) == best
    assert x == sorted(x)
    assert "None of them learned from more than ImageNet-1k" in prose(app)


def test_a_search_may_be_hostile_and_finds_by_words_whatever_their_case(images):
    for text in ("(.*", "<script>alert(1)</script>", "\\", "[", "%s{0}", "🙂" * 40):
        app = images(images_search=text)
        assert not app.get("plotly_chart")
        assert "Nothing of 1,556 results passes these filters" in told(app)
        assert said.NOTHING in prose(app)
    app = images(images_search="  RESNET50  a1h ")
    assert len(drawn(app)) == sum("resnet50" in of["model"] and "a1h" in of["model"] for of in TABLE) > 0


def test_one_chosen_has_a_card_and_two_a_table_with_the_better_in_bold(images):
    app = images(images_chosen=BEST)
    assert "| Top-1, ImageNet-A | 88.63 % |" in prose(app)
    assert "| Source | huggingface/pytorch-image-models" in prose(app)
    app.multiselect(key="images_chosen").set_value([BEST, "resnet50.a1_in1k, 224 px"])
    check(app.run())
    text = prose(app)
    assert "| Parameters | 305 million | **25.6 million** |" in text
    assert "| Learned from | merged 30M or 38M | ImageNet-1k |" in text


def test_a_figure_that_is_missing_is_counted_and_not_drawn(images):
    app = images(images_x="Pictures/s, one by one on a CPU")
    missing = sum(not of["cpu"] for of in TABLE)
    assert len(drawn(app)) == 1556 - missing
    assert f"{missing} have no figure for *pictures/s, one by one on a CPU*" in prose(app)


def test_an_address_that_names_nothing_known_shows_the_beginning(images):
    app = images(images_x="Beauty", images_family="poets", images_chosen="nobody", images_table="?")
    assert len(drawn(app)) == 1556


def test_the_leaders_are_those_of_the_table(images):
    app = images(images_table=said.LEADERS)
    leaders = original("imagenet_leaders.csv")
    assert same(drawn(app).values(), [(1e6 * float(of["params_millions"]), float(of["top1"])) for of in leaders])
    assert "**All** of them learned from more than ImageNet-1k" in prose(app)
    assert "11 of 12 state no operations" in prose(app)
