"""Blocks as a reader meets them: numbers that can be read, words for what is drawn, with and without scripts."""

import pytest
from playwright.sync_api import Browser, Page, expect

pytestmark = pytest.mark.e2e


def test_a_weight_and_a_masked_cell_can_be_read(page: Page, gallery: str) -> None:
    page.goto(f"{gallery}/blocks")
    table = page.locator("#g-weights table[data-stage=softmax]")
    cat = table.get_by_role("row").nth(2)
    expect(cat.get_by_role("rowheader")).to_have_text("cat")
    expect(cat.get_by_role("cell").nth(0)).to_have_text("0.168")
    expect(cat.get_by_role("cell").nth(2)).to_have_text("0.000 masked")
    expect(cat.get_by_role("cell").nth(5)).to_have_text("1.000")
    shown = page.locator("#g-mask table:visible tbody tr").nth(0)
    expect(shown.get_by_role("cell").nth(4)).to_have_text("masked")


def test_stages_are_switched_by_keyboard_and_without_scripts(browser: Browser, gallery: str) -> None:
    plain = browser.new_context(java_script_enabled=False).new_page()
    plain.goto(f"{gallery}/blocks")
    block = plain.locator("#g-weights")
    expect(block.locator("table[data-stage=softmax]")).to_be_visible()
    block.get_by_role("radio", name="softmax").focus()
    plain.keyboard.press("ArrowLeft")
    expect(block.locator("table[data-stage=masked]")).to_be_visible()
    expect(block.locator("table[data-stage=softmax]")).to_be_hidden()
    expect(
        block.locator("table[data-stage=masked] tbody tr").nth(0).get_by_role("cell").nth(1)
    ).to_contain_text("−∞")
    expect(plain.locator("#g-window details summary")).to_contain_text("as numbers")
    plain.context.close()


def test_heads_and_corners_are_switched_without_scripts(browser: Browser, gallery: str) -> None:
    plain = browser.new_context(java_script_enabled=False).new_page()
    plain.goto(f"{gallery}/blocks")
    heads = plain.locator("#g-heads")
    expect(heads.locator("table:visible")).to_have_count(1)
    first = heads.locator("table:visible tbody tr").nth(1).get_by_role("cell").nth(0)
    was = first.inner_text()
    heads.get_by_role("radio", name="head 1").focus()
    plain.keyboard.press("ArrowRight")
    expect(heads.locator("table:visible")).to_have_count(1)
    expect(first).not_to_have_text(was)
    mask = plain.locator("#g-mask")
    seen = mask.locator("td:visible", has_text="sees")
    expect(seen).to_have_count(4 + 5 + 6)
    mask.get_by_role("radio", name="top-left").check()
    expect(seen).to_have_count(1 + 2 + 3)
    expect(mask).to_contain_text("j ≤ i; the last query sees 3 of 6 keys.")
    assert plain.locator(".readout:visible, .player:visible, copy-code button:visible").count() == 0
    plain.locator("#g-player summary").click()
    expect(plain.locator("#g-player tbody tr:visible")).to_have_count(6)
    plain.context.close()


def test_a_cell_is_followed_through_the_stages_by_pointer_and_by_keys(page: Page, gallery: str) -> None:
    page.goto(f"{gallery}/blocks")
    block = page.locator("#g-weights")
    told = block.locator("output")
    expect(told).to_contain_text("arrow keys")
    table = block.locator("table[data-stage=softmax]")
    table.locator("tbody tr").nth(1).get_by_role("cell").nth(0).hover()
    expect(told).to_contain_text("[cat, The] raw 0.800 → scaled 0.400 → masked 0.400 → softmax 0.168")
    expect(told).to_contain_text("Row cat: largest score 2.000 · weights sum to 1.000")
    expect(told).to_have_attribute("aria-live", "off")
    block.locator(".scroll:visible").focus()
    page.keyboard.press("End")
    expect(told).to_contain_text(
        "[cat, down] raw 0.900 → scaled 0.450 → masked −∞ → softmax 0.000 · hidden by the mask"
    )
    expect(told).to_have_attribute("aria-live", "polite")
    page.keyboard.press("ArrowRight")  # there is nothing beyond
    page.keyboard.press("ArrowDown")
    expect(told).to_contain_text("[sat, down]")
    expect(table.locator("td.picked")).to_have_count(1)
    expect(table.locator("th.on")).to_have_text(["down", "sat"])
    block.get_by_role("radio", name="raw").check()
    expect(block.locator("table:visible td.picked")).to_have_text(
        "0.400"
    )  # the cell stays picked in every stage
    block.locator(".scroll:visible").press("Escape")
    expect(block.locator(".on, .picked")).to_have_count(0)
    expect(told).to_contain_text("arrow keys")


