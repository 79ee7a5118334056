"""The browser's copy of the drill's clock says what the server's says, and its stopwatch cannot be fooled."""

import base64
from dataclasses import asdict
from pathlib import Path

import pytest
from playwright.sync_api import Page

from app.drill.timing import face_at

pytestmark = pytest.mark.e2e

CLOCK = Path(__file__).resolve().parents[2] / "static" / "js" / "clock.js"


@pytest.fixture
def clock_js(page: Page) -> Page:
    """An empty page that has the module as `clock`."""
    code = base64.b64encode(CLOCK.read_bytes()).decode()
    page.evaluate(
        "async (code) => { window.clock = await import(`data:text/javascript;base64,${code}`); }", code
    )
    return page


@pytest.mark.parametrize("planned_s", [5, 30, 90, 100, 600])
def test_both_sides_show_the_same_face_at_every_moment(clock_js: Page, planned_s: int) -> None:
    moments = [s * 1000 + ms for s in range(planned_s + 70) for ms in (0, 333, 667, 999)]
    shown = clock_js.evaluate(
        "([moments, planned]) => moments.map((ms) => clock.faceAt(ms, planned))", [moments, planned_s]
    )
    faces = [face_at(ms, planned_s) for ms in moments]
    assert shown == [asdict(face) for face in faces]


def test_each_mark_is_said_once(clock_js: Page) -> None:
    said = clock_js.evaluate(
        """(planned) => {
          const said = [];
          for (let ms = 0; ms < 200_000; ms += 200) {
            const words = clock.markPassed(ms, ms + 200, planned);
            if (words) said.push([(ms + 200) / 1000, words]);
          }
          return said;
        }""",
        90,
    )
    assert said == [
        [30, "60 seconds left"],
        [60, "30 seconds left"],
        [80, "10 seconds left"],
        [90, "Time is up. The clock counts on."],
    ]


def test_after_a_gap_only_what_still_holds_is_said(clock_js: Page) -> None:
    assert clock_js.evaluate("clock.markPassed(10_000, 65_000, 90)") == "30 seconds left"
    assert clock_js.evaluate("clock.markPassed(10_000, 95_000, 90)") == "Time is up. The clock counts on."


@pytest.mark.parametrize(
    ("steps", "elapsed", "interrupted"),
    [
        ([[200, 200]] * 50, 10_000, False),
        ([[1000, 1000]] * 10, 10_000, False),  # a hidden tab looks once a second
        ([[200, 200], [9800, 9800]], 10_000, True),  # the page stood still
        ([[200, 200], [200, 60_200]], 400, True),  # the machine slept, and the steady clock with it
    ],
    ids=["steady", "hidden", "frozen", "asleep"],
)
def test_the_stopwatch_reads_clocks_and_marks_gaps(
    clock_js: Page, steps: list[list[int]], elapsed: int, interrupted: bool
) -> None:
    seen = clock_js.evaluate(
        """(steps) => {
          let steady = 5000, wall = 1e12;
          performance.now = () => steady;
          Date.now = () => wall;
          const watch = new clock.Stopwatch();
          let elapsed = 0;
          for (const [s, w] of steps) { steady += s; wall += w; elapsed = watch.look(); }
          return [elapsed, watch.interrupted];
        }""",
        steps,
    )
    assert seen == [elapsed, interrupted]
