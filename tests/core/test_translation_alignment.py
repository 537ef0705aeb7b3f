"""Links between words: read off a map, and compared with those made by people, by counting on one's fingers."""

import math
from itertools import product

import pytest
import torch

from core.translation.alignment import NO_LINKS, Agreement, agreement, diagonal, links_of

# Rows are target words, columns source words.
MAP = torch.tensor(
    [
        [0.6, 0.3, 0.1],
        [0.7, 0.2, 0.1],
        [0.1, 0.2, 0.7],
        [0.0, 0.4, 0.6],
    ]
)


def test_agreement_counts_what_was_found():
    links = {(0, 0), (1, 1), (2, 2), (3, 3)}
    counted = agreement(links, sure={(0, 0), (1, 1), (4, 4)}, possible={(2, 2)})
    assert counted == Agreement(predicted=4, sure=3, predicted_sure=2, predicted_possible=3)
    assert counted.precision == 3 / 4  # (0, 0), (1, 1), (2, 2) of four
    assert counted.recall == 2 / 3  # (0, 0), (1, 1) of three
    assert counted.error_rate == pytest.approx(1 - (2 + 3) / (4 + 3))


def test_the_error_rate_of_links_that_are_all_sure_is_one_minus_the_balanced_f_score():
    # Och and Ney 2003, section 5.1: with S = P, AER = 1 - 2PR / (P + R).
    for numbers in product(range(4), repeat=2):
        links = {(place, place) for place in range(numbers[0] + 1)}
        sure = {(place, place) for place in range(numbers[1], numbers[1] + 3)}
        counted = agreement(links, sure)
        precision, recall = counted.precision, counted.recall
        f_score = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        assert counted.error_rate == pytest.approx(1 - f_score)


def test_to_find_all_sure_links_and_none_but_possible_ones_is_no_error():
    sure, possible = {(0, 0)}, {(0, 1), (1, 0)}
    for links in ({(0, 0)}, {(0, 0), (0, 1)}, {(0, 0), (0, 1), (1, 0)}):
        assert agreement(links, sure, possible).error_rate == 0
        assert agreement(links, sure, possible).precision == agreement(links, sure, possible).recall == 1


def test_a_sure_link_is_a_possible_one_whether_it_is_listed_or_not():
    assert agreement({(0, 0)}, {(0, 0)}, set()) == agreement({(0, 0)}, {(0, 0)}, {(0, 0)})


def test_links_that_have_nothing_in_common_are_all_wrong():
    counted = agreement({(0, 1)}, {(1, 0)})
    assert (counted.precision, counted.recall, counted.error_rate) == (0, 0, 1)


def test_what_cannot_be_divided_is_not_a_number():
    assert math.isnan(agreement(set(), {(0, 0)}).precision)
    assert agreement(set(), {(0, 0)}).error_rate == 1
    assert math.isnan(agreement({(0, 0)}, set()).recall)
    assert math.isnan(NO_LINKS.error_rate)


def test_texts_are_summed_before_they_are_divided():
    first, second = agreement({(0, 0)}, {(0, 0)}), agreement({(0, 0), (1, 1), (2, 2)}, {(5, 5)})
    both = sum((first, second), NO_LINKS)
    assert both == Agreement(predicted=4, sure=2, predicted_sure=1, predicted_possible=1)
    assert both.precision == 1 / 4
    assert both.error_rate == pytest.approx(1 - 2 / 6)
    assert both.error_rate != pytest.approx((first.error_rate + second.error_rate) / 2)


def test_links_are_the_strongest_seen_from_either_side():
    by_target = {(0, 0), (0, 1), (2, 2), (2, 3)}  # (source, target): the largest of each row
    by_source = {(0, 1), (1, 3), (2, 2)}  # the largest of each column
    assert links_of(MAP) == links_of(MAP, "target") == by_target
    assert links_of(MAP, "source") == by_source
    assert links_of(MAP, "both") == {(0, 1), (2, 2)}
    assert links_of(MAP, "either") == by_target | by_source


@pytest.mark.parametrize(("targets", "sources"), [(1, 1), (1, 6), (6, 1), (5, 8)])
def test_each_direction_gives_each_word_of_its_side_one_link(targets, sources):
    weights = torch.rand(targets, sources, generator=torch.Generator().manual_seed(3))
    assert sorted(target for _, target in links_of(weights, "target")) == list(range(targets))
    assert sorted(source for source, _ in links_of(weights, "source")) == list(range(sources))
    assert {(target, source) for source, target in links_of(weights, "source")} == links_of(weights.T, "target")


def test_the_diagonal_of_equal_lengths_goes_straight():
    assert diagonal(4, 4) == {(0, 0), (1, 1), (2, 2), (3, 3)}


def test_the_diagonal_spreads_over_what_is_longer():
    # The middles of four target words lie at 1/8, 3/8, 5/8, 7/8 of the way; the two source words meet at 4/8.
    assert diagonal(2, 4) == {(0, 0), (0, 1), (1, 2), (1, 3)}
    assert diagonal(4, 2) == {(1, 0), (3, 1)}
    assert diagonal(1, 3) == {(0, 0), (0, 1), (0, 2)}
    assert diagonal(3, 1) == {(1, 0)}


@pytest.mark.parametrize("sources", range(1, 12))
@pytest.mark.parametrize("targets", [1, 2, 5, 7, 11, 30])
def test_the_diagonal_never_leaves_the_map_nor_turns_back(sources, targets):
    links = sorted(diagonal(sources, targets), key=lambda link: link[1])
    assert [target for _, target in links] == list(range(targets))
    places = [source for source, _ in links]
    assert places == sorted(places)
    assert 0 <= places[0] <= places[-1] < sources
