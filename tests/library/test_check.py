"""`aloud check` on real files: what it finds across decks, and whether claims hold."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from app.library.check import DemoFailed, check_decks, prove


def only_demo_a(line: str) -> None:
    name, _, _ = line.partition(" ")
    if name != "a":
        raise ValueError(f'There is no demo "{name}"; did you mean a?')


def write(folder: Path, **decks: str) -> Path:
    for name, body in decks.items():
        (folder / f"{name}.md").write_text(f"---\ndeck: {name}\ntitle: {name}\n---\n{body}", encoding="utf-8")
    return folder


def complaints(folder: Path) -> list[str]:
    report = check_decks([folder], only_demo_a)
    return [str(error).removeprefix(f"{folder.as_posix()}/") for error in report.errors]


Q = "Q: q\nA: a\n"


def test_good_decks_are_counted(tmp_path: Path) -> None:
    folder = write(
        tmp_path, x=Q + "id: x\nnext: y\ndemo: a n=1\nexpect: b.c = 1\n", y="C: {{c1::a}} {{c2::b}}\nid: y\n"
    )
    report = check_decks([folder], only_demo_a)
    assert report.errors == ()
    assert report.summary == "2 decks, 3 cards, 0 mistakes"
    assert [deck.name for deck in report.decks] == ["x", "y"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (Q + "id: x\nlevel: IC9\n", 'x.md:8: the level "IC9" is not known.'),
        ("Q: q\n\n$\\foo$\nA: a\nid: x\n", "x.md:7: the formula $\\foo$ does not render"),
        ("Q: q\nA:\n\nb\nc $\\foo$\nid: x\n", "x.md:9: the formula $\\foo$ does not render"),
        ("C: {{c1::$\\foo$}}\nid: x\n", "x.md:5: the formula $\\foo$ does not render"),
        ("S: s\ntime: 90\npoint p: a\npoint q: $\\foo$\nid: x\n", "x.md:8: the formula $\\foo$"),
        (
            "C: $x${{c1::5}} {{c2::a}}\nid: x\n",
            "x.md:5: on the card x.2 a formula and a filled gap run together",
        ),
        (Q + "\n[b](/cards)\nid: x\n", 'x.md:6: the link to "/cards" would not work in a card.'),
        (Q + "wrong: $x\nid: x\n", "x.md:7: a formula begins with $ and does not end. Fix: close it with $"),
        (
            Q + "id: x\ndemo: b n=1\n",
            'x.md:8: the demo "b n=1" cannot run: There is no demo "b"; did you mean a?.',
        ),
        (
            Q + "id: x\nexpect: b.c = 1\n",
            "x.md:8: an expect: line stands on a card without a demo. Fix: add its demo:",
        ),
        (Q + "id: x\ndemo: a\nexpect: b.c\n", 'x.md:9: "b.c" is no expectation. Fix: write it like weights.'),
        (Q + "id: x\nnext: gone\n", 'x.md:8: next: names "gone", and no card has that id. Fix: write the id'),
        (Q + "id: x\nnext: x\n", 'x.md:8: next: names "x", which is this card. Fix: write the id of another'),
        (Q + "kind: predict\nid: x\ndemo: a\n", "x.md:5: the predict card has no demo: with an expect:."),
        (
            "Q: q\nkind: estimate\nparams: n=1|2\nanswer: n\nid: x\n",
            'x.md:7: the question does not give "n", which is drawn. Fix: write {=n} in Q:',
        ),
        (
            "Q: $x_{=w}$\nkind: estimate\nparams: w=a|b_c\nanswer: 1\nid: x\n",
            "x.md:5: the formula $x_b_c$ does not render",
        ),
        (Q + "id: x\nwas: x\n", 'x.md:8: was: names "x", which a card still has. Fix: name ids'),
    ],
)
def test_a_mistake_is_named_with_file_line_and_fix(tmp_path: Path, body: str, said: str) -> None:
    (found,) = complaints(write(tmp_path, x=body))
    assert found.startswith(said)
    assert " Fix: " in found


def test_ids_and_names_are_single_across_decks(tmp_path: Path) -> None:
    folder = write(tmp_path, x=Q + "id: same\n", y=Q + "id: same\n")
    (folder / "y.md").write_text((folder / "y.md").read_text().replace("deck: y", "deck: x"))
    x = f"{folder.as_posix()}/x.md"
    assert complaints(folder) == [
        f'y.md:2: the deck name "x" is used in {x}, too. Fix: give each deck a name of its own.',
        f'y.md:7: the id "same" is used in {x}:7, too. Fix: give each card an id of its own.',
    ]


def test_the_demo_of_a_deck_is_checked_once_in_its_own_line(tmp_path: Path) -> None:
    folder = write(tmp_path, x=Q + "id: x\n\n" + Q + "id: y\n")
    (folder / "x.md").write_text((folder / "x.md").read_text().replace("title: x", "title: x\ndemo: b"))
    (found,) = complaints(folder)
    assert found.startswith('x.md:4: the demo "b" cannot run')


def test_a_deck_that_cannot_be_read_makes_no_false_complaint_of_links(tmp_path: Path) -> None:
    (tmp_path / "bad.md").write_bytes(b"---\n\xff")
    folder = write(tmp_path, x=Q + "id: x\nnext: in-bad\n")
    assert complaints(folder) == ["bad.md:2: the byte 0xFF is not UTF-8. Fix: save the file as UTF-8."]


def test_one_deck_may_name_cards_of_the_decks_beside_it(tmp_path: Path) -> None:
    folder = write(tmp_path, x=Q + "id: x\nnext: y gone\n", y=Q + "id: y\n")
    alone = check_decks([folder / "x.md"], only_demo_a)
    (found,) = check_decks([folder / "x.md"], only_demo_a, [folder]).errors
    assert len(alone.errors) == 2
    assert found.problem == 'next: names "gone", and no card has that id'


def test_prove_runs_each_demo_once_and_says_what_it_got(tmp_path: Path) -> None:
    ran: list[str] = []

    def run(line: str) -> Mapping[str, object]:
        ran.append(line)
        if line == "a n=2":
            raise DemoFailed("It was stopped after 30 s.")
        return {"blocks": [{"id": "b", "data": {"c": 1.5}}]}

    card = Q + "id: {}\ndemo: a {}\nexpect: {}\n\n"
    cards = [
        ("x", "n=1", "b.c = 1.5"),
        ("y", " n=1", "b.c < 1"),
        ("z", "n=2", "b.c = 1"),
        ("w", "n=1", "b.d = 1"),
    ]
    folder = write(tmp_path, x="".join(card.format(*row) for row in cards) + Q + "id: v\ndemo: a n=3\n")
    proofs = prove(check_decks([folder], only_demo_a).decks, run)
    assert ran == ["a n=1", "a n=2"]
    assert [(proof.note_id, proof.outcome.holds, proof.outcome.got) for proof in proofs] == [
        ("x", True, 1.5),
        ("y", False, 1.5),
        ("z", False, None),
        ("w", False, None),
    ]
    assert str(proofs[1]).endswith("x.md:15: y: b.c is 1.5, but not as claimed (< 1).")
    assert proofs[2].outcome.sentence == 'The demo "a n=2" gave no result: It was stopped after 30 s.'


def test_a_formula_names_the_draw_that_breaks_it(tmp_path: Path) -> None:
    body = "Q: $x_{=w}$\nkind: estimate\nparams: w=a|b_c\nanswer: 1\nid: x\n"
    (found,) = complaints(write(tmp_path, x=body))
    assert "(drawn with w=b_c). Fix: " in found
    assert complaints(write(tmp_path, x=body.replace("b_c", "c"))) == []


ESTIMATE = (
    "Q: {=n} tokens?\nkind: estimate\nparams: n=1|2|3|4\nanswer: 2 * n -> B\nid: x\n"
    "demo: a n={=n}\nexpect: size.bytes = {=answer}\n"
)


def doubling(line: str) -> Mapping[str, object]:
    n = int(line.rpartition("=")[2])
    return {"blocks": [{"id": "size", "data": {"bytes": 2 * n if n < 4 else 9}}]}


def test_an_estimate_is_proved_with_its_canonical_draw_and_two_more(tmp_path: Path) -> None:
    report = check_decks([write(tmp_path, x=ESTIMATE)], only_demo_a)
    proofs = prove(report.decks, doubling)
    assert proofs[0].draw == "n=1"
    assert len({proof.draw for proof in proofs}) == len({proof.demo for proof in proofs}) == 3


def test_a_proof_names_its_draw(tmp_path: Path) -> None:
    two = ESTIMATE.replace("n=1|2|3|4", "n=1|4")
    report = check_decks([write(tmp_path, x=two)], only_demo_a)
    held, failed = prove(report.decks, doubling)
    assert held.outcome.holds
    assert "x (drawn with n=4): size.bytes is 9, but not as claimed (= 8)." in str(failed)


def test_a_demo_that_refuses_one_draw_is_named(tmp_path: Path) -> None:
    def small(line: str) -> None:
        if line.endswith("=3"):
            raise ValueError("n is at most 2.")

    report = check_decks([write(tmp_path, x=ESTIMATE)], small)
    assert [error.problem for error in report.errors] == ['the demo "a n=3" cannot run: n is at most 2']
