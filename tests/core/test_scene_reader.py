import torch

from core.models.scene_reader import CELL, GRID, IGNORED, KINDS, SceneReader, loss_of, targets_of
from core.scenes.things import Scene, scene_at


def perfect(scenes: list[Scene]) -> dict[str, torch.Tensor]:
    """What a network would say that makes no mistake."""
    targets = targets_of(scenes)
    present = targets["shape"] != IGNORED
    outputs = {"thing": torch.where(present, 20.0, -20.0)[:, None], "offset": targets["offset"]}
    for kind, values in KINDS.items():
        numbers = targets[kind].clamp_min(0)
        outputs[kind] = 20 * torch.nn.functional.one_hot(numbers, len(values)).permute(0, 3, 1, 2).float()
    return outputs


def test_targets_hold_all_that_a_scene_has(monkeypatch):
    scenes = [scene_at(split, number) for split in ("test", "four") for number in range(20)]
    outputs = perfect(scenes)
    monkeypatch.setattr(SceneReader, "forward", lambda *_: outputs)
    read = SceneReader().read(torch.zeros(len(scenes), 3, 64, 64))
    for scene, predicted in zip(scenes, read, strict=True):
        assert set(predicted.things) == set(scene.things)
    assert float(loss_of(outputs, scenes)) < 1e-5


def test_every_thing_claims_one_place_which_holds_its_middle():
    scenes = [scene_at("four", number) for number in range(10)]
    targets = targets_of(scenes)
    for item, scene in enumerate(scenes):
        places = (targets["colour"][item] != IGNORED).nonzero().tolist()
        assert sorted(places) == sorted([thing.row // CELL, thing.column // CELL] for thing in scene.things)
    assert targets["shape"].shape == (10, GRID, GRID)
    assert float(targets["offset"].abs().max()) <= CELL / 2
