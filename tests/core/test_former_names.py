"""Names of the last version still work, and say by what they are called now."""

import pytest
import torch

from core import heads
from core.attribution import aggregation
from core.generation import rules
from core.heads import head_table, repetition
from core.shrinking import number_formats, pruned_heads


@pytest.mark.parametrize(
    ("module", "former", "present"),
    [
        (heads, "relevance", aggregation),
        (head_table, "scores_of_repeat", head_table.repetition_scores),
        (repetition, "listen", repetition.run_repetition),
        (repetition, "ranked", repetition.rank_heads),
        (rules, "dice", rules.random_number),
        (number_formats, "in_format", number_formats.in_number_format),
        (number_formats, "bytes_of", number_formats.size_in_bytes),
        (pruned_heads, "without_heads", pruned_heads.prune_heads),
    ],
)
def test_a_former_name_is_the_present_one_with_a_warning(module, former, present):
    with pytest.warns(DeprecationWarning, match=present.__name__):
        assert getattr(module, former) is present


def test_a_former_property_is_the_present_one_with_a_warning():
    choice = rules.apply(rules.Rules(), torch.arange(4.0), ids=[0])
    with pytest.warns(DeprecationWarning, match="probabilities"):
        assert choice.chances is choice.probabilities


def test_any_other_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = heads.no_such_name