def test_a_heat_map_tells_each_cell_and_redraws_each_stage_and_head(page: Page, gallery: str) -> None:
    page.goto(f"{gallery}/blocks")
    block = page.locator("#g-large")
    canvas, told = block.locator("canvas"), block.locator("output")
    pixels = "canvas => canvas.toDataURL()"
    soft = canvas.evaluate(pixels)
    canvas.press("ArrowDown")  # where nothing is picked, to the first cell
    canvas.press("ArrowDown")
    canvas.press("ArrowRight")
    block.locator("summary").click()
    row = block.locator("table:visible tbody tr").nth(1)
    weight = row.get_by_role("cell").nth(1).inner_text()
    expect(told).to_contain_text("[q1, k1] masked")
    assert float(told.locator("b").nth(1).inner_text()) == pytest.approx(float(weight), abs=6e-4)
    marked = canvas.evaluate(pixels)
    assert marked != soft
    block.get_by_role("radio", name="masked").check()
    assert canvas.evaluate(pixels) not in (soft, marked)
    first = told.inner_text()
    block.get_by_role("radio", name="head 1").check()
    expect(told).to_contain_text("[q1, k1] masked")
    expect(told).not_to_have_text(first)
    box = canvas.bounding_box()
    assert box is not None
    canvas.hover(position={"x": box["width"] * 16.5 / 18, "y": box["height"] * 3.5 / 18})
    expect(told).to_contain_text("[q3, k16]")
    expect(told).to_contain_text("masked −∞ → softmax 0 · hidden by the mask")


def test_what_is_swapped_in_after_the_page_works_as_well(page: Page, gallery: str) -> None:
    page.goto(f"{gallery}/blocks")
    page.evaluate("""async () => {
      const page = new DOMParser().parseFromString(await (await fetch(location.href)).text(), 'text/html');
      const html = ['window', 'player', 'weights'].map((id) => page.getElementById(`g-${id}`).outerHTML).join('');
      document.querySelector('.result').replaceChildren(document.createRange().createContextualFragment(html));
    }""")
    page.locator("#g-window canvas").press("ArrowDown")
    expect(page.locator("#g-window output")).to_contain_text("[0, 0] masked 0 → softmax 1")
    page.locator("#g-player").get_by_role("button", name="Step forward").click()
    expect(page.locator("#g-player .player-step")).to_have_text("2")
    expect(page.locator("#g-weights output")).to_contain_text("arrow keys")


def test_a_replay_is_played_paused_stepped_and_scrubbed(page: Page, gallery: str) -> None:
    page.clock.install()
    page.goto(f"{gallery}/blocks")
    block = page.locator("#g-player")
    step, words, tile = (
        block.locator(".player-step"),
        block.locator(".player-words"),
        block.locator(".plan .at"),
    )
    expect(step).to_have_text("1")
    play = block.get_by_role("button", name="Play")
    play.press("Space")
    expect(words).to_have_attribute("aria-live", "off")
    page.clock.run_for(1600)
    expect(step).to_have_text("2")
    expect(words).to_have_text("Tile (1, 0): a new row of queries begins.")
    block.get_by_role("button", name="Pause").press("Space")
    page.clock.run_for(10_000)
    expect(step).to_have_text("2")
    expect(words).to_have_attribute("aria-live", "polite")
    block.get_by_role("button", name="Step forward").click()
    expect(step).to_have_text("3")
    assert (tile.get_attribute("x"), tile.get_attribute("y")) == ("16", "16")
    block.get_by_role("slider").press("End")
    expect(step).to_have_text("6")
    block.get_by_role("slider").press("ArrowLeft")
    expect(block.get_by_role("slider")).to_have_attribute("aria-valuetext", "Step 5 of 6")
    expect(block.locator(".now dd").first).to_have_text("4")
    expect(block.locator(".now dd").first).to_have_attribute("data-was", "")
    forward = block.get_by_role("button", name="Step forward")
    forward.press("Enter")
    forward.press("Enter")  # at the end it stays, and keeps the focus
    expect(forward).to_be_focused()
    expect(forward).to_have_attribute("aria-disabled", "true")
    play.click()  # from the end, it begins anew
    expect(step).to_have_text("1")
    page.clock.run_for(60_000)
    expect(step).to_have_text("6")
    expect(block.get_by_role("button", name="Play")).to_be_visible()


def test_who_wants_less_motion_has_more_time_for_a_frame(page: Page, gallery: str) -> None:
    page.emulate_media(reduced_motion="reduce")
    page.clock.install()
    page.goto(f"{gallery}/blocks")
    block = page.locator("#g-player")
    block.get_by_role("button", name="Play").click()
    page.clock.run_for(2000)
    expect(block.locator(".player-step")).to_have_text("1")
    page.clock.run_for(1000)
    expect(block.locator(".player-step")).to_have_text("2")


