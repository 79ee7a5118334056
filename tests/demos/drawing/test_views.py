"""Which template draws a block, and what stands beside a result."""

from app.demos import drawing
from app.settings import ROOT
from kernels.result import TYPES
from tests.demos.every import EVERY


def test_every_type_of_the_schema_has_a_template_and_an_unknown_one_is_a_table() -> None:
    view = drawing.result(EVERY)
    folder = ROOT / "templates" / "partials" / "blocks"
    assert {b.template for b in view.blocks} == set(TYPES)
    assert all((folder / f"{b.template}.html").is_file() for b in view.blocks)
    assert next(b for b in view.blocks if b.id == "later").template == "table"


def test_the_badge_names_origin_device_and_mode() -> None:
    badge = drawing.result({**EVERY, "origin": "recorded", "mode": "interpreter"}).badge
    assert badge is not None
    assert (badge.origin, badge.when) == ("recorded", "29 Nov 2026")
    assert (badge.device, badge.mode) == ("AMD EPYC", "Triton interpreter, not a speed")


def test_a_result_of_another_schema_gives_a_note_instead_of_an_error() -> None:
    view = drawing.result({"schema": 9})
    assert view.badge is None
    assert view.blocks[0].template == "note"
