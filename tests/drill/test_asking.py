"""Open questions to a judge: one at a time about one thing, few in all, each ended when it is cancelled."""

import asyncio
from datetime import UTC, datetime

import pytest

from app.accounts.learner import LearnerId
from app.drill.judge import service as judge
from app.drill.judge import views as judge_views
from app.drill.judge.asking import MOST_KNOWN, MOST_OPEN, OURS, About, Asked, Asking, TooMany
from app.drill.judge.chat import Judge, NoAnswer
from app.drill.judge.judging import Opinion, Remark
from app.drill.pitch import Point


def about(key: str) -> About:
    return LearnerId(1), key


async def settled() -> None:
    """Until every task that can go on has done so."""
    for _ in range(5):
        await asyncio.sleep(0)


def test_a_question_is_open_until_it_is_answered() -> None:
    async def story() -> None:
        asking, answer, calls = Asking(), asyncio.Event(), []

        async def work() -> str:
            calls.append(1)
            await answer.wait()
            return "well"

        assert asking.about(about("a")) is None
        asking.begin(about("a"), work)
        asking.begin(about("a"), work)  # a double click
        await settled()
        assert asking.about(about("a")) == Asked()
        assert asking.about((LearnerId(2), "a")) is None
        answer.set()
        await settled()
        assert asking.about(about("a")) == Asked(open=False, said="well")
        assert calls == [1]

    asyncio.run(story())


def test_what_goes_wrong_is_a_sentence(caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        asking = Asking()

        async def refused() -> str:
            raise NoAnswer("It is asleep.")

        async def fails() -> str:
            raise ZeroDivisionError

        asking.begin(about("a"), refused)
        asking.begin(about("b"), fails)
        await settled()
        assert asking.about(about("a")) == Asked(open=False, problem="It is asleep.")
        assert asking.about(about("b")) == Asked(open=False, problem=OURS)

    asyncio.run(story())
    assert "ZeroDivisionError" in caplog.text


def test_what_is_cancelled_ends_and_all_end_with_the_server() -> None:
    async def story() -> None:
        asking, ended = Asking(), []

        async def work() -> str:
            try:
                await asyncio.Event().wait()
            finally:
                ended.append(1)
            return ""

        for key in "abcd":
            asking.begin(about(key), work)
        with pytest.raises(TooMany):
            asking.begin(about("e"), work)
        assert MOST_OPEN == 4
        await settled()
        await asking.cancel(about("a"))
        await asking.cancel(about("never asked"))
        assert (len(ended), asking.about(about("a"))) == (1, None)
        asking.begin(about("e"), work)
        await settled()
        await asking.close()
        assert len(ended) == 5

    asyncio.run(story())


def test_only_the_latest_are_remembered() -> None:
    async def story() -> None:
        asking = Asking()

        async def work() -> str:
            return ""

        for number in range(MOST_KNOWN + 10):
            asking.begin(about(str(number)), work)
            await settled()
        assert asking.about(about("9")) is None
        assert asking.about(about("10")) == Asked(open=False)

    asyncio.run(story())


def test_who_is_asked_keeps_its_name_when_another_judge_is_chosen_meanwhile() -> None:
    """The page said that it waits for the one that was chosen later, or for nobody: "Waiting for , at most"."""
    first, second = (Judge(name, f"http://{name}/v1", f"m-{name}") for name in ("one", "two"))

    def drawn(chosen: Judge | None, asked: Asked) -> judge_views.Part:
        return judge_views.part(chosen, None, asked, card_id="pitch", take="", points=(), said="so")

    for chosen in (first, second, None):
        assert drawn(chosen, Asked(whom=first.where)).where == "m-one, at one"
    refused = Asked(open=False, problem="It is asleep.", whom=first.where)
    assert [drawn(chosen, refused).problem for chosen in (first, second, None)] == ["It is asleep.", "", ""]
    assert drawn(second, refused).where == "m-two, at two"


def test_what_is_said_of_a_case_stands_below_its_stages() -> None:
    """Twenty remarks in a row, and nothing that said which part of the answer they are about."""
    points = [
        Point(name, name, name, stage=stage) for name, stage in (("a", "one"), ("b", "one"), ("c", "two"))
    ]
    given = Opinion(tuple(Remark(name, "partly", "") for name in "bac"), "")
    at = datetime(2026, 11, 29, tzinfo=UTC)
    kept = judge.Kept("box", "m", "h", given, "", at)
    drawn = judge_views.part(None, kept, None, card_id="pitch", take="", points=points, said="so")
    assert [(remark.point, remark.stage) for remark in drawn.remarks] == [
        ("a", "one"),
        ("b", ""),
        ("c", "two"),
    ]
