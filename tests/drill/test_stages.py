"""Which stage of a case is on, by the clock."""

from app.drill.pitch import Point
from app.drill.shown import headings
from app.drill.stages import Stage, stages_at

CASE = (Stage("requirements", 60), Stage("estimate", 150), Stage("failure", 90))


def shown(elapsed_ms: int | None) -> list[tuple[str, str]]:
    return [(stage.when, stage.left) for stage in stages_at(elapsed_ms, CASE)]


def test_before_the_clock_runs_the_first_comes_next() -> None:
    assert shown(None) == [("next", ""), ("later", ""), ("later", "")]


def test_one_is_on_and_the_next_is_named() -> None:
    assert shown(0) == [("now", "1:00"), ("next", ""), ("later", "")]
    assert shown(59_999) == [("now", "0:00"), ("next", ""), ("later", "")]
    assert shown(60_000) == [("done", ""), ("now", "2:30"), ("next", "")]
    assert shown(299_000) == [("done", ""), ("done", ""), ("now", "0:01")]


def test_in_overtime_the_last_stays_on_with_nothing_left() -> None:
    assert shown(400_000) == [("done", ""), ("done", ""), ("now", "0:00")]


def test_the_stages_follow_one_another() -> None:
    found = stages_at(None, CASE)
    assert [(stage.from_ms, stage.to_ms) for stage in found] == [
        (0, 60_000),
        (60_000, 210_000),
        (210_000, 300_000),
    ]
    assert [stage.time for stage in found] == ["1:00", "2:30", "1:30"]
    assert stages_at(0, ()) == ()


def test_a_stage_is_a_heading_above_its_first_point() -> None:
    given = [Point(name, name, name, stage=stage) for name, stage in zip("abcd", "xxyy", strict=True)]
    assert headings(given) == ("x", "", "y", "")
    assert headings([Point("a", "a", "a")]) == ("",)
    assert [Point.of(point.body()) for point in given] == given