def test_curves_are_read_by_pointer_and_by_keys(page: Page, gallery: str) -> None:
    page.goto(f"{gallery}/blocks")
    chart, told = page.locator("#g-curve .chart"), page.locator("#g-curve output")
    chart.press("ArrowRight")
    expect(told).to_have_text("tokens 1,024: naive 46 · SDPA 15")
    chart.press("ArrowRight")
    expect(told).to_have_text("tokens 2,048: naive 180 · SDPA 55")
    expect(page.locator("#g-curve .cursor")).to_have_attribute("visibility", "visible")
    chart.hover(position={"x": 400, "y": 60})
    expect(told).to_contain_text("tokens 4,096")
    chart.press("End")
    expect(told).to_contain_text("tokens 8,192")


def test_paper_is_light_and_holds_every_stage_head_and_corner(page: Page, gallery: str) -> None:
    page.emulate_media(color_scheme="dark")
    page.goto(f"{gallery}/blocks")
    theme = page.evaluate("document.documentElement.dataset.theme")
    page.emulate_media(media="print", color_scheme="dark")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    parts = page.locator(".block :is(table, .plan, .head-map, .chart, li)")
    assert parts.count() > 50
    unseen = (
        "(parts) => parts.filter((part) => !part.checkVisibility() && !part.closest('.player, .rest')).length"
    )
    assert parts.evaluate_all(unseen) == 0
    assert page.locator(".block :is(button, input, summary):visible").count() == 0
    expect(page.locator("#g-large figure figcaption")).to_have_text(["head 0, masked", "head 0, softmax"])
    colour = "getComputedStyle(document.querySelector('.look-for b')).color"
    assert page.evaluate(colour) == "rgb(97, 93, 85)"
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate("document.documentElement.dataset.theme") == theme
    assert page.locator("figure, .block details[open]").count() == 0


def test_high_contrast_keeps_the_shades_and_what_is_masked(page: Page, gallery: str) -> None:
    page.emulate_media(forced_colors="active")
    page.goto(f"{gallery}/blocks")
    look = "(cell) => [getComputedStyle(cell).backgroundColor, getComputedStyle(cell).backgroundImage !== 'none']"
    cells = page.locator("#g-weights table[data-stage=softmax] tbody td:not(.aggregate)")
    dark, hidden, light = (cells.nth(i).evaluate(look) for i in (0, 1, 4))
    assert dark[0] != light[0]
    assert [dark[1], hidden[1], light[1]] == [False, True, False]


@pytest.mark.parametrize("width", [320, 360, 700, 1280])
def test_no_table_is_cut_at_its_edge_or_below(page: Page, gallery: str, width: int) -> None:
    """At 360 pixels half of the columns were out of sight, and 2.684 read 2.68; others had eight rows of fifteen."""
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"{gallery}/blocks")
    rows = page.locator(".block .rows:visible")
    assert rows.count() > 2
    cut = (
        "(all) => all.filter((e) => e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1)"
    )
    assert rows.evaluate_all(f"{cut}.map((e) => e.closest('.block').id)") == []


def test_words_about_one_corner_go_when_the_other_is_chosen(page: Page, gallery: str) -> None:
    page.goto(f"{gallery}/blocks")
    block = page.locator("#g-mask")
    expect(block.locator(".look-for")).to_be_visible()
    block.get_by_role("radio", name="top-left").check()
    expect(block.locator(".look-for")).to_be_hidden()
    expect(block.locator(".panel:visible")).to_have_count(1)  # the tiles are those of the run


def test_without_scripts_a_large_matrix_says_so_and_shows_its_numbers(browser: Browser, gallery: str) -> None:
    plain = browser.new_context(java_script_enabled=False).new_page()
    plain.goto(f"{gallery}/blocks")
    block = plain.locator("#g-large")
    expect(block.get_by_text("needs JavaScript")).to_be_visible()
    expect(block.locator("label:visible")).to_have_count(0)
    block.locator("summary").click()
    expect(block.locator("table:visible")).to_have_count(block.locator("table").count())
    plain.context.close()


def test_a_heat_map_names_some_of_its_rows_and_columns(page: Page, gallery: str) -> None:
    page.goto(f"{gallery}/blocks")
    frame = page.locator("#g-large .heat-frame")
    assert frame.locator(".heat-cols span").all_inner_texts()[:2] == ["k0", "k4"]
    assert frame.locator(".heat-rows span").all_inner_texts()[:2] == ["q0", "q4"]


def test_run_stays_in_sight_unless_the_screen_is_low(page: Page, gallery: str) -> None:
    """At 200 % zoom it and the rooms left 290 pixels to read in."""
    for height, position in ((800, "sticky"), (400, "static")):
        page.set_viewport_size({"width": 640, "height": height})
        page.goto(f"{gallery}/parts")
        assert page.locator(".params .actions").evaluate("(e) => getComputedStyle(e).position") == position


def test_code_is_copied_as_it_was_written(browser: Browser, gallery: str) -> None:
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    opened = context.new_page()
    opened.goto(f"{gallery}/blocks")
    opened.locator("#g-code").get_by_role("button", name="Copy as PyTorch").click()
    expect(opened.locator("#g-code button")).to_have_text("Copied")
    assert opened.evaluate("navigator.clipboard.readText()").startswith("import torch\n\n# bottom-right")
    context.close()
