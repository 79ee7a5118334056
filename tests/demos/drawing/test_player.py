"""A replay, frame by frame."""

from app.demos.drawing import player
from kernels.result import Player, Tiles


def test_a_replay_has_a_frame_for_each_step_and_its_tile_if_there_is_one() -> None:
    tiles = Tiles(16, 16, (("diagonal", "skipped"), ("full", "diagonal")))
    data = Player(
        ({"m": 1.0, "l": 2.5}, {"m": 3.0}, {}), ("m", "l"), ("It begins.",), tiles, ((0, 0), (1, 2), (1,))
    )
    view = player.draw(data)
    assert [(f.number, f.values, f.words, f.tile) for f in view.frames] == [
        ("1", ("1", "2.5"), "It begins.", "0,0"),
        ("2", ("3", "–"), "", ""),  # the plan has no third column
        ("3", ("–", "–"), "", ""),
    ]
    assert view.has_words
    assert view.plan is not None
    bare = player.draw(Player((), ("m",)))
    assert (bare.frames, bare.plan, bare.has_words) == ((), None, False)
