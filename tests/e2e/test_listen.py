"""Cards read aloud by the browser's own voice. A headless browser has none, so a stand-in notes what it was to say."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.house import House

pytestmark = pytest.mark.e2e

VOICE = """
window.said = [];
const voice = { name: "Test", lang: "en-US", voiceURI: "test", localService: true };
class Utterance { constructor(text) { this.text = text; } }
const synth = {
  waiting: new Set(),
  getVoices: () => [voice],
  addEventListener() {},
  speak(words) {
    window.said.push(words.text);
    if (window.failing) queueMicrotask(() => words.onerror({ error: "network" }));
    else if (window.silent) this.waiting.add(words);
    else queueMicrotask(() => words.onend());
  },
  cancel() { for (const words of this.waiting) words.onerror({ error: "canceled" }); this.waiting.clear(); },
};
Object.defineProperty(window, "speechSynthesis", { value: synth });
window.SpeechSynthesisUtterance = Utterance;
"""

# Another voice, and which one was to say something how fast.
SECOND = """
window.by = [];
const second = { name: "Second", lang: "de-DE", voiceURI: "second", localService: true };
synth.getVoices = () => [voice, second];
const speak = synth.speak;
synth.speak = function (words) { window.by.push([words.voice.name, words.rate]); speak.call(this, words); };
"""


def said(page: Page) -> str:
    return " ".join(page.evaluate("window.said"))


def test_cards_are_read_one_after_the_other_with_a_pause_to_answer(page: Page, site: House) -> None:
    page.add_init_script(VOICE)
    page.goto(f"{site.url}/listen?deck=attention/scaling&level=IC4")
    cards = page.locator(".listen-card")
    page.get_by_label("Pause to answer").fill("0")
    page.keyboard.press("Tab")
    first = cards.first.get_attribute("data-asked")
    second = cards.nth(1).get_attribute("data-asked")
    assert first
    assert second
    page.locator("h1").click()
    page.keyboard.press("Space")
    expect(cards.nth(1)).to_be_visible()
    heard = said(page)
    assert first.split("\n")[0].split(".")[0].split("?")[0][:60] in heard
    page.keyboard.press("Space")
    expect(page.locator("[data-listen-state]")).to_have_text("Paused")
    page.reload()
    expect(page.locator("[data-listen-at]")).not_to_have_text(f"1 of {cards.count()}")
    assert [v["id"] for v in Axe().run(page).response["violations"]] == []


def test_every_word_is_read_in_utterances_that_are_short_enough(page: Page, site: House) -> None:
    """The weight is 0.832, and not ".832": a mark within a number ends no sentence."""
    page.add_init_script(VOICE)
    texts = []
    for core in ("", "?core=yes"):
        page.goto(f"{site.url}/listen{core}")
        texts += page.locator(".listen-card").evaluate_all(
            "all => all.flatMap(c => [c.dataset.asked, c.dataset.told])"
        )
    assert any("0." in text for text in texts)
    cut = page.evaluate(
        """async (texts) => {
            const { sentences } = await import(document.querySelector("script[src*=reading]").src);
            return texts.map(sentences);
        }""",
        texts,
    )
    for text, parts in zip(texts, cut, strict=True):
        assert " ".join(parts).split() == text.split()
        assert max(map(len, parts)) <= 220


def test_headphones_pause_and_go_on(page: Page, site: House) -> None:
    page.add_init_script(
        VOICE
        + """
        window.silent = true;
        window.pressed = {};
        navigator.mediaSession.setActionHandler = (name, handler) => { window.pressed[name] = handler; };
        const play = HTMLMediaElement.prototype.play;
        HTMLMediaElement.prototype.play = function () { window.silence = this; return play.call(this); };
    """
    )
    page.goto(f"{site.url}/listen?deck=attention/scaling&level=IC4")
    page.keyboard.press("Space")
    state = page.locator("[data-listen-state]")
    expect(state).to_have_text("Question")
    page.wait_for_function("!silence.paused && silence.duration === 10")
    page.evaluate("pressed.pause()")
    expect(state).to_have_text("Paused")
    assert page.evaluate("silence.paused && navigator.mediaSession.playbackState") == "paused"
    page.evaluate("pressed.nexttrack()")
    expect(page.locator("[data-listen-at]")).to_contain_text("2 of")
    page.evaluate("void pressed.play()")
    expect(state).to_have_text("Question")
    page.wait_for_function("!silence.paused")


def test_a_voice_that_fails_is_said_to(page: Page, site: House) -> None:
    """It said "Paused", and nothing of why. A voice may be made by a server that is out of reach."""
    page.add_init_script(VOICE + "window.failing = true;")
    page.goto(f"{site.url}/listen?deck=attention/scaling&level=IC4")
    page.keyboard.press("Space")
    expect(page.locator("[data-listen-state]")).to_contain_text("The voice stopped. Choose another one")
    page.goto(f"{site.url}/study")
    page.keyboard.press("v")
    expect(page.get_by_role("button", name="The voice failed: read again")).to_be_visible()


def test_without_a_voice_the_cards_go_by_as_text(page: Page, site: House) -> None:
    page.set_viewport_size({"width": 360, "height": 800})
    page.goto(f"{site.url}/listen?deck=attention/scaling&level=IC4")
    expect(page.locator("[data-listen-silent]")).to_be_visible()
    expect(page.locator(".listen-card:visible")).to_have_count(1)
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    assert [v["id"] for v in Axe().run(page).response["violations"]] == []


def test_the_voice_is_chosen_in_the_settings_for_all_pages_of_this_browser(page: Page, site: House) -> None:
    page.add_init_script(VOICE + SECOND)
    page.goto(f"{site.url}/settings")
    page.get_by_label("Voice", exact=True).select_option("Second (de-DE)")
    page.get_by_label("Speed", exact=True).fill("1.3")
    expect(page.get_by_text("1.3×")).to_be_visible()
    page.get_by_role("button", name="Hear a sentence").press("Enter")
    assert page.evaluate("window.by") == [["Second", 1.3]]
    assert said(page) == "The scores are divided by the square root of d k."
    page.evaluate("window.failing = true")
    page.get_by_role("button", name="Hear a sentence").press("Enter")
    expect(page.get_by_role("button", name="This voice failed: try again")).to_be_visible()
    page.goto(f"{site.url}/listen?deck=attention/scaling")
    page.keyboard.press("v")
    expect(page.get_by_label("Voice", exact=True)).to_have_value("second")
    page.get_by_role("button", name="Hear a sentence").press("Enter")
    assert page.evaluate("window.by") == [["Second", 1.3]]


def test_without_a_voice_the_settings_say_so(page: Page, site: House) -> None:
    page.goto(f"{site.url}/settings")
    expect(page.get_by_text("This browser has no voice to read with.")).to_be_visible()
    expect(page.get_by_role("button", name="Hear a sentence")).to_be_hidden()


def test_a_question_is_read_on_a_key_and_falls_silent_when_the_answer_comes(page: Page, site: House) -> None:
    page.add_init_script(VOICE + "window.silent = true;")
    page.goto(f"{site.url}/study")
    expect(page.get_by_role("button", name="Read aloud")).to_be_visible()
    page.keyboard.press("v")
    expect(page.get_by_role("button", name="Stop reading")).to_be_visible()
    assert page.evaluate("window.speechSynthesis.waiting.size") == 1
    page.keyboard.press("Space")
    expect(page.locator(".answer")).to_be_visible()
    assert page.evaluate("window.speechSynthesis.waiting.size") == 0
    page.evaluate("window.silent = false; window.said = []")
    page.keyboard.press("v")
    page.wait_for_function("window.said.length > 0")
