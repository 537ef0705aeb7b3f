"""What is told of the table of grounding: who is best and worst, and who is no better than pointing blindly."""

from dashboard.figures.grounding import Scored
from dashboard.output.pointing_game import METHODS, notices

ATTENTION, RELEVANCE, OCCLUSION = METHODS["attention"], METHODS["relevance"], METHODS["occlusion"]


def scored(*shares: float, error: float = 0.01) -> list[Scored]:
    """Three ways of one network, with these shares."""
    ways = (ATTENTION, RELEVANCE, OCCLUSION)
    return [Scored("CLIP", way, share, error, 1000) for way, share in zip(ways, shares, strict=False)]


def test_ways_are_ranked_only_where_they_are_more_than_two_standard_errors_apart():
    ranked = notices(scored(0.3, 0.6, 0.8), {}, "pointing game", "all")[0]
    assert f"**{OCCLUSION}** of CLIP is best with **80%**; **{ATTENTION}** of CLIP is last with 30%" in ranked
    near = notices(scored(0.3, 0.79, 0.8), {}, "pointing game", "all")[0]
    assert f"not clearly before {RELEVANCE} of CLIP" in near
    alike = notices(scored(0.79, 0.8, 0.81), {}, "pointing game", "all")[0]
    assert "no way is clearly better" in alike
    assert "best" not in alike
    (alone,) = notices(scored(0.3), {}, "pointing game", "all")
    assert "gets **30%**" in alone
    assert notices([], {}, "pointing game", "all") == ()


def test_pointing_blindly_is_told_by_sign():
    above, _ = notices(scored(0.3, 0.6), {"at random": 0.1}, "pointing game", "all")[1:]
    assert "All are clearly better than pointing at random (10%)" in above
    both, _ = notices(scored(0.1, 0.6), {"at random": 0.59}, "pointing game", "all")[1:]
    assert f"Not clearly better than pointing at random (59%): {RELEVANCE} of CLIP" in both
    assert f"worse than pointing at random (59%): {ATTENTION} of CLIP" in both


def test_relevance_is_compared_with_attention_by_sign():
    for shares, says in (
        ((0.3, 0.6), "better than"),
        ((0.6, 0.3), "worse than"),
        ((0.3, 0.31), "not clearly different"),
    ):
        assert says in notices(scored(*shares), {}, "pointing game", "all")[-1]
