"""An attempt travels through the browser: signed, for one learner and one card, and never longer than was spoken."""

from datetime import UTC, datetime, timedelta

import pytest

from app.accounts.learner import LearnerId
from app.drill import attempt as attempts
from app.study.scheduling import CardId
from app.web.errors import Invalid
from app.web.signing import Signer

NOW = datetime(2026, 11, 29, 18, 0, tzinfo=UTC)
ME, PITCH = LearnerId(1), CardId("pitch")


def test_what_is_signed_comes_back_the_same() -> None:
    signer = Signer("secret")
    for attempt in (
        attempts.begin(ME, PITCH),
        attempts.begin(ME, PITCH).start(NOW, 3).show_notes(),
        attempts.begin(ME, PITCH).finish(NOW, 87_000, interrupted=True, notes_shown=False),
    ):
        assert attempts.read(signer, attempts.sign(signer, attempt), ME, PITCH) == attempt


@pytest.mark.parametrize("text", ["", "x", "eyJhIjoxfQ.aaaa", "ä" * 5000])
def test_what_was_not_signed_here_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(Invalid, match="start it again"):
        attempts.read(Signer("secret"), text, ME, PITCH)


def test_a_signature_over_something_else_is_refused() -> None:
    signer = Signer("secret")
    with pytest.raises(Invalid):
        attempts.read(signer, signer.sign("take", {"card_id": "pitch"}), ME, PITCH)
    signed = attempts.sign(signer, attempts.begin(ME, PITCH))
    with pytest.raises(Invalid):
        attempts.read(Signer("another secret"), signed, ME, PITCH)


def test_an_attempt_serves_its_own_card_and_learner_only() -> None:
    signer = Signer("secret")
    signed = attempts.sign(signer, attempts.begin(ME, PITCH))
    with pytest.raises(Invalid, match="another card"):
        attempts.read(signer, signed, ME, CardId("other"))
    with pytest.raises(Invalid, match="another card"):
        attempts.read(signer, signed, LearnerId(2), PITCH)


def test_the_server_keeps_the_time_from_the_end_of_getting_ready() -> None:
    started = attempts.begin(ME, PITCH).start(NOW, 3)
    assert started.since_start_ms(NOW) == -3000
    done = started.finish(NOW + timedelta(seconds=90.25), None, interrupted=False, notes_shown=False)
    assert done.spoken_ms == 87_250


def test_starting_again_does_not_set_the_clock_back() -> None:
    started = attempts.begin(ME, PITCH).start(NOW, 3)
    assert started.start(NOW + timedelta(minutes=1), 3) == started


def test_there_is_nothing_to_finish_while_getting_ready() -> None:
    started = attempts.begin(ME, PITCH).start(NOW, 3)
    assert started.finish(NOW, None, interrupted=False, notes_shown=False) == started


def test_whoever_speaks_at_once_brings_the_start_forward() -> None:
    started = attempts.begin(ME, PITCH).start(NOW, 3)
    assert started.start(NOW, 0).since_start_ms(NOW) == 0


def test_the_browsers_time_goes_before_the_servers() -> None:
    done = attempts.begin(ME, PITCH).start(NOW, 3).finish(NOW, 12_345, interrupted=False, notes_shown=False)
    assert done.spoken_ms == 12_345


def test_a_tab_left_open_for_weeks_counts_a_day_at_most() -> None:
    done = attempts.begin(ME, PITCH).finish(NOW, 10**30, interrupted=True, notes_shown=False)
    assert done.spoken_ms == 24 * 3600 * 1000


def test_times_that_cannot_be_are_refused() -> None:
    with pytest.raises(Invalid, match="0 or more"):
        attempts.begin(ME, PITCH).finish(NOW, -1, interrupted=False, notes_shown=False)
    with pytest.raises(Invalid, match="press Start"):
        attempts.begin(ME, PITCH).finish(NOW, None, interrupted=False, notes_shown=False)
    with pytest.raises(Invalid, match="not finished"):
        attempts.begin(ME, PITCH).finished()
