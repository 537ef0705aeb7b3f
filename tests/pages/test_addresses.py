"""Addresses that somebody has cut or made up: what names no choice gets the first one."""

import pytest


@pytest.mark.parametrize(
    ("room", "query"),
    [
        ("explore/home", {"example": ""}),
        ("explore/image", {"picture": ""}),
        ("foundations/order", {"show": ""}),
        ("foundations/before_attention", {"show": "Copy", "draw": "", "asked": "", "distance": ""}),
        ("vision/swin", {"show": "Reach and cost", "reach_follow": ""}),
        ("scale/scaling_comparison", {"show": "Laws", "laws_law": "", "laws_from": ""}),
    ],
)
def test_an_address_that_names_no_choice_shows_the_page_all_the_same(visit, room, query):
    assert visit(room, **query).title
