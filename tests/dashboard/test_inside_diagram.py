"""The diagram: one box for each part in view, nothing outside the sheet, blocks that can be opened."""

import pytest

from core.interpretability import walk
from core.models.transformer import Transformer, TransformerConfig
from dashboard.components.diagram import scene
from dashboard.components.diagram.scene import BOX, LANE
from tests.core.tiny_models import picture, tiny_gpt, tiny_timm, tokens

IDS = tokens(batch=1)


def gpt():
    return walk(tiny_gpt(), lambda network: network(IDS))


def pair(norm: str = "post"):
    model = Transformer(TransformerConfig(64, 64, 32, 2, 4, 48, norm=norm)).eval()
    return walk(model, lambda network: network(IDS, IDS))


def drawn(walked, chosen: str):
    return scene(walked, chosen, inputs=("7 tokens", "5 tokens"), output="64 scores")


def test_the_block_of_the_chosen_part_is_open():
    boxes = [box.key for box in drawn(gpt(), "blocks.1.mlp").boxes]
    assert boxes == [
        "token_embedding",
        "position_embedding",
        "blocks.1.attention_norm",
        "blocks.1.attention",
        "blocks.1.mlp_norm",
        "blocks.1.mlp",
        "norm",
        "output",
    ]


def test_each_sum_of_the_open_block_is_drawn():
    assert len(drawn(gpt(), "norm").sums) == 3  # tokens and positions, attention, MLP
    assert len(drawn(pair(), "head").sums) == 2 + 2 + 3


def test_a_number_opens_the_same_part_of_another_block():
    chips = drawn(gpt(), "blocks.1.mlp").chips
    assert [(chip.key, chip.on) for chip in chips] == [("blocks.0.mlp", False), ("blocks.1.mlp", True)]
    inner = drawn(gpt(), "blocks.0.attention.qkv").chips
    assert inner[1].key == "blocks.1.attention.qkv"


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_cross_attention_is_reached_by_an_arrow_from_the_encoder(norm):
    sheet = drawn(pair(norm), "head")
    cross = next(box for box in sheet.boxes if box.label == "Cross-attention")
    arrows = [path["points"] for path in sheet.paths if len(path["points"]) == 5]
    assert len(arrows) == 1
    assert arrows[0][0][0] < LANE  # begins in the encoder's lane
    assert arrows[0][-1] == (cross.x, cross.y + BOX / 2)


@pytest.mark.parametrize("walked", [gpt, pair, lambda: walk(tiny_timm("vit"), lambda n: n(picture()[:1]))])
def test_nothing_lies_outside_and_no_two_boxes_overlap(walked):
    sheet = drawn(walked(), "nowhere")
    for box in sheet.boxes:
        assert box.x >= 0
        assert box.x + box.width <= sheet.width
        assert box.y + BOX <= sheet.height
    for one in sheet.boxes:
        for other in sheet.boxes:
            apart = one.y + BOX <= other.y or other.y + BOX <= one.y or abs(one.x - other.x) > LANE / 2
            assert one is other or apart, (one.key, other.key)
