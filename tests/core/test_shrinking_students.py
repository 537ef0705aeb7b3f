"""Students: what they begin with, what comes back from disk, and how far their heads are from their teacher's."""

import pytest
import torch
from scipy.spatial.distance import jensenshannon
from torch.testing import assert_close

from core.capture import record_attention
from core.models.bert import BERTConfig, PretrainingBERT
from core.models.image_classifiers import make_image_classifier
from core.shrinking.students import LAYERS, STUDENTS, divergences, kept_blocks, load_student, make_student
from core.zoo.embedded import load_embedded_image, load_embedded_text

VIT = {"img_size": 32, "patch_size": 8, "embed_dim": 24, "depth": 6, "num_heads": 2, "num_classes": 5}


def test_one_layer_out_of_two_is_kept():
    assert kept_blocks(6, 3) == (0, 2, 4)
    assert kept_blocks(12, 6) == (0, 2, 4, 6, 8, 10)
    assert kept_blocks(6, 6) == tuple(range(6))
    with pytest.raises(ValueError, match="1 to 6, not 7"):
        kept_blocks(6, 7)


def teacher(kind):
    torch.manual_seed(0)
    if kind == "bert":
        return PretrainingBERT(BERTConfig(50, 16, 12, 6, 2, 24)).eval()
    return make_image_classifier("vit", VIT).eval()


def example(kind):
    torch.manual_seed(1)
    return torch.randint(50, (2, 9)) if kind == "bert" else torch.randn(2, 3, 32, 32)


@pytest.mark.parametrize("kind", ["bert", "vit"])
def test_a_student_begins_as_its_teacher_without_the_blocks_between(kind):
    full_network = teacher(kind)
    student = make_student(full_network, 3).eval()
    blocks = full_network.bert.blocks if kind == "bert" else full_network.blocks
    for number in (5, 3, 1):
        del blocks[number]
    assert_close(student(example(kind)), full_network(example(kind)))
    assert all(weight.requires_grad for weight in student.parameters())


@pytest.mark.parametrize("kind", ["bert", "vit"])
def test_a_student_of_all_layers_is_its_teacher_and_shares_nothing(kind):
    full_network = teacher(kind)
    student = make_student(full_network, 6).eval()
    before = full_network(example(kind))
    assert_close(student(example(kind)), before)
    with torch.no_grad():
        for weight in student.parameters():
            weight.zero_()
    assert_close(full_network(example(kind)), before)


@pytest.mark.parametrize("name", [name for names in STUDENTS.values() for name in names])
def test_the_students_that_come_along_are_read_and_have_their_layers(name):
    if name.startswith("bert"):
        full_model = load_embedded_text("bert-books")
        inputs = full_model.encode("The king had three sons.")
    else:
        full_model = load_embedded_image("vit-tiny-imagenet")
        from PIL import Image

        inputs = full_model.prepare(Image.new("RGB", (64, 64), "grey"))
    student = load_student(name, full_model)
    with torch.no_grad(), record_attention(student.network) as record:
        run = student.run(inputs)
    assert len(record.calls) == LAYERS[name.split("-")[1]]
    assert run.logits.isfinite().all()
    assert student.parameters < full_model.parameters


def test_heads_are_compared_as_scipy_compares_them():
    torch.manual_seed(2)
    ours, theirs = (torch.rand(heads, 4, 5, dtype=torch.double).softmax(dim=-1) for heads in (2, 3))
    far = divergences(ours, theirs)
    for one in range(2):
        for other in range(3):
            rows = [jensenshannon(ours[one, query], theirs[other, query]) ** 2 for query in range(4)]
            assert float(far[one, other]) == pytest.approx(sum(rows) / 4)
    assert_close(divergences(ours, ours).diagonal(), torch.zeros(2, dtype=torch.double))
