import torch

from core.models.scene_reader import CELL, GRID, IGNORED, KINDS, SceneReader, loss_of, targets_of
from core.scenes.things import Scene, scene_at


def perfect(scenes: list[Scene]) -> dict[str, torch.Tensor]:
    """What a network would say that makes no mistake."""
    asked = targets_of(scenes)
    there = asked["shape"] != IGNORED
    said = {"thing": torch.where(there, 20.0, -20.0)[:, None], "offset": asked["offset"]}
    for kind, values in KINDS.items():
        numbers = asked[kind].clamp_min(0)
        said[kind] = 20 * torch.nn.functional.one_hot(numbers, len(values)).permute(0, 3, 1, 2).float()
    return said


def test_targets_hold_all_that_a_scene_has(monkeypatch):
    scenes = [scene_at(split, number) for split in ("test", "four") for number in range(20)]
    said = perfect(scenes)
    monkeypatch.setattr(SceneReader, "forward", lambda *_: said)
    read = SceneReader().read(torch.zeros(len(scenes), 3, 64, 64))
    for scene, seen in zip(scenes, read, strict=True):
        assert set(seen.things) == set(scene.things)
    assert float(loss_of(said, scenes)) < 1e-5


def test_every_thing_claims_one_place_which_holds_its_middle():
    scenes = [scene_at("four", number) for number in range(10)]
    asked = targets_of(scenes)
    for item, scene in enumerate(scenes):
        places = (asked["colour"][item] != IGNORED).nonzero().tolist()
        assert sorted(places) == sorted([thing.row // CELL, thing.column // CELL] for thing in scene.things)
    assert asked["shape"].shape == (10, GRID, GRID)
    assert float(asked["offset"].abs().max()) <= CELL / 2
