"""What each demo page shows, put together: the catalogue, a demo with its form, a run, two results side by side."""

import re
from collections.abc import Mapping

from sqlalchemy import Connection

from app.accounts.learner import Learner
from app.demos import comparing, drawing, ordering, results, service
from app.demos.drawing.prose import printed
from app.demos.records import Records
from app.demos.results import Found
from app.demos.service import Run
from app.demos.views import (
    USUAL,
    CardLink,
    Catalogue,
    Choice,
    ComparePage,
    DemoPage,
    DemoRow,
    Fault,
    Links,
    ParamView,
    ResultRow,
    RunView,
    Shown,
    Topic,
    param_groups,
    when_words,
)
from app.jobs.standing import WorkerView
from app.jobs.states import State
from app.library import service as library
from app.web.errors import NotFound
from kernels.catalog import DEMOS, BadParams, Demo, Params, canonical, parse, parse_line, refusals
from kernels.result import BadResult, Result

RECORDED_ON = "recorded-on"  # in a link, the device of a record; no parameter has a hyphen in its name


def catalogue(conn: Connection, learner: Learner, q: str) -> Catalogue:
    """The demos that hold all words of `q`, below their topics, and the learner's open runs."""
    cards = library.cards_by_demo(conn)
    words = q.casefold().split()
    rows = [(demo.topic, _row(demo, cards.get(demo.name, 0))) for demo in DEMOS.values()]
    found = [(topic, row) for topic, row in rows if all(word in row.haystack for word in words)]
    topics = tuple(
        Topic(
            title.capitalize(), title.replace(" ", "-"), tuple(row for topic, row in found if topic == title)
        )
        for title in dict.fromkeys(topic for topic, _ in found)
    )
    count = f"{len(found)} of {len(rows)} demos" if words else f"{len(rows)} demos"
    return Catalogue(q, topics, count, service.open_runs(conn, learner))


def _row(demo: Demo, cards: int) -> DemoRow:
    told = (demo.name, demo.title, demo.summary, demo.look_for, demo.topic, _needs(demo))
    return DemoRow(demo.name, demo.title, demo.summary, _needs(demo), cards, " ".join(told).casefold())


def _needs(demo: Demo) -> str:
    """How its figures come about as it is first shown, in a word or two."""
    usual = parse(demo, {})
    if demo.calculates(usual):
        return "calculated"
    if refusals(demo, usual, interpreter=True):
        return "needs a GPU"
    return "Triton" if "triton" in demo.needs else "PyTorch"


def demo_page(
    conn: Connection,
    records: Records,
    learner: Learner,
    worker: WorkerView,
    name: str,
    raw: Mapping[str, object],
    on: str = "",
) -> DemoPage:
    """The page of a demo with the parameters `raw`: the best result of them, or what is wrong with each.

    `on` asks for the record of a device. Parameters that no ready worker would run still show the result that another
    one left. Raises NotFound for the demo, and where there is no such record.
    """
    chosen = ordering.find(name)
    params: Params = {}
    sentences: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    found: tuple[Found, ...] = ()
    try:
        params = parse(chosen, raw)
        refused = ordering.refused(chosen, params, worker)
        found = results.of_params(conn, records, learner.id, chosen, params)
    except BadParams as error:
        sentences = error.sentences
    result = _result(found, learner, on)
    at_field = {p.name: s for p in chosen.params for s in sentences if s.startswith(f"{p.name} ")}
    fields = [
        ParamView.of(p, params.get(p.name, raw.get(p.name, p.default)), printed(at_field.get(p.name, "")))
        for p in chosen.params
    ]
    return DemoPage(
        name=chosen.name,
        title=chosen.title,
        summary=chosen.summary,
        look_for=chosen.look_for,
        groups=param_groups(fields),
        seeded=any(p.name == "seed" for p in chosen.params),
        faults=tuple(_fault(sentence, chosen) for sentence in sentences + refused),
        fits=not sentences,
        links=Links(chosen.name, params),
        result=result,
        waiting=service.waiting(conn, learner, chosen, params, result) if params and not on else None,
        devices=_devices(found, chosen, params, result),
        cards=_cards(conn, chosen),
        earlier=tuple(
            _listed(one, learner) for one in results.earlier(conn, records, learner.id, chosen.name)
        ),
    )


def _fault(sentence: str, chosen: Demo) -> Fault:
    """The sentence with the field that it names first."""
    named = {
        at.start(): p for p in chosen.params if (at := re.search(rf"(?<![\w-]){p.name}(?![\w-])", sentence))
    }
    if not named:
        return Fault(printed(sentence))
    first = named[min(named)]
    return Fault(printed(sentence), first.name, first.label)


