"""Answering a card of each kind in a real browser, by keyboard: nothing typed into a box ever grades the card."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.reach import out_of_reach
from tests.house import House, house

pytestmark = pytest.mark.e2e

CARDS = {
    "typed": "Q: In which 16-bit format is 65,504 the largest number?\nkind: typed\nanswer: fp16 | float16 | half\n"
    "A: It has 5 bits of exponent.",
    "number": "Q: One token of Llama-3-70B: how much cache in bf16?\nkind: number\nanswer: 320 KiB\n"
    "tolerance: 1 %\nA: So.",
    "estimate": "Q: How much do {=n} numbers of fp32 take?\nkind: estimate\nparams: n=1024|2048|4096\n"
    "answer: 4 * n -> B\ntolerance: 2 %\nA: Four bytes each.",
    "spot": "Q: Which sentence is wrong?\nkind: spot\nright: It hides the future.\nright: It costs no weights.\n"
    "wrong: It hides the past.\nA: The past stays in sight.",
    "code": "Q: Mask the scores.\nkind: code\nA: ```python\nmask = torch.ones(n_q, n_kv).tril(n_kv - n_q)\n"
    "scores = scores.masked_fill(~mask, float('-inf'))\n```",
    "mask": "Q: Three new queries, six keys: which keys does each see?\nkind: predict\nA: All before it, and itself.\n"
    "demo: decode-alignment n_q=3 n_kv=6\nexpect: mask-bottom-right.cells[0][3] = 1\n"
    "expect: mask-bottom-right.cells[0][4] = 0",
    "shape": "Q: Three queries, six keys, size 8: which shape have the scores?\nkind: predict\nA: 3 x 6.\n"
    "demo: attention example=random n_q=3 n_kv=6 d_k=8\nexpect: shapes.steps[2].dims[1].n = 3\n"
    "expect: shapes.steps[2].dims[2].n = 6",
    "value": "Q: What do the weights of the third token come to?\nkind: predict\nA: 0.083 and 0.413.\ndemo: attention\n"
    "expect: weights.stages[3].values[2][0] = 0.083 +- 0.0005\n"
    "expect: weights.stages[3].values[2][1] = 0.413 +- 0.0005",
}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """The app with a deck of one card for each kind. Showing and revealing change nothing, so all tests share it."""
    data = tmp_path_factory.mktemp("saying") / "data"
    write(data)
    with house(data) as made:
        yield made


def write(data: Path) -> None:
    (data / "decks").mkdir(parents=True)
    for name, card in CARDS.items():
        deck = f"---\ndeck: mine/{name}\ntitle: Mine\n---\n{card}\nid: mine-{name}\n"
        (data / "decks" / f"{name}.md").write_text(deck, encoding="utf-8")


def open_card(page: Page, made: House, kind: str) -> None:
    page.goto(f"{made.url}/study?deck=mine/{kind}")
    expect(page.locator(".reveal")).to_be_visible()
    page.locator(".question").focus()


def revealed(page: Page, title: str) -> None:
    expect(page.locator(".answer")).to_be_focused()
    expect(page.locator(".said h2")).to_have_text(title)


def test_digits_and_enter_in_the_box_never_grade(page: Page, desk: House) -> None:
    open_card(page, desk, "number")
    page.keyboard.press("a")
    expect(page.locator("#said-1")).to_be_focused()
    page.keyboard.type("327,680 B")
    expect(page.locator(".reveal")).to_be_visible()
    page.keyboard.press("Enter")
    revealed(page, "Right")
    expect(page.locator(".said")).to_contain_text("Suggested: Good. The grade is yours.")
    expect(page.locator("#live")).to_contain_text("Right.")
    page.keyboard.press("Enter")
    expect(page.locator(".grades")).to_be_visible()


def test_escape_leaves_the_box_and_space_reveals(page: Page, desk: House) -> None:
    open_card(page, desk, "typed")
    page.keyboard.press("a")
    page.keyboard.type("b 1 2 3 ")
    page.keyboard.press("Escape")
    expect(page.locator(".question")).to_be_focused()
    page.keyboard.press("Space")
    revealed(page, "Not right")


def test_a_wrong_number_suggests_again_and_space_gives_it(page: Page, tmp_path: Path) -> None:
    write(tmp_path / "data")
    with house(tmp_path / "data") as made:
        open_card(page, made, "number")
        page.keyboard.press("a")
        page.keyboard.type("320 KB")
        page.keyboard.press("Enter")
        revealed(page, "Not right")
        expect(page.locator(".said")).to_contain_text("320 KB is 312.5 KiB: KB counts in thousands")
        expect(page.locator(".grade.main")).to_contain_text("Again")
        page.keyboard.press("Space")
        expect(page.locator(".done")).to_be_visible()
        page.goto(f"{made.url}/cards/mine-number")
        expect(page.get_by_role("row").filter(has_text="Again")).to_be_visible()


def test_a_typed_answer_shows_where_it_differs(page: Page, desk: House) -> None:
    open_card(page, desk, "typed")
    page.keyboard.press("a")
    page.keyboard.type("fp32")
    page.keyboard.press("Enter")
    revealed(page, "Not right")
    expect(page.locator(".said del")).to_have_count(1)
    expect(page.locator(".said ins")).to_have_count(1)
    open_card(page, desk, "typed")
    page.keyboard.press("a")
    page.keyboard.type("Float 16")
    page.keyboard.press("Enter")
    revealed(page, "Right")


def test_an_estimate_is_marked_with_the_numbers_of_its_showing(page: Page, desk: House) -> None:
    open_card(page, desk, "estimate")
    numbers = "".join(
        sign for sign in page.locator(".question").inner_text().split("fp32")[0] if sign.isdigit()
    )
    page.keyboard.press("a")
    page.keyboard.type(f"{int(numbers) // 256} KiB")
    page.keyboard.press("Enter")
    revealed(page, "Right")


def test_the_wrong_sentence_by_letter(page: Page, desk: House) -> None:
    open_card(page, desk, "spot")
    sentences = page.locator(".sentences li").all_inner_texts()
    page.keyboard.press("a")
    expect(page.locator("input[type=radio]").first).to_be_focused()
    for _ in range(1 + sentences.index("It hides the past.")):
        page.keyboard.press("ArrowDown")
    page.locator("input[type=radio]").nth(sentences.index("It hides the past.")).check()
    page.keyboard.press("Enter")
    revealed(page, "Right")


def test_code_reveals_with_control_enter_and_stands_beside_the_cards(page: Page, desk: House) -> None:
    open_card(page, desk, "code")
    page.keyboard.press("a")
    page.keyboard.type("mask = torch.ones(n_q, n_kv).tril()")
    page.keyboard.press("Enter")
    page.keyboard.type("scores = scores.masked_fill(~mask, float('-inf'))")
    expect(page.locator(".reveal")).to_be_visible()
    page.keyboard.press("Control+Enter")
    revealed(page, "What you said")
    assert "said" not in page.url
    expect(page.locator(".code-pairs tbody tr")).to_have_count(2)
    expect(page.locator('.code-pairs tr[data-shape="changed"]')).to_have_count(1)


def test_cells_of_a_mask_by_keyboard(page: Page, desk: House) -> None:
    open_card(page, desk, "mask")
    page.keyboard.press("a")
    expect(page.get_by_role("checkbox", name="query 0 sees key 0")).to_be_focused()
    for query in range(3):
        for key in range(6):
            if key <= query + 3 and (query, key) != (0, 0):
                page.keyboard.press("Space")
            page.keyboard.press("Tab")
    expect(page.get_by_role("checkbox", checked=True)).to_have_count(14)
    page.get_by_role("button", name="Show the answer").click()
    revealed(page, "Not right")
    expect(page.locator(".said")).to_contain_text("1 of 18 cells differs.")
    expect(page.locator(".said")).to_contain_text("Marked against the recorded run on")
    expect(page.locator(".mask-cells.marked td.off-by")).to_have_count(1)
    expect(page.get_by_role("button", name="Run it")).to_be_visible()


def test_a_shape(page: Page, desk: House) -> None:
    open_card(page, desk, "shape")
    page.keyboard.press("a")
    page.keyboard.type("3 x 6")
    page.keyboard.press("Enter")
    revealed(page, "Right")


def test_single_figures_are_folded_away(page: Page, desk: House) -> None:
    open_card(page, desk, "value")
    expect(page.get_by_label("softmax, row sat, column The")).not_to_be_visible()
    page.get_by_text("Predict single figures of the run").click()
    page.get_by_label("softmax, row sat, column The").fill("0.08")
    page.get_by_label("softmax, row sat, column cat").fill("0.41")
    page.keyboard.press("Enter")
    revealed(page, "Close")
    expect(page.locator(".said-line")).to_have_count(2)


def test_all_of_it_without_scripts(browser: Browser, desk: House) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{desk.url}/study?deck=mine/number")
    page.get_by_label("Your answer").fill("320")
    page.get_by_label("Your answer").press("Enter")
    expect(page.locator(".said")).to_contain_text("Right. Read as KiB.")
    page.reload()
    expect(page.locator(".said")).to_contain_text("Right. Read as KiB.")
    context.close()


def test_a_run_on_the_page_marks_the_prediction_anew(page: Page, tmp_path: Path) -> None:
    write(tmp_path / "data")
    with house(tmp_path / "data", worker=True) as made:
        open_card(page, made, "mask")
        page.get_by_role("checkbox", name="query 0 sees key 0").check()
        page.get_by_role("button", name="Show the answer").click()
        expect(page.locator(".said")).to_contain_text("Marked against the recorded run on")
        page.keyboard.press("r")
        expect(page.locator(".said")).to_contain_text("Marked against your run on", timeout=60_000)
        expect(page.locator("#live")).to_contain_text("Not right.")
        page.keyboard.press("1")
        expect(page.locator(".done")).to_be_visible()


ANSWERS = {"typed": "fp32", "number": "40 GB", "estimate": "12 ms", "shape": "(6, 3)", "code": "mask = 1"}


def test_every_kind_can_be_read_and_reached(page: Page, desk: House) -> None:
    """On the question, and on the mark."""
    found: list[str] = []
    for kind in CARDS:
        open_card(page, desk, kind)
        if kind == "value":
            page.get_by_text("Predict single figures of the run").click()
            page.get_by_label("softmax, row sat, column The").fill("0.3")
        elif kind == "spot":
            page.locator("input[type=radio]").first.check()
        elif kind == "mask":
            page.locator("input[type=checkbox]").first.check()
        else:
            page.locator("#said-1").fill(ANSWERS[kind])
        found += out_of_reach(page, f"{kind} asked")
        page.get_by_role("button", name="Show the answer").click()
        expect(page.locator(".said")).to_be_visible()
        found += out_of_reach(page, f"{kind} marked")
    assert found == []