def _result(found: tuple[Found, ...], learner: Learner, on: str) -> Shown | None:
    """The first that can be read; of the device `on` where one is asked for."""
    if on and not any(one.on == on for one in found):
        raise NotFound(f"Nothing of these parameters was recorded on {on[:80]!r}; leave {RECORDED_ON} out.")
    drawn = (service.show(one, learner) for one in found if on in ("", one.on))
    return next((one for one in drawn if one), None)


def _devices(
    found: tuple[Found, ...], chosen: Demo, params: Params, result: Shown | None
) -> tuple[Choice, ...]:
    if len(found) < 2 or result is None:
        return ()
    query = Links(chosen.name, params).query
    return tuple(
        Choice(
            f"Recorded on {one.device}" if one.recorded else f"Run here, on {one.device}",
            {**query, **({RECORDED_ON: one.on} if one.recorded else {})},
            one.id == result.id,
        )
        for one in found
    )


def _cards(conn: Connection, chosen: Demo) -> tuple[CardLink, ...]:
    return tuple(
        CardLink(row.id, row.words, row.level, _line_words(row.demo or ""))
        for row in library.on_demo(conn, chosen.name)
    )


def _line_words(line: str) -> str:
    try:
        chosen, params = parse_line(line)
    except ValueError:  # a deck that is older or newer than the demos
        return ""
    return Links(chosen.name, params).words


def _listed(found: Found, learner: Learner) -> ResultRow:
    origin = "Recorded" if found.recorded else "Run"
    return ResultRow(
        id=found.id,
        path=found.path,
        words=Links(found.demo, found.params).words or USUAL,
        whence=f"{origin} {when_words(found.at, learner.zone)}, on {found.device}",
        older=found.older,
    )


def run_view(
    conn: Connection, records: Records, learner: Learner, of: Run, named: tuple[str, ...] = ()
) -> RunView:
    """A run, ready to be drawn, with its result; without one, with what there is of the same parameters.

    `named`: the ids of the blocks to draw first.
    """
    known = DEMOS.get(of.demo)
    told, found = service.result_of(conn, learner, of)
    result = service.show(found, learner, named) if found else None
    return RunView(
        id=of.id,
        title=known.title if known else of.demo,
        links=Links(of.demo, of.params),
        runnable=known is not None,
        open=not of.state.final,
        fraction=of.progress if of.state is State.RUNNING else None,
        words=told.words,
        result=result,
        meanwhile=None if result else _meanwhile(conn, records, learner, of, named),
        named=",".join(named),
    )


def _meanwhile(
    conn: Connection, records: Records, learner: Learner, of: Run, named: tuple[str, ...]
) -> Shown | None:
    try:
        chosen, params = DEMOS[of.demo], parse(DEMOS[of.demo], of.params)
    except (KeyError, BadParams):  # the run is older than the demos
        return None
    return service.best(conn, records, learner, chosen, params, named)


def result(conn: Connection, records: Records, learner: Learner, name: str, result_id: str) -> Found:
    """The result of a demo by the id of the learner's run or the name of its record. Raises NotFound."""
    found = results.named(conn, records, learner.id, name, result_id)
    if found is None:
        raise NotFound(
            f"The demo {ordering.find(name).name} has no result {result_id[:80]!r}; its page lists those there are."
        )
    return found


def record_link(found: Found) -> dict[str, str]:
    """The query of the page that shows a record."""
    return {**Links(found.demo, found.params).query, RECORDED_ON: found.on}


def file_name(found: Found) -> str:
    """What a result is called when it is saved."""
    known = DEMOS.get(found.demo)
    try:
        line = canonical(known, parse(known, found.params)) if known else ""
    except BadParams:
        line = ""
    return f"{found.demo}{'-' if line else ''}{line.replace(' ', ',')}"[:120] + ".json"


def compare_page(
    conn: Connection, records: Records, learner: Learner, name: str, left: str, right: str
) -> ComparePage:
    """Two results of a demo beside each other; where one is not named yet, what there is to choose from.

    Raises NotFound for the demo, and for a result that is not there or cannot be read.
    """
    chosen = ordering.find(name)
    found = [result(conn, records, learner, name, one) if one else None for one in (left, right)]
    rows = [_listed(one, learner) if one else None for one in found]
    earlier = (_listed(one, learner) for one in results.earlier(conn, records, learner.id, name))
    options = {row.id: row for row in (*rows, *earlier) if row}
    sides = [_side(one, chosen) for one in found if one]
    return ComparePage(
        name=name,
        title=chosen.title,
        left=rows[0],
        right=rows[1],
        options=tuple(options.values()),
        comparison=comparing.compare(*sides) if len(sides) == 2 else None,
    )


def _side(found: Found, chosen: Demo) -> comparing.Side:
    body = service.read(found)
    try:
        if body is None:
            raise BadResult("Its file cannot be read.")
        return comparing.Side(Result.from_json(body), drawing.result(body))
    except BadResult as error:
        raise NotFound(f"The result {found.id!r} of {chosen.name} cannot be compared. {error}") from None
